"""`collio probe`: the command."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import click
from rich.console import Console

from collio.bench.patterns.options import COUNT, SIZE
from collio.old_names import RenamedOption
from collio.probe import program
from collio.probe.show import print_probe

USUAL_TIMEOUT_S = 30.0


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="DIR...")
@click.option(
    "--bytes",
    "bytes_",
    type=SIZE,
    metavar="SIZE",
    help="Written to each target, in all its samples.  [default: 40MiB]",
)
@click.option("--samples", type=COUNT, help="Samples of each target.  [default: 5]")
@click.option(
    "--expected",
    type=SIZE,
    metavar="SIZE",
    help="Bytes of the file to come; the probe takes at most 1 % of its time.  [default: no limit]",
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 0.99),
    help="Part of the highest sum that may be lost for more targets.  [default: 0.02]",
)
@click.option("--at-once", type=COUNT, help="Targets written to at the same time.  [default: 4]")
@click.option(
    "--target-timeout",
    "patience",
    cls=RenamedOption,
    former=["--patience"],
    type=click.FloatRange(0.01, 3600),
    help="Seconds until a target that does not answer is stuck.  [default: 2]",
)
@click.option(
    "--timeout",
    "most",
    cls=RenamedOption,
    former=["--most"],
    type=click.FloatRange(0.1, 86400),
    help="Seconds until the probe ends.  [default: 30]",
)
@click.option(
    "--buffered",
    is_flag=True,
    help="Write through the page cache and wait for the disk, where O_DIRECT means something else.",
)
@click.option("--again", is_flag=True, help="Measure again, although findings hold for 10 minutes.")
@click.option("--no-cache", is_flag=True, hidden=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def probe(folders: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Measure storage targets, and choose those that are worth it.

    Example: collio probe /mnt/ost0 /mnt/ost1 /mnt/ost2

    Every DIR is a target. collio writes random bytes into a file without a name there, past the page cache.
    Targets that would hold the others up are left out. The exit code is 0 when all targets can be used, 1
    when some cannot.
    """
    try:
        document, usable = program.document_of(arguments_of(folders, given), given["most"] or USUAL_TIMEOUT_S)
    except program.ProbeError as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        click.echo(json.dumps(document, indent=1))
    else:
        print_probe(Console(), document)
    sys.exit(0 if usable else 1)


def arguments_of(folders: tuple[str, ...], given: dict[str, Any]) -> list[str]:
    """The program's command line."""
    given = {**given, "again": None, "age": "0" if given["again"] else None}
    arguments = [f"--target={folder}" for folder in dict.fromkeys(map(os.path.abspath, folders))]
    for name, value in given.items():
        if value is True:
            arguments.append(f"--{name.replace('_', '-')}")
        elif value not in (None, False):
            arguments.append(f"--{name.strip('_').replace('_', '-')}={value}")
    return arguments
