"""Files of suites for tests: invented times of plausible size, the same in every run.

    tests/bench/suite_fixtures.py FOLDER      writes one file a suite
"""

import json
import os
import random
import sys

MATRICES = [  # name, rows, nonzeros: of small and large, of short and long names
    ("1138_bus", 1138, 4054), ("494_bus", 494, 1666), ("662_bus", 662, 2474), ("Dubcova1", 16129, 253009),
    ("G2_circuit", 150102, 726674), ("NSE_RE100_M", 22385, 137785), ("abaqus_l9h2_K", 30000, 1200000), ("ani4", 3969, 40000),
    ("bcsstk10", 1086, 22070), ("bcsstk14", 1806, 63454), ("bcsstk16", 4884, 290378), ("bcsstk17", 10974, 428650),
    ("bcsstk18", 11948, 149090), ("bcsstk27", 1224, 56126), ("bcsstm12", 1473, 19659), ("cant", 62451, 4007383),
    ("consph", 83334, 6010480), ("exudyn_crank_M", 9000, 300000), ("gko_A_multigrid", 50000, 250000),
    ("nd24k", 72000, 28715634), ("offshore", 259789, 4242673), ("parabolic_fem", 525825, 3674625),
    ("rail_1357_E", 1357, 8985), ("rail_5177_E", 5177, 35185), ("rail_79841_negA", 79841, 553921), ("s1rmq4m1", 5489, 262411),
    ("s3rmt3m3", 5357, 207123), ("thermal2", 1228045, 8580313), ("vem1", 1681, 13385), ("poisson3d_160", 4096000, 28518400),
]
KERNELS = [  # kernel, backend, how fast beside the bandwidth
    *((f"{form}/plain", "serial", 0.12) for form in ("csr", "ellpack-rows", "ellpack-columns", "sell-8", "sell-32",
                                                     "sell-32-256", "compressed-sell")),
    ("csr/static", "openmp", 0.41), ("csr/unrolled", "openmp", 0.72), ("csr/balanced", "openmp", 0.73),
    *((f"ellpack-{by}/{rung}", "openmp", speed) for by in ("rows", "columns")
      for rung, speed in (("static", 0.42), ("ellpack-r", 0.6), ("4x2", 0.75))),
    *((f"sell-{shape}/{rung}", "openmp", speed) for shape in ("8", "32", "32-256")
      for rung, speed in (("static", 0.34), ("simd", 0.89))),
    ("compressed-sell/simd", "openmp", 1.05), ("csr/eigen", "openmp", 0.38), ("csr/scalar", "cuda", 0.2),
    ("csr/vector", "cuda", 0.8), ("csr/adaptive", "cuda", 0.9), ("sell-32/thread", "cuda", 1.0), ("csr/cusparse", "cuda", 0.85),
]
BANDWIDTH = {"serial": 12e9, "openmp": 30e9, "cuda": 3.3e12}
PRECONDITIONERS = [("none", 0.985), ("jacobi", 0.97), ("block-jacobi", 0.96), ("chebyshev", 0.93), ("amg", 0.35), ("fsai", 0.9),
                   ("ic", 0.85), ("ssor", 0.93), ("cholesky", 1e-9)]


def samples(rng, seconds, count=9):
    return [seconds * (1 + abs(rng.gauss(0, 0.02))) for _ in range(count)]


def timed(rng, labels, seconds, flops, n_bytes, **values):
    return {"labels": labels, "work": {"flops": flops, "bytes": n_bytes}, "seconds": samples(rng, seconds), "values": values,
            "history": [], "refused": None}


def refused(labels, reason):
    return {"labels": labels, "work": None, "seconds": [], "values": {}, "history": [],
            "refused": reason}


def sparse_cases(rng, columns):
    for matrix, rows, nnz in MATRICES if columns == 1 else MATRICES[::4]:
        for kernel, backend, share in KERNELS:
            labels = {"backend": backend, "format": kernel.split("/")[0], "kernel": kernel, "matrix": matrix}
            if columns > 1:
                labels["columns"] = columns
            if kernel.startswith("ellpack") and matrix in ("G2_circuit", "nd24k"):
                yield refused(labels, "padding: 5 times the nonzeros")
                continue
            n_bytes = 12 * nnz + 4 * rows + 16 * rows * columns
            for threads in (1, 2, 4, 8) if backend == "openmp" else (1,):
                speed = share * BANDWIDTH[backend] * min(1, 0.45 * threads ** 0.8) * rng.uniform(0.8, 1.1)
                start = 4e-6 if backend == "cuda" else 1e-6
                with_threads = labels if backend == "cuda" else {**labels, "threads": threads}
                yield timed(rng, with_threads, start + n_bytes / speed, 2 * nnz * columns, n_bytes,
                            rows=rows, nnz=nnz)


