"""What the package says beside results: warnings, an error, and messages in the words of Python."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import warnings
from collections.abc import Iterator
from typing import Any


class ConversionWarning(UserWarning):
    """An array was not of a kind that is taken as it lies, and was copied once."""


class ConvergenceWarning(UserWarning):
    """A solve has ended without an answer of the accuracy that was asked for."""


class ConvergenceError(RuntimeError):
    """Raised by ``Result.raise_for_status`` for a solve that has not converged.

    Attributes
    ----------
    result : Result
        The solve; its ``x`` is how far it came.
    """

    def __init__(self, message: str, result: Any) -> None:
        super().__init__(message)
        self.result = result


def warn_caller(message: str, category: type[Warning]) -> None:
    """A warning at the line that called this package."""
    here, frame, level = os.path.dirname(__file__), sys._getframe(1), 2
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == here:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


_FLAG = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")
_ENTRY = re.compile(r"(?<!diagonal )entry \((\d+), (\d+)\)|(?<=diagonal entry) \((\d+), (\d+)\)")
_HINT = re.compile(r"; 'stiefel info [^']*' shows how far from it this is| \(rows count from 1\)")
_PROGRAM = re.compile(r"'stiefel eigen'")


def in_words_of_python(message: str) -> str:
    """A message of the program: options become keywords, entries are counted from 0.

    >>> in_words_of_python("--max-iterations -1: give 0 or more")
    'max_iterations -1: give 0 or more'
    >>> in_words_of_python("A: the matrix is not symmetric: entry (1, 2) is 3 and entry (2, 1) is 4")
    'A: the matrix is not symmetric: A[0, 1] is 3 and A[1, 0] is 4'
    >>> in_words_of_python("A: its diagonal entry (3, 3) is negative")
    'A: its diagonal entry A[2, 2] is negative'
    """
    message = _PROGRAM.sub("eigsh", _HINT.sub("", message))
    message = _FLAG.sub(lambda flag: flag[1].replace("-", "_"), message)
    return _ENTRY.sub(_counted_from_0, message)


def _counted_from_0(entry: re.Match[str]) -> str:
    row, column = (int(number) - 1 for number in entry.groups() if number is not None)
    return f"{' ' if entry[3] else ''}A[{row}, {column}]"


@contextlib.contextmanager
def python_errors() -> Iterator[None]:
    """Errors of the compiled module leave in the words of Python."""
    try:
        yield
    except (ValueError, RuntimeError, MemoryError) as error:
        if type(error) not in (ValueError, RuntimeError, MemoryError):
            raise
        raise type(error)(in_words_of_python(str(error))) from None
