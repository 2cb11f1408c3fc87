"""`collio lab check`: whether a lab carries what its machine file says."""

from __future__ import annotations

import json
import sys

import click
from rich.console import Console
from rich.table import Table

from collio.lab import check_run
from collio.lab.build import current
from collio.lab.check import Flow, Round, rounds
from collio.lab.start import LabError, run_in_new_lab
from collio.machine_file import Graph
from collio.machine_file.units import format_byte_rate
from collio.plain_json import JsonObject
from collio.run import launch
from collio.run.output import end_with_its_runs
from collio.wording import format_bytes, format_seconds


@click.command()
@click.option(
    "--machine",
    "-m",
    required=True,
    metavar="MACHINE",
    help="A machine file, or one of `collio lab machines`.",
)
@click.option(
    "--mpi",
    metavar="ID",
    help="mpich, openmpi, or an id of `collio info`.  [default: the first that is built]",
)
@click.option(
    "--pairs",
    type=click.IntRange(min=1),
    default=6,
    show_default=True,
    help="Number of pairs to measure, nearest and farthest included.",
)
@click.option(
    "--pair",
    "named",
    multiple=True,
    metavar="NODE:NODE",
    help="Measure only these pairs, from the first node to the second.",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0, max=100),
    default=15.0,
    show_default=True,
    help="Largest difference that passes, in percent.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.1),
    default=0.6,
    show_default=True,
    help="Length of each measurement.",
)
@click.option(
    "--tries",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="Measure again what is off; the best counts.",
)
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=1),
    default=300.0,
    show_default=True,
    help="Seconds one try may take.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def check(
    machine: str,
    mpi: str | None,
    pairs: int,
    named: tuple[str, ...],
    tolerance: float,
    seconds: float,
    tries: int,
    timeout_s: float,
    as_json: bool,
) -> None:
    """Compare a lab's network with its machine file.

    Example: collio lab check -m rack4x2

    The command builds the machine and measures its network with MPI. The exit code is 1 when a pair of nodes
    is off, an exchange of all with all was faster than the busiest link, or bytes left their route.
    """
    end_with_its_runs()
    try:
        here = current()
        if here is None:
            sys.exit(run_in_new_lab(machine, sys.argv[1:]))
        if len(here.graph.nodes) < 2:
            raise check_run.CheckError(f"{here.graph.name} has one node; a network needs two")
        wanted = [_round(text, here.graph) for text in named] or rounds(here.graph, pairs)
        settings = check_run.CheckSettings(
            check_run.find_mpi(mpi), tolerance / 100, seconds, tries, timeout_s, all_to_all=not named
        )
        document = check_run.run(here, wanted, settings)
    except (LabError, launch.LaunchError, check_run.CheckError) as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        click.echo(json.dumps(document, indent=1))
    else:
        _print(Console(), document)
    sys.exit(0 if document["honest"] else 1)


def _round(text: str, graph: Graph) -> Round:
    number = {node.name: index for index, node in enumerate(graph.nodes)}
    ends = text.split(":")
    if len(ends) != 2 or ends[0] == ends[1] or any(end not in number for end in ends):
        raise check_run.CheckError(
            f"--pair {text}: allowed are two nodes, as in {graph.nodes[0].name}:{graph.nodes[-1].name}"
        )
    return (Flow(number[ends[0]], number[ends[1]]),)


def _print(console: Console, document: JsonObject) -> None:
    title = f"{document['machine']}, {document['mpi']}"
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("from", "to", "links", "measured", "promised", "ratio", "latency", ""):
        table.add_column(
            name, justify="left" if name in ("from", "to", "") else "right", header_style="dim", no_wrap=True
        )
    for row in document["pairs"]:
        told = ("both ways at once" if row["at_once"] > 1 else "") if row["ok"] else "[red]off[/]"
        rates = (format_byte_rate(row[key]) for key in ("bytes_per_s", "promised_bytes_per_s"))
        table.add_row(
            row["from"],
            row["to"],
            str(row["hops"]),
            *rates,
            f"{row['ratio']:.3f}",
            format_seconds(row["latency_s"]),
            told,
        )
    console.print(table)
    for line in _sentences(document):
        console.print(line, highlight=False, soft_wrap=True)


def _sentences(document: JsonObject) -> list[str]:
    """What the table does not say."""
    lines = []
    exchange = document.get("all_to_all")
    if exchange:
        lines.append(
            f"all with all, {format_bytes(exchange['bytes'])} each: {format_seconds(exchange['seconds'])}, "
            f"{exchange['ratio']:.2f} of what the "
            f"busiest link takes at its rate ({format_seconds(exchange['bound_s'])})"
            + ("" if exchange["ok"] else ": too fast to be honest")
        )
    off = [row for row in document["links"] if not row["ok"]]
    lines.append(
        f"{len(document['links'])} ways over links counted; "
        + (
            "off the routes: "
            + ", ".join(
                f"{row['way']} {format_bytes(row['bytes'])} for {format_bytes(row['expected_bytes'])}"
                for row in off
            )
            if off
            else "all bytes took their routes"
        )
    )
    limit = f"{document['tolerance'] * 100:g} %"
    lines.append(
        f"[green]honest within {limit}[/]" if document["honest"] else f"[red]off by more than {limit}[/]"
    )
    return lines
