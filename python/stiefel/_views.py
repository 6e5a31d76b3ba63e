"""Arrays on a CUDA device, looked at where they lie, by DLPack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._arrays import Place
from ._libraries import CUDA_DEVICES, with_dlpack

DEFAULT_STREAM = 1  # as DLPack numbers them


@dataclass(frozen=True)
class View:
    """Where an array of a device lies, and what holds it there."""

    place: Place
    shape: tuple[int, ...]
    dtype: str
    device: int
    is_contiguous: bool
    is_writable: bool
    holder: object

    def is_of(self, dtype: np.dtype[Any]) -> bool:
        """In one piece, row after row, of this type."""
        return self.dtype == str(dtype) and self.is_contiguous


def view(array: Any, stream: int) -> View:
    """What was asked of the device for this array comes before all that the stream is given from now on.

    stream: its address; 0 for one that has none to tell, and then it is waited for.
    """
    array = with_dlpack(array)
    kind = array.__dlpack_device__()[0]
    if kind not in CUDA_DEVICES:
        raise ValueError(f"an array on a device of DLPack's kind {kind}; give one of CUDA or of the host")
    seen = view_of(_core.tensor_of(capsule_of(array, stream=stream or DEFAULT_STREAM)))
    if stream == 0:
        _core.wait_for_stream(DEFAULT_STREAM, seen.device)
    return seen


def capsule_of(array: Any, **stream: int) -> Any:
    """By DLPack 1.0, which tells what must not be written to, where the library knows it."""
    try:
        return array.__dlpack__(max_version=(1, 0), **stream)
    except TypeError:
        return array.__dlpack__(**stream)


def view_of(tensor: _core.Tensor) -> View:
    """The same of what the module has taken."""
    return View(
        (tensor.address, tensor.size, True), tensor.shape, tensor.dtype, tensor.device[1], tensor.is_contiguous,
        tensor.is_writable, tensor,
    )  # fmt: skip
