"""Matrices and vectors that lie on a CUDA device: taken as they lie, and solved on their device in the order of their stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arrays import Array, Csr, checked_columns, is_csr_tensor, warn_converted, warn_narrowed
from ._libraries import is_on_device, library_on_device
from ._views import View, view
from ._warnings import python_errors

if TYPE_CHECKING:
    from ._linear import Linear

_LEGACY = (0, 1, 2)  # the default streams, which no graph can capture


def is_matrix(A: Any) -> bool:
    """Whether A is a sparse matrix in the memory of a device."""
    if is_csr_tensor(A):
        return bool(A.is_cuda)
    return hasattr(A, "tocsr") and is_on_device(getattr(A, "data", None))


def _suited(array: Any, dtype: np.dtype[Any], name: str, stream: int) -> View:
    """In one piece and of this type: the array itself where it is so, as all are that a device's libraries make."""
    seen = view(array, stream)
    if seen.is_of(dtype):
        return seen
    warn_converted(f"{name} is {seen.dtype}{'' if seen.is_contiguous else ' with gaps'}, and {dtype} in one piece is computed with")
    return view(library_on_device(array).converted(array, dtype), stream)


def _new_vector(like_this: Any, n: int, dtype: np.dtype[Any], stream: int) -> tuple[Any, View]:
    """Zeros on the device of another array, and where they lie."""
    made = library_on_device(like_this).zeros(n, dtype, like_this)
    seen = view(made, stream)
    if not seen.is_writable:
        raise ValueError(
            f"arrays of {type(like_this).__module__} must not be written to, so there is no place for a result; "
            "give CuPy's or PyTorch's: cupy.from_dlpack(b)"
        )
    return made, seen


def _arrays_of(A: Any) -> tuple[Any, Any, Any]:
    if is_csr_tensor(A):
        return A.crow_indices(), A.col_indices(), A.values()
    if A.format != "csr":
        warn_converted(f"A is in the format {A.format}, and csr is computed with")
        A = A.tocsr()
    if not A.has_canonical_format:
        warn_converted("A has unsorted columns or entries given twice, which are added up")
        A = A.copy()
        A.sum_duplicates()
    return A.indptr, A.indices, A.data


def csr(A: Any) -> Csr:
    """The arrays of a matrix on a device, as they lie."""
    indptr, indices, data = _arrays_of(A)
    library = library_on_device(data)
    stream, its_stream = library.stream(data)
    stream = 0 if stream in _LEGACY else stream
    entries = view(data, stream).dtype
    if entries not in ("float32", "float64"):
        raise ValueError(f"A: entries of type {entries} on a device are not computed with; give float32 or float64")
    dtype = np.dtype(entries)
    wide = view(indptr, stream).dtype == "int64"
    if (columns_of := view(indices, stream).dtype) != "int32":
        warn_narrowed(columns_of)
        indices = library.converted(checked_columns(indices, int(A.shape[1])), np.dtype(np.int32))
    offsets = _suited(indptr, np.dtype(np.int64 if wide else np.int32), "A.indptr", stream)
    columns = _suited(indices, np.dtype(np.int32), "A.indices", stream)
    values = _suited(data, dtype, "A.data", stream)
    views = (offsets, columns, values)
    places = (offsets.place, columns.place, values.place)
    owner = (A, its_stream)  # a stream ends with the last who holds it
    return Csr(int(A.shape[0]), int(A.shape[1]), *views, places, wide, dtype, stream, values.device, owner)


def backend_of(matrix: Csr, backend: str, device: int | None) -> tuple[str, int]:
    """The backend is the device that the arrays lie on."""
    if backend not in ("auto", "cuda"):
        raise ValueError(f"backend={backend!r}: A lies on a device; leave backend out, or bring A to the host: A.get()")
    if device is not None and device != matrix.device:
        raise ValueError(f"device={device}: A lies on device {matrix.device}; leave device out")
    return "cuda", int(matrix.device or 0)


def product(operator: Linear, x: Any) -> Any:
    """A x for a vector or a panel on the device; the result lies there too."""
    columns = int(x.shape[1]) if len(x.shape) == 2 else 1
    if len(x.shape) not in (1, 2) or x.shape[0] != operator.shape[1]:
        raise ValueError(f"x: its shape is {tuple(x.shape)}, and the operator's {operator.shape}")
    stream = operator._device_stream
    of_x = _suited(x, operator.dtype, "x", stream)
    y, of_y = _new_vector(x, operator.shape[0] * columns, operator.dtype, stream)
    with python_errors():
        operator._run(of_x.place, of_y.place, columns)
    return y.reshape((operator.shape[0], columns)) if len(x.shape) == 2 else y


def cg(
    A: Any, b: Any, x0: Any, *, rtol: float, atol: float, maxiter: int | None, M: Any, callback: Callable[[Any], Any] | None
) -> tuple[Any, int]:
    """stiefel.cg where A and b lie on one device."""
    from ._cg import _info, end_tolerance, limit_of, raise_with
    from ._operator import Operator, Preconditioner

    if callback is not None:
        raise ValueError(
            "callback: on a device the loop runs by itself, and x is the iterate at its end only; "
            "take stiefel.solve, whose callback is told of residuals, or arrays of NumPy"
        )
    operator = A if isinstance(A, Operator) else Operator(A)
    n = operator.shape[0]
    if operator.shape[0] != operator.shape[1]:
        raise ValueError(f"expected square matrix, but got shape={(operator.shape,)}")
    if not is_on_device(b):
        raise ValueError("b: A lies on a device and b does not; bring b there: cupy.asarray(b)")
    if tuple(b.shape) not in ((n,), (n, 1)):
        raise ValueError(f"shapes of A {operator.shape} and b {tuple(b.shape)} are incompatible")
    if M is not None and not isinstance(M, Preconditioner):
        raise ValueError(
            "M: on a device the loop runs by itself and calls no function; "
            "give one of stiefel.preconditioner(NAME, OPERATOR) with A a stiefel.Operator, or None"
        )
    stream = operator._device_stream
    right = _suited(b, operator.dtype, "b", stream)
    if x0 is None:
        x, of_x = _new_vector(b, n, operator.dtype, stream)
    else:
        if not is_on_device(x0) or tuple(x0.shape) not in ((n,), (n, 1)):
            raise ValueError(f"x0: expected an array of shape ({n},) on the device of A")
        x, _ = _new_vector(b, n, operator.dtype, stream)
        x[:] = x0.reshape(n)
        of_x = view(x, stream)  # after what was written
    ends = end_tolerance(rtol, atol, lambda: float((b * b).sum()) ** 0.5)
    budget = _core.Budget(*ends, limit_of(maxiter, n), False)
    with python_errors():
        result = _core.cg(operator._matrix, right.place, of_x.place, None if M is None else M._kept, budget, None)
    raise_with(result, x)
    return x, _info(result)


def to_host(array: Any) -> Array:
    """A copy in NumPy."""
    return library_on_device(array).to_host(array)


def like(x: Array, array: Any) -> Any:
    """A copy on the device of another array."""
    return library_on_device(array).from_host(np.ascontiguousarray(x), array)
