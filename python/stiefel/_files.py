"""Matrices from files and generators, as SciPy's CSR."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import scipy.sparse

from . import _core
from ._arrays import Array, host_csr, place
from ._warnings import python_errors, warn_caller


def _csr(parts: tuple[int, int, Array, Array, Array]) -> scipy.sparse.csr_array:
    n_rows, n_cols, indptr, indices, data = parts
    # Offsets of 64 bits are there for want of 32; SciPy wants both of one type.
    if indptr.dtype == np.int64:
        indices = indices.astype(np.int64)
    A = scipy.sparse.csr_array((data, indices, indptr), shape=(n_rows, n_cols), copy=False)
    A.has_sorted_indices = True
    A.has_canonical_format = True
    return A


def read_matrix(path: str | os.PathLike[str], *, threads: int = 0) -> scipy.sparse.csr_array:
    """Reads a sparse matrix, with all cores.

    Parameters
    ----------
    path : str or path
        Matrix Market (.mtx, .mtx.gz, a SuiteSparse .tar.gz), Harwell-Boeing, or lines ``i j value``. A triangle that is
        declared symmetric is expanded.
    threads : int
        Cores; 0 takes all.

    Returns
    -------
    scipy.sparse.csr_array
        Of float64, sorted, without duplicates.

    Raises
    ------
    OSError, ValueError
        With file, line and column of what is wrong.

    Warns
    -----
    UserWarning
        What was unusual in the file, and what was made of it.

    Examples
    --------
    >>> import os, tempfile, stiefel
    >>> A = stiefel.generate("poisson2d", 10)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "A.mtx")
    ...     stiefel.write(path, A)
    ...     bool((stiefel.read_matrix(path) != A).nnz == 0)
    True
    """
    with python_errors():
        parts, notes = _core.read(os.fspath(path), threads)
    for note in notes:
        warn_caller(f"{os.fspath(path)}: {note}", UserWarning)
    return _csr(parts)


def read_vectors(path: str | os.PathLike[str], *, threads: int = 0) -> Array:
    """Reads a vector, or an array of several columns: Matrix Market or NumPy.

    Returns
    -------
    array of shape (n,), or (n, k) for several columns
    """
    with python_errors():
        columns = _core.read_vectors(os.fspath(path), threads)
    return columns[0] if len(columns) == 1 else columns.T


def write(path: str | os.PathLike[str], A: Any, *, comments: list[str] | None = None) -> None:
    """Writes a matrix as Matrix Market, or vectors as .mtx, .npy or .csv; a path that ends in .gz is compressed.

    Of a matrix that is exactly symmetric one triangle is written, and declared so. The file is there when all of it is
    written, or not at all.

    Parameters
    ----------
    path : str or path
        Where to.
    A : sparse array or matrix; or array of shape (n,) or (n, k)
        What to write.
    comments : list of str, optional
        Lines below the banner.
    """
    name = os.fspath(path)
    said = comments or []
    if scipy.sparse.issparse(A):
        csr = host_csr(A, np.dtype(np.float64), symmetric=False)
        indptr, indices, data = csr.places
        symmetric = A.shape[0] == A.shape[1] and (A != A.T).nnz == 0
        with python_errors():
            _core.write(name, csr.shape, indptr, csr.wide, indices, data, symmetric, said)
        return
    array = np.asarray(A)
    if array.ndim not in (1, 2):
        raise ValueError(f"A: expected a sparse matrix, a vector or columns, got an array of shape {array.shape}")
    columns = np.ascontiguousarray(np.atleast_2d(array.T), dtype=np.float64)
    with python_errors():
        _core.write_columns(name, columns.shape[1], columns.shape[0], place(columns), said)


def generate(problem: str, *sizes: int, **parameters: float) -> scipy.sparse.csr_array:
    """Makes a test matrix: what ``stiefel generate`` writes.

    Parameters
    ----------
    problem : str
        "poisson2d", "poisson3d", "jump_diffusion3d", ...: see `problems`.
    *sizes : int
        How large it is, in the order that the program takes them.
    **parameters : float
        By name, as the program's options.

    Returns
    -------
    scipy.sparse.csr_array

    Examples
    --------
    >>> import stiefel
    >>> stiefel.generate("poisson3d", 4).shape
    (64, 64)
    >>> "poisson3d" in stiefel.problems()
    True
    """
    named = [(name.replace("_", "-"), float(value)) for name, value in parameters.items()]
    with python_errors():
        return _csr(_core.generate(problem, [str(size) for size in sizes], named))


def problems() -> dict[str, str]:
    """The names of all that can be generated, with a line on each and its parameters."""
    described = {}
    for name, description, parameters in _core.listed_problems():
        meanings = "; ".join(f"{parameter}: {meaning}" for parameter, _, meaning in parameters)
        described[name] = f"{description} ({meanings})"
    return described
