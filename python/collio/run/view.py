"""`collio view`: a program that reads files in subfiles as ordinary ones, without MPI."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import click

from collio import builds
from collio.run import launch_line, unreachable

CANNOT_RUN = 125
"""Exit code when collio itself gives up, as of `collio run`."""


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def view(command: tuple[str, ...]) -> None:
    """Run a program that reads files in subfiles as ordinary files: collio view -- ncdump out.nc

    Nothing is joined or copied beforehand. Opening such a file to write fails with EROFS ("Read-only file
    system"). All other files behave as usual. The exit code is the program's; 125 means that collio could not
    start it.
    """
    library = builds.find_library(builds.VIEW_PRELOAD)
    program = shutil.which(command[0])
    if library is None:
        raise _give_up(f"{builds.VIEW_PRELOAD} is missing; {builds.advice()}")
    if program is None:
        raise _give_up(f"{command[0]}: no such program")
    if why := unreachable.why_unreachable(Path(program)):
        raise _give_up(f"{why}, or read the file under `collio mount`")
    os.environ["LD_PRELOAD"] = launch_line.join_preload(str(library), os.environ.get("LD_PRELOAD"))
    try:
        os.execv(program, command)
    except OSError as error:
        raise _give_up(f"{program}: {error.strerror}") from None


def _give_up(message: str) -> SystemExit:
    click.echo(f"collio: {message}", err=True)
    return SystemExit(CANNOT_RUN)
