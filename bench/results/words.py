"""Numbers and labels as readers and figures show them."""


def seconds_in_words(seconds):
    """Three digits and a unit: 1.23 ms."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}" if seconds / size < 999.5 else f"{seconds / size:.0f} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def shared_labels(cases):
    """{label: value} of what is the same in all cases, which need not be said of each."""
    if len(cases) < 2:
        return {}
    first = cases[0].labels
    return {name: value for name, value in first.items() if all(c.labels.get(name) == value for c in cases)}


ORDER = ("matrix", "part", "operation", "n", "density", "columns", "backend", "solver", "preconditioner", "format", "kernel")


def case_in_words(case, without=()):
    """'cant openmp csr/balanced threads=2': the problem before what was done to it, words as they are, numbers with their
    names. The format is left out where the kernel's name begins with it."""
    parts = []
    kernel = str(case.labels.get("kernel", ""))
    for name in sorted(case.labels, key=lambda label: ORDER.index(label) if label in ORDER else len(ORDER)):
        value = case.labels[name]
        if name in without or (name == "format" and kernel.startswith(f"{value}/")):
            continue
        parts.append(value if isinstance(value, str) else f"{name}={value}")
    return " ".join(parts) or "the only case"


def table(header, rows):
    """Lines of columns, the first to the left and the others to the right."""
    rows = [header, *rows]
    widths = [max(len(row[k]) for row in rows) for k in range(len(header))]
    return ["  ".join(cell.ljust(width) if k == 0 else cell.rjust(width)
                      for k, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows]
