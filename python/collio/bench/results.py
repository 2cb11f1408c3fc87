"""Medians and ratios of a benchmark: the JSON document and the table for people."""

from __future__ import annotations

import statistics
from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from collio.bench.rounds import Samples
from collio.plain_json import JsonObject
from collio.report import totals
from collio.wording import format_bytes, format_seconds

LABEL_CELLS = 17
WHOLE = {"median": "median_s", "min": "min_s", "max": "max_s"}
STEPPED = {"median": "median_s", "1st step": "first_step_median_s", "later": "later_steps_median_s"}
PARTS = ("set_view_s", "data_s", "open_s", "sync_s", "close_s")


def result_rows(all_samples: Iterable[Samples]) -> list[JsonObject]:
    """One row per engine and operation, ratios to "collio" included; an engine that failed has one row with
    its error."""
    rows: list[JsonObject] = []
    for samples in all_samples:
        for error in samples.errors:
            rows.append(
                {"engine": samples.engine.label, "operation": None, "verified": False, "error": error}
            )
        if not samples.errors:
            rows += _operation_rows(samples)
    base = {
        row["operation"]: row["median_s"] for row in rows if row["engine"] == "collio" and row["verified"]
    }
    for row in rows:
        if row["verified"] and base.get(row["operation"]):
            row["ratio_to_collio"] = round(row["median_s"] / base[row["operation"]], 4)
    return rows


def _operation_rows(samples: Samples) -> list[JsonObject]:
    measured: dict[str, list[list[JsonObject]]] = {}
    for line in samples.lines:
        for name in dict.fromkeys(operation["operation"] for operation in line["operations"]):
            measured.setdefault(name, []).append(
                [operation for operation in line["operations"] if operation["operation"] == name]
            )
    rows = []
    for name, runs in measured.items():
        seconds = [_sum(steps, "seconds") for steps in runs]
        median = statistics.median(seconds)
        row = {
            "engine": samples.engine.label,
            "operation": name,
            "verified": True,
            "median_s": median,
            "min_s": min(seconds),
            "max_s": max(seconds),
            "peak_rss_above_buffer_bytes": max(
                step.get("peak_rss_above_buffer_bytes", 0) for steps in runs for step in steps
            ),
            "bytes_per_s": round(_sum(runs[0], "bytes") / median) if median else None,
            "samples_s": seconds,
            "parts_median_s": {
                part: statistics.median(_sum(steps, part) for steps in runs) for part in PARTS
            },
        }
        lines = [steps[0]["cache_line_ns"] for steps in runs if "cache_line_ns" in steps[0]]
        row |= {"cache_line_ns": lines} if lines else {}
        dirty = max(_sum(steps, "wrong_hole_bytes") for steps in runs)
        row |= {"wrong_hole_bytes": dirty} if dirty else {}
        found = samples.engine.by_operation.get(name)
        row |= {"settings": found.label} if found else {}
        rows.append({**row, **_time_steps(runs), **_reported(samples, name)})
    return rows


def _sum(steps: list[JsonObject], key: str) -> float:
    """Over the time steps of one run."""
    total: float = sum(step.get(key, 0) for step in steps)
    return total


def _time_steps(runs: list[list[JsonObject]]) -> JsonObject:
    """Where there are several time steps, seconds of the first and of each later one: medians over all
    runs."""
    later = [step["seconds"] for steps in runs for step in steps[1:]]
    if not later:
        return {}
    return {
        "first_step_median_s": statistics.median(steps[0]["seconds"] for steps in runs),
        "later_steps_median_s": statistics.median(later),
        "later_steps_data_s": [step.get("data_s", 0) for steps in runs for step in steps[1:]],
    }


def _reported(samples: Samples, operation: str) -> JsonObject:
    """What collio's own report adds: the ways taken and why, seconds by step, and what that run took."""
    calls = [
        call
        for file in samples.files
        for call in file.get("calls", ())
        if call.get("operation", "").startswith(operation)
    ]
    if not calls:
        return {}
    ways = dict.fromkeys(f"{call.get('path')}: {call.get('reason')}" for call in calls)
    steps = [
        step for line in samples.reported for step in line["operations"] if step["operation"] == operation
    ]
    return {
        "ways": list(ways),
        "steps_s": {step: round(seconds, 9) for step, seconds in totals.step_sums(calls).items()},
        "reported_s": _sum(steps, "seconds"),
        "reported_set_view_s": _sum(steps, "set_view_s"),
    }


