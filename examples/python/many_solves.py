"""Time steps of the heat equation: the matrix stays, so it is converted and preconditioned once."""

import numpy as np
import scipy.sparse as sp

import stiefel

laplacian = stiefel.generate("poisson2d", 200)
n = laplacian.shape[0]
step = 0.1
a = stiefel.Operator(sp.csr_array(sp.eye_array(n) + step * laplacian))
heat = np.zeros(n)
heat[n // 2 + 100] = 1

iterations = 0
for _ in range(10):
    r = stiefel.solve(a, heat, x0=heat, preconditioner="ssor").raise_for_status()
    heat = r.x
    iterations += r.iterations
print(f"{a}: 10 steps, {iterations} iterations, heat left {heat.sum():.6f}")
