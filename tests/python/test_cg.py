"""cg and block_cg: SciPy's behaviour, arrays by view, callbacks, interrupts, threads, lifetimes."""

import gc
import os
import signal
import sys
import threading
import time
import weakref
from contextlib import contextmanager

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spla

import stiefel
from stiefel._arrays import host_csr

A = stiefel.generate("poisson2d", 40)
N = A.shape[0]
B = np.random.default_rng(1).standard_normal(N)


def residual(matrix, x, b):
    return np.linalg.norm(b - matrix @ x) / np.linalg.norm(b)


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix, sp.csc_array])
def test_agrees_with_scipy_for_what_is_taken_as_it_lies(kind):
    x, info = stiefel.cg(kind(A), B, rtol=1e-10)
    theirs, _ = spla.cg(A, B, rtol=1e-10)
    assert info == 0
    np.testing.assert_allclose(x, theirs, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("kind", [sp.coo_array, sp.dia_array, sp.lil_array, sp.bsr_array])
def test_other_formats_are_converted_and_that_is_said(kind):
    with pytest.warns(stiefel.ConversionWarning, match="csr is computed with"):
        x, info = stiefel.cg(kind(A), B)
    assert info == 0 and residual(A, x, B) <= 1e-5


class OnlyMatvec:
    shape = A.shape
    dtype = A.dtype

    def matvec(self, x):
        return A @ x


@pytest.mark.parametrize("operator", [A.toarray(), spla.aslinearoperator(A), OnlyMatvec()])
def test_what_multiplies_by_itself(operator):
    x, info = stiefel.cg(operator, B, rtol=1e-9)
    assert info == 0 and residual(A, x, B) <= 1e-9


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("sparse", [True, False])
def test_hermitian_systems(dtype, sparse):
    rng = np.random.default_rng(3)
    half = rng.standard_normal((30, 30)) + 1j * rng.standard_normal((30, 30))
    hermitian = (half @ half.conj().T + 30 * np.eye(30)).astype(dtype)
    b = (rng.standard_normal(30) + 1j * rng.standard_normal(30)).astype(dtype)
    jacobi = sp.diags_array(1 / hermitian.diagonal().real)
    x, info = stiefel.cg(sp.csr_array(hermitian) if sparse else hermitian, b, rtol=1e-4, M=jacobi)
    assert info == 0 and x.dtype == dtype and residual(hermitian, x, b) <= 1.01e-4


def test_single_precision_stays_single():
    x, info = stiefel.cg(A.astype(np.float32), B.astype(np.float32), rtol=1e-4)
    assert info == 0 and x.dtype == np.float32 and residual(A, x, B) <= 1.1e-4


def test_guess_and_words():
    exact, _ = stiefel.cg(A, B, rtol=1e-12)
    seen = []
    x, info = stiefel.cg(A, B, x0=exact, callback=lambda xk: seen.append(1))
    assert info == 0 and not seen
    np.testing.assert_array_equal(x, exact)
    assert stiefel.cg(A, B, x0="Mb")[1] == 0
    with pytest.raises(ValueError, match="x0: 'bM'"):
        stiefel.cg(A, B, x0="bM")


def test_callback_sees_the_iterate_of_scipys_cg():
    ours, theirs = [], []
    x, info = stiefel.cg(A, B, maxiter=5, callback=lambda xk: ours.append(xk.copy()))
    spla.cg(A, B, maxiter=5, callback=lambda xk: theirs.append(xk.copy()))
    assert info == 5 and len(ours) == 5
    np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(ours[-1], x)


def test_callback_sees_the_last_iterate_of_a_solve_that_converges():
    seen = []
    x, _ = stiefel.cg(A, B, callback=lambda xk: seen.append(xk.copy()))
    np.testing.assert_array_equal(seen[-1], x)
    assert len(seen) == len(np.unique(seen, axis=0))


@pytest.mark.parametrize("where", ["callback", "matvec", "M"])
def test_exceptions_come_out_unchanged(where):
    problem = KeyError("mine")

    def fail(x):
        raise problem

    broken = spla.LinearOperator(A.shape, matvec=fail, dtype=float)
    arguments = {"callback": ({"callback": fail}, A), "matvec": ({}, broken), "M": ({"M": broken}, A)}
    keywords, matrix = arguments[where]
    with pytest.raises(KeyError) as caught:
        stiefel.cg(matrix, B, **keywords)
    assert caught.value is problem


def test_preconditioners_of_all_kinds():
    jacobi = sp.diags_array(1 / A.diagonal()).tocsr()
    for M in (jacobi, jacobi.toarray(), spla.aslinearoperator(jacobi), stiefel.preconditioner("amg", A)):
        seen = []
        x, info = stiefel.cg(A, B, M=M, rtol=1e-8, callback=lambda xk, seen=seen: seen.append(1))
        assert info == 0 and residual(A, x, B) <= 1e-8
    assert len(seen) < 20


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        ((A[:, :5], B), {}, "expected square matrix"),
        ((A, B[:5]), {}, "shapes of A .* and b"),
        ((A, B), {"x0": B[:5]}, "shapes of A .* and x0"),
        ((A, B), {"M": np.eye(5)}, "different shapes"),
        ((A, B), {"atol": -1}, "atol: -1"),
        ((A, B), {"rtol": np.nan}, "rtol: nan"),
    ],
)
def test_bad_input_is_a_value_error_that_names_it(arguments, keywords, message):
    with pytest.raises(ValueError, match=message):
        stiefel.cg(*arguments, **keywords)


