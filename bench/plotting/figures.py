"""The figures that there are: one more is a file and a line here."""

from collections.abc import Callable
from dataclasses import dataclass

from plotting import convergence, ladder, profiles, rates, roofline, speedup, times


@dataclass(frozen=True)
class Figure:
    """`draw(file, style, files)` gives {page: figure}, the page "" where there is one only; `files` are all that were
    given, for what one file cannot know of itself. It throws NothingToDraw with what is missing."""
    name: str
    suites: tuple
    draw: Callable
    description: str


FIGURES = (
    Figure("gflops", ("spmv", "spmm", "gemm"), rates.draw_flops, "GFLOP/s by matrix and format"),
    Figure("bandwidth", ("transpose",), rates.draw_bytes, "GB/s by size and kernel"),
    Figure("roofline", ("spmv", "spmm", "gemm"), roofline.draw,
           "a point a kernel under bandwidth and, with a file of gemm beside, peak"),
    Figure("speedup", ("spmv", "spmm", "transpose", "gemm", "panel", "products", "triangular", "solve"), speedup.draw, "speed-up over threads"),
    Figure("ladder", ("spmv", "spmm", "transpose", "gemm", "panel", "products", "triangular"), ladder.draw,
           "rungs as bars, beside references; settings of a kernel"),
    Figure("size", ("spmv", "spmm", "transpose", "gemm", "products", "triangular", "solve"), times.draw_size, "time over nonzeros or rows"),
    Figure("density", ("density",), times.draw_density, "time over density, a page a size"),
    Figure("convergence", ("solve",), convergence.draw, "residuals over iterations"),
    Figure("profile", ("spmv", "spmm", "solve"), profiles.draw, "performance profiles of Dolan and More"),
)


def figures_of(suite):
    return [figure for figure in FIGURES if suite in figure.suites]
