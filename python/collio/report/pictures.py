"""The pictures of a report, as data: templates/pictures.js draws them on the page, pictures_text.py on the
terminal.

Each has a title and a note that says what to look for. Numbers are short, as a page may have many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple, Union

from collio.report import network as report_network
from collio.report import totals
from collio.report.records import CallRecord, Document, FileRecord
from collio.report.records import Pictures as Noted
from collio.wording import format_bytes, format_seconds

PARTS = 64
"""Columns of a report's tables."""
MOST_CALLS = 16
"""In a picture: those that took longest."""
LANES = ["fill", "send", "file"]
Rows = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Columns:
    """Of a table: names of all, or the length of each in `unit`, "B" or "s"."""

    names: list[str]
    each: float = 0.0
    unit: str = ""


@dataclass(frozen=True)
class Heat:
    """A table of numbers in units of `scale`, 0 where there is nothing; rows may be shorter than `width`.
    `unit`: "B" or "%". `ends`: texts of first, middle and last column, `most` of the largest number."""

    title: str
    note: str
    rows: list[str]
    columns: Columns
    width: int
    ends: list[str]
    table: list[list[int]]
    scale: float
    unit: str
    most: str
    kind: str = "heat"


class Bar(NamedTuple):
    """`row`, `part`: numbers from 0."""

    row: int
    part: int
    begin: float
    end: float


@dataclass(frozen=True)
class Bars:
    """In units of `scale`. `unit`: "s" or "B/s". `lanes`: each part has its own height in a row."""

    title: str
    note: str
    unit: str
    scale: float
    rows: list[str]
    parts: list[str]
    bars: list[Bar]
    lanes: bool = False
    kind: str = "bars"


class Range(NamedTuple):
    """Seconds of ranks."""

    row: str
    least: float
    median: float
    most: float


@dataclass(frozen=True)
class Ranges:
    title: str
    note: str
    ranges: list[Range]
    kind: str = "ranges"


Picture = Union[Heat, Bars, Ranges]


def of_job(document: Document) -> list[Picture]:
    """Where the time of all calls went."""
    sums = totals.step_sums(call for _, call in totals.calls(document))
    note = "each step by the rank it took longest on"
    return [_stacked("", note, {"all calls": sums})] if sums else []


def of_file(file: FileRecord) -> list[Picture]:
    """All that a file's line has numbers for, in the order of a page."""
    noted = file.get("pictures")
    drawn = [_calls(file), _imbalance(file)]
    if noted:
        drawn += [_asked(file, noted), _accessed(file, noted), _over_time(file, noted)]
        drawn += [_timeline(noted), _targets(file, noted)]
    drawn.append(_between_nodes(file))
    return [picture for picture in drawn if picture]


def _stacked(title: str, note: str, rows: dict[str, dict[str, float]]) -> Bars:
    parts = list(dict.fromkeys(part for seconds in rows.values() for part in seconds))
    bars = []
    for row, seconds in enumerate(rows.values()):
        at = 0.0
        for part, took in seconds.items():
            bars.append(Bar(row, parts.index(part), at, at + took))
            at += took
    return Bars(title, note, "s", 1.0, list(rows), parts, bars)


def _calls(file: FileRecord) -> Picture | None:
    numbered = list(enumerate(file.get("calls", ()), 1))
    longest = sorted(numbered, key=lambda one: -totals.total(one[1]).max)[:MOST_CALLS]
    rows = {
        _name_of(number, call): totals.where_time_went(call)
        for number, call in sorted(longest, key=lambda one: one[0])
    }
    left_out = f"; the {MOST_CALLS} longest of {len(numbered)}" if len(numbered) > MOST_CALLS else ""
    note = f"where the time of each call went{left_out}"
    return _stacked("Calls", note, rows) if any(rows.values()) else None


def _name_of(number: int, call: CallRecord) -> str:
    repeats = int(call.get("repeats", 1))
    return f"{number} {call.get('operation', '?')}" + (f" ×{repeats}" if repeats > 1 else "")


def _imbalance(file: FileRecord) -> Picture | None:
    if file.get("comm_size", 1) < 2:
        return None
    sums: dict[str, list[float]] = {}
    for call in file.get("calls", ()):
        for step, spread in totals.steps(call).items():
            before = sums.get(step, [0.0] * 3)
            sums[step] = [a + b for a, b in zip(before, (spread.min, spread.median, spread.max))]
    note = "seconds of the fastest, the median and the slowest rank: long lines are imbalance"
    return Ranges("Imbalance", note, [Range(step, *three) for step, three in sums.items()]) if sums else None


