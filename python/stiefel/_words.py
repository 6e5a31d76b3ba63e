"""Keywords as the options of the program, which are the same words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def words_of(keywords: Mapping[str, Any]) -> list[str]:
    """``{"max_iterations": 5, "format": None}`` as ``["--max-iterations=5"]``: None leaves an option out.

    >>> words_of({"max_iterations": 5, "format": None, "rtol": 1e-8})
    ['--max-iterations=5', '--rtol=1e-08']
    """
    words = []
    for name, value in keywords.items():
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, (int, float, str)) and not hasattr(value, "__float__"):
            raise ValueError(f"{name}: {value!r} is neither a number nor a word")
        text = value if isinstance(value, str) else repr(value) if isinstance(value, (int, float)) else repr(value.item())
        words.append(f"--{name.replace('_', '-')}={text}")
    return words
