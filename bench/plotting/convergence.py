"""Convergence histories: relative residual over iterations, a panel a system, twelve panels a page."""

import math

from plotting.selection import NothingToDraw, by_backend, method_of, problem_of, problems_by_size, with_most_threads
from plotting.style import legend_below, new_figure, plain_number
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

PANELS = 12
MOST_POINTS = 150  # of a line: more are no wider than it is drawn


def thinned(history):
    """First and last and evenly between in the logarithm of the iteration, where a line is drawn wide."""
    if len(history) <= MOST_POINTS:
        return history
    last = len(history) - 1
    kept = {round(math.expm1(math.log1p(last) * k / (MOST_POINTS - 1))) for k in range(MOST_POINTS)}
    kept |= {round(last * k / (MOST_POINTS - 1)) for k in range(MOST_POINTS)}
    return [history[k] for k in sorted(kept)]


def backend_with_histories(cases):
    """The one with the most of them and those: what iterations do depends on the backend in the last bits only."""
    groups = by_backend([case for case in cases if len(case.history) > 1])
    if not groups:
        raise NothingToDraw("no case has a history")
    return max(groups, key=lambda group: len(group[1]))


def draw(file, style, _):
    backend, cases = backend_with_histories(with_most_threads(file.timed))
    problems = problems_by_size(cases)
    pages = {}
    for start in range(0, len(problems), PANELS):
        of_page = problems[start:start + PANELS]
        name = "" if len(problems) <= PANELS else str(start // PANELS + 1)
        pages[name] = draw_page(file, style, cases, of_page, backend)
    return pages


def draw_page(file, style, cases, problems, backend):
    columns = min(3, len(problems))
    rows = -(-len(problems) // columns)
    figure = new_figure(file, f"{file.suite}: relative residual ||b - A x|| / ||b|| over iterations, {backend}", 1.5 + 2.9 * max(2, columns),
                        1.6 + 2.0 * rows)
    panels = figure.subplots(rows, columns, squeeze=False).flat
    for ax, problem in zip(panels, problems):
        for case in cases:
            if problem_of(case) == problem:
                history = [(k, r) for k, r in thinned(case.history) if r is not None and r > 0]
                if not history:
                    continue
                ax.plot([k + 1 for k, _ in history], [r for _, r in history], markevery=[-1], **style.line(method_of(case)))
        ax.set_title(problem)
        iteration_axes(ax)
    for ax in list(figure.axes)[len(problems):]:
        ax.remove()
    for number, ax in enumerate(figure.axes):
        ax.set_xlabel("iteration + 1" if number + columns >= len(problems) else "")
        ax.set_ylabel("relative residual" if number % columns == 0 else "")
    legend_below(figure, figure.axes, columns=5)
    return figure


def iteration_axes(ax):
    """Both logarithmic: a method that takes ten iterations is seen beside one that takes thousands."""
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.xaxis.set_major_locator(LogLocator(base=10, numticks=6))
    ax.xaxis.set_major_formatter(FuncFormatter(plain_number))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.yaxis.set_major_locator(LogLocator(base=10, numticks=6))
    ax.yaxis.set_minor_formatter(NullFormatter())
