"""Speed-up over threads: the median over all problems, and their quartiles as bars."""

import statistics
from collections import defaultdict

from plotting.selection import NothingToDraw, backend_of, method_of, of_ladder, problem_of, threads_of
from plotting.style import BOUND, log_axis, new_figure

APART = 1.012, 1.1  # factors: at most between the bars of two methods that stand side by side, and of all


def speedups(cases):
    """{method: {threads: [T(1) / T(threads) of each problem]}} of those methods that ran with one thread and with more."""
    seconds = {}
    for case in cases:
        if backend_of(case) != "cuda":
            seconds[backend_of(case), method_of(case), problem_of(case), threads_of(case)] = case.median
    found = defaultdict(lambda: defaultdict(list))
    for (backend, method, problem, threads), of_case in seconds.items():
        alone = seconds.get((backend, method, problem, 1))
        if alone is not None:
            found[method][threads].append(alone / of_case)
    return {method: of for method, of in found.items() if len(of) > 1}


def quartiles(ratios):
    return statistics.quantiles(ratios, method="inclusive") if len(ratios) > 1 else ratios * 3


def draw(file, style, _):
    found = speedups(of_ladder(file.timed))
    if not found:
        raise NothingToDraw("no kernel ran with one thread and with more")
    figure = new_figure(file, f"{file.suite}: speed-up over threads, median and quartiles of the problems", 7.4, 4.6)
    ax = figure.subplots()
    counts = sorted({threads for of in found.values() for threads in of})
    ax.plot(counts, counts, color=style.shade(BOUND), linestyle="-", linewidth=0.8, label="ideal")
    apart = min(APART[0], APART[1] ** (1 / len(found)))
    for number, (method, of_method) in enumerate(found.items()):
        threads = [count for count in counts if count in of_method]
        low, middle, high = zip(*(quartiles(of_method[count]) for count in threads))
        beside = [count * apart ** (number - (len(found) - 1) / 2) if count > 1 else 1 for count in threads]
        ax.plot(beside, middle, **style.line(method))
        ax.vlines(beside, low, high, color=style.colour(method), linewidth=0.9)
    ratios = [quarter for of in found.values() for each in of.values() for quarter in quartiles(each)]
    log_axis(ax.xaxis, counts[0], counts[-1])
    ax.set_xlim(counts[0] / 1.08, counts[-1] * 1.12)
    ax.set_xticks(counts, [str(count) for count in counts])
    ax.minorticks_off()
    log_axis(ax.yaxis, min(ratios), max(ratios))
    ax.set_xlabel("threads")
    ax.set_ylabel("times as fast as with one thread")
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    return {"": figure}
