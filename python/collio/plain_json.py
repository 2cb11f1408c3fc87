"""JSON that may come from anywhere: a text is read, or a ValueError says why it is not."""

from __future__ import annotations

import json
from typing import Any, Callable

JsonObject = dict[str, Any]
"""A JSON object whose keys are listed elsewhere: a document that is printed, a line that a measuring program
printed."""


def parse(text: str, pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """The document of a text. Raises ValueError, a JSONDecodeError where there is a line to name.

    What Python's own reader raises something else for, or accepts, is refused as well: nesting beyond its
    stack, NaN and Infinity, halves of surrogate pairs, which no file or terminal takes.
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


def document_text(document: JsonObject) -> str:
    """A document of measurements: one key a line, one element a line where it has objects, everything else on
    its line."""
    lines = ",\n".join(f" {json.dumps(key)}: {_value_text(value)}" for key, value in document.items())
    return "{\n" + lines + "\n}\n"


def _value_text(value: Any) -> str:
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        return "[\n" + ",\n".join(f"  {json.dumps(one)}" for one in value) + "\n ]"
    return json.dumps(value)
