"""What is wrong with arguments is said by name, and how to go on; warnings point to the line of the caller."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import stiefel

A = stiefel.generate("poisson2d", 12)
N = A.shape[0]
B = np.ones(N)


def changed(row, column, value):
    matrix = A.tolil()
    matrix[row, column] = value
    return matrix.tocsr()


NOT_SYMMETRIC, NEGATIVE = changed(3, 4, 7.0), changed(2, 2, -4.0)
WITH_NAN = A.copy()
WITH_NAN.data[5] = np.nan
B_WITH_NAN = B.copy()
B_WITH_NAN[7] = np.nan


@pytest.mark.parametrize(
    ("solve", "error", "message"),
    [
        (lambda: stiefel.solve(NOT_SYMMETRIC, B), ValueError, r"^A: the matrix is not symmetric: A\[3, 4\] is 7 and A\[4, 3\] is -1"),
        (lambda: stiefel.solve(NEGATIVE, B), ValueError, r"^A: .* its diagonal entry A\[2, 2\] is negative"),
        (lambda: stiefel.solve(WITH_NAN, B), ValueError, r"^A: .*A\[1, 2\] is nan"),
        (lambda: stiefel.solve(A.astype(complex), B), ValueError, "^A: it is complex"),
        (lambda: stiefel.solve(A, B_WITH_NAN), ValueError, "^b: entry 7 is nan"),
        (lambda: stiefel.solve(A, B, x0=B_WITH_NAN), ValueError, "^x0: entry 7 is nan"),
        (lambda: stiefel.solve(A, "ones"), ValueError, "^b: entries of type <U4"),
        (lambda: stiefel.solve(A, B[:-1]), ValueError, r"^b: expected shape \(144,\)"),
        (lambda: stiefel.solve(A[:, :-1], B), ValueError, "^A: expected a square matrix"),
        (lambda: stiefel.solve(B, B), ValueError, "^A: expected a square matrix"),
        (lambda: stiefel.solve(sp.coo_array(B), B), ValueError, "^A: expected a square matrix"),
        (lambda: stiefel.solve([[2.0]], [1.0]), TypeError, "^A: .* list has none to show; give a sparse matrix or an array$"),
        (lambda: stiefel.solve(A, B, threads="two"), ValueError, "^threads: expected a whole number"),
        (lambda: stiefel.solve(A, B, preconditioner=3), TypeError, "^M: 3 is no linear operator"),
        (lambda: stiefel.cg(A, B, M="amg"), TypeError, r"^M: 'amg' is no linear operator; stiefel.preconditioner\('amg', A\)"),
        (lambda: stiefel.cg(A, B, rtol="small"), ValueError, "^rtol: 'small'"),
        (lambda: stiefel.cg(A, B, atol=None), ValueError, "^atol: None"),
        (lambda: stiefel.cg(A, B, maxiter=-1), ValueError, "^maxiter: -1"),
        (lambda: stiefel.cg(sp.coo_array(B), B), ValueError, "expected square matrix"),
        (lambda: stiefel.eigsh(NOT_SYMMETRIC, k=2), ValueError, "eigsh needs a symmetric one"),
        (lambda: stiefel.eigsh(sp.csr_array((0, 0)), k=1), ValueError, "^A: it has no rows"),
        (lambda: stiefel.Operator(A, backend="openmp") @ A, TypeError, "^x: it is sparse"),
        (lambda: stiefel.Operator("A.mtx"), ValueError, "^A: expected a matrix"),
        (lambda: stiefel.preconditioner(None, A), TypeError, "^name: expected a word"),
        (lambda: stiefel.preconditioner(A, "amg"), TypeError, "^name: .*csr_array; A comes second"),
        (lambda: stiefel.preconditioner("amg", A, smoother="x"), TypeError, "^smoother: .*did you mean amg_smoother?"),
        (lambda: stiefel.preconditioner("jacobi", NEGATIVE), ValueError, r"A\[2, 2\] is -4, .*finite$"),
    ],
)
def test_it_is_said(solve, error, message):
    with pytest.raises(error, match=message):
        solve()


@pytest.mark.parametrize("dtype", [np.float16, np.int8, np.int64, np.longdouble, bool])
def test_other_types_are_converted(dtype):
    """Of A dense, as SciPy has no sparse matrices of all of them, and of b."""
    dense = np.eye(4, dtype=dtype)
    with pytest.warns(stiefel.ConversionWarning) as said:
        r = stiefel.solve(dense, np.ones(4, dtype))
    assert [str(warning.message).split(" is")[0] for warning in said] == ["A", "b"]
    np.testing.assert_array_equal(r.x, np.ones(4))


def test_entries_given_twice_are_added_and_that_is_said_once():
    parts = A.tocoo()
    twice = sp.coo_array((np.r_[parts.data, 1.0], (np.r_[parts.row, 0], np.r_[parts.col, 0])), shape=A.shape)
    twice.coords = tuple(numbers.astype(np.int64) for numbers in twice.coords)
    with pytest.warns(stiefel.ConversionWarning) as said:
        r = stiefel.solve(twice, B)
    assert len(said) == 1
    assert np.linalg.norm(B - twice @ r.x) <= 1e-7 * np.linalg.norm(B)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_what_lies_otherwise_is_taken():
    read_only = B.copy()
    read_only.flags.writeable = False
    for b in (read_only, B.tolist(), np.asmatrix(B).T, B[:, None]):
        assert stiefel.solve(A, b).converged
        assert stiefel.cg(A, b)[1] == 0
    for matrix in (np.asmatrix(A.toarray()), A.toarray(order="F")):
        with pytest.warns(stiefel.ConversionWarning, match="A is dense"):
            assert stiefel.solve(matrix, B).converged
    assert stiefel.solve(sp.csr_array([[2.0]]), [4.0]).x.tolist() == [2.0]
    assert stiefel.solve(sp.csr_array((0, 0)), np.ones(0)).x.shape == (0,)


def test_warnings_point_to_the_caller():
    calls = (
        lambda: stiefel.solve(A.tocoo(), B),
        lambda: stiefel.cg(A.tocoo(), B),
        lambda: stiefel.Operator(A.tocoo(), backend="openmp"),
        lambda: stiefel.preconditioner("jacobi", A.tocoo()),
        lambda: stiefel.solve(A, B, max_iterations=1, preconditioner="none"),
        lambda: stiefel.cg(WITH_NAN, B),
        lambda: stiefel.lobpcg(stiefel.generate("poisson2d", 40), np.eye(1600, 2), maxiter=1, tol=1e-12),
    )
    for call in calls:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            call()
        assert said and all(warning.filename == __file__ for warning in said)
