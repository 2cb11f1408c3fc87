"""A report as one HTML page that needs nothing else: no network, no scripts, light and dark. Its text is in
templates/."""

from __future__ import annotations

import functools
from typing import NamedTuple

import jinja2

from collio.report import above, phrases, records, totals, verdict
from collio.report import network as report_network
from collio.report.records import CallRecord, Document, FileRecord
from collio.wording import counted, format_bytes, format_seconds

COLOURS = {
    "flatten": "#8e6bbf",
    "digest": "#c08bd8",
    "plan": "#9aa3ad",
    "pack": "#e0a63a",
    "exchange": "#3f7fd0",
    "place": "#3fb3c4",
    "read": "#5aa469",
    "write": "#2e8b57",
    "wait": "#d9604f",
    "agree": "#a0785a",
    "other": "#c9ced6",
}


class Part(NamedTuple):
    """A step in a bar. `left` and `width` are percent of its width."""

    left: str
    width: str
    colour: str
    title: str


class Share(NamedTuple):
    """A step of all calls together."""

    name: str
    meaning: str
    colour: str
    seconds: str
    percent: str


class Step(NamedTuple):
    """A step of a call. `seconds`: least, median and most of the ranks."""

    name: str
    seconds: tuple[str, str, str]
    meaning: str


class Call(NamedTuple):
    """`is_long`: it takes at least half as long as the longest."""

    operation: str
    repeats: int
    path: str
    reason: str
    total: str
    failed: bool
    bar: list[Part]
    numbers: str
    steps: list[Step]
    is_long: bool


class File(NamedTuple):
    """A file, or several of one kind."""

    name: str
    place: str
    lines: list[str]
    hints: list[str]
    warnings: list[str]
    network: report_network.Shown
    calls: list[Call]
    other_calls: str


def page(document: Document) -> str:
    """The whole page."""
    longest = max((totals.total(call).max for _, call in totals.calls(document)), default=0.0)
    about = (("collio", document.get("collio")), ("exit code", document.get("exit_code")))
    sums = totals.step_sums(call for _, call in totals.calls(document))
    functions = above.functions(document)
    return (
        _templates()
        .get_template("page.html")
        .render(
            about=" · ".join(f"{label} {value}".strip() for label, value in about if value is not None),
            command=" ".join(document.get("command", ())),
            verdict=verdict.of(document).sentences() if sums or functions else [],
            functions=above.lines(functions),
            facts=_facts(document),
            whole_bar=_bar(sums, sum(sums.values())),
            steps=_shares(sums),
            files=[_file(file, longest) for file in document["files"]],
            why_nothing="" if document["files"] else phrases.why_nothing(document, environ_disabled=False),
        )
    )


@functools.cache
def _templates() -> jinja2.Environment:
    """Every value is escaped, whatever the template's name."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader("collio.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _facts(document: Document) -> list[tuple[str, str]]:
    """(number, what it counts)."""
    all_calls = [call for _, call in totals.calls(document)]
    inside = sum(totals.total(call).max for call in all_calls)
    moved = sum(call.get("bytes", 0) for call in all_calls)
    facts = [
        (f"{sum(int(file.get('files', 1)) for file in document['files']):,}", "files"),
        (f"{sum(int(call.get('repeats', 1)) for call in all_calls):,}", "collective calls"),
        (format_bytes(moved), "moved"),
        (format_seconds(inside), "in these calls"),
    ]
    if inside > 0:
        facts.append((f"{format_bytes(moved / inside)}/s", "on average"))
    if document.get("seconds"):
        facts.append((format_seconds(document["seconds"]), "the whole job"))
    return facts


def _shares(sums: dict[str, float]) -> list[Share]:
    whole = sum(sums.values())
    return [
        Share(
            name,
            records.MEANINGS[name],
            COLOURS[name],
            format_seconds(seconds),
            f"{100 * seconds / whole:.0f}",
        )
        for name, seconds in sums.items()
    ]


def _file(file: FileRecord, longest: float) -> File:
    return File(
        str(file.get("file", "?")),
        phrases.place_of(file),
        phrases.file_lines(file),
        [f"{key}={value}" for key, value in totals.chosen_hints(file).items()],
        [str(text) for text in file.get("warnings", ())],
        report_network.shown(file),
        [_call(call, longest) for call in file.get("calls", ())],
        phrases.calls_line(file),
    )


def _call(call: CallRecord, longest: float) -> Call:
    numbers = [f"{format_bytes(call.get('bytes', 0))} in {counted(call.get('pieces', 0), 'piece')}"]
    numbers += phrases.counts_of(call)
    numbers += [counted(count, f"{kind} window") for kind, count in call.get("windows", {}).items() if count]
    parts, total = totals.where_time_went(call), totals.total(call)
    steps = [
        Step(
            name,
            (format_seconds(over.min), format_seconds(over.median), format_seconds(over.max)),
            records.MEANINGS.get(name, ""),
        )
        for name, over in {**totals.steps(call), "total": total}.items()
    ]
    return Call(
        call.get("operation", "?"),
        int(call.get("repeats", 1)),
        call.get("path", "?"),
        call.get("reason", ""),
        format_seconds(total.max),
        bool(call.get("failed")),
        _bar(parts, max(longest, sum(parts.values()))),
        " · ".join(numbers),
        steps,
        bool(longest and total.max >= 0.5 * longest),
    )


def _bar(parts_s: dict[str, float], whole: float) -> list[Part]:
    """Stacked seconds; the full width is `whole`."""
    parts, at = [], 0.0
    for name, seconds in parts_s.items():
        width = 100 * seconds / whole if whole else 0
        parts.append(Part(f"{at:.3f}", f"{width:.3f}", COLOURS[name], f"{name}: {format_seconds(seconds)}"))
        at += width
    return parts
