"""Matrices and preconditioners that are kept and serve many solves."""

from __future__ import annotations

import difflib
from typing import Any

import numpy as np

from . import _core, _device
from ._arrays import NOWHERE, Array, Csr, as_scipy, host_csr, place
from ._linear import Linear
from ._warnings import python_errors
from ._words import words_of


def keep(csr: Csr, words: list[str]) -> _core.Matrix:
    """The compiled module's matrix over these arrays."""
    with python_errors():
        indptr, indices, data = csr.places
        return _core.keep(
            csr.shape, indptr, csr.wide, indices, data, csr.is_single, words, csr.stream,
            (csr.indptr, csr.indices, csr.data, csr.owner),
        )  # fmt: skip


class Operator(Linear):
    """A sparse matrix in the format and under the kernel that multiply it fastest, chosen once.

    It multiplies vectors and panels by ``@``, is taken by all solvers in place of a matrix, keeps what solves prepare
    from it, and can be handed to SciPy as a linear operator.

    Parameters
    ----------
    A : sparse array or matrix, dense array
        CSR arrays of float32 or float64 are looked at where they lie and are to stay unchanged; all else is converted
        once, with a `ConversionWarning`. Arrays of CuPy and PyTorch are kept on their device.
    backend : {"auto", "serial", "openmp", "cuda"}
        Where it is kept and computed with.
    format, kernel : str
        As the program's options of these names; "auto" takes what should multiply fastest.
    threads, device : int, optional
        Cores of the backend "openmp", number of the device.

    Examples
    --------
    >>> import numpy as np, stiefel
    >>> A = stiefel.Operator(stiefel.generate("poisson2d", 50), backend="openmp")
    >>> A.shape
    (2500, 2500)
    >>> float((A @ np.ones(2500)).sum())
    200.0
    >>> x, info = stiefel.cg(A, np.ones(2500))
    >>> info
    0
    """

    def __init__(
        self,
        A: Any,
        *,
        backend: str = "auto",
        format: str = "auto",
        kernel: str = "auto",
        threads: int | None = None,
        device: int | None = None,
    ) -> None:
        on_device = _device.is_matrix(A)
        self._device_stream = 0
        csr = _device.csr(A) if on_device else host_csr(as_scipy(A), symmetric=False)
        if on_device:
            backend, device = _device.backend_of(csr, backend, device)
            self._device_stream = csr.stream
        words = words_of(
            {"backend": backend, "format": format, "kernel": kernel, "threads": threads, "device": device}
        )
        self._matrix = keep(csr, words)
        self.shape = (csr.n_rows, csr.n_cols)
        self.dtype = csr.dtype
        self._words = {"format": format, "kernel": kernel}

    def _run(self, x: _core.Place, y: _core.Place, columns: int) -> None:
        self._matrix.multiply(x, y, columns)

    def rmatvec(self, x: Any) -> Any:
        """As matvec: operators are symmetric by contract where a solver asks for it."""
        if self.shape[0] != self.shape[1]:
            raise ValueError("rmatvec: only that of a symmetric matrix is known")
        return self._product(x)

    @property
    def _about(self) -> dict[str, Any]:
        with python_errors():
            return self._matrix.about()

    @property
    def backend(self) -> str:
        """Where it is kept: "serial", "openmp" or "cuda"."""
        return str(self._about["backend"])

    @property
    def format(self) -> str:
        """The format that it is multiplied in, chosen when it is first asked for."""
        return str(self._about["format"])

    @property
    def kernel(self) -> str:
        """The kernel that multiplies it."""
        return str(self._about["kernel"])

    @property
    def why(self) -> str:
        """Why this format and kernel."""
        return str(self._about["why"])

    @property
    def nnz(self) -> int:
        """Entries that are stored."""
        return int(self._about["nnz"])

    @property
    def nbytes(self) -> int:
        """Of the matrix in its format, padding included."""
        return int(self._about["bytes"])

    def __repr__(self) -> str:
        about = self._about
        return (
            f"<stiefel.Operator {self.shape[0]} x {self.shape[1]}, {about['nnz']} nonzeros, {self.dtype}, "
            f"{about['format']} on {about['backend']}>"
        )


