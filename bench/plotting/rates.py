"""GFLOP/s (or GB/s) by problem and format: a row a problem, from small to large, with the fastest kernel of each format
and a tick where the bandwidth measured in the same run would allow no more."""

from plotting.selection import NothingToDraw, by_backend, fastest, panel_title, problems_by_size, series_of, with_most_threads
from plotting.style import BANDWIDTH_LABEL, BOUND, legend_below, log_axis, new_figure


def draw(file, style, what, unit, limit):
    """what: "flops" or "bytes" of a case's work; limit: whether those bytes bound it."""
    cases = [case for case in with_most_threads(file.timed) if case.rate(what)]
    if not cases:
        raise NothingToDraw(f"no case tells its {what}")
    problems = problems_by_size(cases)
    groups = by_backend(cases)
    series = "the fastest kernel of each format" if any("format" in case.labels for case in cases) else "by kernel"
    figure = new_figure(file, f"{file.suite}: {unit} by problem, {series}", 3.6 + 2.4 * len(groups),
                        2.2 + 0.19 * max(6, len(problems)))
    panels = figure.subplots(1, len(groups), sharey=True, squeeze=False)[0]
    rows = {problem: row for row, problem in enumerate(reversed(problems))}
    for ax, (backend, of_backend) in zip(panels, groups):
        ceilings = draw_ceilings(ax, file, style, backend, of_backend, rows, what) if limit else []
        for series, best in fastest(of_backend, series_of).items():
            ax.plot([case.rate(what) / 1e9 for case in best.values()], [rows[problem] for problem in best], **style.points(series))
        rates = [case.rate(what) / 1e9 for case in of_backend] + ceilings
        log_axis(ax.xaxis, min(rates), max(rates))
        ax.set_title(panel_title(backend, of_backend))
        ax.set_xlabel(unit)
    panels[0].set_yticks(list(rows.values()), list(rows))
    panels[0].set_ylim(-0.7, len(rows) - 0.3)
    if all("n" in case.labels for case in cases):
        panels[0].set_ylabel("n")
    legend_below(figure, panels, columns=4 if len(groups) == 1 else 7)
    return {"": figure}


def draw_ceilings(ax, file, style, backend, cases, rows, what):
    bandwidth = file.bandwidth(backend)
    if not bandwidth or backend == "serial":  # measured on all cores
        return []
    ceilings = {}
    for problem, case in fastest(cases, lambda _: "")[""].items():
        if case.work.get("bytes"):
            ceilings[problem] = bandwidth * case.work[what] / case.work["bytes"] / 1e9
    ax.plot(list(ceilings.values()), [rows[problem] for problem in ceilings], linestyle="none", marker="|", markersize=8,
            color=style.shade(BOUND), label=BANDWIDTH_LABEL)
    return list(ceilings.values())


def draw_flops(file, style, _):
    return draw(file, style, "flops", "GFLOP/s", limit=file.suite in ("spmv", "spmm"))


def draw_bytes(file, style, _):
    return draw(file, style, "bytes", "GB/s", limit=True)
