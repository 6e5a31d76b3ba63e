"""How a solve ended, with all that the program tells of it."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from . import _core
from ._arrays import Array
from ._warnings import ConvergenceError, ConvergenceWarning, in_words_of_python, warn_caller

Reason = Literal[
    "converged", "max_iterations", "not_positive_definite", "stagnated", "not_finite", "interrupted", "time_limit", "failed"
]  # fmt: skip


@dataclass(frozen=True, repr=False, eq=False)
class Result:
    """How a solve ended.

    Attributes
    ----------
    x : array of the shape of b
        The solution, or how far it came.
    reason : str
        "converged", or why not: "max_iterations", "time_limit", "not_positive_definite", "stagnated", "not_finite",
        "interrupted", "failed".
    iterations : int
        Of all right-hand sides together.
    residual : float
        ``|b - A x| / |b|``, computed afresh from x; the largest of many right-hand sides.
    history : array
        The relative residual after iteration 0, 1, 2, ..., as the recurrence carries it.
    kernels : list of dict
        Calls, seconds and rates of each kernel.
    report : dict
        What ``stiefel solve --json`` writes.
    notes : tuple of str
        What was found on the way that is worth knowing.
    """

    x: Any
    reason: Reason
    iterations: int
    residual: float
    history: Array
    kernels: list[dict[str, Any]]
    report: dict[str, Any]
    notes: tuple[str, ...]
    outcome: str
    _solution: _core.Solution = field(repr=False)

    @property
    def converged(self) -> bool:
        """Whether the tolerance is met, by the residual computed afresh."""
        return self.reason == "converged"

    def raise_for_status(self) -> Result:
        """Raises `ConvergenceError` unless the solve has converged; else gives the result itself."""
        if not self.converged:
            raise ConvergenceError(self._sentence(), self)
        return self

    @property
    def page(self) -> str:
        """The report as a page of HTML, as ``stiefel solve --report`` writes it; all of it with ``report=True``."""
        return self._solution.page()

    def _sentence(self) -> str:
        return in_words_of_python(f"{self.outcome}, |b - A x| / |b| = {self.residual:.2e}")

    def __repr__(self) -> str:
        method = self.report["method"]
        return (
            f"<stiefel.Result {self.reason}: {self.iterations} iterations with {method['preconditioner']}, "
            f"residual {self.residual:.1e}, {self.report['seconds']['total']:.3g} s>"
        )

    def _repr_html_(self) -> str:
        page = html.escape(self._solution.short_page(), quote=True)
        return (
            f'<iframe srcdoc="{page}" title="stiefel.solve" '
            'style="width:100%;height:46rem;border:0" sandbox=""></iframe>'
        )


def finished(solution: _core.Solution, x: Any) -> Result:
    """The result; raises what was raised on the way, and warns where it has not converged."""
    facts = solution.facts()
    report = json.loads(solution.json())
    notes = tuple(in_words_of_python(note) for note in facts["notes"])
    result = Result(
        x, facts["reason"], facts["iterations"], facts["residual"], np.asarray(facts["history"]), report["kernels"],
        report, notes, facts["outcome"], solution,
    )  # fmt: skip
    raised = solution.raised
    if raised is not None:
        if isinstance(raised, KeyboardInterrupt):
            raised.x, raised.result = x, result  # type: ignore[attr-defined]
        raise raised
    if facts["fault"] is not None:
        raise RuntimeError(in_words_of_python(facts["fault"]))
    if not result.converged:
        advice = " ".join(in_words_of_python(sentence) for sentence in facts["advice"])
        warn_caller(f"{result._sentence()}. {advice}".strip(), ConvergenceWarning)
    return result
