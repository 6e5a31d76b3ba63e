"""Conjugate gradients with SciPy's signature."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from . import _core, _device
from ._arrays import Array, as_scipy, host_csr, place
from ._libraries import as_given, as_host_vector, is_on_device
from ._operator import Operator, Preconditioner, keep
from ._warnings import ConvergenceWarning, python_errors, warn_caller


def end_tolerance(rtol: float, atol: Any, norm: Callable[[], float]) -> tuple[float, float]:
    """rtol and atol for the module, which takes a relative one below 1; norm() is that of b."""
    for name, value in (("atol", atol), ("rtol", rtol)):
        if value is None or isinstance(value, str) or not value >= 0:
            raise ValueError(f"{name}: {value!r}; give a real number, 0 or more")
    if rtol < 1:
        return float(rtol), float(atol)
    return 0.0, max(float(atol), float(rtol) * norm())


def limit_of(maxiter: int | None, n: int) -> int:
    """Iterations at most; SciPy's default."""
    if maxiter is None:
        return 10 * n
    if operator.index(maxiter) < 0:
        raise ValueError(f"maxiter: {maxiter}; give 0 or more")
    return operator.index(maxiter)


def common_type(of_a: Any, of_b: np.dtype[Any]) -> np.dtype[Any]:
    """SciPy's rule: single precision where both are."""
    kinds = [np.dtype(t) if np.dtype(t).char in "fdFD" else np.dtype("d") for t in (of_a, of_b)]
    return np.result_type(*kinds)


def _vector(value: Any, n: int, dtype: np.dtype[Any], name: str, shape: Any) -> Array:
    array = as_host_vector(value, name)
    if array.shape not in ((n,), (n, 1)):
        raise ValueError(f"shapes of A {shape} and {name} {array.shape} are incompatible")
    return array.ravel() if array.dtype == dtype else array.astype(dtype).ravel()


def _info(result: dict[str, Any]) -> int:
    """What SciPy returns; what it has no word for is told by a warning. What was raised is raised."""
    if result["reason"] == "converged":
        return 0
    if result["reason"] not in ("max_iterations", "interrupted"):
        found = result["reason"].replace("_", " ")
        evidence = result["evidence"].replace("_", " ")
        warn_caller(
            f"cg: {found}{'' if evidence == 'none' else f' ({evidence})'} after {result['iterations']} iterations, "
            f"|b - A x| / |b| = {result['residual']:.1e}",
            ConvergenceWarning,
        )
    return max(1, int(result["iterations"]))


def raise_with(result: dict[str, Any], x: Any) -> None:
    """Raises what was raised on the way; an interrupt takes the iterate along."""
    raised = result["raised"]
    if raised is None:
        return
    if isinstance(raised, KeyboardInterrupt):
        raised.x = x  # type: ignore[attr-defined]
    raise raised


def _as_function(M: Any, complex_dtype: np.dtype[Any] | None) -> Callable[[Array, Array], None]:
    """M as the module calls it; what M is shown is its own to keep."""
    matvec = M.matvec

    def apply(r: Array, z: Array) -> None:
        if complex_dtype is None:
            product = np.asarray(matvec(r.copy()))
            z[:] = product.ravel() if product.dtype.kind != "c" else product.real.ravel()
        else:
            z.view(complex_dtype)[:] = np.asarray(matvec(r.view(complex_dtype).copy())).ravel()

    return apply


def linear_preconditioner(A: Any, M: Any, shape: tuple[int, int]) -> Any:
    """A Preconditioner of ours as it is, all else as a linear operator; None where there is none."""
    if isinstance(M, Preconditioner):
        if M.shape != shape:
            raise ValueError("matrix and preconditioner have different shapes")
        return M
    if M is None:
        if not hasattr(A, "psolve"):
            return None
        return LinearOperator(shape, matvec=A.psolve, dtype=A.dtype)
    try:
        linear = aslinearoperator(M)
    except TypeError:
        way_out = f"stiefel.preconditioner({M!r}, A) makes one" if isinstance(M, str) else "it needs matvec and shape"
        raise TypeError(f"M: {M!r} is no linear operator; {way_out}") from None
    if linear.shape != shape:
        raise ValueError("matrix and preconditioner have different shapes")
    return linear


