"""The rungs of a ladder as bars: how many times as fast as the first of its backend and operation, the geometric mean over
the problems that both ran, with the quartiles of the problems as whiskers. References are hatched."""

import statistics

from plotting.selection import NothingToDraw, by_backend, is_reference, method_of, panel_title, problem_of, with_most_threads
from plotting.style import BOUND, new_figure
from results.statistics import geometric_mean


def ratios_to_first(cases):
    """(name of the first rung, {rung: [times as fast, one number a problem]}, {rungs that are references})."""
    seconds, references = {}, set()
    for case in cases:
        method = method_of(case)
        seconds.setdefault(method, {})[problem_of(case)] = case.median
        if is_reference(case):
            references.add(method)
    first = next((method for method in seconds if method not in references), next(iter(seconds)))
    ratios = {method: [seconds[first][problem] / time for problem, time in of.items() if problem in seconds[first]]
              for method, of in seconds.items()}
    return first, {method: of for method, of in ratios.items() if of}, references


def groups_of(cases):
    """[(title, cases, *ratios_to_first)] of each backend, and of each operation where there are several: those with two
    rungs."""
    groups = []
    for backend, of in by_backend(cases):
        for operation in dict.fromkeys(case.labels.get("operation") for case in of):
            same = [case for case in of if case.labels.get("operation") == operation]
            title = panel_title(backend, same) + (f", {operation}" if operation else "")
            groups.append((title, same, *ratios_to_first(same)))
    return [group for group in groups if len(group[3]) > 1]


def draw(file, style, _):
    """The ladder, and a page for each other part of the suite: settings of a kernel."""
    pages = {}
    for part in dict.fromkeys(case.labels.get("part", "ladder") for case in file.timed):
        of_part = [case for case in file.timed if case.labels.get("part", "ladder") == part]
        groups = groups_of(with_most_threads(of_part) if part == "ladder" else of_part)
        if groups:
            what = "rungs of the ladder" if part == "ladder" else part
            pages["" if part == "ladder" else part] = draw_page(file, style, groups, what)
    if not pages:
        raise NothingToDraw("no backend has two rungs")
    return pages


def draw_page(file, style, groups, what):
    hatched = "; hatched: references" if any(references for *_, references in groups) else ""
    bars = [len(ratios) for _, _, _, ratios, _ in groups]
    figure = new_figure(file, f"{file.suite}: {what}, geometric mean and quartiles of the problems{hatched}", 7.6,
                        1.1 + 0.75 * len(groups) + 0.27 * sum(bars))
    panels = figure.subplots(len(groups), 1, squeeze=False, height_ratios=[n + 0.6 for n in bars])[:, 0]
    for ax, (title, _, first, ratios, references) in zip(panels, groups):
        draw_panel(ax, style, ratios, references)
        problems = len(ratios[first])
        ax.set_title(f"{title}; {problems} problem{'s' * (problems != 1)}")
        ax.set_xlabel(f"times as fast as {first}")
    return figure


def draw_panel(ax, style, ratios, references):
    most = max(map(len, ratios.values()))
    names, widest = [], 0.0
    for row, (method, of) in enumerate(reversed(ratios.items())):
        mean = geometric_mean(of)
        quarters = statistics.quantiles(of, method="inclusive") if len(of) > 1 else [mean] * 3
        ax.barh(row, mean, height=0.72, **style.bar(method in references))
        ax.plot([quarters[0], quarters[2]], [row, row], color="black", linewidth=1, marker="|", markersize=5)
        end = max(mean, quarters[2])
        ax.annotate(f"{mean:.2f}", (end, row), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8.5,
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8})
        names.append(method if len(of) == most else f"{method} (of {len(of)})")
        widest = max(widest, end)
    ax.axvline(1, color=style.shade(BOUND), linewidth=0.8)
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(-0.6, len(names) - 0.4)
    ax.set_xlim(0, 1.12 * widest)
    ax.grid(axis="y", visible=False)
