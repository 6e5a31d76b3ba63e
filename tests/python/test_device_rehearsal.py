"""What is done with arrays of a device, rehearsed where there is none: on arrays of the host that say they lie on one."""

import dataclasses

import numpy as np
import pytest

import stiefel
from stiefel import _core, _libraries, _views

A = stiefel.generate("poisson2d", 20)
N = A.shape[0]
B = np.random.default_rng(1).standard_normal(N)


class Namespace:
    """As a library of the array API standard."""

    float32, float64, int32 = np.float32, np.float64, np.int32

    @staticmethod
    def zeros(n, *, dtype, device):
        assert device == "pretended"
        return Pretended(np.zeros(n, dtype))

    @staticmethod
    def asarray(array, *, dtype=None, copy=None, device="pretended"):
        return Pretended(np.array(getattr(array, "array", array), dtype, order="C"))


class Pretended:
    device = "pretended"
    asked = []  # streams that capsules were asked for

    def __init__(self, array):
        self.array = array
        self.shape = array.shape

    def __dlpack__(self, *, stream, max_version=None):
        self.asked.append(stream)
        return self.array.__dlpack__(max_version=max_version)

    def __dlpack_device__(self):
        return (2, 0)

    def __array_namespace__(self):
        return Namespace

    def __array__(self, *_, **__):
        return self.array

    def __mul__(self, other):
        return self.array * other.array

    def __setitem__(self, key, value):
        self.array[key] = value.array

    def reshape(self, shape):
        return Pretended(self.array.reshape(shape))


@pytest.fixture
def waits(monkeypatch):
    """Streams that were waited for. Addresses are told to be the host's, where the operator is."""
    waited = []
    view_of = _views.view_of

    def on_host(tensor):
        seen = view_of(tensor)
        return dataclasses.replace(seen, place=(*seen.place[:2], False))

    monkeypatch.setattr(_views, "view_of", on_host)
    monkeypatch.setattr(_core, "wait_for_stream", lambda *stream: waited.append(stream))
    monkeypatch.setattr(stiefel.Operator, "backend", "cuda")
    monkeypatch.setattr(Pretended, "asked", [])
    return waited


@pytest.fixture
def operator():
    return stiefel.Operator(A, backend="openmp")


def test_products_stay_where_they_are(waits, operator):
    y = operator @ Pretended(B)
    assert isinstance(y, Pretended)
    np.testing.assert_array_equal(y.array, operator @ B)
    panel = np.stack([B, 3 * B], axis=1)
    np.testing.assert_array_equal((operator @ Pretended(panel)).array, operator @ panel)
    m = stiefel.preconditioner("jacobi", operator)
    np.testing.assert_array_equal((m @ Pretended(B)).array, m @ B)
    assert set(Pretended.asked) == {1} and waits == [(1, 0)] * len(Pretended.asked)


def test_work_is_put_in_order_with_the_operators_stream(waits, operator):
    operator._device_stream = 4711
    operator @ Pretended(B)
    assert set(Pretended.asked) == {4711} and waits == []


def test_cg_stays_where_it_is(waits, operator):
    for x0 in (None, np.ones(N)):
        given = None if x0 is None else Pretended(x0)
        x, info = stiefel.cg(operator, Pretended(B), given, rtol=1e-9)
        assert info == 0 and isinstance(x, Pretended)
        np.testing.assert_array_equal(x.array, stiefel.cg(operator, B, x0, rtol=1e-9)[0])
    x, info = stiefel.cg(operator, Pretended(B[:, None]), rtol=2.0, maxiter=3)
    assert info == 0 and x.shape == (N,)
    r = stiefel.solve(operator, Pretended(B))
    assert r.converged and isinstance(r.x, Pretended)


def test_what_does_not_suit_is_converted_and_that_is_said(waits, operator):
    for array in (B.astype(np.float32), np.repeat(B, 2)[::2]):
        with pytest.warns(stiefel.ConversionWarning, match="b is float"):
            x, info = stiefel.cg(operator, Pretended(array))
        assert info == 0 and x.array.dtype == np.float64


def test_what_must_not_be_written_to_is_no_result(waits, operator, monkeypatch):
    def zeros(n, *, dtype, device):
        array = np.zeros(n, dtype)
        array.flags.writeable = False
        return Pretended(array)

    monkeypatch.setattr(Namespace, "zeros", zeros)
    with pytest.raises(ValueError, match="must not be written to"):
        operator @ Pretended(B)


def test_arrays_of_no_library_are_refused(waits, operator, monkeypatch):
    monkeypatch.delattr(Pretended, "__array_namespace__")
    with pytest.raises(ValueError, match="of no library that results could be made by"):
        operator @ Pretended(B)


def test_a_host_operator_does_not_take_them():
    with pytest.raises(ValueError, match="x: it lies on a device and A does not"):
        stiefel.Operator(A, backend="openmp") @ Pretended(B)
    assert _libraries.is_on_device(Pretended(B))
