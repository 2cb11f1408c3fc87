"""`collio lab`: a cluster on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import click
from rich.console import Console

from collio import __version__, hints
from collio.lab import counters, job, registry, running, traffic
from collio.lab.build import Lab, current
from collio.lab.check_command import check
from collio.lab.start import LabError, run_in_new_lab
from collio.lab.target_command import target
from collio.machine_file import MachineFileError, describe, expand, load_machine, preset_names
from collio.report import reading
from collio.report.records import FileRecord
from collio.run import launch
from collio.wording import format_seconds

CANNOT_RUN = 125


@click.group()
def lab() -> None:
    """Run a cluster with storage on this machine.

    Nodes are network namespaces, and links have rates. Nothing is left behind, however a lab ends. Files in
    /run/lab/memory are seen by all nodes and vanish with the lab; storage targets are /run/lab/target0 and so
    on.
    """


lab.add_command(target)
lab.add_command(check)


@lab.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option(
    "--machine",
    "-m",
    required=True,
    metavar="MACHINE",
    help="A machine file, or one of `collio lab machines`.",
)
@click.option("--ranks", type=click.IntRange(min=1), help="MPI ranks in all.  [default: the machine file's]")
@click.option("--native", is_flag=True, help="Without collio: the MPI library's own I/O.")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="A hint for every file.")
@click.option("--mpi", metavar="ID", help="The program's MPI library, if the program does not show it.")
@click.option(
    "--report",
    "report_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a JSON report to FILE.",
)
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
def run(
    machine: str,
    ranks: int | None,
    native: bool,
    assignments: tuple[str, ...],
    mpi: str | None,
    report_file: Path | None,
    program: tuple[str, ...],
) -> None:
    """Run an MPI program on a lab.

    Example: collio lab run -m rack4x2 -- ./app out.nc

    The command builds the machine, runs the program across it, and takes it down. The exit code is the
    program's; 125 means that it could not be started.
    """
    try:
        chosen = dict(hints.split_assignment(text) for text in assignments)
        chosen = {key: hints.check_hint(key, value)[0] for key, value in chosen.items()}
        if report_file and not os.access(report_file.parent, os.W_OK):
            raise LabError(f"--report {report_file}: cannot write there")
        here = current()
        if here is None:
            sys.exit(run_in_new_lab(machine, sys.argv[1:], ranks))
        prepared, choice = job.prepare(here, job.Wish(list(program), mpi, ranks, native, chosen))
    except (LabError, launch.LaunchError, hints.HintError) as error:
        click.echo(f"collio lab: {error}", err=True)
        sys.exit(CANNOT_RUN)
    before = counters.read(here.graph)
    started = time.monotonic()
    code = _wait_for(prepared)
    seconds = time.monotonic() - started
    _show(here, counters.since(here.graph, before), seconds)
    if report_file:
        document = {
            "collio": __version__,
            "command": list(program),
            "mpi": choice.mpi.id,
            "exit_code": code,
            "seconds": round(seconds, 6),
            "hints": chosen,
            "files": _files(),
        }
        report_file.write_text(json.dumps(document, indent=1) + "\n")
    sys.exit(code)


@lab.command()
@click.argument("machine", required=False)
def machines(machine: str | None) -> None:
    """Show the machines of collio, or a machine file."""
    try:
        for name in [machine] if machine else preset_names():
            click.echo(describe(expand(load_machine(name))))
    except MachineFileError as error:
        raise click.ClickException(str(error)) from None


@lab.command()
@click.option(
    "--lab",
    "number",
    type=click.IntRange(min=0),
    help="Number of the lab, if several run (`collio lab clean` lists them).",
)
@click.option(
    "--every",
    "every_s",
    type=click.FloatRange(min=0.1),
    default=1.0,
    show_default=True,
    help="Seconds between updates.",
)
@click.option("--once", is_flag=True, help="Print one update and exit.")
def top(number: int | None, every_s: float, once: bool) -> None:
    """Show the bytes over each link of a running lab."""
    try:
        lab = running.find(number)
    except running.NoLabError as error:
        raise click.ClickException(str(error)) from None
    try:
        code = lab.run_module("collio.lab.top", str(every_s), *(["once"] if once else []))
    except KeyboardInterrupt:
        return
    if code < 0:
        click.echo(f"lab {lab.entry} has ended", err=True)
    elif code:
        sys.exit(code)


@lab.command()
def clean() -> None:
    """Remove the records of killed labs. The kernel has removed the rest."""
    gone = registry.remove_dead()
    running = [entry for entry in registry.labs() if entry.running]
    for what, entries in (("removed", gone), ("running", running)):
        click.echo(f"{what}: {', '.join(map(str, entries)) or 'none'}")


def _wait_for(prepared: launch.Job) -> int:
    try:
        code = subprocess.Popen(prepared.words, env=prepared.environ).wait()
    except OSError as error:
        click.echo(f"collio lab: cannot start {prepared.words[0]}: {error.strerror}", err=True)
        return CANNOT_RUN
    return code if code >= 0 else 128 - code


def _files() -> list[FileRecord]:
    return reading.read_lines(job.REPORT_LINES)[0] if job.REPORT_LINES.exists() else []


def _show(here: Lab, measured: list[counters.LinkBytes], seconds: float) -> None:
    title = f"bytes over links in {format_seconds(seconds)}"
    traffic.print_table(
        Console(stderr=True), here.graph, measured, traffic.said_by(here.graph, _files()), title
    )
