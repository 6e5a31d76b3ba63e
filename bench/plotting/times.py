"""Time over size and over density, both logarithmic, the fastest kernel of each format."""

from plotting.selection import NothingToDraw, backend_of, by_backend, fastest, panel_title, series_of, size_of, with_most_threads
from plotting.style import BANDWIDTH_LABEL, BOUND, legend_below, log_axis, new_figure
from results.suite_file import is_number


def draw_over(file, style, panels, x_of, x_label, title, joined):
    """panels: [(title, cases)]; joined: whether the points of a series lie on one line."""
    columns = 2 if len(panels) == 4 else min(3, len(panels))
    rows = -(-len(panels) // columns)
    figure = new_figure(file, title, 1.0 + 3.4 * max(2, columns), 1.5 + 3.4 * rows)
    axes = figure.subplots(rows, columns, squeeze=False).flat
    for ax, (name, cases) in zip(axes, panels):
        for series, best in fastest(cases, series_of).items():
            points = sorted((x_of(case), 1e3 * case.total) for case in best.values())
            ax.plot([x for x, _ in points], [y for _, y in points], **(style.line if joined else style.points)(series))
        floor = draw_floor(ax, file, style, cases, x_of)
        log_axis(ax.xaxis, min(map(x_of, cases)), max(map(x_of, cases)))
        times = [1e3 * case.total for case in cases] + floor
        log_axis(ax.yaxis, min(times), max(times))
        ax.set_title(name)
        ax.set_xlabel(x_label)
        ax.set_ylabel("time (ms)")
    for ax in list(figure.axes)[len(panels):]:
        ax.remove()
    legend_below(figure, figure.axes, columns=4 if columns < 3 else 6)
    return figure


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


def columns_of(case):
    return case.labels.get("columns", 1)


def panels_of(cases):
    """A panel for each backend and number of columns."""
    panels = []
    for columns in sorted({columns_of(case) for case in cases}):
        for backend, of in by_backend([case for case in cases if columns_of(case) == columns]):
            title = panel_title(backend, of)
            panels.append((title if columns == 1 else f"{title}, {columns} columns", of))
    return panels


def draw_size(file, style, _):
    cases = [case for case in with_most_threads(file.timed) if size_of(case)[0]]
    if len({size_of(case)[0] for case in cases}) < 2:
        raise NothingToDraw("all problems have one size, or do not tell it")
    what = size_of(cases[0])[1]
    how = "the fastest kernel of each format" if any("format" in case.labels for case in cases) else \
        "with set-up" if file.suite == "solve" else "by kernel"
    return {"": draw_over(file, style, panels_of(cases), lambda case: size_of(case)[0], what,
                          f"{file.suite}: time over size, {how}", joined=what == "rows")}


def density_of(case):
    return case.labels.get("density")


def draw_density(file, style, _):
    """A page a size: sparse and dense products beside each other, of a vector and of a panel."""
    cases = [case for case in with_most_threads(file.timed) if is_number(density_of(case)) and density_of(case) > 0]
    if len({density_of(case) for case in cases}) < 2:
        raise NothingToDraw("there is but one density, or none")
    pages = {}
    sizes = sorted({case.labels.get("n", 0) for case in cases})
    for n in sizes:
        of_size = [case for case in cases if case.labels.get("n", 0) == n]
        pages[f"{n}" if len(sizes) > 1 else ""] = draw_over(
            file, style, panels_of(of_size), density_of, "density (nonzeros / entries)",
            f"{file.suite}: time over density, {n} rows, the fastest kernel of each format", joined=True)
    return pages