def test_an_indefinite_matrix_is_told():
    indefinite = sp.diags_array(np.r_[np.ones(10), -np.ones(10)]).tocsr()
    with pytest.warns(stiefel.ConvergenceWarning, match="not positive definite"):
        _, info = stiefel.cg(indefinite, np.ones(20))
    assert info > 0


def test_wide_indices_and_unsorted_columns():
    wide = A.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    with pytest.warns(stiefel.ConversionWarning, match="A.indices are int64"):
        assert stiefel.cg(wide, B)[1] == 0
    order = np.concatenate([np.arange(a, b)[::-1] for a, b in zip(A.indptr[:-1], A.indptr[1:], strict=True)])
    unsorted = sp.csr_array((A.data[order], A.indices[order], A.indptr), shape=A.shape)
    with pytest.warns(stiefel.ConversionWarning, match="unsorted"):
        x, _ = stiefel.cg(unsorted, B)
    assert residual(A, x, B) <= 1e-5


def test_an_operator_looks_at_the_arrays_where_they_lie():
    matrix = A.copy()
    operator = stiefel.Operator(matrix, backend="openmp", format="csr")
    before = operator @ np.ones(N)
    matrix.data *= 2
    np.testing.assert_array_equal(operator @ np.ones(N), 2 * before)


def test_arrays_live_as_long_as_they_are_used_and_no_longer():
    matrix = A.copy()
    data = matrix.data
    gone = weakref.ref(data)
    operator = stiefel.Operator(matrix, backend="openmp")
    m = stiefel.preconditioner("amg", operator)
    del matrix, data
    gc.collect()
    assert gone() is not None
    x, info = stiefel.cg(operator, B, M=m)
    assert info == 0 and residual(A, x, B) <= 1e-5
    del operator
    gc.collect()
    assert gone() is not None  # the preconditioner keeps what it was made from
    del m
    gc.collect()
    assert gone() is None


def test_a_solve_leaves_nothing_behind():
    matrix = A.copy()
    gone = weakref.ref(matrix.data)
    result = stiefel.solve(matrix, B, backend="openmp")
    del matrix
    gc.collect()
    assert gone() is None and result.converged
    x = result.x
    del result
    gc.collect()
    assert residual(A, x, B) <= 1e-8


@contextmanager
def interrupted_when(has_begun):
    """Sends SIGINT to this process once, as soon as has_begun() says so."""
    is_over = threading.Event()

    def wait():
        while not has_begun():
            if is_over.wait(0.001):
                return
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=wait)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def iterate_of_cg(thread):
    """The x that stiefel.cg writes to while a thread is in it."""
    frame = sys._current_frames().get(thread)
    while frame is not None and frame.f_code is not stiefel.cg.__code__:
        frame = frame.f_back
    return None if frame is None else frame.f_locals.get("x")


