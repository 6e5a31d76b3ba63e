"""eigsh and lobpcg against dense eigenvalues, with SciPy's conventions."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spla

import stiefel

A = stiefel.generate("poisson2d", 20)
EXACT = np.linalg.eigvalsh(A.toarray())


@pytest.mark.parametrize(
    ("which", "wanted"),
    [("SA", EXACT[:5]), ("SM", EXACT[:5]), ("LA", EXACT[-5:]), ("LM", EXACT[-5:]), ("BE", EXACT[[0, 1, -3, -2, -1]])],
)
def test_ends(which, wanted):
    w, v = stiefel.eigsh(A, k=5, which=which, tol=1e-9)
    np.testing.assert_allclose(w, wanted, rtol=1e-8)
    assert v.shape == (400, 5) and np.linalg.norm(A @ v - v * w) < 1e-7
    np.testing.assert_allclose(stiefel.eigsh(A, k=5, which=which, return_eigenvectors=False), w, rtol=1e-8)


def test_indefinite_matrices_by_magnitude():
    matrix = sp.diags_array(np.r_[np.linspace(-10, -1, 200), np.linspace(1, 9.5, 200)]).tocsr()
    w = stiefel.eigsh(matrix, k=4, return_eigenvectors=False, tol=1e-8)
    np.testing.assert_allclose(w, np.sort(spla.eigsh(matrix, k=4, return_eigenvectors=False)), rtol=1e-7)
    with pytest.raises(NotImplementedError, match="SM"):
        stiefel.eigsh(matrix, k=2, which="SM", tol=1e-6)


def test_what_is_not_there_says_so():
    for keywords in ({"M": sp.eye_array(400)}, {"sigma": 0.0}, {"mode": "buckling"}):
        with pytest.raises(NotImplementedError):
            stiefel.eigsh(A, **keywords)
    with pytest.raises(ValueError, match="k=0"):
        stiefel.eigsh(A, k=0)
    with pytest.raises(ValueError, match="not symmetric"):
        stiefel.eigsh(sp.csr_array(np.triu(np.ones((300, 300)))), k=2)
    with pytest.raises(NotImplementedError, match="B"):
        stiefel.lobpcg(A, np.ones((400, 1)), B=A)


def test_pairs_that_are_not_found_are_scipys_error():
    with pytest.raises(spla.ArpackNoConvergence) as caught:
        stiefel.eigsh(stiefel.generate("poisson2d", 60), k=4, which="LA", tol=1e-12, maxiter=1)
    assert len(caught.value.eigenvalues) < 4


@pytest.mark.parametrize("largest", [True, False])
def test_lobpcg(largest):
    start = np.random.default_rng(1).standard_normal((400, 3))
    before = start.copy()
    m = None if largest else stiefel.preconditioner("amg", A)
    w, v = stiefel.lobpcg(A, start, M=m, largest=largest, tol=1e-8, maxiter=300)
    np.testing.assert_array_equal(start, before)
    np.testing.assert_allclose(np.sort(w), EXACT[-3:] if largest else EXACT[:3], rtol=1e-7)
    assert np.linalg.norm(A @ v - v * w) < 1e-6
    with pytest.warns(stiefel.ConvergenceWarning, match="lobpcg: max iterations"):
        stiefel.lobpcg(A, start, tol=1e-12, maxiter=1)
