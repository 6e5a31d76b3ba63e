"""Operators and preconditioners: products, SciPy's solvers, conversions that are said."""

from contextlib import nullcontext as nothing

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spla

import stiefel

A = stiefel.generate("jump_diffusion3d", 8)
N = A.shape[0]
RNG = np.random.default_rng(5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("backend", ["serial", "openmp"])
@pytest.mark.parametrize("columns", [None, 1, 7, 100])
def test_products(dtype, backend, columns):
    operator = stiefel.Operator(A.astype(dtype), backend=backend)
    x = RNG.standard_normal(N if columns is None else (N, columns)).astype(dtype)
    y = operator @ x
    assert y.dtype == dtype and y.shape == x.shape
    scale = abs(A).astype(np.float64) @ abs(x.astype(np.float64))
    assert (np.abs(y - A @ x.astype(np.float64)) <= 40 * np.finfo(dtype).eps * scale).all()


def test_rectangular_and_not_symmetric():
    matrix = sp.random_array((50, 80), density=0.1, rng=RNG).tocsc()
    with pytest.warns(stiefel.ConversionWarning, match="csc"):
        operator = stiefel.Operator(matrix, backend="openmp")
    x = RNG.standard_normal(80)
    np.testing.assert_allclose(operator @ x, matrix @ x, atol=1e-13)
    with pytest.raises(ValueError, match="x: its shape is"):
        operator @ np.ones(50)


def test_what_is_converted_is_said():
    operator = stiefel.Operator(A, backend="openmp")
    with pytest.warns(stiefel.ConversionWarning, match="x is int64"):
        operator @ np.arange(N)
    with pytest.warns(stiefel.ConversionWarning, match="x does not lie in one piece"):
        operator @ np.ones((N, 4))[:, ::2]
    with pytest.warns(stiefel.ConversionWarning, match="A.data is int32"):
        stiefel.Operator(A.astype(np.int32), backend="openmp")
    x = RNG.standard_normal(N) + 1j * RNG.standard_normal(N)
    np.testing.assert_allclose(operator @ x, A @ x, rtol=1e-12, atol=1e-10)


def test_it_says_what_it_is():
    operator = stiefel.Operator(A, backend="openmp", format="sell")
    assert (operator.format, operator.backend, operator.nnz) == ("sell", "openmp", A.nnz)
    assert operator.nbytes > 0 and operator.kernel and "sell" in repr(operator)
    with pytest.raises(ValueError, match="format"):
        stiefel.Operator(A, format="jagged")
    with pytest.raises(ValueError, match="kernel nonsense"):
        stiefel.Operator(A, backend="openmp", kernel="nonsense") @ np.ones(N)


def test_broken_arrays_are_refused():
    broken = A.copy()
    broken.indices[3] = N + 5
    broken.has_canonical_format = True
    with pytest.raises(ValueError, match="row 0"):
        stiefel.Operator(broken, backend="openmp")


@pytest.mark.parametrize("name", ["jacobi", "block-jacobi", "chebyshev", "amg", "fsai", "ic", "ssor", "cholesky"])
def test_preconditioners_in_scipys_solvers(name):
    m = stiefel.preconditioner(name, A)
    b = RNG.standard_normal(N)
    x, info = spla.cg(A, b, M=m, rtol=1e-8)
    assert info == 0 and np.linalg.norm(b - A @ x) <= 1e-7 * np.linalg.norm(b)
    x, info = spla.minres(A, b, M=m, rtol=1e-10)  # its tolerance is relative to |A| |x|, in the norm of M
    assert info == 0 and np.linalg.norm(b - A @ x) <= 1e-6 * spla.norm(A) * np.linalg.norm(x)
    dense = m @ np.eye(N)
    np.testing.assert_allclose(dense, dense.T, rtol=1e-4, atol=1e-6 * np.abs(dense).max())
    assert np.linalg.eigvalsh((dense + dense.T) / 2).min() > 0
    assert m.name == name and name in repr(m) and m.setup_seconds >= 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["jacobi", "block-jacobi", "chebyshev", "amg", "fsai", "ic", "ssor", "cholesky"])
