"""A report as rows, for tables of other programs: a row a call."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from collio.report import totals
from collio.report.records import STEPS, Document

Row = dict[str, "str | int | float"]
OF_FILE = ("file", "storage")
OF_CALL = ("operation", "form", "path", "reason")
NUMBERS = ("repeats", "bytes", "pieces", "aggregators", "rounds", "messages")


def of(document: Document, name: str) -> list[Row]:
    """The rows of one report; `name`: its `report`."""
    return [
        {
            "report": name,
            "job_seconds": document.get("seconds", 0.0),
            **{key: str(file.get(key, "")) for key in OF_FILE},
            "ranks": file.get("comm_size", 0),
            "nodes": file.get("nodes", 0),
            **{key: str(call.get(key, "")) for key in OF_CALL},
            **{key: int(call.get(key, 0)) for key in NUMBERS},  # type: ignore[call-overload]
            "total": totals.total(call).max,
            **{step: totals.Spread.of(call.get("seconds", {}).get(step)).max for step in STEPS},
        }
        for file, call in totals.calls(document)
    ]


def as_csv(rows: Iterable[Row]) -> str:
    """With a head; empty where there is no row."""
    rows = list(rows)
    text = io.StringIO()
    if rows:
        table = csv.DictWriter(text, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    return text.getvalue()
