"""How figures look: colours that the colour-blind tell apart (Okabe and Ito 2008, without the yellow), and a marker and a
line of its own for each series, so that they are told apart in grey as well."""

import os

import matplotlib
import numpy
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from PIL import Image

COLOURS = ("#0072B2", "#E69F00", "#000000", "#56B4E9", "#D55E00", "#009E73", "#CC79A7")  # neighbours differ in grey
MARKERS = ("o", "s", "^", "D", "v", "X", "P", "<", ">", "*", "h", "p", "d")  # thirteen and seven colours: 91 series before a pair comes again
LINES = ("-", "--", "-.", ":", (0, (7, 1, 1, 1, 1, 1)))  # five and seven: 35 series before a pair comes again
BOUND = "#707070"  # of floors, roofs and ideals
BANDWIDTH_LABEL = "bytes at the bandwidth measured"

SETTINGS = {
    "font.family": "DejaVu Sans", "font.size": 9, "axes.titlesize": 9.5, "axes.labelsize": 9, "legend.fontsize": 8.5,
    "xtick.labelsize": 8.5, "ytick.labelsize": 8.5, "figure.titlesize": 10.5, "axes.grid": True, "grid.color": "#d8d8d8",
    "grid.linewidth": 0.6, "axes.axisbelow": True, "axes.spines.top": False, "axes.spines.right": False, "lines.linewidth": 1.4,
    "lines.markersize": 5, "legend.frameon": False, "hatch.linewidth": 0.6, "figure.dpi": 100, "savefig.dpi": 100,
    "svg.hashsalt": "stiefel", "svg.fonttype": "path",
}


class Style:
    """Gives each series its looks, in the order in which they are asked for, and the same ones in all panels."""

    def __init__(self, grey=False):
        self.grey = grey
        self.order = []

    def number(self, series):
        if series not in self.order:
            self.order.append(series)
        return self.order.index(series)

    def shade(self, colour):
        """The colour, or the grey that a printer makes of it (luma of ITU-R BT.601)."""
        if not self.grey:
            return colour
        red, green, blue = to_rgb(colour)
        return str(0.299 * red + 0.587 * green + 0.114 * blue)

    def colour(self, series):
        return self.shade(COLOURS[self.number(series) % len(COLOURS)])

    def marker(self, series):
        return MARKERS[self.number(series) % len(MARKERS)]

    def points(self, series):
        """Of markers without lines."""
        return {"color": self.colour(series), "marker": self.marker(series), "linestyle": "none", "markeredgecolor": "white",
                "markeredgewidth": 0.4, "label": series}

    def line(self, series, markers=True):
        looks = {"color": self.colour(series), "linestyle": LINES[self.number(series) % len(LINES)], "label": series}
        return {**looks, "marker": self.marker(series)} if markers else looks

    def bar(self, reference):
        return {"color": self.shade(COLOURS[reference]), "hatch": "////" if reference else "", "edgecolor": "white"}


def machine_in_words(file):
    parts = [file.machine.get("cpu") or "unknown processor"]
    if file.machine.get("cores"):
        parts[0] += f", {file.machine['cores']} cores"
    if file.machine.get("gpu"):
        parts.append(file.machine["gpu"])
    return "; ".join(parts)


def new_figure(file, title, width, height):
    """With the title, and below it the machine, the build and the day."""
    about = [machine_in_words(file)]
    build = ", ".join(str(word) for word in (file.build.get("commit"), file.build.get("compiler"), file.started[:10]) if word)
    figure = Figure(figsize=(width, height), layout="constrained")
    figure.suptitle("\n".join([title, *about, build]), x=0.01, ha="left", linespacing=1.35)
    return figure


def three_digits(value):
    return f"{value:.3g}" if value < 999.5 else f"{value:.0f}"


def plain_number(value, _=None):
    """0.01, 1000, 20k, 5M, 1G; small ones as powers of ten."""
    if 0 < value < 0.99e-2:
        digit, exponent = f"{value:e}".split("e")
        power = f"10^{{{int(exponent)}}}"
        return f"${power}$" if float(digit) == 1 else f"${float(digit):g}\\cdot{power}$"
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= max(0.99 * size, 0.99e4):
            return f"{value / size:g}{letter}"
    return f"{value:g}"


STEPS = (  # of a decade, that are labelled on an axis that spans less than this factor
    (2, (1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.7, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9)), (5, (1, 1.5, 2, 3, 4, 5, 7)), (15, (1, 2, 3, 5)),
    (150, (1, 2, 5)), (float("inf"), (1,)))


def log_axis(axis, low, high):
    """Logarithmic from a bit below `low` to a bit above `high`, with more labels to a decade the less it spans."""
    set_limits = axis.axes.set_xlim if axis.axis_name == "x" else axis.axes.set_ylim
    (axis.axes.set_xscale if axis.axis_name == "x" else axis.axes.set_yscale)("log")
    margin = min(1.25, (high / low) ** 0.08) if high > low else 1.25
    set_limits(low / margin, high * margin)
    span = high / low
    steps = next(steps for most, steps in STEPS if span < most)
    axis.set_major_locator(LogLocator(base=10, subs=steps, numticks=9))
    axis.set_major_formatter(FuncFormatter(plain_number))
    axis.set_minor_formatter(NullFormatter())


def legend_below(figure, axes, columns):
    """One legend of all panels below them, each series once, in rows of about the same length."""
    entries = {}
    for ax in axes:
        handles, labels = ax.get_legend_handles_labels()
        entries.update(zip(labels, handles))
    if BANDWIDTH_LABEL in entries:
        entries[BANDWIDTH_LABEL] = entries.pop(BANDWIDTH_LABEL)  # last
    rows = -(-len(entries) // columns)
    figure.legend(entries.values(), entries.keys(), loc="outside lower center", ncols=-(-len(entries) // rows))


def with_palette(image):
    """The 256 most frequent colours, exactly, and others as the nearest of them: a fourth of the bytes."""
    pixels = numpy.asarray(image.convert("RGB")).reshape(-1, 3).astype(numpy.int32)
    colours, place, counts = numpy.unique(pixels @ (1 << 16, 1 << 8, 1), return_inverse=True, return_counts=True)
    colours = colours[:, None] >> (16, 8, 0) & 255
    kept = colours[numpy.argsort(-counts, kind="stable")[:256]]
    nearest = numpy.array([((kept - colour) ** 2).sum(axis=1).argmin() for colour in colours], dtype=numpy.uint8)
    result = Image.frombytes("P", image.size, nearest[place.reshape(-1)].tobytes())
    result.putpalette(kept.astype(numpy.uint8).tobytes())
    return result


def save(figure, path):
    """As SVG or PNG by the ending, complete or not at all; the same bytes for the same file."""
    ending = os.path.splitext(path)[1][1:]
    metadata = {"Date": None, "Creator": None} if ending == "svg" else {"Software": None}
    with matplotlib.rc_context(SETTINGS):
        figure.savefig(path + ".tmp", format=ending, metadata=metadata)
    if ending == "png":
        with Image.open(path + ".tmp") as image:
            with_palette(image).save(path + ".tmp", format="png", optimize=True)
    os.replace(path + ".tmp", path)
