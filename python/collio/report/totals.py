"""Sums over a report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from collio import hints
from collio.report.records import STEPS, CallRecord, Document, FileRecord


@dataclass(frozen=True)
class Spread:
    """Seconds over ranks."""

    min: float
    median: float
    max: float

    @classmethod
    def of(cls, value: Any) -> Spread:
        """From the report's {"min", "median", "max"}; zero for what is not finite, or absent."""
        value = value or {}
        return cls(*(float(value.get(name, 0.0)) for name in ("min", "median", "max")))


def calls(document: Document) -> Iterator[tuple[FileRecord, CallRecord]]:
    """(file, call) pairs."""
    for file in document["files"]:
        for call in file.get("calls", ()):
            yield file, call


def total(call: CallRecord) -> Spread:
    """Seconds of a call from entry to return."""
    return Spread.of(call.get("seconds", {}).get("total"))


def steps(call: CallRecord) -> dict[str, Spread]:
    """Seconds by step over ranks, in order; steps that took none are left out."""
    seconds = call.get("seconds", {})
    named = {name: Spread.of(seconds[name]) for name in STEPS if name in seconds}
    return {name: spread for name, spread in named.items() if spread.max > 0}


def where_time_went(call: CallRecord) -> dict[str, float]:
    """Seconds of each step on the rank it took longest on; they add up to the call's total, or more.

    The maximum, because few ranks aggregate: the median rank spends the time of the file accesses
    waiting. In the digest early ranks wait for late ones, so there the minimum is what it costs and the
    difference is waiting; in the agreement on the outcome the last rank does not wait, so there too it is the
    minimum. Waiting is what the busiest rank waited, at most what is left of the
    total; what then is left is "other".
    """
    spreads = steps(call)
    parts = {
        name: spread.min if name == "agree" else spread.max
        for name, spread in spreads.items()
        if name != "wait"
    }
    waited = spreads["wait"].min if "wait" in spreads else 0.0
    if "digest" in spreads:
        parts["digest"] = spreads["digest"].min
        waited += spreads["digest"].max - spreads["digest"].min
    left = max(0.0, total(call).max - sum(parts.values()))
    parts["wait"] = min(left, waited)
    parts["other"] = left - parts["wait"]
    return {name: seconds for name, seconds in parts.items() if seconds > 0}


def step_sums(some_calls: Iterable[CallRecord]) -> dict[str, float]:
    """`where_time_went` summed over calls."""
    sums = {name: 0.0 for name in (*STEPS, "other")}
    for call in some_calls:
        for name, seconds in where_time_went(call).items():
            sums[name] += seconds
    return {name: seconds for name, seconds in sums.items() if seconds > 0}


def ways(document: Document) -> list[tuple[str, str, str, int]]:
    """(operation, path, reason, calls) for every path an operation took; the reason is that of its largest
    call."""
    grouped: dict[tuple[str, str], list[CallRecord]] = {}
    for _, call in calls(document):
        grouped.setdefault((call.get("operation", "?"), call.get("path", "?")), []).append(call)
    return [
        (
            *key,
            max(some, key=lambda call: call.get("pieces", 0)).get("reason", ""),
            sum(int(call.get("repeats", 1)) for call in some),
        )
        for key, some in grouped.items()
    ]


def chosen_hints(file: FileRecord) -> dict[str, str]:
    """The hints of a file that are not at their defaults."""
    given = {str(key): str(value) for key, value in file.get("hints", {}).items()}
    return {
        key: value
        for key, value in given.items()
        if key not in hints.BY_KEY or value != hints.BY_KEY[key].default
    }