def dense_cases(rng, suite):
    rungs = [("simple", "serial", 1e9), ("tiled", "openmp", 1e10), ("packed", "openmp", 6e10), ("OpenBLAS", "openmp", 5.5e10), ("simple", "cuda", 1e12),
             ("tensor", "cuda", 4e13), ("cublas", "cuda", 5e13)]
    for size in (64, 128, 256, 512, 1024, 2048, 4096):
        for kernel, backend, speed in rungs:
            labels = {"backend": backend, "kernel": kernel, "n": size, **({"threads": 2} if backend == "openmp" else {})}
            if suite == "gemm":
                labels["part"] = "ladder"
                flops, n_bytes = 2 * size**3, 8 * 3 * size**2
                seconds = 2e-6 + flops / (speed * size / (size + 300))
            else:
                flops, n_bytes = None, 16 * size**2
                seconds = 2e-6 + n_bytes / (BANDWIDTH[backend] * (0.3 if kernel == "simple" else 0.9))
            yield timed(rng, labels, seconds, flops, n_bytes, rows=size)
        if suite == "gemm":
            for tile in (4, 8, 16, 32, 64, 128, 256):
                labels = {"backend": "openmp", "kernel": "tiled", "n": size, "part": "tiles", "threads": 2, "tile": tile}
                yield timed(rng, labels, 2 * size**3 / (5e9 + 2e8 * tile), 2 * size**3, 24 * size**2)


def density_cases(rng):
    for size in (512, 2048):
        for density in (1e-3, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5):
            nnz = int(density * size**2)
            for operation, columns, kernel, speed in (
                    ("spmv", 1, "csr/balanced", 2e10), ("spmv", 1, "sell/simd", 2.5e10), ("spmm", 64, "csr/panel", 1e11),
                    ("spmm", 64, "ellpack/collapsed", 7e10), ("gemm", 64, "dense/packed", 1.5e12)):
                n_bytes = 8 * size * (size + 2 * columns) if operation == "gemm" else 12 * nnz + 4 * size + 16 * size * columns
                labels = {"backend": "openmp", "density": density, "format": kernel.split("/")[0], "kernel": kernel, "n": size,
                          "operation": operation, "threads": 2, **({"columns": columns} if columns > 1 else {})}
                yield timed(rng, labels, 2e-6 + (n_bytes + 8 * columns * nnz) / speed, 2 * nnz * columns, n_bytes, rows=size)


def on_threads(backend):
    """Labels of each number of threads that a backend is timed with, and how many times as fast that is."""
    if backend == "cuda":
        return [({"backend": backend}, 1)]
    return [({"backend": backend, "threads": n}, 0.9 * n ** 0.8) for n in ((1,) if backend == "serial" else (1, 2, 8))]


def panel_cases(rng):
    for operation in ("P'Q", "P'P", "Y += X B", "Y = X B"):
        for rows in (100000, 4000000):
            for columns in (1, 8, 64):
                for backend, kernels in (("serial", ("gemm", "panel")), ("openmp", ("gemm", "panel", "OpenBLAS")),
                                         ("cuda", ("gemm", "panel", "cuBLAS"))):
                    for number, kernel in enumerate(kernels):
                        if number == 2 and operation != "Y = X B":
                            continue
                        for labels, factor in on_threads(backend):
                            n_bytes = 16 * rows * columns
                            labels = {"operation": operation, "n": rows, "columns": columns, **labels, "kernel": kernel}
                            seconds = 1e-5 + n_bytes / (BANDWIDTH[backend] * factor * (0.2 + 0.3 * number) * rng.uniform(0.7, 1))
                            yield timed(rng, labels, seconds, 2 * rows * columns**2, n_bytes, rows=rows)


SYSTEMS = [("poisson2d 1000", 10**6, 3 * 10**6, 1999), ("poisson3d 100", 10**6, 4 * 10**6, 298),
           ("poisson3d 100 by colours", 10**6, 4 * 10**6, 2), ("elasticity3d 30", 81000, 3 * 10**6, 900)]


