"""What differs between the reports of two jobs, the second against the first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from collio.report import above, totals, verdict
from collio.report.records import CallRecord, Document
from collio.wording import format_bytes, format_seconds

LITTLE = 0.1
"""Of the longer call: a phase that changed by less is left out."""
MOST_PHASES = 3


@dataclass(frozen=True)
class Kind:
    """Calls of one kind on files of one kind. `seconds`: a call's, by phase; all ranks' on average."""

    file: str
    operation: str
    path: str
    repeats: int
    bytes: int
    seconds: dict[str, float]

    @property
    def total(self) -> float:
        return sum(self.seconds.values())


def facts(first: Document, second: Document) -> list[str]:
    """What the jobs were, where that differs: "collio 0.1.0 → 0.2.0", "cb_nodes: 8 → 2"."""
    pairs = [
        (name, *(str(one.get(name, "?")) for one in (first, second)))
        for name in ("collio", "mpi", "exit_code")
    ]
    for name in ("comm_size", "nodes", "storage"):
        pairs.append((name.replace("comm_size", "ranks"), *(_values(one, name) for one in (first, second))))
    given = [_hints(one) for one in (first, second)]
    for key in sorted({*given[0], *given[1]}):
        pairs.append((key, *(one.get(key, "by default") for one in given)))
    return [f"{name}: {before} → {after}" for name, before, after in pairs if before != after]


def _values(document: Document, name: str) -> str:
    return ", ".join(sorted({str(file.get(name, "?")) for file in document["files"]})) or "none"


def _hints(document: Document) -> dict[str, str]:
    """Not at their defaults, on any file."""
    found: dict[str, set[str]] = {}
    for file in document["files"]:
        for key, value in totals.chosen_hints(file).items():
            found.setdefault(key, set()).add(value)
    return {key: ", ".join(sorted(values)) for key, values in found.items()}


def seconds(first: Document, second: Document) -> Table:
    """The job, its I/O, the libraries above MPI-IO, and each kind of call."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("", "first", "second", "ratio", "what changed"):
        table.add_column(
            name, justify="left" if name in ("", "what changed") else "right", header_style="dim"
        )
    for name, before, after in _wholes(first, second):
        table.add_row(name, format_seconds(before), format_seconds(after), _ratio(before, after), "")
    for one, other in _pairs(first, second):
        table.add_row(*_row(one, other))
    return table


def _wholes(first: Document, second: Document) -> Iterator[tuple[str, float, float]]:
    both = (first, second)
    job, io, libraries = (
        [document.get("seconds", 0.0) for document in both],
        [verdict.of(document).io_seconds for document in both],
        [above.seconds(above.functions(document)) for document in both],
    )
    for name, (before, after) in (("job", job), ("I/O", io), ("above MPI-IO", libraries)):
        if before or after:
            yield name, before, after


def _ratio(before: float, after: float) -> str:
    """Above 1: the second is faster."""
    return f"{before / after:.2f}x" if before and after else ""


def _pairs(first: Document, second: Document) -> list[tuple[Kind | None, Kind | None]]:
    """Of one name, else of the only other file that has calls of this operation in each job."""
    before, after = (_kinds(document) for document in (first, second))
    pairs: list[tuple[Kind | None, Kind | None]] = [
        (kind, after[key]) for key, kind in before.items() if key in after
    ]
    rest = [kind for key, kind in before.items() if key not in after]
    others = [kind for key, kind in after.items() if key not in before]
    for operation in dict.fromkeys(kind.operation for kind in [*rest, *others]):
        left, right = ([kind for kind in some if kind.operation == operation] for some in (rest, others))
        if len(left) == len(right) == 1:
            pairs.append((left[0], right[0]))
        else:
            pairs += [(kind, None) for kind in left]
            pairs += [(None, kind) for kind in right]
    return pairs


def _kinds(document: Document) -> dict[tuple[str, str], Kind]:
    """By file and operation; digits of names do not count, as steps and jobs are numbered."""
    groups: dict[tuple[str, str], list[CallRecord]] = {}
    for file, call in totals.calls(document):
        name = re.sub(r"\d+", "#", str(file.get("file", "?")).rpartition("/")[2])
        groups.setdefault((name, call.get("operation", "?")), []).append(call)
    return {key: _kind(*key, calls) for key, calls in groups.items()}


def _kind(file: str, operation: str, calls: list[CallRecord]) -> Kind:
    repeats = max(1, sum(int(call.get("repeats", 1)) for call in calls))
    return Kind(
        file,
        operation,
        ", ".join(sorted({call.get("path", "?") for call in calls})),
        repeats,
        sum(call.get("bytes", 0) for call in calls) // repeats,
        {name: total / repeats for name, total in totals.step_sums(calls).items()},
    )


def _row(one: Kind | None, other: Kind | None) -> list[str | Text]:
    kind = one or other
    assert kind is not None
    cells = ["" if each is None else format_seconds(each.total) for each in (one, other)]
    changed = list(_changes(one, other)) if one and other else ["only in one of the two"]
    ratio = _ratio(one.total, other.total) if one and other else ""
    files = " → ".join(dict.fromkeys(each.file for each in (one, other) if each))
    return [Text(f"a call of {kind.operation}, {files}"), *cells, ratio, Text("; ".join(changed))]


def _changes(one: Kind, other: Kind) -> Iterator[str]:
    """Path, bytes, number of calls, and the phases that changed most."""
    if one.path != other.path:
        yield f"{one.path} → {other.path}"
    if one.bytes != other.bytes:
        yield f"{format_bytes(one.bytes)} → {format_bytes(other.bytes)}"
    if one.repeats != other.repeats:
        yield f"{one.repeats} → {other.repeats} calls"
    more = {
        name: other.seconds.get(name, 0.0) - one.seconds.get(name, 0.0)
        for name in dict.fromkeys([*one.seconds, *other.seconds])
    }
    largest = sorted(more, key=lambda name: -abs(more[name]))[:MOST_PHASES]
    for name in largest:
        if abs(more[name]) >= LITTLE * max(one.total, other.total):
            sign = "+" if more[name] > 0 else "-"
            yield f"{name} {sign}{format_seconds(abs(more[name]))}"
