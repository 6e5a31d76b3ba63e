"""The tables of docs/performance/published.md, lines of Markdown from published.json and files of suites."""

import math
import statistics
import textwrap

PADDED = ("ellpack-rows", "ellpack-columns", "sell-8", "sell-32", "sell-32-256", "compressed-sell")
# Of data sheets: bytes a second of memory, and flops a second in double precision without matrix units.
RTX_5000, K2000, H200 = (448e9, 11.2e12 / 32), (64e9, 732e9 / 24), (4.8e12, 34e12)
# A matrix of more bytes lies in no device's cache (H200: 50 MB).
BEYOND_CACHE = 60e6
WIDTHS = (3, 4, 8, 12, 16, 32, 64)


def fits(case, wanted):
    """A format of "padded" is any that pads rows; other labels are compared as text."""
    for name, value in wanted.items():
        is_one = case.labels.get(name) in PADDED if value == "padded" else str(case.labels.get(name)) == str(value)
        if not is_one:
            return False
    return True


def ours(suites, table, **more):
    """The fastest of our cases that does what a published table did; None where there is none."""
    wanted = {**table["labels"], **more}
    return min((c for c in suites[table["suite"]].timed if fits(c, wanted)), key=lambda c: c.median, default=None)


def digits(value):
    """Three digits, without an exponent."""
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 99.95 else f"{value:#.3g}".rstrip(".")


def share(of_bound):
    return "" if of_bound is None else f"{100 * of_bound:.0f} %"


def geometric(values):
    return statistics.geometric_mean(values) if values else None


def markdown(header, rows):
    return [f"| {' | '.join(header)} |", "|" + "---|" * len(header), *(f"| {' | '.join(row)} |" for row in rows)]


def bound_seconds(case, machine):
    """What a machine takes at least, by its data sheet: the bytes that must move, or the flops."""
    return max(case.work["bytes"] / machine[0], case.work["flops"] / machine[1])


def by_nonzeros(suites, suite, names):
    """Names of matrices that a file has, small ones first."""
    sizes = {c.labels["matrix"]: c.values.get("nnz", 0) for c in suites[suite].timed}
    return sorted((name for name in names if name in sizes), key=lambda name: sizes[name])


def spmv_on_device(published, suites):
    best, csr, padded = (published[f"spmv device {what}"] for what in ("best", "csr", "padded"))
    rows, ratios, beyond, shares = [], [], [], []
    for name in by_nonzeros(suites, "spmv", best["seconds"]):
        case = ours(suites, best, matrix=name)
        if not case:
            continue
        bound, theirs = [bound_seconds(case, machine) for machine in (RTX_5000, H200)], best["seconds"][name]
        ratios.append(theirs / case.median)
        is_beyond = case.work["bytes"] > BEYOND_CACHE
        if is_beyond:
            beyond.append(ratios[-1])
            shares.append((bound[0] / theirs, bound[1] / case.median))
        project, form = best["from"][name].split()
        own = [ours(suites, table, matrix=name) for table in (csr, padded)]
        rows.append([name, f"{case.values['nnz']:,}", digits(1e6 * csr["seconds"][name]), digits(1e6 * padded["seconds"][name]),
                     f"{digits(1e6 * theirs)} ({project}, {'CSR' if form == 'csr' else 'HLL'})",
                     share(bound[0] / theirs) if is_beyond else "",
                     *(digits(1e6 * c.median) if c else "refused" for c in own),
                     share(bound[1] / case.median) if is_beyond else "", digits(ratios[-1])])
    header = ["matrix", "nonzeros", "belli: CSR, us", "HLL, us", "fastest of four projects, us", "of 448 GB/s", "ours: CSR, us",
              "padded formats, us", "of 4.8 TB/s", "times as fast"]
    summary = (f"Geometric means: {digits(geometric(ratios))} times as fast as the fastest of the four over {len(ratios)} matrices; "
               f"{digits(geometric(beyond))} over the {len(beyond)} that lie in no cache, where the data sheets' bandwidths differ by "
               f"{digits(H200[0] / RTX_5000[0])}: {share(geometric([s[0] for s in shares]))} of theirs, "
               f"{share(geometric([s[1] for s in shares]))} of ours.")
    return [*markdown(header, rows), "", *textwrap.wrap(summary, 160)]


