"""Multigrid of ours in a solver of SciPy's, and SciPy's problem in a solver of ours."""

import numpy as np
import scipy.sparse.linalg

import stiefel

A = stiefel.generate("poisson3d", 30)
b = np.ones(A.shape[0])
M = stiefel.preconditioner("amg", A)

for name, solver in (("scipy", scipy.sparse.linalg.cg), ("stiefel", stiefel.cg)):
    steps: list[int] = []
    x, info = solver(A, b, rtol=1e-8, M=M, callback=lambda xk: steps.append(1))
    print(f"{name}: info {info} after {len(steps)} iterations, |b - A x| = {np.linalg.norm(b - A @ x):.1e}")
