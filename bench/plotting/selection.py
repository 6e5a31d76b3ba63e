"""Which cases of a file a figure is about, and what they are called there."""

from collections import defaultdict

BACKENDS = ("serial", "openmp", "cuda")
# What was done to a problem; all other labels say which problem it was.
SETTINGS = ("tile", "schedule")
METHOD_LABELS = {"backend", "format", "kernel", "threads", "preconditioner", "solver", "step", "part", *SETTINGS}
REFERENCES = {"eigen", "openblas", "blis", "cusparse", "cublas", "copy"}


class NothingToDraw(Exception):
    """The file has no case that the figure is about; the message says what is missing."""


def method_of(case):
    """Kernel, with its settings, else preconditioner or solver."""
    name = next((str(case.labels[label]) for label in ("kernel", "preconditioner", "solver") if label in case.labels), "all")
    return " ".join([name, *(f"{label} {case.labels[label]}" for label in SETTINGS if label in case.labels)])


def is_reference(case):
    """By the first word, as one reference may have several ways: 'cusparse alg1'."""
    return method_of(case).split("/")[-1].lower().split()[0] in REFERENCES


def series_of(case):
    """What kernels of one format have in common; references and what has no format are series of their own."""
    if is_reference(case):
        return method_of(case).split("/")[-1]
    return str(case.labels.get("format", method_of(case)))


def problem_of(case):
    """Readable and unique: 'cant', '512', 'cant, 8 columns'."""
    parts = [str(case.labels[name]) for name in ("matrix", "n") if name in case.labels]
    if case.labels.get("columns", 1) != 1:
        parts.append(f"{case.labels['columns']} columns")
    parts += [f"{name} {value}" for name, value in case.labels.items()
              if name not in METHOD_LABELS and name not in ("matrix", "n", "columns")]
    return ", ".join(parts) or "all"


def size_of(case):
    """(amount, what it counts): nonzeros, else the size or the rows."""
    for name, words in (("nnz", "nonzeros"), ("n", "rows"), ("rows", "rows")):
        for numbers in (case.values, case.labels):
            if isinstance(numbers.get(name), (int, float)):
                return numbers[name], words
    return 0, ""


def backend_of(case):
    return str(case.labels.get("backend", "openmp"))


def by_backend(cases):
    """[(backend, its cases)], in the order of BACKENDS."""
    groups = defaultdict(list)
    for case in cases:
        groups[backend_of(case)].append(case)
    return sorted(groups.items(), key=lambda item: (BACKENDS.index(item[0]) if item[0] in BACKENDS else 9, item[0]))


def threads_of(case):
    threads = case.labels.get("threads", 1)
    return threads if isinstance(threads, int) else 1


def of_ladder(cases):
    """Without those that vary a setting of one kernel."""
    return [case for case in cases if case.labels.get("part", "ladder") == "ladder"]


def with_most_threads(cases):
    """Of each backend those cases of ladders that ran with as many threads as any of it."""
    cases = of_ladder(cases)
    most = defaultdict(int)
    for case in cases:
        most[backend_of(case)] = max(most[backend_of(case)], threads_of(case))
    return [case for case in cases if threads_of(case) == most[backend_of(case)]]


def panel_title(backend, cases):
    threads = max(map(threads_of, cases))
    return f"{backend}, {threads} threads" if backend == "openmp" else backend


def problems_by_size(cases):
    """Their names, from small to large."""
    orders = {}
    for case in cases:
        labels = case.labels
        orders.setdefault(problem_of(case), (size_of(case)[0], str(labels.get("matrix")), labels.get("columns", 1)))
    return sorted(orders, key=orders.get)


def fastest(cases, group):
    """{group(case): {problem: the fastest case}}; groups in the order of their first case."""
    best = {}
    for case in cases:
        of_group = best.setdefault(group(case), {})
        problem = problem_of(case)
        if problem not in of_group or case.total < of_group[problem].total:
            of_group[problem] = case
    return best
