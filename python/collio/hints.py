"""The hints collio understands: one table for `collio run`, `collio info` and the documentation.

The engine has the same table in src/policy/hints.*; a test compares the two. A value is checked
here before a job starts, because a misspelt hint found after an hour in the queue is an hour lost.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

SIZE_UNITS = {
    "": 1, "b": 1,
    "k": 1 << 10, "kb": 1 << 10, "kib": 1 << 10,
    "m": 1 << 20, "mb": 1 << 20, "mib": 1 << 20,
    "g": 1 << 30, "gb": 1 << 30, "gib": 1 << 30,
}
"""Suffixes of a size, all powers of two as in ROMIO's and Lustre's own tools."""

PASSED_ON_PREFIXES = ("cb_", "romio_", "striping_", "ind_")
"""Names of other I/O layers: collio hands them on to the MPI library although it has no use for them."""


class HintError(ValueError):
    """A hint that cannot be used; the message names the value and what is allowed."""


@dataclass(frozen=True)
class Hint:
    """One hint. `choices` is empty for numbers and for free text."""

    key: str
    meaning: str
    default: str
    kind: str  # "choice" | "count" | "size" | "text"
    choices: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """What a value may be, for people."""
        return {
            "choice": " | ".join(self.choices),
            "count": "a whole number, 1 or more",
            "size": "bytes, 1 or more (4194304, 4MiB, 512k)",
            "text": "text",
        }[self.kind]

    def parse(self, value: str) -> str:
        """`value` as the engine wants it (sizes in bytes). Raises HintError."""
        text = value.strip()
        parsed = {
            "choice": self._parse_choice,
            "count": self._parse_count,
            "size": self._parse_size,
            "text": lambda given: given if given and not set(given) & set(";\n") else None,
        }[self.kind](text)
        if parsed is None:
            raise HintError(f"{self.key}={value}: not allowed; allowed is {self.allowed}")
        return parsed

    def _parse_choice(self, text: str) -> str | None:
        return text.lower() if text.lower() in self.choices else None

    def _parse_count(self, text: str) -> str | None:
        return str(int(text)) if re.fullmatch(r"\d{1,9}", text) and int(text) > 0 else None

    def _parse_size(self, text: str) -> str | None:
        size = parse_size(text)
        return str(size) if size is not None and 0 < size < 1 << 62 else None


_SWITCH = ("enable", "disable", "automatic")

HINTS: tuple[Hint, ...] = (
    Hint("collio_enable", "collio takes the file over, or leaves it to the MPI library",
         "enable", "choice", ("enable", "disable")),
    Hint("collio_path", "how collective calls move bytes",
         "auto", "choice", ("auto", "two_phase", "independent")),
    Hint("collio_holes", "how a window with bytes nobody wrote reaches the file",
         "auto", "choice", ("auto", "piecewise", "sieve")),
    Hint("cb_nodes", "number of aggregators, the ranks that access the file",
         "one per node", "count"),
    Hint("cb_buffer_size", "bytes an aggregator collects before it accesses the file",
         "16777216", "size"),
    Hint("cb_config_list", "nodes that may have aggregators, and how many (*:1)",
         "*:1", "text"),
    Hint("romio_cb_write", "two-phase collective writes", "automatic", "choice", _SWITCH),
    Hint("romio_cb_read", "two-phase collective reads", "automatic", "choice", _SWITCH),
    Hint("romio_ds_write", "read-modify-write over holes (data sieving)", "automatic", "choice", _SWITCH),
    Hint("romio_ds_read", "one large read over holes (data sieving)", "automatic", "choice", _SWITCH),
    Hint("striping_unit", "bytes of one stripe; file domains are aligned to it",
         "from the file system", "size"),
)

BY_KEY = {hint.key: hint for hint in HINTS}


def parse_size(text: str) -> int | None:
    """Bytes of "4194304", "4MiB" or "512k"; None when it is no size."""
    match = re.fullmatch(r"(\d{1,19})\s*([a-zA-Z]*)", text.strip())
    if not match or match.group(2).lower() not in SIZE_UNITS:
        return None
    return int(match.group(1)) * SIZE_UNITS[match.group(2).lower()]


def check_hint(key: str, value: str) -> tuple[str, str | None]:
    """(value as the engine wants it, warning or None). Raises HintError for what cannot be used."""
    hint = BY_KEY.get(key)
    if hint:
        return hint.parse(value), None
    near = difflib.get_close_matches(key, BY_KEY, n=1)
    suggestion = f"; did you mean {near[0]}?" if near else ""
    if not key.startswith(PASSED_ON_PREFIXES):
        raise HintError(f"{key}={value}: no such hint{suggestion} (`collio info` lists them)")
    if not value or set(key + value) & set(";\n"):
        raise HintError(f"{key}={value}: a hint is one key and one value without ';'")
    return value, f"{key} is no hint of collio; it is passed on to the MPI library{suggestion}"


def split_assignment(text: str) -> tuple[str, str]:
    """("key", "value") of "key=value". Raises HintError."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip() or not value.strip():
        raise HintError(f"{text!r}: a hint is written key=value")
    return key.strip(), value.strip()


def decode_hints(text: str) -> dict[str, str]:
    """Hints of a COLLIO_HINTS value ("key=value;key=value"), unchecked."""
    pairs = (part.partition("=") for part in text.split(";") if part.strip())
    return {key.strip(): value.strip() for key, _, value in pairs}


def encode_hints(hints: dict[str, str]) -> str:
    """COLLIO_HINTS for the ranks."""
    return ";".join(f"{key}={value}" for key, value in hints.items())
