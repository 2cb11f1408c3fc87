"""`collio simulate`: the command."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from collio import progress
from collio.bench.patterns.options import COUNT
from collio.machine_file import COSTS, MachineFileError, model_of
from collio.old_names import RenamedOption
from collio.plain_json import JsonObject
from collio.plan import machines, patterns, program
from collio.plan.errors import PlanError
from collio.simulate.settings import Setting, assignment, checked_hint, combinations, read_costs
from collio.simulate.show import print_simulations

WAYS = ("two_layer", "two_phase", "romio", "tam")


class RankList(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.2; 8.0 runs, too
    """256,1024,4096."""

    name = "list"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> list[int]:
        if isinstance(value, list):
            return value
        words = str(value).split(",")
        if not all(word.isascii() and word.isdecimal() and 0 < int(word) <= 1 << 24 for word in words):
            self.fail(
                f"{value!r} is not allowed; allowed are numbers of ranks, 1 to 16777216, with commas between "
                "them",
                param,
                ctx,
            )
        return [int(word) for word in words]


@click.command("simulate", context_settings={"ignore_unknown_options": True})
@click.argument("pattern", metavar="PATTERN")
@click.option(
    "--machine",
    required=True,
    metavar="MACHINE",
    help="A preset, a machine file, or a shape, as for `collio plan`.",
)
@click.option("--ranks", type=COUNT, help="Ranks of the job.")
@click.option("--scale", type=RankList(), metavar="N,N,...", help="Several numbers of ranks, with a chart.")
@click.option("--ranks-per-node", type=COUNT, help="[default: the machine file's]")
@click.option(
    "--way",
    "ways",
    multiple=True,
    type=click.Choice(WAYS),
    help="Simulate this way; may be repeated.  [default: all]",
)
@click.option(
    "--set",
    "hint_texts",
    cls=RenamedOption,
    former=["--hint"],
    multiple=True,
    metavar="KEY=VALUE",
    help="A hint of the file; may be repeated.",
)
@click.option(
    "--cost",
    "cost_texts",
    multiple=True,
    metavar="COST=VALUE",
    help=f"A cost of the machine: {', '.join(COSTS)}; may be repeated.",
)
@click.option(
    "--vary",
    multiple=True,
    metavar="KEY=V1,V2,...",
    help="Compare values of a hint or a cost; may be repeated.",
)
@click.option(
    "--scatter", type=COUNT, metavar="SEED", help="Place the job on random nodes instead of the first ones."
)
@click.option("--read", is_flag=True, help="Simulate a read.  [default: a write]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document per simulated setting.")
@click.argument("pattern_options", nargs=-1, type=click.UNPROCESSED, metavar="[PATTERN OPTIONS]")
def simulate(as_json: bool, **given: Any) -> None:
    """How long one collective call takes on a machine you describe, and what limits it.

    No job runs: nodes, links and storage are clocks, and collio's own rules decide. PATTERN is one of `collio
    bench`, whose options may follow. Four ways are compared: collio's two_layer and two_phase, ROMIO's
    two-phase I/O (romio), and the same with local aggregators (tam).
    """
    try:
        documents = simulate_all(given)
    except (PlanError, MachineFileError) as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        for document in documents:
            click.echo(json.dumps(document))
    else:
        print_simulations(Console(), documents, chart=bool(given["scale"]))


def simulate_all(given: JsonObject) -> list[JsonObject]:
    """A document for every setting. Raises PlanError and MachineFileError."""
    ranks = given["scale"] or ([given["ranks"]] if given["ranks"] else [])
    if not ranks or (given["scale"] and given["ranks"]):
        raise PlanError("say how many ranks there are: either --ranks or --scale")
    hints = {
        key: checked_hint("--set", key, value)
        for key, value in (assignment("--set", text) for text in given["hint_texts"])
    }
    documents = []
    with tempfile.TemporaryDirectory(prefix="collio-simulate-") as folder:
        machine = machines.plan_machine(given["machine"], Path(folder))
        ranks_per_node = given["ranks_per_node"] or machine.ranks_per_node
        if ranks_per_node is None:
            raise PlanError(f"--machine {given['machine']} says nothing of ranks; --ranks-per-node does")
        costs = machine.costs | read_costs("--cost", given["cost_texts"])
        prepared: dict[int, list[str]] = {}
        settings = list(combinations(ranks, costs, hints, given["vary"]))
        with progress.bar("simulating", sum(setting.ranks for setting in settings)) as bar:
            for setting in settings:
                if setting.ranks not in prepared:
                    scratch = Path(folder) / str(setting.ranks)
                    scratch.mkdir()
                    prepared[setting.ranks] = patterns.prepare(
                        given["pattern"], given["pattern_options"], setting.ranks, scratch
                    ).arguments
                arguments = [
                    *machine.arguments,
                    *prepared[setting.ranks],
                    "--ranks-per-node",
                    str(ranks_per_node),
                ]
                documents.append(_document(setting, arguments, given, Path(folder)))
                bar.advance(setting.ranks)
    return documents


def _document(setting: Setting, arguments: list[str], given: JsonObject, folder: Path) -> JsonObject:
    model = folder / "model.json"
    model.write_text(json.dumps(model_of(setting.costs)))
    arguments = [*arguments, "--ranks", str(setting.ranks), "--model", str(model)]
    if setting.hints:
        arguments += ["--hints", ";".join(f"{key}={value}" for key, value in setting.hints.items())]
    if given["scatter"]:
        arguments += ["--scatter", str(given["scatter"])]
    for way in given["ways"]:
        arguments += ["--way", way]
    document = program.document_of(program.SIMULATE, arguments + ["--read"] * given["read"])
    for path in ("graph", "map-binary", "model"):  # files of this run, gone by now
        document["parameters"].pop(path, None)
    document["varied"] = setting.varied
    return document