def spmv_on_host(published, suites):
    serial, best = published["spmv serial csr"], published["spmv host best"]
    rows, pairs = [], []
    for name in by_nonzeros(suites, "spmv", best["seconds"]):
        one, all_cores = ours(suites, serial, matrix=name), ours(suites, best, matrix=name)
        if not (one and all_cores):
            continue
        pairs.append((serial["seconds"][name] / one.median, best["seconds"][name] / all_cores.median))
        rows.append([name, *(digits(1e6 * seconds) for seconds in (serial["seconds"][name], one.median)), digits(pairs[-1][0]),
                     f"{digits(1e6 * best['seconds'][name])} ({best['from'][name].split()[0]})",
                     f"{digits(1e6 * all_cores.median)} ({all_cores.labels['format']})", digits(pairs[-1][1])])
    header = ["matrix", "belli: one thread, CSR, us", "ours, us", "times as fast", "fastest of three projects, 20 cores, us",
              "ours, 16 cores, us", "times as fast"]
    slower = sum(1 for _, ratio in pairs if ratio < 1)
    summary = (f"Geometric means: {digits(geometric([p[0] for p in pairs]))} times as fast on one thread, "
               f"{digits(geometric([p[1] for p in pairs]))} on all cores; there theirs are faster on {slower} of {len(pairs)} matrices.")
    return [*markdown(header, rows), "", *textwrap.wrap(summary, 160)]


def spmv_small_device(published, suites):
    rows = []
    for words, what in (("CSR", "csr"), ("ELLPACK", "padded")):
        table = published[f"spmv K2000 {what}"]
        pairs = [(table["seconds"][name], case) for name in table["seconds"] for case in [ours(suites, table, matrix=name)]
                 if case and case.work["bytes"] > BEYOND_CACHE]
        if pairs:
            rows.append([words, str(len(pairs)), digits(geometric([t / c.median for t, c in pairs])),
                         share(geometric([bound_seconds(c, K2000) / t for t, c in pairs])),
                         share(geometric([bound_seconds(c, H200) / c.median for _, c in pairs]))])
    return markdown(["format", "matrices", "times as fast", "theirs of 64 GB/s", "ours of 4.8 TB/s"], rows)


def spmm_pairs(published, suites, k):
    """(matrix, their fastest seconds, our fastest case) for a panel of k columns."""
    kinds = [published[f"spmm {what} {k}"] for what in ("csr", "padded")]
    anything = {**kinds[0], "labels": {name: value for name, value in kinds[0]["labels"].items() if name != "format"}}
    for name in by_nonzeros(suites, "spmm", kinds[0]["seconds"]):
        case = ours(suites, anything, matrix=name)
        if case:
            yield name, min(kind["seconds"][name] for kind in kinds), case


def spmm_by_columns(published, suites):
    rows = []
    for k in WIDTHS:
        pairs = list(spmm_pairs(published, suites, k))
        large = [(t, c) for _, t, c in pairs if c.work["bytes"] > BEYOND_CACHE]
        errors = published[f"spmm csr {k}"]["mean_relative_error"]
        if pairs:
            rows.append([str(k), str(len(pairs)), digits(geometric([c.work["flops"] / t / 1e9 for _, t, c in pairs])),
                         digits(geometric([c.rate("flops") / 1e9 for _, _, c in pairs])),
                         digits(geometric([t / c.median for _, t, c in pairs])), str(len(large)),
                         *(share(geometric(values)) for values in (
                             [bound_seconds(c, RTX_5000) / t for t, c in large],
                             [bound_seconds(c, H200) / c.median for _, c in large])),
                         f"{max(c.values['max_relative_error'] for _, _, c in pairs):.1e}",
                         f"{statistics.mean(c.values['mean_relative_error'] for _, _, c in pairs):.1e}",
                         f"{statistics.mean(errors[name] for name, _, _ in pairs if name in errors):.1e}"])
    return markdown(["columns", "matrices", "theirs, GFLOP/s", "ours, GFLOP/s", "times as fast", "in no cache", "theirs of the bound",
                     "ours of the bound", "our largest error", "our mean error", "their mean error"], rows)


