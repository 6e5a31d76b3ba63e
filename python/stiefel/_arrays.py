"""From arrays of the caller to what the compiled module takes: as they lie where that will do, else converted once."""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse

from ._warnings import ConversionWarning

Place: TypeAlias = tuple[int, int, bool]
Array: TypeAlias = npt.NDArray[Any]

NOWHERE: Place = (0, 0, False)
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def place(array: Array) -> Place:
    """Where a contiguous array lies."""
    return (array.__array_interface__["data"][0], array.size, False)


def warn_converted(what: str, stacklevel: int = 4) -> None:
    warnings.warn(f"{what}: converted once, in a copy", ConversionWarning, stacklevel=stacklevel)


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


def _narrow(indices: Array, n_cols: int) -> Array:
    """Columns in 32 bits, as kernels read them."""
    if indices.dtype == np.int32:
        return as_contiguous(indices, np.dtype(np.int32), "A.indices")
    if n_cols > np.iinfo(np.int32).max:
        raise ValueError(f"A: it has {n_cols} columns, and at most {np.iinfo(np.int32).max} can be counted")
    warn_converted(f"A.indices are {indices.dtype}, and kernels read int32", stacklevel=5)
    return np.ascontiguousarray(indices, dtype=np.int32)


def host_csr(A: Any, dtype: np.dtype[Any] | None = None, *, symmetric: bool = True) -> Csr:
    """A sparse matrix of SciPy, or a dense one, as CSR arrays, by view where they are that already.

    Where A is symmetric by contract, compressed columns are taken for rows as they lie.
    """
    if not scipy.sparse.issparse(A):
        dense = np.asarray(A)
        if dense.ndim != 2:
            raise ValueError(f"A: expected a matrix, got an array of shape {dense.shape}")
        warn_converted("A is dense, and a sparse matrix is computed with")
        A = scipy.sparse.csr_array(dense)
    if A.format == "csc" and symmetric:
        A = scipy.sparse.csr_array((A.data, A.indices, A.indptr), shape=A.shape[::-1])
    elif A.format != "csr":
        warn_converted(f"A is in the format {A.format}, and csr is computed with")
        A = A.tocsr()
    if not A.has_canonical_format:
        warn_converted("A has unsorted columns or entries given twice, which are added up")
        A = A.copy()
        A.sum_duplicates()
    wanted = float_type(A.dtype, "A") if dtype is None else dtype
    float_type(A.dtype, "A")
    data = as_contiguous(A.data, wanted, "A.data")
    indices = _narrow(A.indices, A.shape[1])
    offsets = np.dtype(np.int64 if A.indptr.dtype == np.int64 else np.int32)
    indptr = as_contiguous(A.indptr, offsets, "A.indptr")
    nnz = int(indptr[-1]) if len(indptr) else 0
    if nnz < len(data):  # SciPy leaves room behind the last entry
        data, indices = data[:nnz], indices[:nnz]
    places = (place(indptr), place(indices), place(data))
    return Csr(A.shape[0], A.shape[1], indptr, indices, data, places, offsets == np.int64, np.dtype(wanted))


def is_on_device(array: Any) -> bool:
    """Whether an array lies in the memory of a CUDA device."""
    if isinstance(array, np.ndarray) or scipy.sparse.issparse(array):
        return False
    if hasattr(array, "is_cuda"):
        return bool(array.is_cuda)
    return hasattr(array, "__cuda_array_interface__") or (
        hasattr(array, "indptr") and hasattr(getattr(array, "data", None), "__cuda_array_interface__")
    )


def as_host_vector(value: Any, name: str) -> Array:
    """What NumPy makes of it; arrays that lie on the host elsewhere are taken by DLPack, as they lie."""
    if is_on_device(value):
        raise ValueError(f"{name}: it lies on a device and A does not; bring both to one place: {name}.get(), say")
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return np.from_dlpack(value.detach())
    return np.asanyarray(value)
