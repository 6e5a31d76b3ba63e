"""Solves with all that the program can be told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from . import _core, _device
from ._arrays import NOWHERE, Array, as_contiguous, as_scipy, float_type, host_csr, place
from ._cg import linear_preconditioner, module_preconditioner
from ._libraries import as_given, as_host_vector, is_on_device
from ._operator import Operator, keep, points_of
from ._result import Result, finished
from ._warnings import python_errors
from ._words import words_of

def solve(
    A: Any,
    b: Any,
    *,
    x0: Any = None,
    preconditioner: str | Any = "auto",
    rtol: float = 1e-8,
    atol: float = 0.0,
    max_iterations: int | None = None,
    time_limit: float | None = None,
    solver: str = "cg",
    block: int = 16,
    reorder: str = "auto",
    precision: str | None = None,
    format: str | None = None,
    kernel: str | None = None,
    backend: str | None = None,
    threads: int | None = None,
    device: int | None = None,
    block_size: int | None = None,
    coordinates: Any = None,
    amg_coarsening: str | None = None,
    amg_smoother: str | None = None,
    amg_cycle: str | None = None,
    jacobi_block: int | None = None,
    fsai_power: int | None = None,
    fsai_steps: int | None = None,
    fsai_threshold: float | None = None,
    fsai_drop: float | None = None,
    ic_threshold: float | None = None,
    ic_fill: float | None = None,
    ic_level: int | None = None,
    ssor_omega: float | None = None,
    report: bool = False,
    callback: Callable[[int, float], Any] | None = None,
) -> Result:
    """Solves ``A x = b`` for symmetric positive definite A as the program ``stiefel solve`` does.

    Options have the program's names, words and defaults (``docs/cli.md``); None is the program's own default.

    Parameters
    ----------
    A : Operator, sparse array or matrix, dense array
        Checked to be symmetric. An `Operator` keeps what is prepared for the next solve with the same options.
    b : array of shape (n,) or (n, k)
        Right-hand sides.
    x0 : array of the shape of b, optional
        Guesses.
    preconditioner : str, Preconditioner, LinearOperator or array
        A word of the program, or M itself.
    rtol, atol : float
        It ends when ``|b - A x| <= max(rtol |b|, atol)``.
    max_iterations, time_limit : optional
        Iterations for each right-hand side, seconds for all.
    precision : {"double", "single"}, optional
        By itself single where A and b are both float32.
    report : bool
        Also describe the matrix and measure the memory's rate for `Result.page`.
    callback : function, optional
        Called as ``callback(iteration, relative_residual)``.

    Returns
    -------
    Result
        Not converging is a value, with a `ConvergenceWarning`.

    Raises
    ------
    ValueError
        For a matrix that is not symmetric or has a diagonal entry that is not positive, for options that contradict
        each other: the message names argument and entry.
    RuntimeError
        Where a device is asked for and there is none.
    KeyboardInterrupt
        On Ctrl-C; the exception's ``x`` is the iterate and its ``result`` the `Result`.

    Examples
    --------
    >>> import numpy as np, stiefel
    >>> A = stiefel.generate("poisson2d", 100)
    >>> r = stiefel.solve(A, np.ones(10000), preconditioner="amg", backend="openmp")
    >>> r.reason, r.residual <= 1e-8, r.report["method"]["preconditioner"]
    ('converged', True, 'amg')
    >>> stiefel.solve(A, np.ones(10000), rtol=2)
    Traceback (most recent call last):
        ...
    ValueError: rtol: expected a number of at least 0 and below 1, got '2'; a relative tolerance of 1 is met by no work at all
    """
    keywords = {
        "rtol": rtol, "atol": atol, "max_iterations": max_iterations, "time_limit": time_limit, "solver": solver,
        "block": block, "reorder": reorder, "precision": precision, "block_size": block_size,
        "amg_coarsening": amg_coarsening, "amg_smoother": amg_smoother, "amg_cycle": amg_cycle,
        "jacobi_block": jacobi_block, "fsai_power": fsai_power, "fsai_steps": fsai_steps,
        "fsai_threshold": fsai_threshold, "fsai_drop": fsai_drop, "ic_threshold": ic_threshold, "ic_fill": ic_fill, "ic_level": ic_level,
        "ssor_omega": ssor_omega,
    }  # fmt: skip
    place_words = {"backend": backend, "threads": threads, "device": device, "format": format, "kernel": kernel}
    M = None if isinstance(preconditioner, str) else preconditioner
    if M is None:
        keywords["preconditioner"] = preconditioner
    elif reorder not in ("auto", "none"):
        raise ValueError("reorder: M is given, and its rows are those of A as it is; leave reorder out")
    _core_check(keywords, place_words)
    A = as_scipy(A)
    operator, right, guess, exponent, device_of_b = _operands(A, b, x0, precision, place_words)
    n = operator.shape[0]
    m = linear_preconditioner(A, M, operator.shape) if M is not None else None
    of_m = module_preconditioner(m, operator, operator._matrix)
    points, dimensions = points_of(coordinates)
    columns = right.shape[0]
    operands = _core.Operands(
        place(right), NOWHERE if guess is None else place(guess), columns,
        NOWHERE if points is None else place(points), dimensions, exponent,
    )  # fmt: skip
    if not isinstance(A, Operator):
        keywords |= place_words
    else:
        keywords |= operator._words
    keywords |= {"history": "history", "report": "report" if report else None}
    with python_errors():
        solution = _core.solve(operator._matrix, words_of(keywords), operands, of_m, callback)
    raised = solution.raised
    if raised is not None and not solution.has_x:
        raise raised
    rows = solution.x.reshape(right.shape)
    is_vector = (len(b.shape) if hasattr(b, "shape") else np.ndim(b)) == 1
    x = rows.reshape(n) if is_vector else rows.T
    return finished(solution, as_given(x, b) if device_of_b is None else _device.like(x, device_of_b))


def _core_check(keywords: dict[str, Any], place_words: dict[str, Any]) -> None:
    """What is wrong with the words themselves is said before anything is converted."""
    for name, values in (("threads", place_words["threads"]), ("block", keywords["block"])):
        if values is not None and not isinstance(values, str) and (isinstance(values, bool) or int(values) != values):
            raise ValueError(f"{name}: {values!r} is no whole number")


def _operands(
    A: Any, b: Any, x0: Any, precision: str | None, place_words: dict[str, Any]
) -> tuple[Operator, Array, Array | None, int, Any]:
    """The operator, and vectors of its type, a row for each right-hand side."""
    device_of_b = b if is_on_device(b) else None
    right = _device.to_host(b) if device_of_b is not None else as_host_vector(b, "b")
    of_b = float_type(right.dtype, "b")
    exponent = 0
    if isinstance(A, Operator):
        operator = A
        for name, value in place_words.items():
            if value is not None:
                raise ValueError(f"{name}: it is the operator's, {operator!r}; leave it out, or give the matrix itself")
        if precision is not None and (precision == "single") != (operator.dtype == np.float32):
            raise ValueError(f"precision: the operator is of {operator.dtype}; leave precision out")
    elif _device.is_matrix(A):
        operator = Operator(A, **_given(place_words))
    else:
        if not scipy.sparse.issparse(A) and not isinstance(A, np.ndarray):
            only_multiplies = ", or take stiefel.cg, which only multiplies" if hasattr(A, "shape") else ""
            raise TypeError(
                f"A: stiefel.solve looks at entries, and {type(A).__name__} has none to show; "
                f"give a sparse matrix or an array{only_multiplies}"
            )
        if len(A.shape) != 2 or A.shape[0] != A.shape[1]:
            raise ValueError(f"A: expected a square matrix, got one of shape {A.shape}")
        of_a = float_type(A.dtype, "A")
        single = precision == "single" or (precision is None and of_a == of_b == np.float32)
        if single and of_a != np.float32:
            A, exponent = _as_single(A)
        operator = _operator_of(A, np.dtype(np.float32 if single else np.float64), place_words)
    n = operator.shape[0]
    if right.shape[:1] != (n,) or right.ndim > 2 or (right.ndim == 2 and right.shape[1] == 0):
        raise ValueError(f"b: expected shape ({n},) or ({n}, k), got {right.shape}")
    _check_finite(right, "b")
    if precision == "single":  # asked for: nothing to tell of
        right = right.astype(operator.dtype, copy=False) if not exponent else right
    rows = _rows(right, operator.dtype, "b", exponent)
    if x0 is None:
        return operator, rows, None, exponent, device_of_b
    guess = _device.to_host(x0) if is_on_device(x0) else as_host_vector(x0, "x0")
    if guess.shape != right.shape:
        raise ValueError(f"x0: expected the shape of b, {right.shape}, got {guess.shape}")
    float_type(guess.dtype, "x0")
    _check_finite(guess, "x0")
    return operator, rows, _rows(guess, operator.dtype, "x0", 0), exponent, device_of_b


def _check_finite(vectors: Array, name: str) -> None:
    if not np.isfinite(vectors).all():
        at = np.argwhere(~np.isfinite(vectors))[0].tolist()
        raise ValueError(f"{name}: entry {at if len(at) > 1 else at[0]} is {vectors[tuple(at)]}; all must be finite")


def _rows(vectors: Array, dtype: np.dtype[Any], name: str, exponent: int) -> Array:
    """Right-hand sides one after the other."""
    if exponent:
        vectors = np.ldexp(vectors.astype(np.float64), -exponent).astype(dtype)
    if vectors.ndim == 1:
        return as_contiguous(vectors, dtype, name)[np.newaxis]
    return np.ascontiguousarray(vectors.T, dtype=dtype)


def _given(words: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in words.items() if value is not None}


def _operator_of(A: Any, dtype: np.dtype[Any], place_words: dict[str, Any]) -> Operator:
    """An operator over A's arrays, in this type; symmetric by contract, which the solve checks."""
    csr = host_csr(A, dtype)
    operator = Operator.__new__(Operator)
    operator._device_stream = 0
    operator._matrix = keep(csr, words_of(place_words))
    operator.shape, operator.dtype = (csr.n_rows, csr.n_cols), csr.dtype
    operator._words = _given({name: place_words[name] for name in ("format", "kernel")})
    return operator


def _as_single(A: Any) -> tuple[Any, int]:
    """In single precision, divided by a power of two where entries lie far from 1, as single precision has no room."""
    near = 60
    A = scipy.sparse.csr_array(A)
    largest = float(np.abs(A.data).max(initial=0))
    exponent = int(np.frexp(largest)[1]) - 1 if np.isfinite(largest) and largest > 0 else 0
    exponent = exponent if abs(exponent) > near else 0
    values = np.ldexp(A.data.astype(np.float64), -exponent).astype(np.float32)
    return scipy.sparse.csr_array((values, A.indices, A.indptr), shape=A.shape), exponent
