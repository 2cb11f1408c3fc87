"""Medians and ratios of a benchmark: the JSON document and the table for people."""

from __future__ import annotations

import statistics
from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from collio.bench.rounds import Samples
from collio.report import format_bytes, format_seconds

PARTS = ("set_view_s", "data_s", "open_s", "sync_s", "close_s")


def result_rows(all_samples: Iterable[Samples]) -> list[dict]:
    """One row per engine and operation, ratios to "collio" included; an engine that failed has one row with its error."""
    rows = []
    for samples in all_samples:
        for error in samples.errors:
            rows.append({"engine": samples.engine.label, "operation": None, "verified": False, "error": error})
        if not samples.errors:
            rows += _operation_rows(samples)
    base = {row["operation"]: row["median_s"] for row in rows if row["engine"] == "collio" and row["verified"]}
    for row in rows:
        if row["verified"] and base.get(row["operation"]):
            row["ratio_to_collio"] = round(row["median_s"] / base[row["operation"]], 4)
    return rows


def _operation_rows(samples: Samples) -> list[dict]:
    measured: dict[str, list[dict]] = {}
    for line in samples.lines:
        for operation in line["operations"]:
            measured.setdefault(operation["operation"], []).append(operation)
    rows = []
    for name, operations in measured.items():
        seconds = [operation["seconds"] for operation in operations]
        median = statistics.median(seconds)
        rows.append({
            "engine": samples.engine.label, "operation": name, "verified": True,
            "median_s": median, "min_s": min(seconds), "max_s": max(seconds),
            "peak_rss_above_buffer_bytes": max(operation.get("peak_rss_above_buffer_bytes", 0) for operation in operations),
            "bytes_per_s": round(operations[0]["bytes"] / median) if median else None,
            "samples_s": seconds,
            "parts_median_s": {part: statistics.median(o.get(part, 0.0) for o in operations) for part in PARTS},
        })
    return rows


def print_table(console: Console, document: dict) -> None:
    """The table for people."""
    machine = document["machine"]
    title = (
        f"{document['pattern']} · {document['mpi']} · {document['ranks']} ranks · {format_bytes(document['bytes'])} · "
        f"{machine['file_system']} · {machine['cores']} cores · median of {document['repeat']}"
    )
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for name in ("operation", "engine"):
        table.add_column(name, header_style="dim")
    for name in ("median", "min", "max", "to collio", "per second", "memory above buffer"):
        table.add_column(name, justify="right", header_style="dim")
    good = [row for row in document["results"] if row["verified"]]
    for operation in dict.fromkeys(row["operation"] for row in good):
        for row in (row for row in good if row["operation"] == operation):
            table.add_row(*_cells(row), style="bold" if row["engine"].startswith("collio") else "")
    console.print(table)
    for row in document["results"]:
        if not row["verified"]:
            console.print(f"[bold red]{row['engine']} failed:[/] ", end="")
            console.print(row["error"], markup=False, highlight=False)


def _cells(row: dict) -> list[str]:
    ratio = row.get("ratio_to_collio")
    rate = row["bytes_per_s"]
    return [
        row["operation"], row["engine"], *(format_seconds(row[name]) for name in ("median_s", "min_s", "max_s")),
        f"{ratio:.2f}x" if ratio else "", f"{format_bytes(rate)}/s" if rate else "",
        format_bytes(row["peak_rss_above_buffer_bytes"]),
    ]
