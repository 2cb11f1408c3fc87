"""A table of the reports of a folder: the job that lost most time in I/O first."""

from __future__ import annotations

import os
from pathlib import Path

from rich.table import Table
from rich.text import Text

from collio.report import reading, verdict
from collio.wording import counted, format_seconds


def table(folder: Path) -> tuple[Table, list[str]]:
    """The table, and a line for each other JSON file. Raises ReportError where the folder has no report."""
    found, other = [], []
    for path in sorted(filter(os.path.isfile, folder.glob("*.json"))):
        try:
            found.append((path.name, verdict.of(reading.load(path))))
        except reading.ReportError as error:
            other.append(str(error))
    if not found:
        raise reading.ReportError(f"{folder}: no report among {counted(len(other), 'JSON file')}")
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("report", "job", "I/O", "share", "first cause"):
        shown.add_column(
            name, justify="left" if name in ("report", "first cause") else "right", header_style="dim"
        )
    for name, one in sorted(found, key=lambda item: -item[1].io_seconds):
        cause = one.causes[0] if one.causes else None
        shown.add_row(
            Text(name),
            format_seconds(one.job_seconds),
            format_seconds(one.io_seconds),
            f"{100 * one.share:.0f} %",
            Text(f"{format_seconds(cause.seconds)} {cause.what}" if cause else ""),
        )
    return shown, other
