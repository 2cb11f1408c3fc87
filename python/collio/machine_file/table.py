"""Strict reading of one table of a machine file: every value is checked, every message names its key.

A file is read once and used for a long time, and a key that is silently ignored is a wrong result
later. So unknown keys are errors, and nothing is converted from one type to another.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from typing import Any, Callable, TypeVar, cast

from collio.machine_file import units
from collio.machine_file.errors import MachineFileError
from collio.plain_json import JsonObject

T = TypeVar("T")
REQUIRED: Any = object()
"""Default of a key that must be there."""

MOST_SHOWN = 60
"""Characters of a value in a message."""


class Table:
    """A table at `key` of `file` ("" is the file's top level). All methods raise MachineFileError."""

    def __init__(self, values: JsonObject, file: str, key: str = ""):
        self.values, self.file, self.key = values, file, key

    def path(self, key: str) -> str:
        return f"{self.key}.{key}" if self.key else key

    def fail(self, key: str, problem: str) -> MachineFileError:
        """The error to raise about `key` of this table."""
        return MachineFileError(f"{self.file}: {self.path(key)}: {problem}")

    def only(self, keys: Iterable[str], whose: str = "") -> None:
        """Raises for the first key that is not one of `keys`; `whose` says what has these keys, if not the
        table."""
        keys = tuple(keys)
        for key in self.values:
            if key not in keys:
                allowed = f"allowed{f' for {whose}' if whose else ''} are {', '.join(keys)}"
                raise self.fail(key, f"no such key; {close_match(key, keys, self.path)}{allowed}")

    def get(self, key: str, read: Callable[[Any, str], T], default: Any = REQUIRED) -> T:
        """`read(value, key)`, or the default of an absent key."""
        if key in self.values:
            return read(self.values[key], key)
        if default is REQUIRED:
            raise self.fail(key, "is missing")
        return cast(T, default)  # of another type only where T admits it

    # --- kinds of values: readers for `get`, with the key for their messages

    def text(self, value: Any, key: str) -> str:
        """A text of one line, not empty."""
        if not isinstance(value, str):
            raise self.fail(key, f"{show(value)} is not allowed; allowed is a text")
        if not value.strip() or not value.isprintable():
            raise self.fail(key, f"{show(value)} is not allowed; allowed is a line of text that is not empty")
        return value

    def integer(self, low: int, high: int) -> Callable[[Any, str], int]:
        def read(value: Any, key: str) -> int:
            if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
                raise self.fail(key, f"{show(value)} is not allowed; allowed is an integer {low}..{high}")
            return value

        return read

    def choice(self, words: Iterable[str]) -> Callable[[Any, str], str]:
        words = tuple(words)

        def read(value: Any, key: str) -> str:
            if value not in words:
                allowed = ", ".join(map(show, words))
                raise self.fail(
                    key,
                    f"{show(value)} is not allowed; {close_match(value, words, show)}allowed is {allowed}",
                )
            return str(value)

        return read

    def rate(self, value: Any, key: str) -> float:
        """Bytes per second."""
        return self._quantity(value, key, units.parse_rate, units.RATE)

    def size(self, value: Any, key: str) -> int:
        """Bytes."""
        return self._quantity(value, key, units.parse_size, units.SIZE)

    def time(self, value: Any, key: str) -> float:
        """Seconds."""
        return self._quantity(value, key, units.parse_time, units.TIME)

    def _quantity(self, value: Any, key: str, parse: Callable[[str], T], kind: units.Quantity) -> T:
        if not isinstance(value, str):
            raise self.fail(
                key, f'{show(value)} is not allowed; allowed is a {kind.name} as text, as in "{kind.example}"'
            )
        try:
            return parse(value)
        except units.UnitError as error:
            raise self.fail(key, str(error)) from None

    def array(self, read: Callable[[Any, str], T]) -> Callable[[Any, str], tuple[T, ...]]:
        def read_all(value: Any, key: str) -> tuple[T, ...]:
            if not isinstance(value, list):
                raise self.fail(key, f"{show(value)} is not allowed; allowed is an array")
            return tuple(read(item, f"{key}[{index}]") for index, item in enumerate(value))

        return read_all

    def for_each(
        self, count: int, whom: str, read: Callable[[Any, str], T]
    ) -> Callable[[Any, str], tuple[T, ...]]:
        """One value for all `count` of `whom`, or an array with one for each."""

        def read_for_each(value: Any, key: str) -> tuple[T, ...]:
            if not isinstance(value, list):
                return (read(value, key),) * count
            if len(value) != count:
                raise self.fail(
                    key,
                    f"{len(value)} values for {count} {whom}; allowed is one for all, or an array of {count}",
                )
            return self.array(read)(value, key)

        return read_for_each

    def table(self, value: Any, key: str) -> Table:
        if not isinstance(value, dict):
            raise self.fail(key, f"{show(value)} is not allowed; allowed is a table")
        return Table(value, self.file, self.path(key))


def show(value: Any) -> str:
    """A value of a file for a message."""
    kinds: dict[type, str] = {dict: "a table", list: "an array"}
    if type(value) in kinds:
        return kinds[type(value)]
    text = (
        json.dumps(value, ensure_ascii=False)
        if value is None or isinstance(value, (bool, int, float, str))
        else str(value)
    )
    return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "..."


def close_match(value: Any, words: Iterable[str], shown: Callable[[str], str]) -> str:
    """ "did you mean WORD? " where one of `words` is like the value, else ""."""
    near = difflib.get_close_matches(value, list(words), n=1) if isinstance(value, str) else []
    return f"did you mean {shown(near[0])}? " if near else ""


def even_share(table: Table, key: str, parts: int, count: int, whole: str = "nodes.count") -> int:
    """How many of `count` each of `parts` gets; raises about `key`, and `whole`, which has this count, when
    that does not go."""
    if count % parts:
        divisors = [str(number) for number in range(1, count + 1) if count % number == 0]
        raise table.fail(key, f"{parts} does not divide {whole} {count}; allowed is {', '.join(divisors)}")
    return count // parts
