"""`collio run`: its command line. `start.py` reads the plainest forms of it without this."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

import click

from collio.run.start_job import CannotRun, Wish, start_job

CANNOT_RUN = 125
"""Exit code when collio itself gives up (as `env` and `timeout` do); every other code is the job's."""


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="KEY=VALUE",
    help="A hint for every file; `collio info --all` lists them.",
)
@click.option(
    "--report",
    "report_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a JSON report to FILE; `auto`: to collio-JOBID.json, by Slurm, PBS, Flux or LSF.",
)
@click.option(
    "--trace",
    "trace_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write when each of the first 64 ranks did what to FILE, for Perfetto (gzipped JSON).",
)
@click.option(
    "--machine",
    metavar="FILE",
    help="The network, in any format that `collio topo` reads.  [default: $COLLIO_MACHINE]",
)
@click.option(
    "--threads",
    type=click.Choice(["multiple"]),
    help="Initialize MPI with MPI_THREAD_MULTIPLE: nonblocking collective I/O then proceeds in a thread.",
)
@click.option("--mpi", metavar="ID", help="The program's MPI library, where the command does not show it.")
@click.option(
    "--verbose", "-v", is_flag=True, help="Print the active settings, once for the job and once per file."
)
@click.option("--dry-run", is_flag=True, help="Print the command and the environment instead of starting it.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def run(**options: Any) -> None:
    """Run an MPI job through collio: collio run -- mpiexec -n 64 ./app

    The program needs no change. The exit code is the job's; 125 means that collio could not start it.
    """
    try:
        start_job(Wish(**options))
    except CannotRun as error:
        raise _GivesUp(str(error)) from None


class _GivesUp(click.ClickException):
    exit_code = CANNOT_RUN

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"collio: {self.message}", err=True)
