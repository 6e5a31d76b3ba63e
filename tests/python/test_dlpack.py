"""Arrays of other libraries on the host, by DLPack; those of devices are in test_device.py."""

import gc
import weakref

import numpy as np
import pytest

import stiefel
from stiefel import _core
from stiefel._arrays import as_scipy
from stiefel._libraries import is_on_device
from stiefel._views import capsule_of, view_of

A = stiefel.generate("poisson2d", 20)
N = A.shape[0]
B = np.random.default_rng(1).standard_normal(N)


class Namespace:
    """What a library of the array API standard offers, over NumPy."""

    @staticmethod
    def from_dlpack(array):
        return Foreign(np.from_dlpack(array))


class OfNoLibrary:
    """An array that tells nothing of itself but DLPack."""

    def __init__(self, array):
        self.array = array
        self.shape = array.shape

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __array__(self, *_, **__):
        raise AssertionError("copied element by element")


class Foreign(OfNoLibrary):
    """One of a library that NumPy does not know."""

    def __array_namespace__(self):
        return Namespace


class OnAnAccelerator(Foreign):
    def __dlpack_device__(self):
        return (8, 0)  # Metal


def test_vectors_in_and_results_of_the_same_library():
    x, info = stiefel.cg(A, Foreign(B), x0=Foreign(np.ones(N)), rtol=1e-9)
    assert info == 0 and isinstance(x, Foreign)
    np.testing.assert_array_equal(x.array, stiefel.cg(A, B, x0=np.ones(N), rtol=1e-9)[0])
    r = stiefel.solve(A, Foreign(B), preconditioner="jacobi")
    assert r.converged and isinstance(r.x, Foreign)
    panel = np.stack([B, 2 * B], axis=1)
    X, info = stiefel.block_cg(A, Foreign(panel))
    assert not info.any() and isinstance(X, Foreign) and X.shape == (N, 2)
    operator = stiefel.Operator(A, backend="openmp")
    for linear in (operator, stiefel.preconditioner("jacobi", operator)):
        y = linear @ Foreign(panel)
        assert isinstance(y, Foreign)
        np.testing.assert_array_equal(y.array, linear @ panel)
    w, v = stiefel.lobpcg(operator, Foreign(np.eye(N, 2)), maxiter=200)
    assert isinstance(v, Foreign) and isinstance(w, np.ndarray)


def test_operands_are_not_copied(monkeypatch):
    seen = []
    multiply = _core.Matrix.multiply
    operator = stiefel.Operator(A, backend="openmp")
    monkeypatch.setattr(operator, "_run", lambda x, y, k: (seen.append(x[0]), multiply(operator._matrix, x, y, k)))
    operator @ Foreign(B)
    assert seen == [B.ctypes.data]


def test_results_are_of_numpy_where_the_library_is_not_known():
    x, info = stiefel.cg(A, OfNoLibrary(B))
    assert info == 0 and isinstance(x, np.ndarray)


def test_what_lies_elsewhere_is_said():
    with pytest.raises(ValueError, match="b: NumPy cannot take this OnAnAccelerator by DLPack"):
        stiefel.cg(A, OnAnAccelerator(B))
    assert not is_on_device(Foreign(B)) and not is_on_device(OnAnAccelerator(B)) and not is_on_device([1.0])


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "uint8", "complex128", "bool"])
@pytest.mark.parametrize("shape", [(), (0,), (7,), (3, 4), (2, 1, 5)])
def test_capsules_tell_all_of_an_array(dtype, shape):
    array = np.zeros(shape, dtype)
    seen = view_of(_core.tensor_of(capsule_of(array)))
    assert (seen.shape, seen.dtype, seen.place[1]) == (shape, dtype, array.size)
    assert seen.is_contiguous and seen.is_writable and seen.is_of(np.dtype(dtype))
    if array.size:
        assert seen.place[0] == array.ctypes.data


def test_capsules_of_parts_and_of_what_must_not_be_written_to():
    array = np.arange(24.0).reshape(4, 6)
    for part, contiguous in [(array[1:], True), (array[:, 1:], False), (array.T, False), (array[::2], False), (array[:1, ::2], False),
                             (array[1:2], True), (array[:, :1], False), (array[:, :1][:1], True)]:  # fmt: skip
        seen = view_of(_core.tensor_of(capsule_of(part)))
        assert seen.place[0] == part.ctypes.data and seen.is_contiguous == contiguous
    array.flags.writeable = False
    assert not view_of(_core.tensor_of(capsule_of(array))).is_writable


def test_capsules_hold_the_array_and_are_taken_once():
    array = np.ones(1000).view(type("Watched", (np.ndarray,), {}))
    gone = weakref.ref(array)
    capsule = capsule_of(array)
    tensor = _core.tensor_of(capsule)
    with pytest.raises(ValueError, match="taken before"):
        _core.tensor_of(capsule)
    with pytest.raises(ValueError, match="holds no array"):
        _core.tensor_of("no capsule")
    del array, capsule
    gc.collect()
    assert gone() is not None
    del tensor
    gc.collect()
    assert gone() is None


class Tensor(Foreign):
    """As a tensor of PyTorch's: its functions of sparse layouts are there whatever the layout."""

    is_cuda = False

    def __init__(self, array, layout="torch.strided", parts=()):
        super().__init__(array)
        self.layout, self.parts = layout, parts

    def detach(self):
        return self

    def crow_indices(self):
        return Tensor(self.parts[0])

    def col_indices(self):
        return Tensor(self.parts[1])

    def values(self):
        return Tensor(self.parts[2])


def test_sparse_tensors_are_looked_at_where_they_lie():
    wide = [A.indptr.astype(np.int64), A.indices.astype(np.int64), A.data]
    narrow = Tensor(A, "torch.sparse_csr", (A.indptr, A.indices, A.data))
    csr = as_scipy(narrow)
    assert [part.ctypes.data for part in (csr.indptr, csr.indices, csr.data)] == [part.ctypes.data for part in narrow.parts]
    expected = stiefel.cg(A, B)[0]
    np.testing.assert_array_equal(stiefel.cg(narrow, B)[0], expected)
    assert stiefel.solve(narrow, Foreign(B)).converged
    np.testing.assert_array_equal(stiefel.Operator(narrow, backend="openmp") @ B, A @ B)
    with pytest.warns(stiefel.ConversionWarning, match="A.indices are int64"):
        np.testing.assert_array_equal(stiefel.cg(Tensor(A, "torch.sparse_csr", wide), B)[0], expected)
    for call in (stiefel.cg, stiefel.solve, stiefel.block_cg):
        with pytest.raises(ValueError, match="layout torch.strided; give A.to_sparse_csr"):
            call(Tensor(A.toarray()), B)


def test_torch_on_the_host():
    torch = pytest.importorskip("torch")
    b = torch.from_numpy(B)
    x, info = stiefel.cg(A, b, rtol=1e-9)
    assert info == 0 and isinstance(x, torch.Tensor) and x.dtype == torch.float64
    assert isinstance(stiefel.solve(A, b.clone().requires_grad_()).x, torch.Tensor)
    a = torch.sparse_csr_tensor(*map(torch.from_numpy, (A.indptr, A.indices, A.data)), size=A.shape)
    y, info = stiefel.cg(a, b, rtol=1e-9)
    assert info == 0 and torch.equal(x, y)
    with pytest.raises(ValueError, match="b: NumPy cannot take this Tensor"):
        stiefel.cg(A, b.to(torch.bfloat16))
