"""Checks a report by the table of its fields (records.py), once, when it is read: nothing behind that asks
for types.

Reports are kept, sent around, cut off and written by other versions of collio. A field that is missing,
unknown or of another type is an error that names it. Null becomes what readers take it for: 0 where a number
is not finite, and absent where a field may be.
"""

from __future__ import annotations

from typing import Any, Callable

from collio.report.records import FIELDS

MOST = 2**64
MOST_NODES = 1024
"""Of a list of flows: more than the engine ever counts them for."""
NULLABLE = ("Seconds", "Number")


class FieldError(ValueError):
    """A field that holds something else than it has to; the message names the field."""


def check_document(document: Any) -> None:
    """Of `collio run --report`. Raises FieldError. Takes nulls out."""
    _check("Document", document, "")
    for index, file in enumerate(document["files"]):
        _check_values(file, f"files[{index}]")


def check_file(line: Any) -> None:
    """One line of the engine. Raises FieldError. Takes nulls out."""
    _check("File", line, "")
    _check_values(line, "")


def check_rank(line: Any) -> None:
    """What a rank leaves at its exit. Raises FieldError. Takes nulls out."""
    _check("Exit", line, "")


def _check(kind: str, value: Any, place: str) -> None:
    if kind in FIELDS:
        _check_record(FIELDS[kind], value, place)
    elif kind.startswith("List<"):
        _list(lambda one, where: _check(kind[5:-1], one, where))(value, place)
    else:
        PLAIN[kind](value, place)


def _check_record(fields: dict[str, str], value: Any, place: str) -> None:
    if not isinstance(value, dict):
        raise FieldError(f"{place or 'it'} is no table")
    for key in value:
        if key not in fields:
            raise FieldError(f"{_join(place, key)} is unknown; another version of collio may have written it")
    for key, kind in fields.items():
        optional = kind.startswith("Maybe<") or kind == "NameOrNull"
        if optional and value.get(key) is None:
            value.pop(key, None)
        elif key not in value:
            raise FieldError(f"{_join(place, key)} is missing")
        elif kind in NULLABLE and value[key] is None:
            value[key] = 0.0
        else:
            _check(kind[6:-1] if kind.startswith("Maybe<") else kind, value[key], _join(place, key))


def _join(place: str, key: str) -> str:
    return f"{place}.{key}".lstrip(".")


def _number(value: Any, place: str) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -MOST <= value <= MOST:
        raise FieldError(f"{place} is no number")


def _whole(value: Any, place: str) -> None:
    _number(value, place)
    if not isinstance(value, int):
        raise FieldError(f"{place} is no whole number")


def _text(value: Any, place: str) -> None:
    if not isinstance(value, str):
        raise FieldError(f"{place} is no text")


def _flag(value: Any, place: str) -> None:
    if not isinstance(value, bool):
        raise FieldError(f"{place} is neither true nor false")


def _table(value: Any, place: str) -> None:
    if not isinstance(value, dict):
        raise FieldError(f"{place} is no table")
    for key, one in value.items():
        _text(one, f"{place}.{key}")


Check = Callable[[Any, str], None]


def _list(check: Check) -> Check:
    def walk(value: Any, place: str) -> None:
        if not isinstance(value, list):
            raise FieldError(f"{place} is no list")
        for index, one in enumerate(value):
            check(one, f"{place}[{index}]")

    return walk


def _flow(value: Any, place: str) -> None:
    """[from, to, bytes]."""
    if (
        not isinstance(value, list)
        or len(value) != 3
        or not all(isinstance(node, int) and 0 <= node < MOST_NODES for node in value[:2])
    ):
        raise FieldError(f"{place} is not [from, to, bytes]")
    _whole(value[2], place)


PLAIN: dict[str, Check] = {
    "Text": _text,
    "Count": _whole,
    "Bytes": _whole,
    "Seconds": _number,
    "Number": _number,
    "Flag": _flag,
    "Texts": _list(_text),
    "Counts": _list(_whole),
    "Table": _table,
    "Flows": _list(_flow),
    "NameOrNull": _text,
}


def _check_values(file: Any, place: str) -> None:
    """Files have ranks, and flows are of nodes that there are."""
    if file["comm_size"] < 1:
        raise FieldError(f"{_join(place, 'comm_size')} is {file['comm_size']}; at least 1 is allowed")
    network = file.get("network", {})
    if len(network.get("hosts", ())) > MOST_NODES:
        raise FieldError(f"{_join(place, 'network.hosts')} is longer than {MOST_NODES}")
    for name in ("traffic", "expected"):
        traffic = network.get(name, {})
        nodes = len(network.get("hosts", ())) or len(traffic.get("sent", ()))
        for index, (start, end, _) in enumerate(traffic.get("flows", ())):
            if max(start, end) >= nodes:
                raise FieldError(
                    f"{_join(place, f'network.{name}.flows[{index}]')} is of nodes {start} and {end}, there "
                    f"are {nodes}"
                )
