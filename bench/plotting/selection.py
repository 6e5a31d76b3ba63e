"""Which cases of a file a figure is about, and what they are called there."""

from collections import defaultdict

BACKENDS = ("serial", "openmp", "cuda")
# What was done to a problem; all other labels say which problem it was.
METHOD_LABELS = {"backend", "format", "kernel", "threads", "preconditioner", "solver", "library"}
REFERENCES = {"eigen", "openblas", "blis", "mkl", "cusparse", "cublas", "cutlass", "scipy", "amgcl", "hypre", "cholmod"}


class NothingToDraw(Exception):
    """The file has no case that the figure is about; the message says what is missing."""


def method_of(case):
    """Kernel, else preconditioner, else whatever tells the ways apart."""
    for label in ("kernel", "preconditioner", "solver", "library", "format"):
        if label in case.labels:
            return str(case.labels[label])
    return "all"


def is_reference(case):
    words = f"{method_of(case)} {case.labels.get('library', '')}".lower()
    return any(name in words for name in REFERENCES)


def series_of(case):
    """What kernels of one format have in common; references and what has no format are series of their own."""
    if is_reference(case):
        return method_of(case).split("/")[-1]
    return str(case.labels.get("format", method_of(case)))


def problem_of(case):
    """Readable and unique: 'cant', '512', 'cant columns=8'."""
    parts = []
    for name, value in case.labels.items():
        if name not in METHOD_LABELS:
            parts.append(str(value) if name in ("matrix", "size") else f"{name}={value}")
    return " ".join(parts) or "all"


def size_of(case):
    """(amount, what it counts): nonzeros, else the size or the rows."""
    for name, words in (("nnz", "nonzeros"), ("size", "rows"), ("rows", "rows"), ("n", "rows")):
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


def with_most_threads(cases):
    """Of each backend those cases that ran with as many threads as any of it."""
    most = defaultdict(int)
    for case in cases:
        most[backend_of(case)] = max(most[backend_of(case)], threads_of(case))
    return [case for case in cases if threads_of(case) == most[backend_of(case)]]


def panel_title(backend, cases):
    threads = max(map(threads_of, cases))
    return f"{backend}, {threads} threads" if backend == "openmp" else backend


def problems_by_size(cases):
    """Their names, from small to large."""
    sizes = {}
    for case in cases:
        sizes.setdefault(problem_of(case), size_of(case)[0])
    return sorted(sizes, key=lambda problem: (sizes[problem], problem))


def fastest(cases, group):
    """{group(case): {problem: the fastest case}}; groups in the order of their first case."""
    best = {}
    for case in cases:
        of_group = best.setdefault(group(case), {})
        problem = problem_of(case)
        if problem not in of_group or case.median < of_group[problem].median:
            of_group[problem] = case
    return best
