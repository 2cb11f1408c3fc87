"""Findings of a probe as a table."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from collio.plain_json import JsonObject
from collio.wording import format_bytes, format_seconds

STYLES = {"chosen": "green", "doubtful": "yellow", "slow": "yellow"}
NOTE = (
    "spread: half the range of the middle half of the samples; together: this target and those above it, "
    "at its rate each"
)


def print_probe(console: Console, document: JsonObject) -> None:
    console.print(_table(document))
    console.print(document["why"], highlight=False, markup=False)
    console.print(_cost(document), highlight=False)
    for row in document["targets"]:
        if "error" in row:
            console.print(row["error"], highlight=False, markup=False)
    for remark in document["remarks"]:
        console.print(remark, highlight=False, markup=False)
    console.print(NOTE, style="dim", highlight=False)


def _table(document: JsonObject) -> Table:
    """Fastest first, as they were added; then those that cannot be used."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("target", "MB/s", "spread", "together", "way", "verdict"):
        table.add_column(
            column,
            header_style="dim",
            justify="right" if column in ("MB/s", "spread", "together") else "left",
            overflow="fold",
        )
    by_name = {row["target"]: row for row in document["targets"]}
    sums = {one["with"]: one["bytes_per_s"] for one in document["together"]}
    for name in [*sums, *(name for name in by_name if name not in sums)]:
        row = by_name[name]
        verdict = row["verdict"] + (f", measured {row['age_s']:.0f} s ago" if "age_s" in row else "")
        rate = ["", "", "", ""]
        if name in sums:
            spread = f"±{100 * row['spread_bytes_per_s'] / row['bytes_per_s']:.0f} %"
            rate = [_mb(row["bytes_per_s"]), spread, _mb(sums[name]), row["way"]]
        table.add_row(name, *rate, f"[{STYLES.get(row['verdict'], 'bold red')}]{verdict}[/]")
    return table


def _cost(document: JsonObject) -> str:
    written = document["bytes_written"]
    if not written:
        return "nothing was written"
    return (
        f"probed in {format_seconds(document['seconds'])}: {format_bytes(written)} written, "
        f"{format_bytes(document['sample_bytes'])} a sample"
    )


def _mb(bytes_per_s: float) -> str:
    return f"{bytes_per_s / 1e6:.4g}"
