#!/usr/bin/env python3
"""The smallest eigenpairs by `stiefel eigen` and by ARPACK (scipy.sparse.linalg.eigsh) in the same run.

    bench/eigen_arpack.py build/release/cli/stiefel [--grid 60] [--count 8] [--rtol 1e-6] [--what lobpcg,arpack,...]

The matrix is the 7-point Laplacian on grid^3. Times are of the iteration alone, for shift-invert with its
factorisation; reading and conversions are left out of both. Residuals are |A v - lambda v| / |lambda|, the largest of
the pairs. Medians of --runs, interleaved.
"""
import argparse
import json
import statistics
import subprocess
import tempfile
import time

import numpy as np
import scipy.sparse
import scipy.sparse.linalg


def laplacian(m):
    line = scipy.sparse.diags([-np.ones(m - 1), 2 * np.ones(m), -np.ones(m - 1)], [-1, 0, 1])
    eye = scipy.sparse.identity(m)
    kron = scipy.sparse.kron
    return (kron(kron(line, eye), eye) + kron(kron(eye, line), eye) + kron(kron(eye, eye), line)).tocsr()


def exact_values(m, count):
    axis = 2 - 2 * np.cos(np.pi * np.arange(1, m + 1) / (m + 1))
    return np.sort((axis[:, None, None] + axis[None, :, None] + axis[None, None, :]).ravel())[:count]


def by_arpack(a, args, **how):
    start = time.perf_counter()
    guess = np.random.default_rng(1).standard_normal(a.shape[0])
    values, vectors = scipy.sparse.linalg.eigsh(a, k=args.count, tol=args.rtol, v0=guess, **how)
    seconds = time.perf_counter() - start
    residuals = np.linalg.norm(a @ vectors - vectors * values, axis=0) / np.abs(values)
    return seconds, residuals.max(), np.sort(values), ""


def by_shift_invert(a, args):
    """With an ordering and pivots for symmetric matrices: those that eigsh would take fill in far more."""
    start = time.perf_counter()
    factor = scipy.sparse.linalg.splu(a.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0,
                                      options={"SymmetricMode": True})
    factorisation = time.perf_counter() - start
    solve = scipy.sparse.linalg.LinearOperator(a.shape, factor.solve)
    seconds, residual, values, _ = by_arpack(a, args, sigma=0, which="LM", OPinv=solve)
    fill = (factor.L.nnz + factor.U.nnz) / a.nnz
    return factorisation + seconds, residual, values, f"{factorisation:.1f} s of it the factorisation, fill {fill:.0f}x"


def by_stiefel(program, matrix, args, *words):
    command = [program, "eigen", matrix, "--count", str(args.count), "--rtol", str(args.rtol), "--json", "-", *words]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    pairs = report["pairs"]
    seconds = report["seconds"]
    return (seconds["setup"] + seconds["solve"], max(pair["relative_residual"] for pair in pairs),
            np.sort([pair["value"] for pair in pairs]), f"{report['result']['iterations']} iterations")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--grid", type=int, default=60)
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--rtol", type=float, default=1e-6)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--what", default="amg,shifted-chebyshev,jacobi,subspace,arpack,shift-invert")
    args = parser.parse_args()

    a = laplacian(args.grid)
    exact = exact_values(args.grid, args.count)
    with tempfile.NamedTemporaryFile(suffix=".mtx") as file:
        subprocess.run([args.program, "generate", "poisson3d", str(args.grid), "-o", file.name], check=True,
                       capture_output=True)
        backend = ("--backend", args.backend)
        ways = {
            "amg": lambda: by_stiefel(args.program, file.name, args, "--preconditioner", "amg", *backend),
            "shifted-chebyshev": lambda: by_stiefel(args.program, file.name, args, "--preconditioner", "shifted-chebyshev", *backend),
            "jacobi": lambda: by_stiefel(args.program, file.name, args, "--preconditioner", "jacobi", *backend),
            "subspace": lambda: by_stiefel(args.program, file.name, args, "--method", "subspace", *backend),
            "arpack": lambda: by_arpack(a, args, which="SA", ncv=max(40, 2 * args.count + 1)),
            "shift-invert": lambda: by_shift_invert(a, args),
        }
        results = {name: [] for name in args.what.split(",")}
        for _ in range(args.runs):
            for name, all_runs in results.items():
                all_runs.append(ways[name]())
        print(f"{'':14}{'seconds':>10}{'residual':>12}{'error':>12}")
        for name, all_runs in results.items():
            _, residual, values, more = all_runs[0]
            error = np.max(np.abs(values - exact) / exact)
            print(f"{name:14}{statistics.median(run[0] for run in all_runs):10.3f}{residual:12.1e}{error:12.1e}  {more}")


if __name__ == "__main__":
    main()