def test_panels_are_columns(name, dtype):
    for backend in ("serial", "openmp"):
        m = stiefel.preconditioner(name, stiefel.Operator(A.astype(dtype), backend=backend))
        for columns in (1, 3, 16, 37, 2):  # wider than before, and narrower
            panel = RNG.standard_normal((N, columns)).astype(dtype)
            one_by_one = np.stack([m @ panel[:, k].copy() for k in range(columns)], axis=1)
            scale = np.abs(one_by_one).max(axis=0)
            tolerance = 1e-5 if dtype == np.float32 or name == "amg" else 1e-12  # multigrid computes in single
            assert (np.abs(m @ panel - one_by_one) <= tolerance * scale).all()
            with pytest.warns(stiefel.ConversionWarning, match="x does not lie in one piece") if 1 < columns <= 16 else nothing():
                np.testing.assert_array_equal(m @ np.asfortranarray(panel), m @ panel)


def test_a_preconditioner_serves_vectors_panels_and_solves_in_turns():
    operator = stiefel.Operator(A, backend="openmp")
    b = RNG.standard_normal((N, 5))
    for name in ("amg", "chebyshev", "fsai"):
        m = stiefel.preconditioner(name, operator)
        for _ in range(2):
            x, info = stiefel.cg(operator, b[:, 0], M=m, rtol=1e-9)
            assert info == 0 and np.linalg.norm(b[:, 0] - A @ x) <= 1e-9 * np.linalg.norm(b[:, 0])
            X, info = stiefel.block_cg(operator, b, M=m, rtol=1e-9)
            assert not info.any() and (np.linalg.norm(b - A @ X, axis=0) <= 1e-9 * np.linalg.norm(b, axis=0)).all()
            assert stiefel.solve(operator, b, preconditioner=m, solver="block-cg").converged


def test_an_operator_in_scipys_solvers():
    operator = stiefel.Operator(A, backend="openmp")
    b = RNG.standard_normal(N)
    x, info = spla.cg(operator, b)
    assert info == 0 and np.linalg.norm(b - A @ x) <= 1e-5 * np.linalg.norm(b)


def test_options_of_preconditioners():
    weak, strong = (stiefel.preconditioner("fsai", A, fsai_power=power) for power in (1, 3))
    assert strong.nbytes > weak.nbytes
    with pytest.raises(ValueError, match="auto"):
        stiefel.preconditioner("auto", A)
    with pytest.raises(ValueError, match="did you mean 'amg'"):
        stiefel.preconditioner("amgg", A)
    with pytest.raises(ValueError, match="fsai_power is for preconditioner fsai"):
        stiefel.preconditioner("ic", A, fsai_power=3)


@pytest.mark.parametrize("columns", [None, 3, 100])
def test_products_into_memory_that_is_there(columns):
    operator = stiefel.Operator(A, backend="openmp")
    x = RNG.standard_normal(N if columns is None else (N, columns))
    y = np.full(x.shape, np.nan)
    assert operator.matvec(x, out=y) is y
    np.testing.assert_array_equal(y, operator @ x)
    m = stiefel.preconditioner("jacobi", operator)
    np.testing.assert_array_equal(m.matvec(x, out=y), m @ x)
    read_only = y.copy()
    read_only.flags.writeable = False
    for wrong in (np.empty(N - 1), y.astype(np.float32), np.empty((N, 2))[:, 0] if columns is None else y[:, ::-1], read_only):
        with pytest.raises(ValueError, match="out: expected a contiguous array"):
            operator.matvec(x, out=wrong)


def test_lobpcg_applies_a_kept_preconditioner_to_its_guard_vectors_too():
    for name in ("amg", "fsai", "cholesky"):
        m = stiefel.preconditioner(name, stiefel.Operator(A, backend="openmp"))
        w, _ = stiefel.lobpcg(A, RNG.standard_normal((N, 2)), M=m, largest=False, tol=1e-6, maxiter=200)
        np.testing.assert_allclose(w, np.linalg.eigvalsh(A.toarray())[:2], rtol=1e-5)
