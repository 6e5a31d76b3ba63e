"""Time over size and over density, both logarithmic, the fastest kernel of each format."""

from plotting.selection import NothingToDraw, backend_of, by_backend, fastest, panel_title, problem_of, series_of, size_of, with_most_threads
from plotting.style import BANDWIDTH_LABEL, BOUND, legend_below, log_axis, new_figure
from results.suite_file import is_number


def draw_over(file, style, panels, x_of, x_label, title, joined):
    """panels: [(title, cases)]; joined: whether the points of a series lie on one line."""
    figure = new_figure(file, title, 1.0 + 3.4 * max(2, len(panels)), 4.9)
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for ax, (name, cases) in zip(axes, panels):
        for series, best in fastest(cases, series_of).items():
            points = sorted((x_of(case), 1e3 * case.median) for case in best.values())
            ax.plot([x for x, _ in points], [y for _, y in points], **(style.line if joined else style.points)(series))
        floor = draw_floor(ax, file, style, cases, x_of)
        log_axis(ax.xaxis, min(map(x_of, cases)), max(map(x_of, cases)))
        times = [1e3 * case.median for case in cases] + floor
        log_axis(ax.yaxis, min(times), max(times))
        ax.set_title(name)
        ax.set_xlabel(x_label)
    axes[0].set_ylabel("time (ms)")
    legend_below(figure, axes, columns=4 if len(panels) < 3 else 6)
    return {"": figure}


def draw_floor(ax, file, style, cases, x_of):
    """The least bytes of each problem at the bandwidth measured; milliseconds."""
    bandwidth = file.bandwidth(backend_of(cases[0]))
    least = {}
    for case in cases:
        if case.work.get("bytes") and bandwidth:
            x = x_of(case)
            least[x] = min(case.work["bytes"] / bandwidth * 1e3, least.get(x, float("inf")))
    points = sorted(least.items())
    if points:
        ax.plot([x for x, _ in points], [y for _, y in points], color=style.shade(BOUND), linewidth=0.9, linestyle="-",
                label=BANDWIDTH_LABEL, zorder=1)
    return [y for _, y in points]


def draw_size(file, style, _):
    cases = [case for case in with_most_threads(file.timed) if size_of(case)[0]]
    if len({size_of(case)[0] for case in cases}) < 2:
        raise NothingToDraw("all problems have one size, or do not tell it")
    panels = [(panel_title(backend, of), of) for backend, of in by_backend(cases)]
    what = size_of(cases[0])[1]
    return draw_over(file, style, panels, lambda case: size_of(case)[0], what,
                     f"{file.suite}: time over size, the fastest kernel of each format", joined=what == "rows")


def density_of(case):
    """The fraction of nonzeros; None where it is not told."""
    for numbers in (case.labels, case.values):
        if is_number(numbers.get("density")):
            return numbers["density"]
    return None


def draw_density(file, style, _):
    cases = [case for case in with_most_threads(file.timed) if density_of(case)]
    if len({density_of(case) for case in cases}) < 2:
        raise NothingToDraw("there is but one density, or none")
    pages = {}
    groups = {}
    for case in cases:
        other = " ".join(word for word in problem_of(case).split() if not word.startswith("density="))
        groups.setdefault(other, []).append(case)
    for number, (other, of_other) in enumerate(groups.items(), start=1):
        panels = [(panel_title(backend, of), of) for backend, of in by_backend(of_other)]
        drawn = draw_over(file, style, panels, density_of, "density (nonzeros / entries)",
                          f"{file.suite}: time over density, {other or 'one size'}", joined=True)
        pages["" if len(groups) == 1 else str(number)] = drawn[""]
    return pages
