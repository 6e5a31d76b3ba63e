"""Arrays of other libraries (PyTorch's, CuPy's, any with DLPack): where they are, and results of the library they are of."""

from __future__ import annotations

import sys
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse

HOST_DEVICES = (1, 3)  # DLPack's numbers: memory of the host, and such as CUDA has pinned
CUDA_DEVICES = (2, 13)  # of a device, and managed


class Library(Protocol):
    """What results and conversions need of the library that an array is of."""

    def zeros(self, n: int, dtype: np.dtype[Any], like: Any) -> Any:
        """A vector on the device of another array."""

    def converted(self, array: Any, dtype: np.dtype[Any]) -> Any:
        """Of this type, in one piece, row after row, on the same device."""

    def stream(self, array: Any) -> tuple[int, object]:
        """Address of the stream that the caller works on, 0 where it cannot be told, and what keeps it."""

    def to_host(self, array: Any) -> npt.NDArray[Any]:
        """A copy in NumPy."""

    def from_host(self, array: npt.NDArray[Any], like: Any) -> Any:
        """An array of NumPy in this library, where another one is: the same memory where that is the host's."""


class Torch:
    def __init__(self, torch: Any) -> None:
        self._torch = torch

    def zeros(self, n: int, dtype: np.dtype[Any], like: Any) -> Any:
        return self._torch.zeros(n, dtype=getattr(self._torch, str(dtype)), device=like.device)

    def converted(self, array: Any, dtype: np.dtype[Any]) -> Any:
        return array.to(getattr(self._torch, str(dtype))).contiguous()

    def stream(self, array: Any) -> tuple[int, object]:
        stream = self._torch.cuda.current_stream(array.device)
        return int(stream.cuda_stream), stream

    def to_host(self, array: Any) -> npt.NDArray[Any]:
        host: npt.NDArray[Any] = array.detach().cpu().numpy()
        return host

    def from_host(self, array: npt.NDArray[Any], like: Any) -> Any:
        return self._torch.as_tensor(array, device=like.device)


class Cupy:
    def __init__(self, cupy: Any) -> None:
        self._cupy = cupy

    def _device_of(self, array: Any) -> Any:
        """Of CuPy's arrays, and of those that only say where they lie."""
        return self._cupy.asarray(array).device

    def zeros(self, n: int, dtype: np.dtype[Any], like: Any) -> Any:
        with self._device_of(like):
            return self._cupy.zeros(n, dtype)

    def converted(self, array: Any, dtype: np.dtype[Any]) -> Any:
        with self._device_of(array):
            return self._cupy.ascontiguousarray(array, dtype=dtype)

    def stream(self, array: Any) -> tuple[int, object]:
        stream = self._cupy.cuda.get_current_stream()
        return int(stream.ptr), stream

    def to_host(self, array: Any) -> npt.NDArray[Any]:
        host: npt.NDArray[Any] = self._cupy.asarray(array).get()
        return host

    def from_host(self, array: npt.NDArray[Any], like: Any) -> Any:
        with self._device_of(like):
            return self._cupy.asarray(array)


class ArrayApi:
    """Any library that follows the array API standard."""

    def __init__(self, namespace: Any) -> None:
        self._namespace = namespace

    def zeros(self, n: int, dtype: np.dtype[Any], like: Any) -> Any:
        return self._namespace.zeros(n, dtype=getattr(self._namespace, str(dtype)), device=like.device)

    def converted(self, array: Any, dtype: np.dtype[Any]) -> Any:
        return self._namespace.asarray(array, dtype=getattr(self._namespace, str(dtype)), copy=True)

    def stream(self, array: Any) -> tuple[int, object]:
        return 0, None

    def to_host(self, array: Any) -> npt.NDArray[Any]:
        return np.asarray(array)

    def from_host(self, array: npt.NDArray[Any], like: Any) -> Any:
        if like.__dlpack_device__()[0] in HOST_DEVICES:
            return self._namespace.from_dlpack(array)
        return self._namespace.asarray(array, device=like.device)


def is_foreign(array: Any) -> bool:
    """Whether it is an array of another library than NumPy and SciPy, or a sparse tensor of PyTorch's."""
    if isinstance(array, np.ndarray | np.generic) or scipy.sparse.issparse(array):
        return False
    return hasattr(array, "__dlpack__") or hasattr(array, "__cuda_array_interface__")


def is_on_device(array: Any) -> bool:
    """Whether an array, or the arrays of a sparse matrix, lie in the memory of a CUDA device."""
    if isinstance(array, np.ndarray) or scipy.sparse.issparse(array):
        return False
    if hasattr(array, "is_cuda"):
        return bool(array.is_cuda)
    if hasattr(array, "__dlpack_device__"):
        return array.__dlpack_device__()[0] in CUDA_DEVICES
    if hasattr(array, "__cuda_array_interface__"):
        return True
    return hasattr(array, "indptr") and is_on_device(getattr(array, "data", None))


def library_of(array: Any) -> Library | None:
    """The library that an array is of; None where that cannot be known."""
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    if torch is not None and isinstance(array, torch.Tensor):
        return Torch(torch)
    if cupy is not None and isinstance(array, cupy.ndarray):
        return Cupy(cupy)
    if hasattr(array, "__array_namespace__"):
        return ArrayApi(array.__array_namespace__())
    return None


def with_dlpack(array: Any) -> Any:
    """An array of a device that DLPack's functions can be called of: one that has `__cuda_array_interface__` alone is CuPy's then."""
    if hasattr(array, "__dlpack__"):
        return array.detach() if hasattr(array, "detach") else array
    try:
        import cupy
    except ImportError:
        raise ValueError(
            f"arrays of {type(array).__module__} have no DLPack, and without CuPy there is no other way to take them"
        ) from None
    return cupy.asarray(array)


def library_on_device(array: Any) -> Library:
    """By whose functions arrays are made beside this one: its own, where it has any."""
    library = library_of(with_dlpack(array))
    if library is None:
        raise ValueError(
            f"arrays of {type(array).__module__} on a device are of no library that results could be made by; "
            "give CuPy's (cupy.asarray takes most), PyTorch's, or those that follow the array API standard"
        )
    return library


def as_host_vector(value: Any, name: str) -> npt.NDArray[Any]:
    """What NumPy makes of it; arrays that lie on the host elsewhere are taken by DLPack, as they lie."""
    if is_on_device(value):
        raise ValueError(f"{name}: it lies on a device and A does not; bring both to one place: {name}.get(), say")
    if not is_foreign(value):
        return np.asanyarray(value)
    if hasattr(value, "detach"):
        value = value.detach()
    try:
        if value.__dlpack_device__()[0] not in HOST_DEVICES:
            raise BufferError(f"its device is of kind {value.__dlpack_device__()[0]}, neither the host's memory nor CUDA's")
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError) as error:
        raise ValueError(
            f"{name}: NumPy cannot take this {type(value).__name__} by DLPack ({error}); give float64 or float32 on the host"
        ) from None


def as_given(result: npt.NDArray[Any], given: Any) -> Any:
    """A result of the host in the library that what was given is of; as it is for NumPy, lists, and where none is known."""
    library = library_of(given) if is_foreign(given) else None
    return result if library is None else library.from_host(result, given)
