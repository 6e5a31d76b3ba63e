#!/usr/bin/env python3
"""Time reading a large symmetric Matrix Market file: Stiefel, all the way to CSR, against scipy.io.mmread.

    cmake --preset release && cmake --build build/release --target stiefel_bench
    bench/read_matrix_market.py [--program build/release/bench/stiefel-bench] [--threads 2] [--runs 9]

The file is made once, beside the program: 1 M rows; the lower triangle column by column, as the SuiteSparse collection
has it: in each column the diagonal and three entries in random rows of the next 1000, values of 15 significant
digits; 4 M lines, about 130 MB. Readers take turns in one run, the page cache is warm for both, and medians are
compared. mmread (SciPy >= 1.12 is fast_matrix_market inside) is given the same number of threads; it ends with the
COO matrix, both triangles expanded, we with the CSR matrix.
"""
import argparse
import json
import os
import statistics
import subprocess
import time

import numpy as np
import scipy
import scipy.io


def generate(path, n_rows=1_000_000, band=1000, seed=20240817):
    random = np.random.default_rng(seed)
    below = np.arange(n_rows)[:, None] + np.sort(1 + random.permuted(
        np.tile(np.arange(band), (1000, 1)), axis=1)[random.integers(0, 1000, n_rows), :3], axis=1)
    rows = np.hstack([np.arange(n_rows)[:, None], below]).ravel()
    columns = np.repeat(np.arange(n_rows), 4)
    values = random.uniform(-1, 1, rows.size)
    values[::4] += 4
    inside = rows < n_rows
    entries = zip((rows[inside] + 1).tolist(), (columns[inside] + 1).tolist(), values[inside].tolist())
    with open(path + ".tmp", "w") as file:
        file.write("%%MatrixMarket matrix coordinate real symmetric\n")
        file.write(f"{n_rows} {n_rows} {int(inside.sum())}\n")
        file.writelines("%d %d %.15g\n" % entry for entry in entries)
    os.rename(path + ".tmp", path)


def scipy_seconds(path, threads):
    scipy.io._fast_matrix_market.PARALLELISM = threads
    start = time.perf_counter()
    matrix = scipy.io.mmread(path)
    return time.perf_counter() - start, matrix.nnz


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--program", default="build/release/bench/stiefel-bench")
    options.add_argument("--file", help="another file to read instead")
    options.add_argument("--threads", type=int, default=os.cpu_count())
    options.add_argument("--runs", type=int, default=9)
    options = options.parse_args()

    path = options.file or os.path.join(os.path.dirname(options.program), "read_bench.mtx")
    if not os.path.exists(path):
        print(f"making {path}")
        generate(path)
    with open(path, "rb") as file:  # into the page cache
        while file.read(1 << 24):
            pass
    megabytes = os.path.getsize(path) / 1e6

    theirs, parse, ours = [], [], []
    for _ in range(options.runs):
        seconds, nnz = scipy_seconds(path, options.threads)
        theirs.append(seconds)
        run = json.loads(subprocess.run([options.program, "read", path, str(options.threads)], check=True,
                                        capture_output=True).stdout)
        assert run["nnz"] == nnz, (run, nnz)
        parse.append(run["parse_seconds"])
        ours.append(run["parse_seconds"] + run["csr_seconds"])

    print(f"{path}: {megabytes:.0f} MB, {nnz} nonzeros, {options.threads} threads, medians of {options.runs} runs "
          f"(slowest - fastest)")
    for name, seconds in (f"scipy {scipy.__version__} mmread", theirs), ("stiefel to COO", parse), ("stiefel to CSR", ours):
        median = statistics.median(seconds)
        print(f"  {name:22} {median:7.3f} s ({max(seconds):.3f} - {min(seconds):.3f})  {megabytes / median:6.0f} MB/s")
    print(f"  ratio {statistics.median(theirs) / statistics.median(ours):.2f}")


if __name__ == "__main__":
    main()
