"""Block conjugate gradients: many right-hand sides at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from . import _core
from ._arrays import Array, as_contiguous, as_scipy, place
from ._cg import common_type, end_tolerance, limit_of, linear_preconditioner, matrix_of, module_preconditioner, raise_with
from ._libraries import as_given, as_host_vector
from ._operator import Operator
from ._warnings import python_errors

BLOCK = 64  # columns of a block at most


def block_cg(
    A: Any,
    B: Any,
    X0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
) -> tuple[Any, Array]:
    """Solves ``A X = B`` for many right-hand sides at once, which share their search directions.

    A is read once an iteration for up to 64 columns, and fewer iterations are needed than for each by itself.

    Parameters
    ----------
    A : Operator, sparse array or matrix
        Real, symmetric positive definite.
    B : array of shape (n, k)
        The right-hand sides.
    X0 : array of shape (n, k), optional
        Guesses; zeros where there are none.
    rtol, atol, maxiter, M
        As for `cg`, of each column; maxiter counts iterations of the block.

    Returns
    -------
    X : array of shape (n, k)
    info : array of k integers
        0 for a column that has converged, else the number of iterations.

    Examples
    --------
    >>> import numpy as np, stiefel
    >>> A = stiefel.generate("poisson2d", 30)
    >>> X, info = stiefel.block_cg(A, np.eye(900, 4))
    >>> X.shape, info.tolist()
    ((900, 4), [0, 0, 0, 0])
    """
    A = as_scipy(A)
    if not isinstance(A, Operator) and not scipy.sparse.issparse(A):
        raise TypeError("A: block_cg multiplies panels by our kernels; give a sparse matrix or a stiefel.Operator")
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"A: expected a square matrix, got one of shape {A.shape}")
    n = int(A.shape[0])
    right = as_host_vector(B, "B")
    if right.ndim != 2 or right.shape[0] != n:
        raise ValueError(f"B: expected an array of shape ({n}, k), got one of shape {right.shape}")
    dtype = A.dtype if isinstance(A, Operator) else common_type(A.dtype, right.dtype)
    right = as_contiguous(right, dtype, "B")
    if X0 is None:
        X = np.zeros(right.shape, dtype)
    else:
        X = np.array(as_host_vector(X0, "X0"), dtype, order="C")
        if X.shape != right.shape:
            raise ValueError(f"X0: expected the shape of B, {right.shape}, got {X.shape}")
    matrix = matrix_of(A, np.dtype(dtype))
    assert matrix is not None
    m = linear_preconditioner(A, M, (n, n))
    of_m = module_preconditioner(m, A, matrix)
    norms = np.linalg.norm(right, axis=0)
    end_tolerance(rtol, atol, lambda: 1.0)
    info = np.zeros(right.shape[1], np.int64)
    limit = limit_of(maxiter, n)
    for first in range(0, right.shape[1], BLOCK):
        part = slice(first, min(first + BLOCK, right.shape[1]))
        b, x = np.ascontiguousarray(right[:, part]), np.ascontiguousarray(X[:, part])
        budget = _core.Budget(min(float(rtol), 0.999), float(atol), limit, False)
        with python_errors():
            result = _core.block_cg(matrix, place(b), place(x), b.shape[1], of_m, budget, None)
        X[:, part] = x
        raise_with(result, X)
        for column, reason in enumerate(result["reasons"]):
            info[first + column] = 0 if reason == "converged" else max(1, result["iterations"])
    info[norms == 0] = 0
    return as_given(X, B), info
