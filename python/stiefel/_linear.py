"""Products on vectors and panels, which operators and preconditioners have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from . import _core, _device
from ._arrays import Array, as_contiguous, float_type, place
from ._libraries import as_given, as_host_vector, is_on_device
from ._warnings import python_errors


class Linear:
    """What operators and preconditioners have in common: a product on vectors and panels."""

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    _device_stream: int
    _panel = 64  # columns at once

    def _run(self, x: _core.Place, y: _core.Place, columns: int) -> None:
        raise NotImplementedError

    @property
    def backend(self) -> str:
        """Where it is kept: "serial", "openmp" or "cuda"."""
        raise NotImplementedError

    def _product(self, x: Any, out: Array | None = None) -> Any:
        if is_on_device(x) and self.backend == "cuda":
            if out is not None:
                raise ValueError("out: on a device the result is an array of its own")
            return _device.product(self, x)
        if scipy.sparse.issparse(x):
            raise TypeError("x: it is sparse; give a vector or a panel, or multiply two sparse matrices by SciPy")
        array = as_host_vector(x, "x")
        if array.ndim not in (1, 2) or array.shape[0] != self.shape[1]:
            raise ValueError(
                f"x: its shape is {array.shape}, and the operator's {self.shape}; "
                f"give a vector of {self.shape[1]} or a panel of so many rows"
            )
        if array.dtype.kind == "c" and out is None:  # two products of real numbers
            real, imaginary = (self._host_product(np.ascontiguousarray(part)) for part in (array.real, array.imag))
            return as_given(real + 1j * imaginary, x)
        float_type(array.dtype, "x")
        product = self._host_product(array, out)
        return product if out is not None else as_given(product, x)

    def _host_product(self, x: Array, out: Array | None = None) -> Array:
        """Of real numbers; panel after panel."""
        shape = (self.shape[0], *x.shape[1:])
        if out is None:
            out = np.empty(shape, self.dtype)
        elif out.shape != shape or out.dtype != self.dtype or not out.flags.c_contiguous or not out.flags.writeable:
            raise ValueError(f"out: expected a contiguous array of shape {shape} and type {self.dtype} to write to")
        columns = x.shape[1] if x.ndim == 2 else 1
        if columns > self._panel:
            for k in range(0, columns, self._panel):
                part = slice(k, k + self._panel)
                out[:, part] = self._host_product(np.ascontiguousarray(x[:, part]))
        elif columns > 0:
            x = as_contiguous(x, self.dtype, "x")
            with python_errors():
                self._run(place(x), place(out), columns)
        return out

    def __matmul__(self, x: Any) -> Any:
        return self._product(x)

    def matvec(self, x: Any, out: Array | None = None) -> Any:
        """The product with a vector, of shape (n,) or (n, 1).

        Parameters
        ----------
        x : array
        out : array of the operator's type, optional
            Where to write it: from vectors of some 30 MB on, fresh memory costs a product a quarter of its time.
        """
        return self._product(x, out)

    def matmat(self, x: Any, out: Array | None = None) -> Any:
        """The product with a panel of vectors, of shape (n, k); `out` as of matvec."""
        return self._product(x, out)
