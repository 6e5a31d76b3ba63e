"""Two files of one suite, case by case."""

from comparing.verdict import Comparison
from results.statistics import ratio_estimate
from results.suite_file import BadFile
from results.words import case_in_words, shared_labels

# Of a machine, what makes times incomparable; its bandwidth is measured, and compared as such.
MACHINE = {"cpu": "processor", "cores": "cores", "instruction_sets": "instruction sets", "gpu": "GPU"}
BANDWIDTH_NOISE = 1.1


def by_key(file):
    cases = {}
    for case in file.cases:
        if case.key() in cases:
            raise BadFile(f"{file.path} has two cases with the same labels: {case_in_words(case)}")
        cases[case.key()] = case
    return cases


def warnings(a, b):
    """What of the two runs differs that is not the code."""
    lines = []
    for field, name in MACHINE.items():
        if a.machine.get(field) != b.machine.get(field):
            lines.append(f"different {name}: {a.machine.get(field)} and {b.machine.get(field)}")
    if a.build.get("compiler") != b.build.get("compiler"):
        lines.append(f"different compilers: {a.build.get('compiler')} and {b.build.get('compiler')}")
    if a.build.get("cuda") != b.build.get("cuda"):
        lines.append(f"different CUDA: {a.build.get('cuda')} and {b.build.get('cuda')}")
    for field, name in (("host_bandwidth", "memory"), ("gpu_bandwidth", "device memory")):
        one, other = a.machine.get(field), b.machine.get(field)
        if one and other and max(one, other) > BANDWIDTH_NOISE * min(one, other):
            lines.append(f"{name} bandwidth of {one / 1e9:.1f} and {other / 1e9:.1f} GB/s: the machine itself was faster in one run")
    return lines


def only_in(name, cases, others, shared):
    missing = [case for key, case in cases.items() if key not in others]
    return [f"only in {name}: {case_in_words(case, shared)}" for case in missing]


def compare_files(a, b, threshold):
    """A Comparison, and what else is to be said: [lines]. Raises BadFile where nothing can be compared."""
    if a.suite != b.suite:
        raise BadFile(f"{a.path} is of the suite {a.suite} and {b.path} of {b.suite}: there is nothing to compare")
    cases_a, cases_b = by_key(a), by_key(b)
    shared = shared_labels([*a.cases, *b.cases])
    comparison = Comparison(threshold, has_mean=True)
    remarks = only_in("A", cases_a, cases_b, shared) + only_in("B", cases_b, cases_a, shared)
    for key, case in cases_a.items():
        other = cases_b.get(key)
        if other is None:
            continue
        name = case_in_words(case, shared)
        for ran, refused, which in ((case, other, "B"), (other, case, "A")):
            if ran.seconds and not refused.seconds:
                remarks.append(f"ran in one only: {name} was refused in {which}: {refused.refused}")
        if case.seconds and other.seconds:
            comparison.add(name, case.median, other.median, ratio_estimate(other.seconds, case.seconds))
            before, after = case.values.get("iterations"), other.values.get("iterations")
            if before != after:
                remarks.append(f"iterations of {name}: {before} in A, {after} in B")
    if not comparison.rows:
        raise BadFile(f"{a.path} and {b.path} have no case in common that ran in both")
    if shared:
        remarks.insert(0, "all cases: " + ", ".join(f"{name} {value}" for name, value in shared.items()))
    return comparison, remarks
