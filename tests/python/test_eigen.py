"""eigsh and lobpcg against dense eigenvalues, with SciPy's conventions."""

import inspect

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


def test_the_signatures_are_scipys():
    for ours, theirs in ((stiefel.eigsh, spla.eigsh), (stiefel.lobpcg, spla.lobpcg)):
        mine, scipys = (inspect.signature(function).parameters for function in (ours, theirs))
        assert [(p.name, p.default) for p in mine.values()] == [(p.name, p.default) for p in scipys.values()]


@pytest.mark.parametrize(
    ("argument", "keywords"),
    [
        ("M", {"M": sp.eye_array(400)}),
        ("M", {"M": sp.eye_array(400), "Minv": sp.eye_array(400)}),
        ("sigma", {"sigma": 0.0}),
        ("sigma", {"sigma": 0.0, "OPinv": sp.eye_array(400), "mode": "cayley"}),
        ("mode", {"mode": "buckling"}),
        ("k", {"k": 65}),
        ("A", {"A": spla.aslinearoperator(A)}),
        ("A", {"A": A.astype(complex)}),
    ],
)
def test_what_is_not_there_says_so(argument, keywords):
    with pytest.raises(NotImplementedError, match=f"^{argument}: .*take .*SciPy's eigsh"):
        stiefel.eigsh(**{"A": A, **keywords})


@pytest.mark.parametrize(
    "keywords",
    [
        {"Minv": sp.eye_array(400)},
        {"sigma": 1.0, "Minv": sp.eye_array(400), "M": sp.eye_array(400)},
        {"OPinv": sp.eye_array(400)},
        {"k": 0},
        {"which": "XX"},
        {"which": "LR"},
        {"maxiter": 0},
        {"k": 4, "ncv": 4},
        {"A": A[:, :-1]},
    ],
)
def test_what_scipy_refuses_is_refused(keywords):
    for eigsh in (stiefel.eigsh, spla.eigsh):
        with pytest.raises(ValueError, match=r"\w"):
            eigsh(**{"A": A, **keywords})


def test_other_arguments_that_cannot_be():
    for keywords in ({"tol": -1.0}, {"tol": "fine"}, {"tol": float("nan")}, {"v0": np.ones(3)}, {"mode": "other"}, {"k": 401}, {"k": True}):
        with pytest.raises(ValueError, match=next(iter(keywords))):
            stiefel.eigsh(A, **keywords)
    with pytest.raises(TypeError):
        stiefel.eigsh(A, k=2.5)
    with pytest.raises(ValueError, match="not symmetric"):
        stiefel.eigsh(sp.csr_array(np.triu(np.ones((300, 300)))), k=2)
    for argument in ("B", "Y", "retLambdaHistory", "retResidualNormsHistory", "verbosityLevel"):
        with pytest.raises(NotImplementedError, match=f"^{argument}: "):
            stiefel.lobpcg(A, np.ones((400, 1)), **{argument: np.ones((400, 1)) if len(argument) == 1 else True})
    with pytest.raises(NotImplementedError, match="^A: "):
        stiefel.lobpcg(A.toarray(), np.ones((400, 1)))
    w = stiefel.eigsh(A, k=2, which="LA", v0=np.ones(400), ncv=20, rng=1, tol=1e-9, return_eigenvectors=False)
    np.testing.assert_allclose(w, EXACT[-2:], rtol=1e-8)


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
