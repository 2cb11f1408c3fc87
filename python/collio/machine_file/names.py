"""Names of nodes and switches. The lab gives them to hosts, so host names they are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Callable

from collio.machine_file.table import Table, close_match, show

HOST_NAME = re.compile(
    r"(?=.{1,63}$)[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*"
)


def read_name(table: Table) -> Callable[[object, str], str]:
    """Reader of a name for `Table.get`. "localhost" is what every host calls itself, and numbers may be
    addresses."""

    def read(value: object, key: str) -> str:
        if not isinstance(value, str) or not HOST_NAME.fullmatch(value) or value.lower() == "localhost":
            raise table.fail(
                key,
                f"{show(value)} is not allowed; allowed is a host name but localhost: letters, digits, '-' "
                "and '.', "
                "first a letter, at most 63",
            )
        return value

    return read


def read_vertex(table: Table, numbers: dict[str, int]) -> Callable[[object, str], int]:
    """Reader of a vertex by its name for `Table.get`."""

    def read(value: object, key: str) -> int:
        if not isinstance(value, str) or value not in numbers:
            raise table.fail(
                key,
                f"{show(value)} is not allowed; {close_match(value, numbers, show)}allowed is the name of a "
                "node or switch",
            )
        return numbers[value]

    return read


def check_distinct(table: Table, key: str, names: Iterable[str], taken: Iterable[str] = ()) -> None:
    """Raises when one of `names`, at `key`, is there twice or `taken`. Host names do not tell capitals from
    small letters."""
    seen = {name.lower() for name in taken}
    for index, name in enumerate(names):
        if name.lower() in seen:
            raise table.fail(
                f"{key}[{index}]",
                f"{show(name)} is there already; allowed are names that differ, not in capitals alone",
            )
        seen.add(name.lower())
