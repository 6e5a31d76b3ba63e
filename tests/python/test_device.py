"""CuPy's and PyTorch's arrays: solved where they lie. Skipped without a device."""

import gc
import weakref

import numpy as np
import pytest

import stiefel

if not stiefel.has_cuda or stiefel.n_devices() == 0:
    pytest.skip("there is no CUDA device, or the module was built without CUDA", allow_module_level=True)

A = stiefel.generate("poisson3d", 20)
N = A.shape[0]
B = np.random.default_rng(1).standard_normal(N)


def residual(x):
    return np.linalg.norm(B - A @ x) / np.linalg.norm(B)


def on_cupy(dtype=np.float64):
    cupy = pytest.importorskip("cupy")
    from cupyx.scipy import sparse

    return cupy, sparse.csr_matrix(A.astype(dtype)), cupy.asarray(B, dtype)


def test_host_arrays_on_a_device():
    operator = stiefel.Operator(A, backend="cuda")
    x, info = stiefel.cg(operator, B, rtol=1e-8, M=stiefel.preconditioner("amg", operator))
    assert info == 0 and residual(x) <= 1e-8
    assert residual(stiefel.solve(A, B, backend="cuda").x) <= 1e-8
    np.testing.assert_allclose(operator @ B, A @ B, rtol=1e-12, atol=1e-10)
    X, info = stiefel.block_cg(operator, np.stack([B, 2 * B + 1], axis=1))
    assert not info.any() and residual(X[:, 0]) <= 1e-5


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("own_stream", [True, False])
def test_cupy(dtype, own_stream):
    cupy, a, b = on_cupy(dtype)
    stream = cupy.cuda.Stream(non_blocking=True) if own_stream else cupy.cuda.Stream.null
    rtol = 1e-8 if dtype == np.float64 else 1e-4
    with stream:
        doubled = 2 * b  # still on its way when the solve is asked for
        x, info = stiefel.cg(a, doubled, rtol=rtol)
        assert info == 0 and isinstance(x, cupy.ndarray) and x.dtype == dtype
        assert residual(cupy.asnumpy(x) / 2) <= 2 * rtol
        operator = stiefel.Operator(a)
        assert operator.backend == "cuda"
        np.testing.assert_allclose(cupy.asnumpy(operator @ b), A @ B, rtol=1e-4, atol=1e-3)
        m = stiefel.preconditioner("amg", operator)
        x, info = stiefel.cg(operator, b, M=m, x0=cupy.ones(N, dtype), rtol=rtol)
        assert info == 0 and residual(cupy.asnumpy(x)) <= 2 * rtol
        r = stiefel.solve(operator, b, rtol=rtol)
        assert isinstance(r.x, cupy.ndarray) and residual(cupy.asnumpy(r.x)) <= 2 * rtol


def test_cupy_arrays_live_as_long_as_they_are_used():
    cupy, a, b = on_cupy()
    gone = weakref.ref(a)
    operator = stiefel.Operator(a)
    del a
    gc.collect()
    assert gone() is not None
    assert stiefel.cg(operator, b)[1] == 0
    del operator
    gc.collect()
    assert gone() is None


def test_torch():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("this PyTorch has no device")
    a = torch.sparse_csr_tensor(
        torch.from_numpy(A.indptr), torch.from_numpy(A.indices), torch.from_numpy(A.data), size=A.shape
    ).to("cuda")
    for stream in (torch.cuda.default_stream(), torch.cuda.Stream()):
        stream.wait_stream(torch.cuda.default_stream())
        with torch.cuda.stream(stream):
            doubled = 2 * torch.from_numpy(B).to("cuda")  # still on its way when the solve is asked for
            x, info = stiefel.cg(a, doubled, rtol=1e-8)
            assert info == 0 and x.is_cuda and residual(x.cpu().numpy() / 2) <= 1e-8
            operator = stiefel.Operator(a)
            y = operator @ torch.stack([doubled, 3 * doubled], dim=1)
            np.testing.assert_allclose(y.cpu().numpy(), A @ np.stack([2 * B, 6 * B], axis=1), rtol=1e-12, atol=1e-10)
            assert stiefel.solve(operator, doubled.requires_grad_()).x.is_cuda
    wide = torch.sparse_csr_tensor(a.crow_indices().long(), a.col_indices().long(), a.values(), size=A.shape)
    with pytest.warns(stiefel.ConversionWarning, match="A.indices are"):
        x, info = stiefel.cg(wide, doubled.detach(), rtol=1e-8)
    assert info == 0 and residual(x.cpu().numpy() / 2) <= 1e-8


class Interface:
    """An array that has `__cuda_array_interface__` and no DLPack."""

    def __init__(self, array):
        self.__cuda_array_interface__ = array.__cuda_array_interface__
        self.array, self.shape = array, array.shape


class Dlpack:
    """An array that has DLPack and no `__cuda_array_interface__`, of a library of the array API standard."""

    def __init__(self, array):
        self.array, self.shape, self.device = array, array.shape, array.device

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __array_namespace__(self):
        import cupy

        class Namespace:
            float64 = cupy.float64

            @staticmethod
            def zeros(n, *, dtype, device):
                with device:
                    return Dlpack(cupy.zeros(n, dtype))

        return Namespace


@pytest.mark.parametrize(("kind", "result"), [(Interface, "ndarray"), (Dlpack, "Dlpack")])
def test_arrays_of_other_libraries(kind, result):
    cupy, a, b = on_cupy()
    for operator in (stiefel.Operator(a), stiefel.Operator(A, backend="cuda")):
        with cupy.cuda.Stream(non_blocking=True):
            y = operator @ kind(2 * b)
        assert type(y).__name__ == result
        np.testing.assert_allclose(cupy.asnumpy(getattr(y, "array", y)), A @ (2 * B), rtol=1e-12, atol=1e-10)
        x, info = stiefel.cg(operator, kind(b), rtol=1e-8)
        assert info == 0 and residual(cupy.asnumpy(getattr(x, "array", x))) <= 1e-8


def test_what_does_not_go_together_is_refused():
    cupy, a, b = on_cupy()
    with pytest.raises(ValueError, match="b: A lies on a device"):
        stiefel.cg(a, B)
    with pytest.raises(ValueError, match="b: it lies on a device"):
        stiefel.cg(A, b)
    with pytest.raises(ValueError, match="callback: on a device"):
        stiefel.cg(a, b, callback=print)
    with pytest.raises(ValueError, match="M: on a device"):
        stiefel.cg(a, b, M=a)
