"""Arguments that a program gives: whether they are what they must be."""

from __future__ import annotations

import operator
from typing import Any


def whole_number(name: str, value: Any, allowed: str) -> int:
    """An integer of any kind, NumPy's among them. Raises TypeError, which says what is allowed."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; allowed: {allowed}") from None
