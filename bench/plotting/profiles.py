"""Performance profiles: which share of the problems each way solves within tau times the least time of all ways."""

import math

from plotting.selection import NothingToDraw, by_backend, panel_title, problem_of, series_of, with_most_threads
from plotting.style import legend_below, log_axis, new_figure
from results.performance_profile import performance_ratios, profile

WIDEST = 100.0  # tau of an axis
WITH_SETUP = {"solve": ", set-up included"}


def times_of(cases):
    """{series: {problem: least seconds, None if refused}}; with the set-up where there is one."""
    times = {}
    for case in cases:
        of_series = times.setdefault(series_of(case), {})
        problem = problem_of(case)
        seconds = case.total
        known = of_series.get(problem)
        of_series[problem] = seconds if known is None else known if seconds is None else min(known, seconds)
    return times


def draw_profile(ax, style, series, corners, right, shift):
    """The steps, and markers on them that are not where those of others are."""
    corners = [*corners, (2 * right, corners[-1][1])]
    marks = [right ** ((k + shift) / 5) for k in range(6)]
    ax.plot([tau for tau, _ in corners], [rho for _, rho in corners], drawstyle="steps-post",
            **{**style.line(series, markers=False), "label": None})
    ax.plot(marks, [max(rho for tau, rho in corners if tau <= mark) for mark in marks], **{**style.points(series), "label": None})
    ax.plot([], [], **style.line(series))  # line and marker for the legend


def draw(file, style, _):
    groups = [(backend, of, performance_ratios(times_of(of))) for backend, of in by_backend(with_most_threads(file.cases))]
    groups = [group for group in groups if len(group[2]) > 1 and max(map(len, group[2].values())) > 1]
    if not groups:
        raise NothingToDraw("it needs two ways and two problems of a backend")
    figure = new_figure(file, f"{file.suite}: performance profiles (Dolan and More 2002){WITH_SETUP.get(file.suite, '')}", 1.2 + 3.2 * max(2, len(groups)), 4.9)
    panels = figure.subplots(1, len(groups), sharey=True, squeeze=False)[0]
    for ax, (backend, cases, ratios) in zip(panels, groups):
        finite = [ratio for of in ratios.values() for ratio in of.values() if math.isfinite(ratio)]
        right = min(WIDEST, max(1.5, max(finite)))
        for number, (series, of_series) in enumerate(ratios.items()):
            draw_profile(ax, style, series, profile(of_series), right, number / len(ratios))
        log_axis(ax.xaxis, 1, right)
        ax.set_xlim(1 / 1.03, right * 1.03)
        ax.set_ylim(-0.03, 1.03)
        ax.set_title(f"{panel_title(backend, cases)}; {len(next(iter(ratios.values())))} problems")
        ax.set_xlabel("tau = time / least time")
    panels[0].set_ylabel("share of the problems solved within tau")
    legend_below(figure, panels, columns=5)
    return {"": figure}