class Preconditioner(Linear):
    """An approximate inverse made from a matrix by `preconditioner`: ``M @ r``, or ``M=`` in a solver."""

    _panel = 16  # it holds some vectors for each

    def __init__(self, operator: Operator, kept: _core.KeptPreconditioner) -> None:
        self._operator = operator
        self._kept = kept
        self._device_stream = operator._device_stream
        self.shape = operator.shape
        self.dtype = operator.dtype

    def _run(self, x: _core.Place, y: _core.Place, columns: int) -> None:
        self._kept.apply(x, y, columns)

    rmatvec = Linear.matvec

    @property
    def backend(self) -> str:
        """Where it is applied: "serial", "openmp" or "cuda"."""
        return self._operator.backend

    @property
    def name(self) -> str:
        """The word that it is called by."""
        return self._kept.name

    @property
    def setup_seconds(self) -> float:
        """What making it took."""
        return self._kept.setup_seconds

    @property
    def nbytes(self) -> int:
        """What it holds."""
        return self._kept.bytes

    def __repr__(self) -> str:
        summary = self._kept.summary
        return f"<stiefel.Preconditioner {self.name}, {self.shape[0]} rows{', ' + summary if summary else ''}>"


def operator_of(A: Any) -> Operator:
    """A, or an operator of it: of arrays of the host on cores, of those of a device there."""
    if isinstance(A, Operator):
        return A
    return Operator(A, backend="auto" if _device.is_matrix(A) else "openmp")


def preconditioner(name: str, A: Any, *, coordinates: Any = None, **options: Any) -> Preconditioner:
    """Makes a preconditioner from a matrix.

    Parameters
    ----------
    name : str
        One of the program's: "jacobi", "block-jacobi", "chebyshev", "amg", "fsai", "ic", "ssor", "cholesky", "none".
    A : Operator, sparse array or matrix
        Symmetric positive definite. Arrays of the host are computed with on cores, unless an Operator says otherwise.
    coordinates : array of shape (nodes, 2 or 3), optional
        Where the nodes of an elastic body are, for "amg".
    **options
        Those of `solve` that are for it: ``amg_smoother``, ``fsai_power``, ``ic_level``, ``ssor_omega``, ...

    Returns
    -------
    Preconditioner

    Examples
    --------
    Multigrid for SciPy's own solvers:

    >>> import numpy as np, scipy.sparse.linalg, stiefel
    >>> A = stiefel.generate("poisson2d", 60)
    >>> M = stiefel.preconditioner("amg", A)
    >>> M.name
    'amg'
    >>> iterations = []
    >>> x, info = scipy.sparse.linalg.cg(A, np.ones(3600), M=M, callback=iterations.append)
    >>> info, len(iterations) < 15
    (0, True)
    """
    if not isinstance(name, str):
        raise TypeError(f'name: expected a word such as "amg", got {type(name).__name__}; A comes second')
    known = [option.replace("-", "_") for option in _core.names_of_solve_options()]
    for option in options:
        if option not in known:
            close = difflib.get_close_matches(f"{name}_{option}", known, 1, 0.5) or difflib.get_close_matches(option, known, 1)
            raise TypeError(f"{option}: there is no such option{f'; did you mean {close[0]}?' if close else ''}")
    if name == "auto":
        raise ValueError('preconditioner: "auto" decides while it solves; name one, or give it to stiefel.solve')
    operator = operator_of(A)
    if operator.shape[0] != operator.shape[1]:
        raise ValueError(f"A: expected a square matrix, got one of shape {operator.shape}")
    points, dimensions = points_of(coordinates)
    words = words_of({"preconditioner": name, **options})
    with python_errors():
        kept = operator._matrix.preconditioner(words, NOWHERE if points is None else place(points), dimensions)
    return Preconditioner(operator, kept)


def points_of(coordinates: Any) -> tuple[Array | None, int]:
    """Coordinates column after column, and how many of them a node has."""
    if coordinates is None:
        return None, 0
    points = np.asarray(coordinates, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] not in (2, 3):
        raise ValueError(f"coordinates: expected a row of 2 or 3 numbers for each node, got shape {points.shape}")
    return np.ascontiguousarray(points.T), points.shape[1]
