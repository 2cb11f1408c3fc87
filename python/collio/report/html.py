"""A report as one HTML page that needs nothing else, light and dark. Its text is in templates/; it holds the
library that draws its pictures (vendor/README.txt)."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import jinja2
from markupsafe import Markup

from collio.report import above, phrases, pictures, records, totals, verdict
from collio.report import network as report_network
from collio.report.records import CallRecord, Document, FileRecord
from collio.wording import counted, format_bytes, format_seconds

VENDOR = Path(__file__).parent / "vendor"
OPEN_FILES = 2
"""Files whose pictures are shown at once."""


class Figure(NamedTuple):
    """A picture, and its place among all of the page."""

    number: int
    picture: pictures.Picture


class Share(NamedTuple):
    """A step of all calls together."""

    name: str
    meaning: str
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
    figures: list[Figure]
    calls: list[Call]
    other_calls: str


def page(document: Document) -> str:
    """The whole page."""
    longest = max((totals.total(call).max for _, call in totals.calls(document)), default=0.0)
    about = (("collio", document.get("collio")), ("exit code", document.get("exit_code")))
    sums = totals.step_sums(call for _, call in totals.calls(document))
    figures: list[Figure] = []
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
            whole=_numbered(pictures.of_job(document), figures),
            steps=_shares(sums),
            files=[_file(file, longest, figures) for file in document["files"]],
            open_files=OPEN_FILES,
            drawing=_drawing(figures),
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
        Share(name, records.MEANINGS[name], format_seconds(seconds), f"{100 * seconds / whole:.0f}")
        for name, seconds in sums.items()
    ]


def _file(file: FileRecord, longest: float, figures: list[Figure]) -> File:
    return File(
        str(file.get("file", "?")),
        phrases.place_of(file),
        phrases.file_lines(file),
        [f"{key}={value}" for key, value in totals.chosen_hints(file).items()],
        [str(text) for text in file.get("warnings", ())],
        report_network.shown(file),
        _numbered(pictures.of_file(file), figures),
        [_call(call, longest) for call in file.get("calls", ())],
        phrases.calls_line(file),
    )


def _call(call: CallRecord, longest: float) -> Call:
    numbers = [f"{format_bytes(call.get('bytes', 0))} in {counted(call.get('pieces', 0), 'piece')}"]
    numbers += phrases.counts_of(call)
    numbers += [counted(count, f"{kind} window") for kind, count in call.get("windows", {}).items() if count]
    total = totals.total(call)
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
        " · ".join(numbers),
        steps,
        bool(longest and total.max >= 0.5 * longest),
    )


def _numbered(some: Sequence[pictures.Picture], figures: list[Figure]) -> list[Figure]:
    """Adds them to the page's."""
    added = [Figure(len(figures) + index, picture) for index, picture in enumerate(some)]
    figures += added
    return added


def _drawing(figures: list[Figure]) -> Markup:
    """The plot library, the data and the script that draws it; empty without pictures."""
    if not figures:
        return Markup("")
    data = json.dumps([asdict(figure.picture) for figure in figures], separators=(",", ":"), allow_nan=False)
    code = [(VENDOR / name).read_text(encoding="utf-8") for name in ("d3.min.js", "plot.min.js")]
    code.append((Path(__file__).parent / "templates" / "pictures.js").read_text(encoding="utf-8"))
    scripts = "".join(f"<script>{text}</script>\n" for text in code)
    escaped = data.replace("<", "\\u003c")
    return Markup(f'<script type="application/json" id="pictures">{escaped}</script>\n{scripts}')
