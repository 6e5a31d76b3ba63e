"""Eigenpairs at the ends of the spectrum, with SciPy's signatures."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import scipy.sparse
from scipy.sparse.linalg import ArpackNoConvergence

from . import _core
from ._arrays import Array, as_scipy, host_csr, place
from ._cg import linear_preconditioner, module_preconditioner, raise_with
from ._device import is_matrix
from ._libraries import as_given, as_host_vector
from ._operator import Operator, operator_of
from ._warnings import ConvergenceWarning, in_words_of_python, python_errors, warn_caller
from ._words import words_of

MOST_PAIRS = 64


def _refuse(name: str, why: str) -> None:
    raise NotImplementedError(f"{name}: {why}")


def _refuse_shifts(M: Any, sigma: Any, Minv: Any, OPinv: Any, mode: str) -> None:
    """What SciPy would refuse is a ValueError; what it would take is not there."""
    if Minv is not None and (M is None or sigma is not None):
        raise ValueError("Minv: it goes with M, and without sigma")
    if OPinv is not None and sigma is None:
        raise ValueError("OPinv: it goes with sigma")
    if mode not in ("normal", "buckling", "cayley"):
        raise ValueError(f"mode={mode!r}: give one of normal, buckling, cayley")
    if M is not None:
        _refuse("M", "only standard problems are solved, A v = lambda v; for A v = lambda M v take SciPy's eigsh")
    if sigma is not None:
        _refuse("sigma", 'there is no shift; the smallest pairs are found without one, by which="SA"; for others take SciPy\'s eigsh')
    if mode != "normal":
        _refuse("mode", "there is no shift for it to act on; leave it out, or take SciPy's eigsh")


def _checked(A: Any, k: int, which: str, v0: Any, ncv: int | None, maxiter: int | None, tol: float) -> int:
    """k, once all that is wrong with the arguments themselves was said."""
    if not (scipy.sparse.issparse(A) or isinstance(A, np.ndarray)):
        _refuse("A", f"eigsh looks at entries, and {type(A).__name__} has none to show; "
                "give a sparse matrix on the host, or take stiefel.lobpcg (an Operator) or SciPy's eigsh (a LinearOperator)")  # fmt: skip
    if len(A.shape) != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"expected square matrix (shape={A.shape})")
    if A.dtype.kind == "c":
        _refuse("A", "it is complex; take SciPy's eigsh for Hermitian matrices")
    n = int(A.shape[0])
    if n == 0:
        raise ValueError("A: it has no rows")
    if isinstance(k, bool) or operator.index(k) < 1 or k > n:
        raise ValueError(f"k={k}: give 1 to {min(n, MOST_PAIRS)}")
    if k > MOST_PAIRS:
        _refuse("k", f"{k} pairs are more than the {MOST_PAIRS} that are found at once; take SciPy's eigsh")
    if which not in ("LM", "SM", "LA", "SA", "BE"):
        raise ValueError(f"which={which!r}: give one of LM, SM, LA, SA, BE")
    if isinstance(tol, str) or not 0 <= tol < 1:
        raise ValueError(f"tol: {tol!r}; give a number of at least 0 and below 1")
    if maxiter is not None and maxiter <= 0:
        raise ValueError(f"maxiter={maxiter}: give 1 or more")
    if ncv is not None and ncv <= k:
        raise ValueError(f"ncv={ncv}: SciPy's is more than k={k}; it is not needed here")
    if v0 is not None and np.shape(v0) not in ((n,), (n, 1)):
        raise ValueError(f"v0: expected shape ({n},), got {np.shape(v0)}; it is not needed here")
    return int(k)


def _pairs(A: Any, count: int, which: str, rtol: float, maxiter: int | None) -> tuple[Array, Array, dict[str, Any]]:
    csr = host_csr(A)
    words = words_of({"which": which, "count": count, "rtol": rtol, "max_iterations": maxiter})
    indptr, indices, data = csr.places
    with python_errors():
        found = _core.eigenpairs(csr.shape, indptr, csr.wide, indices, data, csr.is_single, words)
    if found["raised"] is not None:
        raise found["raised"]
    if found["fault"] is not None:
        raise RuntimeError(in_words_of_python(found["fault"]))
    return np.array(found["values"]), found["vectors"], found


def eigsh(
    A: Any,
    k: int = 6,
    M: Any = None,
    sigma: float | None = None,
    which: str = "LM",
    v0: Any = None,
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float = 0,
    return_eigenvectors: bool = True,
    Minv: Any = None,
    OPinv: Any = None,
    mode: str = "normal",
    rng: Any = None,
) -> Any:
    """Finds k eigenpairs of a real symmetric matrix: `scipy.sparse.linalg.eigsh` by LOBPCG with multigrid.

    Parameters
    ----------
    A : sparse array or matrix, dense array
        Real symmetric; checked to be so.
    k : int
        Pairs, at most 64.
    which : {"LM", "SM", "LA", "SA", "BE"}
        As SciPy's. "SM" is known of positive definite matrices, of which it is "SA".
    tol : float
        A pair has converged when ``|A v - lambda v| <= tol |lambda|``, computed afresh; 0 is 1e-10 in double precision
        and 1e-4 in single.
    maxiter : int, optional
        Iterations at most; 2000 where it is not given.
    return_eigenvectors : bool
        Whether vectors are returned too.
    v0, ncv, rng
        SciPy's, of a Lanczos process: not needed here, and checked only.
    M, sigma, Minv, OPinv, mode
        Generalised problems and shifts are not there: NotImplementedError where SciPy would take them.

    Returns
    -------
    w : array of k values, ascending
    v : array of shape (n, k), with `return_eigenvectors`

    Raises
    ------
    scipy.sparse.linalg.ArpackNoConvergence
        As SciPy, where not all pairs have converged; it holds those that have.
    NotImplementedError
        For what SciPy's has and this has not, naming the argument and the way out.
    ValueError
        For a matrix that is not symmetric, and for arguments that SciPy refuses as well.

    Examples
    --------
    >>> import numpy as np, stiefel
    >>> A = stiefel.generate("poisson2d", 40)
    >>> w, v = stiefel.eigsh(A, k=3, which="SA", tol=1e-8)
    >>> exact = 4 * np.sin(np.pi / 82) ** 2
    >>> bool(abs(w[0] - 2 * exact) < 1e-8)
    True
    """
    A = A if is_matrix(A) else as_scipy(A)
    k = _checked(A, k, which, v0, ncv, maxiter, tol)
    _refuse_shifts(M, sigma, Minv, OPinv, mode)
    rtol = float(tol) if tol > 0 else 1e-10 if A.dtype != np.float32 else 1e-4
    parts = _ends(A, k, which, rtol, maxiter)
    w = np.concatenate([part[0] for part in parts])
    v = np.concatenate([part[1] for part in parts], axis=1)
    converged = np.concatenate([part[2]["converged"] for part in parts])
    keep = np.arange(len(w))
    if which == "LM" and len(w) > k:
        keep = np.argsort(-np.abs(w), kind="stable")[:k]
    if which == "SM" and len(w) and w.min() < 0:
        _refuse("which='SM'", "A has negative eigenvalues, so those nearest 0 lie inside of its spectrum")
    order = keep[np.argsort(w[keep], kind="stable")]
    w, v, converged = w[order].astype(v.dtype), v[:, order], converged[order]
    if not converged.all():
        done = converged.astype(bool)
        message = f"No convergence ({max(p[2]['iterations'] for p in parts)} iterations, {done.sum()}/{k} eigenvectors converged)"
        raise ArpackNoConvergence(message, w[done], v[:, done])
    return (w, np.ascontiguousarray(v)) if return_eigenvectors else w


def _ends(A: Any, k: int, which: str, rtol: float, maxiter: int | None) -> list[tuple[Array, Array, dict[str, Any]]]:
    """Pairs of the ends of the spectrum among which those that are wanted are."""
    if which in ("SA", "SM"):
        return [_pairs(A, k, "smallest", rtol, maxiter)]
    if which == "LA":
        return [_pairs(A, k, "largest", rtol, maxiter)]
    if which == "BE":
        low = k // 2
        parts = [_pairs(A, k - low, "largest", rtol, maxiter)]
        return parts + ([_pairs(A, low, "smallest", rtol, maxiter)] if low else [])
    largest = _pairs(A, k, "largest", rtol, maxiter)
    # Gershgorin's circles often show that nothing at the other end can be as large.
    csr = scipy.sparse.csr_array(A)
    diagonal = csr.diagonal()
    radii = np.asarray(abs(csr).sum(axis=1)).ravel() - np.abs(diagonal)
    if len(largest[0]) == k and float((diagonal - radii).min()) >= -abs(float(largest[0].min())):
        return [largest]
    return [largest, _pairs(A, k, "smallest", rtol, maxiter)]


def lobpcg(
    A: Any,
    X: Any,
    B: Any = None,
    M: Any = None,
    Y: Any = None,
    tol: float | None = None,
    maxiter: int | None = None,
    largest: bool = True,
    verbosityLevel: int = 0,
    retLambdaHistory: bool = False,
    retResidualNormsHistory: bool = False,
    restartControl: int = 20,
) -> tuple[Array, Any]:
    """Finds eigenpairs from start vectors: `scipy.sparse.linalg.lobpcg` on all cores.

    Parameters
    ----------
    A : Operator, sparse array or matrix
        Real symmetric.
    X : array of shape (n, k), k <= 64
        Start vectors; not written to.
    M : Preconditioner, LinearOperator, array, optional
        Symmetric positive definite, for the smallest pairs approximately the inverse of A.
    tol : float, optional
        ``|A v - lambda v| <= tol |lambda|``; SciPy's default, ``sqrt(eps) n``, is kept below 1e-3.
    maxiter : int, optional
        20 where it is not given, as SciPy's.
    largest : bool
        Whether the largest pairs are wanted, or the smallest.
    B, Y, verbosityLevel, retLambdaHistory, retResidualNormsHistory
        Not there: NotImplementedError where they are given. `restartControl` is not needed.

    Returns
    -------
    w : array of k values, the wanted end first
    v : array of shape (n, k)

    Warns
    -----
    ConvergenceWarning
        Where not all pairs have converged.

    Examples
    --------
    >>> import numpy as np, stiefel
    >>> A = stiefel.generate("poisson2d", 40)
    >>> X = np.random.default_rng(1).standard_normal((1600, 4))
    >>> w, v = stiefel.lobpcg(A, X, M=stiefel.preconditioner("amg", A), largest=False, tol=1e-6, maxiter=100)
    >>> bool(np.linalg.norm(A @ v - v * w) < 1e-5)
    True
    """
    for name, value in (("B", B), ("Y", Y)):
        if value is not None:
            _refuse(name, "only standard problems without constraints are solved; take SciPy's lobpcg")
    histories = {"retLambdaHistory": retLambdaHistory, "retResidualNormsHistory": retResidualNormsHistory}
    for name, value in (histories | {"verbosityLevel": verbosityLevel}).items():
        if value:
            _refuse(name, "histories are not returned and nothing is printed; take SciPy's lobpcg")
    A = as_scipy(A)
    if not isinstance(A, Operator):
        if not scipy.sparse.issparse(A):
            _refuse("A", "lobpcg multiplies panels by our kernels; give a sparse matrix or a stiefel.Operator, or take SciPy's lobpcg")
        A = operator_of(A)
    n = A.shape[0]
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"A: expected a square matrix, got one of shape {A.shape}")
    start = as_host_vector(X, "X")
    if start.ndim != 2 or start.shape[0] != n:
        raise ValueError(f"X: expected an array of shape ({n}, k), got one of shape {start.shape}")
    if not 1 <= start.shape[1] <= min(n, MOST_PAIRS):
        raise ValueError(f"X: it has {start.shape[1]} columns; give 1 to {min(n, MOST_PAIRS)}")
    v = np.array(start, A.dtype, order="C")
    if tol is None:
        tol = min(1e-3, float(np.sqrt(np.finfo(A.dtype).eps)) * n)
    m = linear_preconditioner(A, M, A.shape)
    of_m = module_preconditioner(m, A, A._matrix)
    with python_errors():
        found = _core.lobpcg(
            A._matrix, place(v), v.shape[1], of_m, bool(largest), float(tol), 20 if maxiter is None else int(maxiter), None
        )
    raise_with(found, v)
    if found["reason"] != "converged":
        warn_caller(
            f"lobpcg: {found['reason'].replace('_', ' ')} after {found['iterations']} iterations, "
            f"largest residual {max(found['residuals'], default=float('nan')):.1e}; asked for was {tol:.1e}",
            ConvergenceWarning,
        )
    return np.array(found["values"], A.dtype), as_given(v, X)