def test_control_c_raises_with_the_iterate():
    hard = sp.diags_array(np.logspace(0, 12, 300000)).tocsr()
    b = np.ones(300000)
    here = threading.get_ident()

    def has_begun():
        x = iterate_of_cg(here)
        return x is not None and x.any()

    begin = time.perf_counter()
    with interrupted_when(has_begun), pytest.raises(KeyboardInterrupt) as caught:
        stiefel.cg(hard, b, rtol=1e-14, maxiter=10**9)
    assert time.perf_counter() - begin < 60
    assert 0 < np.linalg.norm(caught.value.x)


def test_control_c_in_solve_keeps_the_result():
    hard = sp.diags_array(np.logspace(0, 12, 300000)).tocsr()
    told = []
    with interrupted_when(lambda: len(told) > 1), pytest.raises(KeyboardInterrupt) as caught:
        stiefel.solve(
            hard, np.ones(300000), rtol=1e-14, preconditioner="none", backend="openmp",
            callback=lambda iteration, _: told.append(iteration),
        )  # fmt: skip
    assert caught.value.result.reason == "interrupted"
    assert caught.value.result.iterations > 0
    np.testing.assert_array_equal(caught.value.x, caught.value.result.x)


def test_python_runs_on_while_a_solve_does():
    matrix = stiefel.generate("poisson2d", 400)
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.001):
            ticks.append(1)

    clock = threading.Thread(target=tick)
    clock.start()
    stiefel.cg(matrix, np.ones(matrix.shape[0]), rtol=1e-10)
    done.set()
    clock.join()
    assert len(ticks) > 3  # with the lock held there would be none


def test_two_threads_solve_at_once():
    operator = stiefel.Operator(A, backend="openmp")
    m = stiefel.preconditioner("amg", operator)
    expected, _ = stiefel.cg(operator, B, M=m)
    found = [None] * 4

    def run(k):
        matrix = operator if k % 2 else A  # of one operator they take turns
        found[k] = stiefel.cg(matrix, B, M=m, callback=lambda xk: operator @ xk)[0]

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for x in found:
        np.testing.assert_allclose(x, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("columns", [1, 5, 70])
def test_block_cg(columns):
    right = np.random.default_rng(2).standard_normal((N, columns))
    X, info = stiefel.block_cg(A, right, rtol=1e-8)
    assert X.shape == right.shape and not info.any()
    assert (np.linalg.norm(right - A @ X, axis=0) <= 1e-8 * np.linalg.norm(right, axis=0)).all()
    X, info = stiefel.block_cg(A, right, X0=X, maxiter=0)
    assert not info[np.linalg.norm(right - A @ X, axis=0) <= 1e-5 * np.linalg.norm(right, axis=0)].any()


def test_block_cg_refuses():
    with pytest.raises(ValueError, match=r"B: expected an array of shape \(1600, k\)"):
        stiefel.block_cg(A, B)
    with pytest.raises(TypeError, match="A: block_cg multiplies panels"):
        stiefel.block_cg(A.toarray(), np.eye(N))


def wide_copy(matrix):
    """With 64-bit indices, which SciPy's constructors would narrow."""
    wide = matrix.copy()
    wide.indices, wide.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return wide


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array])
def test_of_wide_indices_the_columns_alone_are_copied(kind):
    wide = wide_copy(kind(A))
    with pytest.warns(stiefel.ConversionWarning) as said:
        csr = host_csr(wide)
    assert [str(warning.message).split(",")[0] for warning in said] == ["A.indices are int64"]
    assert csr.wide and csr.indptr is wide.indptr and csr.data is wide.data
    assert [place[0] for place in csr.places] == [wide.indptr.ctypes.data, csr.indices.ctypes.data, wide.data.ctypes.data]
    with pytest.warns(stiefel.ConversionWarning):
        np.testing.assert_array_equal(stiefel.cg(wide, B)[0], stiefel.cg(A, B)[0])


@pytest.mark.parametrize("column", [2**32 + 1, -1, N])
def test_wide_columns_beyond_the_matrix_are_refused(column):
    wide = wide_copy(A)
    wide.indices[1] = column  # 2^32 + 1 would be column 1 of 32 bits
    wide.has_canonical_format = True
    with pytest.warns(stiefel.ConversionWarning), pytest.raises(ValueError, match="A.indices: they run from"):
        stiefel.cg(wide, B)
