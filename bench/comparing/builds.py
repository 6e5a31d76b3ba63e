"""Two builds of a program, run in turns: A B, B A, A B, ... so that a drift of the machine meets both alike."""

import json
import os
import statistics
import subprocess
import time

from comparing.verdict import Comparison
from results.statistics import paired_ratio_estimate
from results.suite_file import is_number

LEAST_TIME = 1e-5  # seconds: shorter steps of a report are noise of the clock and of what surrounds them


class RunFailed(Exception):
    """A program that cannot be run, or that failed; the message has its command and its last words."""


def command_of(program, arguments):
    """`stiefel solve` and `stiefel eigen` report their steps where they are asked to."""
    if arguments[0] in ("solve", "eigen") and "--json" not in arguments:
        return [program, *arguments, "--quiet", "--json", "-"]
    return [program, *arguments]


def run_once(command, environment):
    """Seconds by name: of the whole run, and of what it reports."""
    begin = time.perf_counter()
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, check=False)
    except OSError as problem:
        raise RunFailed(f"{command[0]} cannot be run: {problem.strerror}") from None
    seconds = {"whole run": time.perf_counter() - begin}
    if done.returncode not in (0, 3):  # 3: ran, and did not converge
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise RunFailed(f"{' '.join(command)} failed with exit code {done.returncode}: {' '.join(last)}")
    return {**seconds, **reported_seconds(done.stdout)}


def reported_seconds(output):
    """Of a report in JSON on standard output: its steps, and each kernel's sum."""
    try:
        report = json.loads(output)
    except ValueError:
        return {}
    if not isinstance(report, dict):
        return {}
    found = {}
    steps = report.get("seconds")
    if isinstance(steps, dict):
        found.update({name: seconds for name, seconds in steps.items() if is_number(seconds)})
    for kernel in report.get("kernels") or []:
        if isinstance(kernel, dict) and is_number(kernel.get("seconds")):
            name = f"kernel {kernel.get('name')}"
            found[name] = found.get(name, 0) + kernel["seconds"]
    return found


def measure(program_a, program_b, arguments, rounds, tell):
    """([seconds by name of A], [of B]), a pair for each round; fewer rounds after Ctrl-C. Both run once beforehand,
    uncounted, so that files and libraries are in memory."""
    commands = [command_of(program, arguments) for program in (program_a, program_b)]
    environment = {"OMP_WAIT_POLICY": "passive", **os.environ}
    for command in commands:
        run_once(command, environment)
    pairs = ([], [])
    try:
        for number in range(rounds):
            order = (0, 1) if number % 2 == 0 else (1, 0)
            seconds = {which: run_once(commands[which], environment) for which in order}
            for which in (0, 1):
                pairs[which].append(seconds[which])
            tell(number + 1, rounds)
    except KeyboardInterrupt:
        tell(len(pairs[0]), rounds, interrupted=True)
    return pairs


def compare_pairs(pairs, threshold):
    """Of each name that all runs of both builds report, when it takes long enough."""
    comparison = Comparison(threshold, has_mean=False)
    all_runs = [*pairs[0], *pairs[1]]
    for name in all_runs[0]:
        if all(run.get(name, 0) >= LEAST_TIME for run in all_runs):
            a, b = ([run[name] for run in of] for of in pairs)
            comparison.add(name, statistics.median(a), statistics.median(b), paired_ratio_estimate(b, a))
    return comparison
