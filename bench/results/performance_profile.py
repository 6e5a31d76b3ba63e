"""Performance profiles: E. D. Dolan and J. J. More, Benchmarking optimization software with performance profiles,
Mathematical Programming 91 (2002), 201-213."""

import math


def performance_ratios(times):
    """{solver: {problem: seconds, None if it failed}} -> {solver: {problem: seconds / the least of all solvers}}.

    A failure has the ratio infinity. Problems that no solver solved are left out: they tell none from another.
    """
    problems = {problem for of_solver in times.values() for problem in of_solver}
    best = {}
    for problem in problems:
        solved = [of[problem] for of in times.values() if of.get(problem) is not None]
        if solved:
            best[problem] = min(solved)
    return {solver: {problem: of[problem] / least if of.get(problem) is not None else math.inf
                     for problem, least in best.items()}
            for solver, of in times.items()}


def profile(ratios):
    """{problem: ratio} of one solver -> [(tau, rho)], the corners of the step function rho(tau), the fraction of the
    problems that it solved within tau times the least time of all, from tau = 1."""
    n = len(ratios)
    corners = [(1.0, 0.0)]
    for k, ratio in enumerate(sorted(r for r in ratios.values() if math.isfinite(r)), start=1):
        if corners[-1][0] == ratio:
            corners[-1] = (ratio, k / n)
        else:
            corners.append((ratio, k / n))
    return corners
