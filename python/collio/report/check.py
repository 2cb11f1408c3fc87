"""What a report has to look like for its readers: a table of fields, and a walk through a document along it.

Reports are kept, sent around and cut off, so they are checked once, when they are read, and nothing behind that asks for types. What is absent
has a default everywhere; null is taken as absent. Fields that are not in the tables may hold anything.
"""

from __future__ import annotations

from typing import Any, Callable

MOST = 2**64
MOST_NODES = 1024
"""Of a table of flows: more than the engine ever counts them for."""

Check = Callable[[Any, str], None]


class FieldError(ValueError):
    """A field that holds something else than it has to; the message names the field."""


def check_document(document: Any) -> None:
    """Of `collio run --report`. Raises FieldError. Nulls are taken out."""
    _DOCUMENT(document, "")


def check_file(line: Any) -> None:
    """One line of the engine. Raises FieldError. Nulls are taken out."""
    _FILE(line, "")


def check_rank(line: Any) -> None:
    """What a rank leaves at its exit. Raises FieldError. Nulls are taken out."""
    _RANK(line, "")


def _number(value: Any, place: str) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -MOST <= value <= MOST:
        raise FieldError(f"{place} is no number")


def _text(value: Any, place: str) -> None:
    if not isinstance(value, str):
        raise FieldError(f"{place} is no text")


def _anything(value: Any, place: str) -> None:
    pass


def _spread(value: Any, place: str) -> None:
    """Over ranks: one number, or several by name."""
    (_numbers if isinstance(value, dict) else _number)(value, place)


def _list(check: Check, most: int | None = None) -> Check:
    def walk(value: Any, place: str) -> None:
        if not isinstance(value, list) or (most is not None and len(value) > most):
            raise FieldError(f"{place} is no list" + (f" of at most {most}" if most else ""))
        for index, one in enumerate(value):
            check(one, f"{place}[{index}]")
    return walk


def _table(fields: dict[str, Check], others: Check = _anything) -> Check:
    def walk(value: Any, place: str) -> None:
        if not isinstance(value, dict):
            raise FieldError(f"{place or 'it'} is no table")
        for key in [key for key, one in value.items() if one is None]:
            del value[key]
        for key, one in value.items():
            fields.get(key, others)(one, f"{place}.{key}".lstrip("."))
    return walk


_numbers = _table({}, _number)
_spreads = _table({}, _spread)


def _flow(value: Any, place: str) -> None:
    """[from, to, bytes]."""
    _list(_number, 3)(value, place)
    if len(value) != 3 or not all(isinstance(node, int) and 0 <= node < MOST_NODES for node in value[:2]):
        raise FieldError(f"{place} is not [from, to, bytes]")


def _network(value: Any, place: str) -> None:
    if not isinstance(value, dict):
        return  # readers take it for none
    _NETWORK(value, place)
    traffic = value.get("traffic", {})
    nodes = len(value.get("hosts", ())) or len(traffic.get("sent", ()))
    for index, (start, end, _) in enumerate(traffic.get("flows", ())):
        if max(start, end) >= nodes:
            raise FieldError(f"{place}.traffic.flows[{index}] is of nodes {start} and {end}, there are {nodes}")


_TRAFFIC = _table({
    "bytes": _number, "hop_bytes": _number, "flows": _list(_flow), "sent": _list(_number), "received": _list(_number),
    "busiest": _table({"bytes": _number, "seconds": _number})})
_NETWORK = _table({"nodes": _number, "hops": _numbers, "hosts": _list(_anything, MOST_NODES), "traffic": _TRAFFIC, "expected": _TRAFFIC})
_PLACEMENT = _table({"how": _anything, "reason": _anything}, _number)
_CALL = _table({
    **dict.fromkeys(("operation", "path", "reason", "form", "progress"), _text),
    **dict.fromkeys((
        "repeats", "bytes", "pieces", "aggregators", "local_aggregators", "rounds", "messages", "metadata_bytes", "most_receives_per_round",
        "remembered"), _number),
    "windows": _numbers, "one_sided": _numbers, "device": _numbers, "placement": _PLACEMENT, "seconds": _spreads, "program_seconds": _spreads})
_FILE = _table({
    **dict.fromkeys(("schedule_trials", "call_trials"), _text),
    **dict.fromkeys(("files", "still_open", "independent_calls", "library_calls", "nodes"), _number),
    "id": _text, "seconds": _spreads, "hints": _table({}), "warnings": _list(_text), "storage_by": _table({}), "network": _network, "calls": _list(_CALL)})
_RANK = _table({}, _number)
_DOCUMENT = _table({"command": _list(_text), "seconds": _number, "files": _list(_FILE), "at_exit": _list(_RANK)})
