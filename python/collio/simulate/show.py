"""Simulated calls as tables and bars."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from collio.plain_json import JsonObject
from collio.wording import counted, format_bytes, format_seconds

BAR_CELLS = 40
WAY_COLOURS = {"two_layer": "bright_green", "two_phase": "green", "romio": "blue", "tam": "cyan"}
CALLS = ("first open", "later open", "first call", "later call", "close")
MOST_BESIDE = 3
"""Settings that a table of 80 columns has room for."""
NOTE = (
    "limited by: the part that was at work for most of the time, and its share; in flight: most windows at a "
    "time; receives: messages that an "
    "aggregator expects at a time; memory: of a node, for windows and pieces on their way, and messages that "
    "its MPI library keeps"
)


def print_simulations(console: Console, documents: list[JsonObject], chart: bool) -> None:
    for document in documents:
        _print_one(console, document)
    if chart:
        _print_charges(console, documents)
        _print_chart(console, documents)
    console.print(NOTE, style="dim", highlight=False)


def _print_one(console: Console, document: JsonObject) -> None:
    job, machine, automatic = document["job"], document["machine"], document["auto"]
    varied = ", ".join(f"{key}={value}" for key, value in document["varied"].items() if key != "ranks")
    console.print(
        f"{job['ranks']} ranks on {job['nodes']} of {machine['nodes']} nodes of {machine['name']}, "
        f"{format_bytes(job['bytes'])} in "
        f"{counted(job['pieces'], 'piece')}" + (f", {varied}" if varied else ""),
        style="bold",
        highlight=False,
    )
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for column in ("way", "time", "rate", "limited by", "in flight", "receives", "memory", "busiest link"):
        table.add_column(column, header_style="dim", no_wrap=column == "way", overflow="fold")
    ways = [way for way in document["ways"] if "left_out" not in way]
    soonest = min((way["seconds"] for way in ways), default=0)
    for way in ways:
        name, share = limit_of(way)
        link = way["busiest_link"]
        table.add_row(
            Text(way["way"], style=WAY_COLOURS[way["way"]]),
            format_seconds(way["seconds"]) + "*" * (way["seconds"] == soonest),
            f"{format_bytes(job['bytes'] / way['seconds'])}/s",
            f"{name} {share:.0%}",
            str(way["windows_in_flight"]["most"]),
            str(way["most_receives"]),
            format_bytes(way["node_memory_bytes"]),
            f"{format_seconds(link['seconds'])} {escape(link['name'])}",
        )
    console.print(table)
    for way in document["ways"]:
        if "left_out" in way:
            console.print(f"left out: {way['way']}: {way['left_out']}", highlight=False, markup=False)
        elif way["rounds_simulated"] < way["rounds"]:
            console.print(
                f"{way['way']}: {way['rounds_simulated']} of {way['rounds']} rounds stand for all",
                highlight=False,
            )
    console.print(f"auto takes {automatic['path']}: {automatic['reason']}", highlight=False, markup=False)
    console.print()


def limit_of(way: JsonObject) -> tuple[str, float]:
    """The phase that took longest, and its share of the time."""
    name = max(way["phases"], key=lambda phase: way["phases"][phase])
    return name, way["phases"][name] / way["seconds"] if way["seconds"] else 0


def _print_charges(console: Console, documents: list[JsonObject]) -> None:
    """Time and memory of a node that calls take beside the bytes, by cause, three settings side by side."""
    for first in range(0, len(documents), MOST_BESIDE):
        some = documents[first : first + MOST_BESIDE]
        calls = [document["beside_the_bytes"]["calls"] for document in some]
        table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
        table.add_column("beside the bytes", header_style="dim", no_wrap=True)
        for document in some:
            table.add_column(f"{document['job']['ranks']}", header_style="dim", justify="right", no_wrap=True)
            table.add_column("", justify="right", no_wrap=True)
        for name in CALLS:
            table.add_row(name, *_cells([call[name] for call in calls]), style="bold")
            for cause in dict.fromkeys(one["cause"] for call in calls for one in call[name]["causes"]):
                found = [
                    next((one for one in call[name]["causes"] if one["cause"] == cause), None)
                    for call in calls
                ]
                if any(one and (one["seconds"] or one["node_bytes"]) for one in found):
                    table.add_row(f"  {cause}", *_cells(found))
        console.print(table)
        console.print()


def _cells(charges: list[JsonObject | None]) -> list[str]:
    cells = []
    for one in charges:
        cells.append(format_seconds(one["seconds"]) if one and one["seconds"] else "")
        cells.append(format_bytes(one["node_bytes"]) if one and one["node_bytes"] else "")
    return cells


def _print_chart(console: Console, documents: list[JsonObject]) -> None:
    """Rates by ranks, a bar each."""
    rows = [
        (document["job"], way) for document in documents for way in document["ways"] if "left_out" not in way
    ]
    most = max((job["bytes"] / way["seconds"] for job, way in rows), default=1)
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for column in ("ranks", "way", "rate", ""):
        table.add_column(
            column,
            header_style="dim",
            justify="right" if column in ("ranks", "rate") else "left",
            no_wrap=True,
        )
    last = None
    for job, way in rows:
        rate = job["bytes"] / way["seconds"]
        bar = Text("█" * max(1, round(BAR_CELLS * rate / most)), style=WAY_COLOURS[way["way"]])
        table.add_row(
            str(job["ranks"]) if job["ranks"] != last else "", way["way"], f"{format_bytes(rate)}/s", bar
        )
        last = job["ranks"]
    console.print(table)
    console.print()
