"""Rooflines (Williams, Waterman and Patterson 2009): a point a kernel, its geometric mean over the problems, above the
problems themselves in small. The host's kernels share a panel, as they share its memory."""

from plotting.selection import NothingToDraw, backend_of, method_of, with_most_threads
from plotting.style import BOUND, log_axis, new_figure, three_digits
from results.statistics import geometric_mean


def place_of(case):
    return "device" if backend_of(case) == "cuda" else "host"


def kernel_of(case):
    return f"serial {method_of(case)}" if backend_of(case) == "serial" else method_of(case)


def peak(files, place):
    """The fastest GEMM of all files given, flop/s; None without such a file."""
    rates = [case.rate("flops") or 0 for file in files if file.suite == "gemm" for case in file.timed if place_of(case) == place]
    return max(rates, default=None)


def draw(file, style, files):
    cases = [case for case in with_most_threads(file.timed) if case.rate("flops") and case.work.get("bytes")]
    groups = {place: [case for case in cases if place_of(case) == place] for place in ("host", "device")}
    bandwidth = {"host": file.bandwidth("openmp"), "device": file.bandwidth("cuda")}
    groups = {place: of for place, of in groups.items() if of and bandwidth[place]}
    if not groups:
        raise NothingToDraw("it needs flops and bytes of cases and the machine's bandwidth")
    heights = [max(3.4, 1.1 + 0.19 * len({kernel_of(case) for case in of})) for of in groups.values()]  # of the legends
    figure = new_figure(file, f"{file.suite}: roofline, a point a kernel (geometric mean; in small: each problem)",
                        8.6, 0.9 + sum(heights))
    panels = figure.subplots(len(groups), 1, squeeze=False, height_ratios=heights)[:, 0]
    for ax, (place, of_place) in zip(panels, groups.items()):
        draw_panel(ax, style, of_place, bandwidth[place], peak(files, place))
        ax.set_title(place)
        ax.set_xlabel("flop / byte that must move")
        ax.set_ylabel("GFLOP/s")
        ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), title="mean, GFLOP/s")
    return {"": figure}


def draw_panel(ax, style, cases, bandwidth, peak_rate):
    kernels = {}
    for case in cases:
        kernels.setdefault(kernel_of(case), []).append((case.work["flops"] / case.work["bytes"], case.rate("flops") / 1e9))
    means = {kernel: tuple(map(geometric_mean, zip(*points))) for kernel, points in kernels.items()}
    for kernel, points in kernels.items():
        ax.plot(*zip(*points), marker=style.marker(kernel), markersize=3.2, linestyle="none", alpha=0.4,
                color=style.colour(kernel), markeredgewidth=0, zorder=1)
    # From fast to slow, so that the legend tells points apart that lie on each other.
    for kernel in sorted(means, key=lambda kernel: -means[kernel][1]):
        looks = {**style.points(kernel), "markersize": 8, "markeredgewidth": 0.8, "markeredgecolor": "black",
                 "label": f"{kernel}, {three_digits(means[kernel][1])}"}
        ax.plot(*means[kernel], **looks, zorder=3)
    points = [point for of in kernels.values() for point in of]
    left, right = min(x for x, _ in points) / 1.5, max(x for x, _ in points) * 1.5
    top = draw_roof(ax, style, left, right, bandwidth, peak_rate)
    log_axis(ax.xaxis, left, right)
    log_axis(ax.yaxis, min(y for _, y in points), max(top, *(y for _, y in points)))
    ax.set_xlim(left, right)


def draw_roof(ax, style, left, right, bandwidth, peak_rate):
    """Its height at the right end, GFLOP/s."""
    slope, flat = bandwidth / 1e9, (peak_rate or float("inf")) / 1e9
    knee = min(max(left, flat / slope), right)
    xs = sorted({left, knee, right})
    roof = [min(slope * x, flat) for x in xs]
    ax.plot(xs, roof, color=style.shade(BOUND), linestyle="-", linewidth=1.8, zorder=2,
            label=f"bandwidth, {three_digits(slope)} GB/s" + (f";\nfastest GEMM, {three_digits(flat)}" if peak_rate else ""))
    return roof[-1]