def cg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[[Any], Any] | None = None,
) -> tuple[Any, int]:
    """Solves ``A x = b`` by conjugate gradients: `scipy.sparse.linalg.cg` on all cores, or on a GPU.

    Parameters
    ----------
    A : Operator, sparse array or matrix, dense array, LinearOperator, or anything with ``matvec`` and ``shape``
        Real symmetric or Hermitian, positive definite. Sparse real matrices are multiplied by our kernels; all else
        multiplies by itself. Nothing is checked of the symmetry: `solve` does.
    b : array of shape (n,) or (n, 1)
        The right-hand side. Arrays of CuPy and PyTorch on a device are solved there, if A is there too.
    x0 : array or "Mb", optional
        The guess; zeros where there is none. It is not written to.
    rtol, atol : float
        ``|b - A x| <= max(rtol |b|, atol)`` is asked for, of the residual computed afresh from x.
    maxiter : int, optional
        Iterations at most; 10 n where it is not given.
    M : Preconditioner, sparse array, dense array, LinearOperator, optional
        Symmetric positive definite, approximately the inverse of A.
    callback : function, optional
        Called as ``callback(xk)`` after each iteration, with the iterate, which is written to by those that follow.

    Returns
    -------
    x : array of shape (n,)
        The solution, or how far it came.
    info : int
        0 if it has converged, else the number of iterations.

    Raises
    ------
    ValueError
        For shapes and tolerances that cannot be.
    KeyboardInterrupt
        On Ctrl-C; the attribute ``x`` of the exception is the iterate.

    Warns
    -----
    ConvergenceWarning
        Where it ended for another reason than `maxiter`: A or M is not positive definite, rounding leaves no more.
    ConversionWarning
        Where an array had to be copied.

    Examples
    --------
    >>> import numpy as np, stiefel
    >>> A = stiefel.generate("poisson2d", 30)
    >>> b = np.ones(900)
    >>> x, info = stiefel.cg(A, b, rtol=1e-8)
    >>> info, bool(np.linalg.norm(b - A @ x) <= 1e-8 * np.linalg.norm(b))
    (0, True)
    """
    if _device.is_matrix(A) or (isinstance(A, Operator) and is_on_device(b)):
        return _device.cg(A, b, x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M, callback=callback)
    A = as_scipy(A)
    of_a = A if isinstance(A, Operator) or scipy.sparse.issparse(A) else aslinearoperator(A)
    if len(of_a.shape) != 2 or of_a.shape[0] != of_a.shape[1]:
        raise ValueError(f"expected square matrix, but got shape={(of_a.shape,)}")
    n = int(of_a.shape[0])
    shape = (n, n)
    b_given = as_host_vector(b, "b")
    dtype = common_type(getattr(of_a, "dtype", None) or np.dtype("d"), b_given.dtype)
    right = _vector(b_given, n, dtype, "b", shape)
    m = linear_preconditioner(A, M, shape)
    if isinstance(x0, str):
        if x0 != "Mb":
            raise ValueError(f"x0: {x0!r}; the only word for a guess is 'Mb'")
        x = right.copy() if m is None else np.array(m.matvec(right.copy()), dtype=dtype).ravel()
    elif x0 is None:
        x = np.zeros(n, dtype)
    else:
        x = np.array(_vector(x0, n, dtype, "x0", shape))
    ends = end_tolerance(rtol, atol, lambda: float(np.linalg.norm(right)))
    budget = _core.Budget(*ends, limit_of(maxiter, n), False)

    def on_iteration(iteration: int, _: float) -> None:
        if iteration > 0 and callback is not None:
            callback(x)

    result = _run(of_a, right, x, m, budget, on_iteration if callback is not None else None)
    raise_with(result, x)
    return as_given(x, b), _info(result)


def _run(of_a: Any, b: Array, x: Array, m: Any, budget: _core.Budget, on_iteration: Any) -> dict[str, Any]:
    """By our kernels where A is a real sparse matrix, else by functions on vectors of real numbers."""
    is_complex = b.dtype.kind == "c"
    sparse = scipy.sparse.issparse(of_a) or isinstance(of_a, Operator)
    b = np.ascontiguousarray(b)
    if sparse and not is_complex:
        matrix = matrix_of(of_a, b.dtype)
        if matrix is not None:
            of_m = module_preconditioner(m, of_a, matrix)
            with python_errors():
                return _core.cg(matrix, place(b), place(x), of_m, budget, on_iteration)
    real = np.dtype(b.real.dtype)
    complex_dtype = b.dtype if is_complex else None
    a = aslinearoperator(of_a)
    with python_errors():
        return _core.cg_of_functions(
            _as_function(a, complex_dtype),
            place(b.view(real)),
            place(x.view(real)),
            bool(real == np.float32),
            None if m is None else _as_function(m, complex_dtype),
            budget,
            on_iteration,
        )


def matrix_of(of_a: Any, dtype: np.dtype[Any]) -> _core.Matrix | None:
    """The kept matrix of this type; None for an operator of another type, which multiplies by itself."""
    if isinstance(of_a, Operator):
        return of_a._matrix if of_a.dtype == dtype else None
    return keep(host_csr(of_a, dtype), ["--backend=openmp"])


def _suits(m: Any, of_a: Any, matrix: _core.Matrix) -> bool:
    """Whether a preconditioner can be applied within the iteration, without a way through Python."""
    if not isinstance(m, Preconditioner):
        return False
    backend = of_a.backend if isinstance(of_a, Operator) else "openmp"
    same_place = m._operator.backend == backend != "cuda" and (m.dtype == np.float32) == matrix.is_single
    return same_place or m._operator._matrix is matrix


def module_preconditioner(m: Any, of_a: Any, matrix: _core.Matrix) -> Any:
    """M as the module takes it beside this matrix: its own, a function, or None."""
    if m is None:
        return None
    return m._kept if _suits(m, of_a, matrix) else _as_function(m, None)
