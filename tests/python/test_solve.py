"""solve: the program's options and report, results, warnings and errors."""

import inspect
import json

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spla

import stiefel
from stiefel import _core

A = stiefel.generate("poisson2d", 40)
N = A.shape[0]
B = np.random.default_rng(1).standard_normal(N)

# What the command line has and a call has not, and why.
NOT_KEYWORDS = {
    "help": "docstrings are",
    "help-all": "docstrings are",
    "rhs": "b",
    "guess": "x0",
    "cache": "the matrix is in memory",
    "output": "Result.x",
    "history": "Result.history",
    "json": "Result.report",
    "quiet": "nothing is printed",
    "partition": "the rows lie with one process",
    "scale": "an operator keeps A as it is; A and b can be scaled before",
}


def solve(*arguments, **keywords):
    return stiefel.solve(*arguments, **{"backend": "openmp"} | keywords)


def residual(x, b=B):
    return np.max(np.linalg.norm(b - A @ x, axis=0) / np.linalg.norm(b, axis=0))


def test_every_option_of_the_program_is_a_keyword():
    keywords = set(inspect.signature(stiefel.solve).parameters)
    options = {name.replace("-", "_") for name in _core.names_of_solve_options()} - set(NOT_KEYWORDS)
    assert options <= keywords
    assert keywords - options <= {"A", "b", "x0", "callback"}


def test_a_result_says_all():
    seen = []
    r = solve(A, B, callback=lambda iteration, residual: seen.append((iteration, residual)))
    assert r.reason == "converged" and r.converged and r.raise_for_status() is r
    assert residual(r.x) <= 1e-8 and abs(r.residual - residual(r.x)) < 1e-12
    assert len(r.history) == r.iterations + 1 == len(seen)
    assert r.report["result"]["iterations"] == r.iterations and r.report["command"] == "solve"
    assert json.loads(json.dumps(r.report)) == r.report
    assert {"name", "calls", "seconds"} <= set(r.kernels[0])
    assert repr(r).startswith(f"<stiefel.Result converged: {r.iterations} iterations with ") and "\n" not in repr(r)
    with pytest.raises(AttributeError):
        r.x = None


def test_a_notebook_shows_plot_and_kernels():
    r = solve(A, B, report=True)
    shown = r._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "&lt;svg" in shown and "spmv" in shown
    assert "<svg" in r.page and "spmv" in r.page


@pytest.mark.parametrize("name", ["none", "jacobi", "block-jacobi", "chebyshev", "amg", "fsai", "ic", "ssor", "cholesky"])
@pytest.mark.parametrize("precision", ["double", "single"])
def test_all_preconditioners(name, precision):
    r = solve(A, B, preconditioner=name, precision=precision, rtol=1e-5)
    assert r.converged and r.report["method"]["preconditioner"] == name
    assert residual(r.x.astype(float)) <= 2e-5
    assert r.x.dtype == (np.float64 if precision == "double" else np.float32)


@pytest.mark.parametrize("backend", ["serial", "openmp"])
def test_formats_and_backends(backend):
    for name in ("csr", "sell", "ellpack"):
        r = stiefel.solve(A, B, format=name, backend=backend, preconditioner="jacobi")
        assert r.report["matrix"]["format"] == name and r.report["backend"]["name"] == backend and residual(r.x) <= 1e-8


@pytest.mark.parametrize("solver", ["cg", "block-cg", "both"])
def test_many_right_hand_sides(solver):
    right = np.random.default_rng(2).standard_normal((N, 5))
    r = solve(A, right, solver=solver, block=3)
    assert r.x.shape == right.shape and residual(r.x, right) <= 1e-8
    assert [column["reason"] for column in r.report["columns"]] == ["converged"] * 5
    again = solve(A, right, x0=r.x)
    assert again.iterations == 0


@pytest.mark.parametrize("order", ["rcm", "amd"])
def test_reordered(order):
    shuffle = np.random.default_rng(4).permutation(N)
    mixed = A[shuffle][:, shuffle].tocsr()
    mixed.sort_indices()
    r = solve(mixed, B, reorder=order)
    assert np.linalg.norm(B - mixed @ r.x) <= 1e-8 * np.linalg.norm(B)
    assert r.report["method"]["reorder"] == order


def test_an_operator_keeps_what_was_prepared():
    operator = stiefel.Operator(A, backend="openmp")
    first = stiefel.solve(operator, B, preconditioner="amg")
    second = stiefel.solve(operator, 2 * B, preconditioner="amg")
    np.testing.assert_allclose(second.x, 2 * first.x, rtol=1e-12, atol=1e-14)
    assert second.report["seconds"]["setup"] < first.report["seconds"]["setup"]
    assert second.report["seconds"]["convert"] < 1e-3
    other = stiefel.solve(operator, B, preconditioner="jacobi")
    assert other.report["method"]["preconditioner"] == "jacobi" and residual(other.x) <= 1e-8
    with pytest.raises(ValueError, match="backend: it is the operator's"):
        stiefel.solve(operator, B, backend="serial")


