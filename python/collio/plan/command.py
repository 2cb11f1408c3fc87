"""`collio plan`: the command."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from collio import hints
from collio.bench.patterns.options import COUNT, SIZE
from collio.machine_file import MachineFileError
from collio.plain_json import JsonObject
from collio.plan import machines, patterns, program
from collio.plan.errors import PlanError
from collio.plan.show import print_plan

PASSED_ON = ("aggregators", "cut", "who", "unit", "window", "stripes", "scatter", "numas", "nics")


@click.command("plan", context_settings={"ignore_unknown_options": True})
@click.option(
    "--machine",
    required=True,
    metavar="MACHINE",
    help="A preset, a machine file, or a shape: tree:4x20,link=40Gbit/s,uplink=20Gbit/s.",
)
@click.option(
    "--pattern",
    required=True,
    metavar="PATTERN",
    help=f"{', '.join(patterns.PATTERNS)}; options of the pattern may follow, as in `collio bench`.",
)
@click.option("--ranks", type=COUNT, required=True, help="Ranks of the job.")
@click.option("--ranks-per-node", type=COUNT, help="[default: the machine file's]")
@click.option("--aggregators", type=COUNT, help="[default: one per node]")
@click.option(
    "--cut",
    type=click.Choice([cut for cut in hints.choices("collio_domains") if cut != "auto"]),
    default="even",
    show_default=True,
    help="Cut of the file while assignments and aggregators are compared.",
)
@click.option(
    "--who",
    type=click.Choice(hints.choices("collio_aggregators")),
    default="dealt",
    show_default=True,
    help="Choice of aggregators while cuts and assignments are compared.",
)
@click.option(
    "--unit",
    type=SIZE,
    default=1 << 20,
    help="Stripe or block to which domains are aligned.  [default: 1MiB]",
)
@click.option(
    "--window", type=SIZE, default=16 << 20, help="Bytes an aggregator serves per round.  [default: 16MiB]"
)
@click.option("--stripes", type=COUNT, help="Stripes of the file.  [default: the machine's storage targets]")
@click.option(
    "--scatter", type=COUNT, metavar="SEED", help="Place the job on random nodes instead of the first ones."
)
@click.option("--numas", type=COUNT, help="Memory domains of a node.  [default: 1]")
@click.option("--nics", type=COUNT, help="Network adapters of a node.  [default: 1]")
@click.option("--read", is_flag=True, help="Plan a read.  [default: a write]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.argument("pattern_options", nargs=-1, type=click.UNPROCESSED, metavar="[PATTERN OPTIONS]")
def plan(as_json: bool, **given: Any) -> None:
    """Compare placements of aggregators on a machine you describe.

    No job runs. collio counts the bytes of each node in each file domain, and compares policies by hop-bytes
    and by the busiest link. --machine SHAPE is switch:N, tree:RACKSxNODES, fat-tree:LEAVESxNODESxSPINES,
    torus:AxBx..., torus-io:NODESxBRIDGESxAxBx... or dragonfly:GROUPSxROUTERSxNODES; rates follow as link=,
    uplink=, io=, local=, global= (100Gbit/s) and latency= (1us).
    """
    try:
        with tempfile.TemporaryDirectory(prefix="collio-plan-") as scratch:
            document = program.document_of(program.PLAN, arguments_of(given, Path(scratch)))
    except (PlanError, MachineFileError) as error:
        raise click.ClickException(str(error)) from None
    document["parameters"].pop("graph", None)
    document["parameters"].pop("map-binary", None)
    if as_json:
        click.echo(json.dumps(document, indent=1))
    else:
        print_plan(Console(), document)


def arguments_of(given: JsonObject, scratch: Path) -> list[str]:
    """The planner's command line. Raises PlanError and MachineFileError."""
    machine = machines.plan_machine(given["machine"], scratch)
    ranks_per_node = given["ranks_per_node"] or machine.ranks_per_node
    if ranks_per_node is None:
        raise PlanError(f"--machine {given['machine']} says nothing of ranks; --ranks-per-node does")
    prepared = patterns.prepare(given["pattern"], given["pattern_options"], given["ranks"], scratch)
    options = {**given, "stripes": given["stripes"] or machine.targets}
    arguments = [
        *machine.arguments,
        *prepared.arguments,
        "--ranks",
        str(given["ranks"]),
        "--ranks-per-node",
        str(ranks_per_node),
    ]
    for name in PASSED_ON:
        if options[name]:
            arguments += [f"--{name}", str(options[name])]
    return arguments + ["--read"] * given["read"]