def print_table(console: Console, document: JsonObject) -> None:
    """The table for people: at most 80 columns."""
    machine = document["machine"]
    console.print(
        f"[bold]{document['pattern']}[/] · {document['mpi']} · {document['ranks']} ranks · "
        f"{format_bytes(document['bytes'])} · "
        f"{machine['file_system']} · {machine['cores']} cores · median of {document['repeat']}",
        highlight=False,
    )
    good = [row for row in document["results"] if row["verified"]]
    columns = STEPPED if any("later_steps_median_s" in row for row in good) else WHOLE
    widest = min(LABEL_CELLS, max([0, *(len(row["engine"]) for row in good)]))
    for operation in dict.fromkeys(row["operation"] for row in good):
        table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
        table.add_column(
            operation, header_style="bold", overflow="fold", min_width=widest, max_width=LABEL_CELLS
        )
        for name in (*columns, "vs collio", "MB/s", "memory"):
            table.add_column(name, justify="right", header_style="dim", no_wrap=True, min_width=9)
        for row in (row for row in good if row["operation"] == operation):
            table.add_row(
                *_cells(row, columns.values()), style="bold" if row["engine"].startswith("collio") else ""
            )
        console.print()
        console.print(table)
    if good and columns is STEPPED:
        console.print("\n[dim]median: all time steps; 1st step, later: one of them[/]")
    if good:
        console.print("\n[dim]memory: peak of any rank above the user's buffer[/]")
    _print_cache_lines(console, good)
    _print_settings(console, document)
    for row in document["results"]:
        if row.get("wrong_hole_bytes"):
            console.print(
                f"[yellow]{row['engine']}, {row['operation']}:[/] left other bytes than zero in "
                f"{row['wrong_hole_bytes']:,} bytes nobody wrote",
                highlight=False,
            )
        if not row["verified"]:
            console.print(Text.assemble((f"{row['engine']} failed:", "bold red"), f" {row['error']}"))


def _print_settings(console: Console, document: JsonObject) -> None:
    """The settings a search found, and those that it left out."""
    for row in document["results"]:
        if "settings" in row:
            console.print(Text(f"{row['engine']}, {row['operation']}: {row['settings']}"), soft_wrap=True)
    for label, tuning in document.get("tuning", {}).items():
        failed = [trial for trial in tuning["tried"] if "error" in trial]
        console.print(
            Text(f"{label}: {len(tuning['tried'])} settings tried, {len(failed)} left out", style="dim")
        )
        for trial in failed:
            console.print(
                Text.assemble((f"  {trial['settings']}:", "yellow"), f" {trial['error'].splitlines()[0]}"),
                soft_wrap=True,
            )


def _print_cache_lines(console: Console, rows: list[JsonObject]) -> None:
    """What ranks that share memory paid for a line; with a warning where it was not the same for all runs."""
    times = [ns for row in rows for ns in row.get("cache_line_ns", ())]
    if not times:
        return
    least, most = min(times), max(times)
    told = f"{least} ns" if least == most else f"{least} to {most} ns"
    console.print(f"\n[dim]a cache line from core to core: {told}[/]", highlight=False)
    if most > 2 * least:
        console.print(
            "[yellow]the cores were not equally near in all runs: shared memory costs more where they are "
            "far apart[/]"
        )


def _cells(row: JsonObject, seconds: Iterable[str]) -> list[str]:
    ratio, rate = row.get("ratio_to_collio"), row["bytes_per_s"]
    return [
        row["engine"],
        *(format_seconds(row[name]) for name in seconds),
        "" if not ratio else f"{ratio:.2f}x" if ratio >= 0.1 else f"{ratio:.2g}x",
        f"{rate / 1e6:,.0f}" if rate else "",
        format_bytes(row["peak_rss_above_buffer_bytes"]),
    ]
