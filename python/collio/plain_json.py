"""JSON that may come from anywhere: a text is read, or a ValueError says why it is not."""

from __future__ import annotations

import json
from typing import Any, Callable

JsonObject = dict[str, Any]
"""A JSON object whose keys are listed elsewhere: a document that is printed, a line that a measuring program printed."""


def parse(text: str, pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """The document of a text. Raises ValueError, a JSONDecodeError where there is a line to name.

    What Python's own reader raises something else for, or accepts, is refused as well: nesting beyond its stack, NaN and
    Infinity, halves of surrogate pairs, which no file or terminal takes.
    """
    try:
        document = json.loads(text, object_pairs_hook=pairs_hook, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if "\\ud" in text.lower():
        try:
            json.dumps(document, ensure_ascii=False).encode()
        except (UnicodeEncodeError, RecursionError):
            raise ValueError("has half of a surrogate pair") from None
    return document


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number of JSON")
