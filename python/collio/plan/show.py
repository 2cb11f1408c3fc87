"""A plan as tables."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from collio.plain_json import JsonObject
from collio.wording import format_bytes, format_seconds

COLUMNS = ("hop-bytes", "busiest", "link", "on node", "uneven", "messages")
NOTE = (
    "* least of its column; uneven: most bytes of an aggregator by their mean; messages between nodes: "
    "in one layer / in two"
)


def print_plan(console: Console, document: JsonObject) -> None:
    job, machine, first = document["job"], document["machine"], document["assignments"][0]
    console.print(
        f"{job['ranks']} ranks on {job['nodes']} of {machine['nodes']} nodes of {machine['name']}, "
        f"{format_bytes(job['bytes'])}",
        style="bold",
        highlight=False,
    )
    console.print()
    console.print(
        _table(
            f"Which aggregator serves which domain (cut: {first['cut']}, who: {first['who']})",
            "assignment",
            document["assignments"],
        )
    )
    console.print(
        f"auto takes {document['auto']['assignment']}: {document['auto']['reason']}", highlight=False
    )
    for key, title in (("who", "Who aggregates"), ("cuts", "How the file is cut")):
        if key in document:
            console.print()
            console.print(
                _table(f"{title} (assignment: auto)", "cut" if key == "cuts" else "who", document[key])
            )
    for line in document.get("left_out", ()):
        console.print(f"left out: {line}", highlight=False)
    console.print(NOTE, style="dim", highlight=False)


def _table(title: str, name: str, rows: list[JsonObject]) -> Table:
    table = Table(
        title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, 1, 0, 0)
    )
    for column in (name, *COLUMNS):
        table.add_column(column, header_style="dim", no_wrap=column == name, overflow="fold")
    least_hops = min(row["hop_bytes"] for row in rows)
    soonest = min(row["busiest_link"]["seconds"] for row in rows)
    for row in rows:
        link = row["busiest_link"]
        table.add_row(
            f"[bold green]{row[name]}[/]" if name == "assignment" and row["auto"] else row[name],
            format_bytes(row["hop_bytes"]) + "*" * (row["hop_bytes"] == least_hops),
            format_seconds(link["seconds"]) + "*" * (link["seconds"] == soonest),
            link["name"],
            format_bytes(row["bytes_inside_nodes"]),
            f"{row['imbalance']:.2f}",
            f"{row['two_phase_messages']}/{row['two_layer_messages']}",
        )
    return table
