"""Matrices and vectors that lie on a CUDA device: CuPy's and PyTorch's, taken as they lie and solved on their stream."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arrays import Array, Csr, Place, is_on_device, warn_converted
from ._warnings import python_errors

if TYPE_CHECKING:
    from ._operator import _Linear

_LEGACY = (0, 1, 2)  # the default streams, which no graph can capture


def is_matrix(A: Any) -> bool:
    """Whether A is a sparse matrix in the memory of a device."""
    if hasattr(A, "crow_indices") and hasattr(A, "is_cuda"):
        return bool(A.is_cuda)
    return hasattr(A, "tocsr") and is_on_device(getattr(A, "data", None))


def _interface(array: Any) -> dict[str, Any]:
    if hasattr(array, "detach"):
        array = array.detach()
    found: dict[str, Any] = array.__cuda_array_interface__
    return found


def _place(array: Any) -> Place:
    shape = _interface(array)["shape"]
    return (int(_interface(array)["data"][0]), int(np.prod(shape)), True)


def _dtype(array: Any) -> np.dtype[Any]:
    dtype: np.dtype[Any] = np.dtype(_interface(array)["typestr"])
    return dtype


def _is_contiguous(array: Any) -> bool:
    return _interface(array).get("strides") is None


def _module_of(array: Any) -> Any:
    """CuPy or PyTorch, by whose functions arrays are made: whichever the array is of."""
    name = type(array).__module__.partition(".")[0]
    module = sys.modules.get("cupy" if name.startswith("cupy") else name)
    if module is None or module.__name__ not in ("cupy", "torch"):
        raise ValueError(f"arrays of {type(array).__module__} on a device are not known; give CuPy's or PyTorch's")
    return module


def _current_stream(array: Any) -> Any:
    """The stream that the caller works on."""
    module = _module_of(array)
    if module.__name__ == "torch":
        return module.cuda.current_stream(array.device)
    return module.cuda.get_current_stream()


def _stream_and_device(array: Any) -> tuple[int, int]:
    """The address of the caller's stream, and the number of the device."""
    stream = _current_stream(array)
    if _module_of(array).__name__ == "torch":
        return int(stream.cuda_stream), int(array.device.index or 0)
    return int(stream.ptr), int(array.device.id)


def _wait(array: Any) -> None:
    """What was enqueued on the caller's stream is done: asked for where ours is another."""
    _current_stream(array).synchronize()


def _converted(array: Any, dtype: np.dtype[Any], name: str) -> Any:
    """Contiguous and of this type: the array itself where it is so, as all are that a device's libraries make."""
    if _dtype(array) == dtype and _is_contiguous(array):
        return array
    warn_converted(f"{name} is {_dtype(array)} or has gaps, and {dtype} in one piece is computed with")
    module = _module_of(array)
    if module.__name__ == "torch":
        return array.to(getattr(module, str(dtype))).contiguous()
    return module.ascontiguousarray(array, dtype=dtype)


def _new_zeros(like_this: Any, n: int, dtype: np.dtype[Any]) -> Any:
    module = _module_of(like_this)
    if module.__name__ == "torch":
        return module.zeros(n, dtype=getattr(module, str(dtype)), device=like_this.device)
    return module.zeros(n, dtype=dtype)


def _arrays_of(A: Any) -> tuple[Any, Any, Any]:
    if hasattr(A, "crow_indices"):
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
    dtype = _dtype(data)
    if dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(f"A: entries of type {dtype} on a device are not computed with; give float32 or float64")
    wide = _dtype(indptr) == np.int64
    data = _converted(data, dtype, "A.data")
    indices = _converted(indices, np.dtype(np.int32), "A.indices")
    indptr = _converted(indptr, np.dtype(np.int64 if wide else np.int32), "A.indptr")
    stream, device = _stream_and_device(data)
    places = (_place(indptr), _place(indices), _place(data))
    if stream in _LEGACY:
        _wait(data)
        stream = 0
    owner = (A, _current_stream(data))  # a stream ends with the last who holds it
    return Csr(int(A.shape[0]), int(A.shape[1]), indptr, indices, data, places, wide, dtype, stream, device, owner)


def backend_of(matrix: Csr, backend: str, device: int | None) -> tuple[str, int]:
    """The backend is the device that the arrays lie on."""
    if backend not in ("auto", "cuda"):
        raise ValueError(f"backend={backend!r}: A lies on a device; leave backend out, or bring A to the host: A.get()")
    if device is not None and device != matrix.device:
        raise ValueError(f"device={device}: A lies on device {matrix.device}; leave device out")
    return "cuda", int(matrix.device or 0)


def product(operator: _Linear, x: Any) -> Any:
    """A x for a vector or a panel on the device; the result lies there too."""
    columns = int(x.shape[1]) if len(x.shape) == 2 else 1
    if len(x.shape) not in (1, 2) or x.shape[0] != operator.shape[1]:
        raise ValueError(f"x: its shape is {tuple(x.shape)}, and the operator's {operator.shape}")
    x = _converted(x, operator.dtype, "x")
    y = _new_zeros(x, operator.shape[0] * columns, operator.dtype)
    _order(x, operator._device_stream)
    with python_errors():
        operator._run(_place(x), _place(y), columns)
    return y.reshape(operator.shape[0], columns) if len(x.shape) == 2 else y


def _order(array: Any, stream: int) -> None:
    """What the caller has enqueued on another stream than the matrix's is waited for."""
    if stream == 0 or _stream_and_device(array)[0] != stream:
        _wait(array)


def cg(
    A: Any, b: Any, x0: Any, *, rtol: float, atol: float, maxiter: int | None, M: Any, callback: Callable[[Any], Any] | None
) -> tuple[Any, int]:
    """stiefel.cg where A and b lie on one device."""
    from ._cg import _info, end_tolerance, raise_with
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
    right = _converted(b.reshape(n), operator.dtype, "b")
    x = _new_zeros(right, n, operator.dtype)
    if x0 is not None:
        if not is_on_device(x0) or tuple(x0.shape) not in ((n,), (n, 1)):
            raise ValueError(f"x0: expected an array of shape ({n},) on the device of A")
        x[:] = x0.reshape(n)
    ends = end_tolerance(rtol, atol, lambda: float((right * right).sum()) ** 0.5)
    budget = _core.Budget(*ends, 10 * n if maxiter is None else int(maxiter), False)
    _order(right, operator._device_stream)
    with python_errors():
        result = _core.cg(operator._matrix, _place(right), _place(x), None if M is None else M._kept, budget, None)
    raise_with(result, x)
    return x, _info(result)


def to_host(array: Any) -> Array:
    """A copy in NumPy."""
    host: Array = array.detach().cpu().numpy() if hasattr(array, "detach") else array.get()
    return host


def like(x: Array, array: Any) -> Any:
    """A copy on the device of another array."""
    module = _module_of(array)
    if module.__name__ == "torch":
        return module.as_tensor(np.ascontiguousarray(x), device=array.device)
    return module.asarray(x)