def _row_name(row: int, each: int, size: int) -> str:
    """ "rank 3", or "ranks 16 to 31"."""
    first, last = row * each, min((row + 1) * each, size) - 1
    return f"rank {first}" if last <= first else f"ranks {first} to {last}"


class _Kind(NamedTuple):
    """Of a table: what its numbers and columns are."""

    title: str
    note: str
    scale: float
    unit: str
    part: float
    part_unit: str


def _heat(file: FileRecord, rows: Rows, kind: _Kind) -> Picture | None:
    """Rows that have numbers, and columns up to the last that has."""
    used = {
        row: [max(0, one) for one in values[:PARTS]] for row, values in enumerate(rows[:PARTS]) if any(values)
    }
    width = max((len(values) for values in used.values()), default=0)
    if not width:
        return None
    text = format_bytes if kind.part_unit == "B" else format_seconds
    most = kind.scale * max(map(max, used.values()))
    each, size = int(file["pictures"]["ranks_per_row"]), int(file.get("comm_size", 1))
    return Heat(
        kind.title,
        kind.note,
        [_row_name(row, each, size) for row in used],
        Columns([], kind.part, kind.part_unit),
        width,
        [text(at) for at in (0, kind.part * width / 2, kind.part * width)],
        list(used.values()),
        kind.scale,
        kind.unit,
        format_bytes(most) if kind.unit == "B" else f"{most:.0f} %",
    )


def _asked(file: FileRecord, noted: Noted) -> Picture | None:
    note = "bytes that each rank asked for, over the file; rows full of cells are interleaved with others"
    kind = _Kind("Ranks over the file, as asked", note, noted["cell_bytes"], "B", noted["part_bytes"], "B")
    return _heat(file, noted["asked"], kind)


def _accessed(file: FileRecord, noted: Noted) -> Picture | None:
    note = "bytes that each aggregator moved, over the file; a longer row has more to do"
    title = "Aggregators over the file, as accessed"
    return _heat(
        file, noted["accessed"], _Kind(title, note, noted["cell_bytes"], "B", noted["part_bytes"], "B")
    )


def _over_time(file: FileRecord, noted: Noted) -> Picture | None:
    note = "share of its time that each rank spent in data calls, since the open"
    return _heat(
        file, noted["in_calls"], _Kind("Ranks over time", note, 0.1, "%", noted["part_seconds"], "s")
    )


def _timeline(noted: Noted) -> Picture | None:
    bars = []
    for row, line in enumerate(noted["timeline"]):
        for part, spans in enumerate((line["fill"], line["send"], line["file"])):
            bars += [Bar(row, part, begin, begin + took) for begin, took in zip(spans[::2], spans[1::2])]
    note = "when aggregators filled windows, sent messages and accessed the file; gaps are waiting"
    rows = [f"rank {line['rank']}" for line in noted["timeline"]]
    title = "Timeline of the last collective call"
    return Bars(title, note, "s", 1e-6, rows, LANES, bars, lanes=True) if bars else None


def _targets(file: FileRecord, noted: Noted) -> Picture | None:
    """By target, the rate of transfers. Subfiles that were dealt again are no targets of one layout."""
    subfiles, numbers = file.get("subfiles"), file.get("layout", {}).get("targets", [])
    if subfiles and subfiles.get("redealt"):
        return None
    kind = "subfile" if subfiles else "target"
    rates = {
        f"{kind} {index if subfiles or index >= len(numbers) else numbers[index]}": moved / seconds
        for index, (moved, seconds) in enumerate(zip(noted["target_bytes"], noted["target_seconds"]))
        if seconds > 0
    }
    if len(rates) < 2:
        return None
    slowest, usual = min(rates, key=lambda name: rates[name]), median(rates.values())
    note = f"{slowest} is slowest: {format_bytes(rates[slowest])}/s, the median is {format_bytes(usual)}/s"
    bars = [Bar(row, int(2 * rate < usual), 0, rate) for row, rate in enumerate(rates.values())]
    return Bars("Storage targets", note, "B/s", 1.0, list(rates), ["rate", "slow"], bars)


def _between_nodes(file: FileRecord) -> Picture | None:
    network = report_network.network_of(file)
    moved, nodes = report_network.flows(network.get("traffic")), report_network.node_count(network)
    if not moved:
        return None
    names = report_network.names(network, nodes)
    table = [[moved.get((start, end), 0) for end in range(nodes)] for start in range(nodes)]
    note = "bytes that each node (row) sent to each other (column)"
    most = format_bytes(max(moved.values()))
    ends = [names[0], names[nodes // 2], names[-1]]
    return Heat("Between nodes", note, names, Columns(names), nodes, ends, table, 1.0, "B", most)
