"""`collio doctor`: the command."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from collio import config, hints
from collio.doctor import findings, job, pnetcdf
from collio.doctor.findings import NOTE, WELL, WRONG, Finding
from collio.run import launch
from collio.run.output import end_with_its_runs

MARKS = {WELL: ("✓", "green"), NOTE: ("–", "yellow"), WRONG: ("✗", "bold red")}


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option(
    "--dir",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="Folder that jobs write to.  [default: here]",
)
@click.option(
    "--mpi", "wanted", metavar="ID", help="The programs' MPI library, where the launcher does not show it."
)
@click.option(
    "--program",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Say also whether this program has a PnetCDF that collio serves.",
)
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=1),
    default=120.0,
    show_default=True,
    help="Time limit of the job, in seconds.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[-- LAUNCHER OPTIONS...]")
def doctor(program: Path | None, as_json: bool, **options: Any) -> None:
    """Check this machine with a small job.

    Example: collio doctor -- mpiexec -n 4

    The words after -- are a launcher and its options, without a program. Without them the first MPI found
    starts 2 ranks. The exit code is 0 when all is well, 1 when something is wrong.
    """
    end_with_its_runs()
    found = _examine(**options)
    if program:
        found.append(pnetcdf.finding(program))
    well = all(finding.state != WRONG for finding in found)
    if as_json:
        click.echo(json.dumps({"well": well, "findings": [finding.as_dict() for finding in found]}, indent=1))
    else:
        _print(Console(), found)
    sys.exit(0 if well else 1)


def _examine(words: tuple[str, ...], wanted: str | None, folder: Path, timeout_s: float) -> list[Finding]:
    folder = folder.absolute()
    try:
        plan = job.make_plan(words, wanted)
    except launch.LaunchError as error:
        what, _, remedy = str(error).partition("; ")
        return [
            Finding(
                "MPI",
                WRONG,
                what,
                remedy or "`collio info` lists the MPI libraries found, with their launchers",
            )
        ]
    except (hints.HintError, config.ConfigError) as error:
        return [Finding("hints", WRONG, str(error), "`collio info --all` lists the hints and their values")]
    found = findings.before(plan)
    if found[-1].state == WRONG:
        return found
    try:
        visit = job.run(plan, folder, timeout_s)
    except OSError as error:
        return [
            *found,
            Finding(
                "file system",
                WRONG,
                f"{folder}: cannot write there ({error.strerror})",
                "name a folder that you can write to: --dir",
            ),
        ]
    return [*found, *findings.after(plan, visit)]


def _print(console: Console, found: list[Finding]) -> None:
    table = Table.grid(padding=(0, 2, 0, 0))
    for _ in range(3):
        table.add_column(overflow="fold")
    for finding in found:
        mark, style = MARKS[finding.state]
        text = Text(finding.found)
        if finding.remedy:
            text.append(f"\n→ {finding.remedy}", style="bold" if finding.state == WRONG else "dim")
        table.add_row(Text(mark, style=style), Text(finding.name), text)
    console.print(table)
