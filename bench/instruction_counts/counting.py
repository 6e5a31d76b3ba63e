"""Instructions of the jobs of instruction_jobs, counted by callgrind, and the baseline that they are compared with.

What a job executes depends on the source, the compiler, the C library and the processor that valgrind pretends to be, and on
nothing else that matters: no clock, no cache, no other program. So a baseline holds for one of each and is left alone with others.
"""

import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess

FOLDER = os.path.dirname(os.path.abspath(__file__))
PROJECT = os.path.dirname(os.path.dirname(FOLDER))
BASELINE = os.path.join(FOLDER, "baseline.json")
TOLERANCE = 3  # per cent


class CannotCount(Exception):
    """What went wrong, and what to do about it."""


class NoValgrind(CannotCount):
    """It is not installed."""


def newest_program():
    """The instruction_jobs that was built last."""
    built = glob.glob(os.path.join(PROJECT, "build", "*", "bench", "instruction_counts", "instruction_jobs"))
    if not built:
        raise CannotCount("instruction_jobs is not built: cmake --build --preset release --target instruction_jobs")
    return max(built, key=os.path.getmtime)


def words_of(command, **options):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, **options)
    except (OSError, subprocess.CalledProcessError) as problem:
        raise CannotCount(f"{' '.join(command)}: {getattr(problem, 'stderr', '') or problem}") from None


def toolchain(program):
    """What counts depend on beside the source."""
    if not shutil.which("valgrind"):
        raise NoValgrind("there is no valgrind: apt-get install valgrind")
    compiler, c_library = words_of([program, "--build"]).stdout.strip().split("; ")
    return {"compiler": compiler, "c_library": c_library, "valgrind": words_of(["valgrind", "--version"]).stdout.strip()}


def count_job(program, job):
    """Instructions within the function `counted`."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", LC_ALL="C")
    done = words_of(["valgrind", "--tool=callgrind", "--toggle-collect=counted", "--callgrind-out-file=/dev/null", program, job],
                    env=environment)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if not found or int(found.group(1)) == 0:
        raise CannotCount(f"callgrind counted nothing in {job}:\n{done.stderr}")
    return int(found.group(1))


def count_all(program):
    """{job: instructions}, in the order of the jobs."""
    jobs = words_of([program, "--list"]).stdout.split()
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return dict(zip(jobs, pool.map(lambda job: count_job(program, job), jobs)))


def read_baseline(path=BASELINE):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def write_baseline(tools, counts, path=BASELINE):
    with open(path, "w", encoding="utf-8") as file:
        json.dump({**tools, "instructions": counts}, file, indent=2)
        file.write("\n")


def differences(baseline, counts):
    """(lines of a table, [what fails], [what became so much less that the baseline should say so])."""
    lines, failures, fewer = [f"{'job':18} {'baseline':>12} {'now':>12} {'change':>8}"], [], []
    known = baseline["instructions"]
    for job in [*counts, *(job for job in known if job not in counts)]:
        if job not in known or job not in counts:
            failures.append(f"{job} is only {'here' if job in counts else 'in the baseline'}")
            continue
        percent = 100 * (counts[job] - known[job]) / known[job]
        lines.append(f"{job:18} {known[job]:12} {counts[job]:12} {percent:+7.2f} %")
        if percent > TOLERANCE:
            failures.append(f"{job} takes {percent:.2f} % more instructions")
        elif percent < -TOLERANCE:
            fewer.append(f"{job} takes {-percent:.2f} % fewer instructions")
    return lines, failures, fewer
