"""`collio topo`: what a network or a node is made of."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from collio.lab import check_run
from collio.lab.build import current
from collio.lab.start import LabError, run_in_new_lab
from collio.machine_file import MachineFileError, describe, units
from collio.plain_json import JsonObject
from collio.run import launch
from collio.run.output import end_with_its_runs
from collio.topo import measured
from collio.topo.session import MeasureError
from collio.topology import hwloc
from collio.topology.hostlist import HostListError, expand_hosts
from collio.topology.load import FORMATS, Found, from_inside, load
from collio.topology.options import USUAL_LINK_BYTES_PER_S, Options
from collio.topology.picture import to_svg
from collio.topology.show import inside_tree, network_tree

USUAL = units.format_rate(USUAL_LINK_BYTES_PER_S).replace(" ", "")


class QuantityOption(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.2; 8.0 runs, too
    """A rate or time with its unit, in base units."""

    def __init__(self, name: str, parse: Callable[[str], float]):
        self.name, self.parse = name, parse

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            return value if isinstance(value, float) else self.parse(str(value))
        except units.UnitError as error:
            self.fail(str(error), param, ctx)


class HostList(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.2; 8.0 runs, too
    name = "list"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        try:
            return value if isinstance(value, tuple) else tuple(expand_hosts(str(value)))
        except HostListError as error:
            self.fail(str(error), param, ctx)


RATE, TIME = QuantityOption("rate", units.parse_rate), QuantityOption("time", units.parse_time)


@click.command()
@click.option(
    "--format", "format_", type=click.Choice(list(FORMATS)), help="Format of FILE.  [default: by its content]"
)
@click.option("--link", type=RATE, help=f"Rate of a node's link; overrides FILE.  [default: {USUAL}]")
@click.option(
    "--uplink",
    type=RATE,
    help="Rate of a link between switches.  [default: FILE's, else the sum of the nodes' links below]",
)
@click.option("--latency", type=TIME, default="0s", help="Latency of every link.  [default: unknown, 0]")
@click.option(
    "--speed-unit", type=RATE, default="1Gbit/s", show_default=True, help="Unit of Slurm's LinkSpeed."
)
@click.option("--nodes", type=HostList(), help="Only these nodes, as in n[001-064].")
@click.option(
    "--ranks", type=click.IntRange(min=1), default=1, help="Ranks on each node, for the graph.  [default: 1]"
)
@click.option(
    "--measure", is_flag=True, help="Measure the network between the nodes that LAUNCHER starts ranks on."
)
@click.option("--lab", metavar="MACHINE", help="With --measure: measure a lab.")
@click.option("--mpi", metavar="ID", help="With --measure: the MPI library, where LAUNCHER does not show it.")
@click.option("--again", is_flag=True, help="With --measure: measure these nodes again.")
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=1),
    default=60.0,
    show_default=True,
    help="Longest wait for one answer, in seconds.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the expanded graph, for COLLIO_MACHINE.",
)
@click.option("--svg", type=click.Path(dir_okay=False, path_type=Path), help="Draw the network.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[FILE | -- LAUNCHER OPTIONS...]")
def topo(words: tuple[str, ...], output: Path | None, svg: Path | None, as_json: bool, **given: Any) -> None:
    """Show a network, or a node from inside; or measure a network.

    Examples: collio topo topology.conf; collio topo --measure -- mpiexec -n 16 --hosts a,b

    FILE is Slurm's topology.conf, the output of ibnetdiscover, hwloc's XML of a node, a machine file, or its
    expanded graph. Without FILE and --measure, collio shows this machine.
    """
    try:
        found, how = _measured(list(words), given) if given["measure"] else (_read(list(words), given), "")
        if found.inside and (output or svg):
            raise MachineFileError("--output and --svg need a network; this is one node from inside")
        for path, text in ((output, found.graph.to_json), (svg, lambda: to_svg(found.graph))):
            if path:
                path.write_text(text())
    except (MachineFileError, MeasureError, LabError, launch.LaunchError, check_run.CheckError) as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"{error.filename}: cannot be written ({error.strerror})") from None
    if as_json:
        click.echo(json.dumps(_document(found, how), indent=1))
    else:
        _print(Console(), found, how)


def _read(words: list[str], given: JsonObject) -> Found:
    for name in ("lab", "mpi", "again"):
        if given[name]:
            raise MachineFileError(f"--{name} is allowed with --measure alone")
    if len(words) > 1:
        raise MachineFileError(
            f"{len(words)} files; allowed is one, or none for this machine (--measure takes a launcher's "
            "command)"
        )
    options = Options(
        given["link"], given["uplink"], given["latency"], given["speed_unit"], given["nodes"], given["ranks"]
    )
    if words:
        return load(words[0], given["format_"], options)
    if given["format_"] not in (None, "hwloc"):
        raise MachineFileError(
            f"--format {given['format_']} needs a FILE; without one this machine is shown, by hwloc"
        )
    return from_inside(hwloc.read(hwloc.this_machine(), "this machine"))


def _measured(words: list[str], given: JsonObject) -> tuple[Found, str]:
    for name in ("format_", "link", "uplink", "nodes"):
        if given[name]:
            raise MeasureError(f"--{name.rstrip('_')} is for files; with --measure leave it out")
    if given["lab"]:
        if words:
            raise MeasureError("--lab starts the ranks itself; allowed is no launcher beside it")
        end_with_its_runs()
        here = current()
        if here is None:
            sys.exit(run_in_new_lab(given["lab"], sys.argv[1:]))
        graph, how = measured.measure_lab(here, given["mpi"], given["timeout_s"])
    else:
        graph, how = measured.measure_job(words, given["mpi"], given["timeout_s"], given["again"])
    return Found("measured", graph), how


def _document(found: Found, how: str) -> JsonObject:
    if found.inside:
        return {"format": found.format, "inside": asdict(found.inside)}
    return {
        "format": found.format,
        "how": how,
        "note": found.graph.note,
        "graph": json.loads(found.graph.to_json()),
    }


def _print(console: Console, found: Found, how: str) -> None:
    if found.inside:
        console.print(inside_tree(found.inside), highlight=False)
        return
    console.print(describe(found.graph), highlight=False, markup=False, soft_wrap=True)
    if how:
        console.print(how, highlight=False, markup=False, soft_wrap=True)
    tree = network_tree(found.graph)
    if tree:
        console.print(tree, highlight=False)
