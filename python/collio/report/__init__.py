"""Reports of jobs: read, checked, summed up, and shown on a terminal or a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collio.report.rows import Row


def read(*paths: Path | str) -> list[Row]:
    """The collective calls of reports, a row each, for `pandas.DataFrame(collio.report.read("job.json"))`.

    Columns: `report` (path), `job_seconds`, `file`, `storage`, `ranks`, `nodes`, `operation`, `form`, `path`,
    `reason`, `repeats`, `bytes`, `pieces`, `aggregators`, `rounds`, `messages`, and seconds on the rank that
    took longest: `total`, then each step. Not collective. Raises ReportError for a file that is no report.
    """
    from collio.report import reading, rows  # a program may use none of it

    return [row for path in paths for row in rows.of(reading.load(Path(path)), str(path))]