def spmm_by_matrix(published, suites):
    widths = [k for k in WIDTHS if any(True for _ in spmm_pairs(published, suites, k))]
    shown = sorted({widths[0], widths[-1]}) if widths else []
    rows = {}
    for k in shown:
        for name, theirs, case in spmm_pairs(published, suites, k):
            rows.setdefault(name, {})[k] = [digits(1e6 * theirs), digits(1e6 * case.median), digits(theirs / case.median)]
    header = ["matrix", *(text for k in shown for text in (f"theirs, {k} columns, us", "ours, us", "times as fast"))]
    return markdown(header, [[name, *(cell for k in shown for cell in row.get(k, [""] * 3))] for name, row in rows.items()])


def nearest_size(suites, table):
    """The size of our cases that is nearest to the published one."""
    wanted = {name: value for name, value in table["labels"].items() if name != "n"}
    return min({c.labels["n"] for c in suites[table["suite"]].timed if fits(c, wanted)},
               key=lambda n: abs(math.log(n / table["labels"].get("n", 16384))), default=None)


def relative(published, suites, name):
    """What each variant takes, in times of the fastest of its table."""
    table = published[name]
    n = nearest_size(suites, table)
    cases = {variant: ours(suites, table, **{table["by"]: variant, "n": n}) for variant in table["seconds"]}
    least, own = min(table["seconds"].values()), min((case.median for case in cases.values() if case), default=None)
    rows = [[variant, digits(1e3 * seconds), digits(seconds / least), digits(1e3 * cases[variant].median),
             digits(cases[variant].median / own)] for variant, seconds in table["seconds"].items() if cases[variant]]
    return markdown([table["by"], "theirs, ms", "of the fastest", f"ours, n = {n}, ms", "of the fastest"], rows)


def density(published, suites):
    gemm, spmm = published["density gemm"], published["density spmm"]
    n, rows = nearest_size(suites, gemm), []
    for value, dense in gemm["seconds"].items():
        own = [ours(suites, table, density=value, n=n) for table in (gemm, spmm)]
        sparse, flops = spmm["seconds"][value], 2 * 4096**3
        if all(own):
            rows.append([value, digits(flops / dense / 1e9), digits(float(value) * flops / sparse / 1e9), digits(dense / sparse),
                         *(digits(case.rate("flops") / 1e9) for case in own), digits(own[0].median / own[1].median)])
    return markdown(["density", "theirs: GEMM, GFLOP/s", "SpMM, GFLOP/s", "GEMM / SpMM", f"ours, n = {n}: GEMM, GFLOP/s",
                     "SpMM, GFLOP/s", "GEMM / SpMM"], rows)


def density_spmv(published, suites):
    table = published["density spmv"]
    n, flops = nearest_size(suites, table), 2 * 26837519
    case = ours(suites, table, n=n)
    if not case:
        return []
    rows = [[what, "16384", digits(1e3 * seconds), digits(flops / seconds / 1e9),
             digits(case.rate("flops") / (flops / seconds))] for what, seconds in table["seconds"].items()]
    rows.append([f"ours, {case.labels['kernel']}", str(n), digits(1e3 * case.median), digits(case.rate("flops") / 1e9), ""])
    return markdown(["y = A x, density 0.1, one thread", "n", "ms", "GFLOP/s", "ours over it"], rows)


TABLES = {
    "spmv-device": spmv_on_device,
    "spmv-host": spmv_on_host,
    "spmv-small-device": spmv_small_device,
    "spmm-columns": spmm_by_columns,
    "spmm-matrices": spmm_by_matrix,
    "gemm-schedules": lambda published, suites: relative(published, suites, "gemm schedules"),
    "gemm-tiles": lambda published, suites: relative(published, suites, "gemm tiles"),
    "density": density,
    "density-spmv": density_spmv,
}
