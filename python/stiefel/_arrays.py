"""From arrays of the caller to what the compiled module takes: as they lie where that will do, else converted once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse

from ._warnings import ConversionWarning, warn_caller

Place: TypeAlias = tuple[int, int, bool]
Array: TypeAlias = npt.NDArray[Any]

NOWHERE: Place = (0, 0, False)
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def place(array: Array) -> Place:
    """Where a contiguous array lies."""
    return (array.__array_interface__["data"][0], array.size, False)


def warn_converted(what: str) -> None:
    warn_caller(f"{what}: converted once, in a copy", ConversionWarning)


def as_contiguous(array: Array, dtype: np.dtype[Any], name: str) -> Array:
    """Row after row and of this type: the array itself where it is so."""
    if array.dtype == dtype and array.flags.c_contiguous and array.flags.aligned:
        return array
    if array.dtype != dtype:
        warn_converted(f"{name} is {array.dtype}, and {dtype} is computed with")
    else:
        warn_converted(f"{name} does not lie in one piece, row after row")
    return np.ascontiguousarray(array, dtype=dtype)


@dataclass(frozen=True)
class Csr:
    """Compressed sparse rows as the module takes them; holds the arrays."""

    n_rows: int
    n_cols: int
    indptr: Any
    indices: Any
    data: Any
    places: tuple[Place, Place, Place]
    wide: bool
    dtype: np.dtype[Any]
    stream: int = 0
    device: int | None = None
    owner: object = None

    @property
    def shape(self) -> tuple[int, int, int]:
        return (self.n_rows, self.n_cols, self.places[2][1])

    @property
    def is_single(self) -> bool:
        return bool(self.dtype == np.float32)


def float_type(dtype: np.dtype[Any], name: str) -> np.dtype[Any]:
    """float32 and float64 as they are; whole numbers and other floats are computed with as float64."""
    if dtype in FLOATS:
        return dtype
    if dtype.kind == "c":
        raise ValueError(f"{name}: it is complex; stiefel.cg solves Hermitian systems, all else is for real ones")
    if dtype.kind not in "biuf":
        raise ValueError(f"{name}: entries of type {dtype} are not numbers to compute with; give float64 or float32")
    return np.dtype(np.float64)


def checked_columns(indices: Any, n_cols: int) -> Any:
    """Columns of more than 32 bits before they are narrowed: one beyond A would come out as another column."""
    at_most = np.iinfo(np.int32).max
    if n_cols > at_most:
        raise ValueError(f"A: it has {n_cols} columns, and at most {at_most} can be counted")
    low, high = (int(indices.min()), int(indices.max())) if len(indices) else (0, 0)
    if len(indices) and not 0 <= low <= high < n_cols:
        raise ValueError(f"A.indices: they run from {low} to {high}, and the columns of A from 0 to {n_cols - 1}")
    return indices


def warn_narrowed(dtype: object) -> None:
    warn_converted(f"A.indices are {dtype}, and kernels read int32 (offsets and values stay where they are)")


def is_csr_tensor(A: Any) -> bool:
    """Whether it is one of PyTorch's in compressed sparse rows."""
    return str(getattr(A, "layout", "")) == "torch.sparse_csr"


def as_scipy(A: Any) -> Any:
    """A sparse CSR tensor of PyTorch's on the host as SciPy's, over the same arrays; what is no tensor as it is."""
    if not hasattr(A, "crow_indices"):  # as all of PyTorch's have, whatever their layout
        return A
    if A.is_cuda or not is_csr_tensor(A):
        raise ValueError(f"A: a tensor of PyTorch's in the layout {A.layout}; give A.to_sparse_csr(), or an array of NumPy")
    parts = [np.from_dlpack(part.detach()) for part in (A.values(), A.col_indices(), A.crow_indices())]
    csr = scipy.sparse.csr_array(tuple(A.shape), dtype=parts[0].dtype)
    csr.data, csr.indices, csr.indptr = parts  # its constructor would copy indices of 64 bits
    return csr


def _from_dense(A: Any) -> Any:
    dense = np.asarray(A)
    if dense.ndim != 2:
        raise ValueError(f"A: expected a matrix, got an array of shape {dense.shape}")
    return scipy.sparse.csr_array(dense.astype(float_type(dense.dtype, "A"), copy=False))


def _compressed(A: Any, symmetric: bool) -> tuple[Any, bool]:
    """SciPy's compressed rows, or columns that may be taken for rows; sorted and without duplicates. Whether they are a copy."""
    if not scipy.sparse.issparse(A):
        csr = _from_dense(A)
        warn_converted("A is dense, and a sparse matrix is computed with")
        return csr, True
    if len(A.shape) != 2:
        raise ValueError(f"A: expected a matrix, got a sparse array of shape {A.shape}")
    is_copy = A.format != "csr" and not (A.format == "csc" and symmetric)
    if is_copy:
        warn_converted(f"A is in the format {A.format}, and csr is computed with")
        A = A.tocsr()
    if not A.has_canonical_format:
        if not is_copy:
            warn_converted("A has unsorted columns or entries given twice, which are added up")
            A = A.copy()
        A.sum_duplicates()
        is_copy = True
    return A, is_copy


def host_csr(A: Any, dtype: np.dtype[Any] | None = None, *, symmetric: bool = True) -> Csr:
    """A sparse matrix of SciPy, or a dense one, as CSR arrays, by view where they are that already.

    Where A is symmetric by contract, compressed columns are taken for rows as they lie.
    """
    A, is_copy = _compressed(A, symmetric)
    n_rows, n_cols = A.shape if A.format == "csr" else A.shape[::-1]
    of_a = float_type(A.dtype, "A")
    wanted = np.dtype(of_a if dtype is None else dtype)
    offsets = np.dtype(np.int64 if A.indptr.dtype == np.int64 else np.int32)
    indptr = as_contiguous(A.indptr, offsets, "A.indptr")
    nnz = int(indptr[-1]) if len(indptr) else 0
    data, indices = A.data, A.indices
    if nnz < len(data):  # SciPy leaves room behind the last entry
        data, indices = data[:nnz], indices[:nnz]
    data = as_contiguous(data, wanted, "A.data")
    if indices.dtype != np.int32:
        if not is_copy:
            warn_narrowed(indices.dtype)
        indices = checked_columns(indices, n_cols).astype(np.int32)
    indices = as_contiguous(indices, np.dtype(np.int32), "A.indices")
    places = (place(indptr), place(indices), place(data))
    return Csr(n_rows, n_cols, indptr, indices, data, places, offsets == np.int64, wanted)