def product_cases(rng):
    for matrix, rows, nnz, _ in SYSTEMS:
        for operation in ("A A", "P'(A P)"):
            for backend, kernels in (("openmp", ("by rows", "X + X'", "Eigen")),
                                     ("cuda", ("hash", "X + X'", "short rows", "cusparse alg1", "cusparse alg2", "cusparse alg3"))):
                for number, kernel in enumerate(kernels):
                    if kernel in ("X + X'", "short rows") and operation == "A A":
                        continue
                    for labels, factor in on_threads(backend):
                        labels = {"matrix": matrix, "operation": operation, **labels, "kernel": kernel}
                        if kernel == "cusparse alg1" and matrix.startswith("elasticity"):
                            yield refused(labels, "cuSPARSE: insufficient resources")
                            continue
                        seconds = 1e-4 + 12 * nnz / (BANDWIDTH[backend] * factor * (0.4 - 0.06 * number) * rng.uniform(0.7, 1))
                        yield timed(rng, labels, seconds, 30 * nnz, 40 * nnz, rows=rows, nnz=nnz)


def triangular_cases(rng):
    rungs = [("serial", ("substitution", "levels")), ("openmp", ("levels",)),
             ("cuda", ("levels", "sync-free", "one-block", "self-timed", "halved", "quartered", "inverted-2", "inverted-4",
                       "inverted-8", "cusparse spsv, L and L'", "cusparse spsv, L twice"))]
    for matrix, rows, nnz, levels in SYSTEMS:
        for backend, kernels in rungs:
            for number, kernel in enumerate(kernels):
                for labels, factor in on_threads(backend):
                    labels = {"matrix": matrix, **labels, "kernel": kernel}
                    if kernel.startswith(("halved", "quartered", "inverted")) and matrix.startswith("elasticity"):
                        yield refused(labels, f"{kernel} is not made for triangles with 80 entries in a row")
                        continue
                    seconds = levels * 4e-6 / (1 + number) * rng.uniform(0.8, 1) + 24 * nnz / (0.5 * BANDWIDTH[backend] * factor)
                    yield timed(rng, labels, seconds, 4 * nnz, 24 * nnz, rows=rows, nnz=nnz, levels=levels)


def solve_cases(rng):
    for matrix, rows, nnz in MATRICES[::2]:
        hard = rng.uniform(0.3, 3)
        for name, factor in PRECONDITIONERS:
            labels = {"backend": "openmp", "columns": 1, "matrix": matrix, "preconditioner": name, "solver": "cg", "threads": 2}
            if name == "cholesky" and rows > 500000:
                yield refused(labels, "the factor needs 21.4 GiB and there are 7.6")
                continue
            if factor > 0.98 and hard > 2:
                yield refused(labels, "not converged: iteration limit after 3000 iterations, residual 1.2e-04")
                continue
            rate = factor ** (1 / hard)
            history, residual, k = [[0, 1.0]], 1.0, 0
            while residual > 1e-8 and k < 3000:
                k += 1
                residual *= rate * rng.uniform(0.8, 1.2)
                history.append([k, residual])
            case = timed(rng, labels, 1e-5 + k * (12 * nnz + 84 * rows) / 3e10, None, None, rows=rows, nnz=nnz, iterations=k,
                         setup_seconds=nnz * 1e-8)
            yield {**case, "history": history}


def suite(name, seed=1):
    rng = random.Random(f"{name} {seed}")
    cases = {"spmv": lambda: sparse_cases(rng, 1), "spmm": lambda: [case for k in (3, 32) for case in sparse_cases(rng, k)], "density": lambda: density_cases(rng),
             "panel": lambda: panel_cases(rng), "products": lambda: product_cases(rng), "triangular": lambda: triangular_cases(rng),
             "solve": lambda: solve_cases(rng)}.get(name, lambda: dense_cases(rng, name))
    return {"schema": "stiefel-suite/1", "suite": name, "quick": False, "started": "2026-11-22T18:00:00Z",
            "command": ["suite", name],
            "machine": {"cpu": "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz", "cores": 8, "memory_bytes": 2**35,
                        "instruction_sets": "avx512", "host_bandwidth": 30e9, "gpu": "NVIDIA H200", "gpu_bandwidth": 4.1e12},
            "build": {"version": "0.1.0", "commit": "0a162cf", "compiler": "GNU 12.2.0", "cuda": "13.0"},
            "libraries": {"openblas": "0.3.21", "eigen": "3.4.0"}, "cases": list(cases())}


SUITES = ("spmv", "spmm", "transpose", "gemm", "panel", "products", "triangular", "density", "solve")


def write(folder, name, seed=1):
    path = os.path.join(folder, f"{name}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(suite(name, seed), file)
    return path


if __name__ == "__main__":
    for each in SUITES:
        print(write(sys.argv[1], each))