def test_a_preconditioner_of_ones_own():
    operator = stiefel.Operator(A, backend="openmp")
    m = stiefel.preconditioner("amg", operator)
    r = stiefel.solve(operator, B, preconditioner=m)
    assert r.converged and r.iterations < 20
    jacobi = spla.aslinearoperator(sp.diags_array(1 / A.diagonal()))
    r = stiefel.solve(operator, B, preconditioner=jacobi)
    assert r.converged and residual(r.x) <= 1e-8

    problem = OSError("mine")

    def fail(x):
        raise problem

    with pytest.raises(OSError) as caught:
        solve(A, B, preconditioner=spla.LinearOperator(A.shape, matvec=fail, dtype=float))
    assert caught.value is problem


def test_not_converging_is_a_value_with_a_warning():
    with pytest.warns(stiefel.ConvergenceWarning, match="not converged"):
        r = solve(A, B, max_iterations=3, preconditioner="none")
    assert r.reason == "max_iterations" and r.iterations == 3
    with pytest.raises(stiefel.ConvergenceError) as caught:
        r.raise_for_status()
    assert caught.value.result is r


def test_an_error_of_the_callback_comes_out_unchanged():
    problem = LookupError("mine")

    def fail(iteration, residual):
        raise problem

    with pytest.raises(LookupError) as caught:
        solve(A, B, callback=fail)
    assert caught.value is problem


def changed(row, col, value):
    matrix = A.tolil()
    matrix[row, col] = value
    return matrix.tocsr()


@pytest.mark.parametrize(
    ("matrix", "b", "keywords", "message"),
    [
        (changed(3, 4, 5.0), B, {}, r"A: the matrix is not symmetric: A\[3, 4\] is 5 and A\[4, 3\] is -1"),
        (changed(7, 7, -1.0), B, {}, r"A: the matrix is not positive definite: its diagonal entry A\[7, 7\] is negative"),
        (A[:, :9], B, {}, "A: expected a square matrix"),
        (A.astype(complex), B, {}, "A: it is complex; stiefel.cg"),
        (A, B[:9], {}, r"b: expected shape \(1600,\)"),
        (A, np.r_[B[:9], np.nan, B[10:]], {}, "b: entry 9 is nan"),
        (A, B, {"x0": B[:9]}, "x0: expected the shape of b"),
        (A, B, {"rtol": 2}, "rtol: expected a number of at least 0 and below 1, got '2'"),
        (A, B, {"preconditioner": "amgg"}, "preconditioner: expected one of .*did you mean 'amg'"),
        (A, B, {"solver": 3}, "solver"),
        (A, B, {"threads": 1.5}, "threads: 1.5 is no whole number"),
        (A, B, {"ic_level": 2}, "ic_level is for preconditioner ic"),
        (A, B, {"device": 0}, "device: the openmp backend computes on the host"),
        (A, B, {"precision": "half"}, "precision: expected one of double, single"),
        (A, B, {"coordinates": np.zeros((3, 4)), "preconditioner": "amg"}, "coordinates: expected a row of 2 or 3"),
    ],
)
def test_bad_input_is_a_value_error_that_names_argument_and_entry(matrix, b, keywords, message):
    with pytest.raises(ValueError, match=message):
        solve(matrix, b, **keywords)


def test_what_has_no_entries_is_sent_to_cg():
    with pytest.raises(TypeError, match="take stiefel.cg"):
        solve(spla.aslinearoperator(A), B)


@pytest.mark.skipif(stiefel.n_devices() > 0, reason="there is a device")
def test_no_device_is_a_runtime_error():
    with pytest.raises(RuntimeError, match=r"(?i)cuda"):
        stiefel.solve(A, B, backend="cuda")


def test_elastic_bodies_take_coordinates():
    body = stiefel.generate("elasticity3d", 6)
    n = body.shape[0]
    nodes = np.random.default_rng(1).standard_normal((n // 3, 3))
    r = solve(body, np.ones(n), preconditioner="amg", coordinates=nodes)
    assert r.converged


def test_single_precision_of_matrices_far_from_one():
    r = solve(A * 2.0**200, B * 2.0**200, precision="single", rtol=1e-5)
    assert r.converged and residual(r.x.astype(float)) <= 2e-5


def test_the_diagonal_of_a_dense_matrix():
    with pytest.warns(stiefel.ConversionWarning, match="A is dense"):
        r = solve(np.diag([1.0, 2.0, 4.0]), np.ones(3))
    np.testing.assert_allclose(r.x, [1, 0.5, 0.25])
