"""`collio run`: starts a job with collio in its ranks."""

from __future__ import annotations

import os
import shlex
import sys
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn

import click

from collio import __version__, config, hints
from collio.run import launch, launch_line, pnetcdf, sanitizer, unreachable

if TYPE_CHECKING:
    from collio.report.records import Document

CANNOT_RUN = 125
"""Exit code when collio itself gives up (as `env` and `timeout` do); every other code is the job's."""


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="A hint for every file; `collio info` lists them.")
@click.option("--report", "report_file", type=click.Path(dir_okay=False, path_type=Path), help="Leave a JSON report here.")
@click.option("--machine", metavar="FILE", help="The network, in any format that `collio topo` reads.  [default: $COLLIO_MACHINE]")
@click.option("--threads", type=click.Choice(["multiple"]), help="Initialize MPI with MPI_THREAD_MULTIPLE: nonblocking collective I/O then proceeds in a thread.")
@click.option("--mpi", "wanted", metavar="ID", help="The program's MPI library, where the command does not show it.")
@click.option("--verbose", "-v", is_flag=True, help="Say what is in force, here and for every file.")
@click.option("--dry-run", is_flag=True, help="Print the command and the environment instead of starting it.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def run(
    assignments: tuple[str, ...], report_file: Path | None, machine: str | None, threads: str | None, wanted: str | None,
    verbose: bool, dry_run: bool, command: tuple[str, ...],
) -> None:
    """Run an MPI job through collio: collio run -- mpiexec -n 64 ./app

    The program needs no change. The exit code is the job's; 125 means that collio could not start it.
    """
    try:
        settings = config.gather_settings(assignments)
        line = launch_line.read_launch_line(list(command))
        if report_file and not line.waits:
            raise launch.LaunchError("--report needs a launcher that waits for the job's end: `flux run`, or `flux submit --wait`")
        choice, build = launch.choose(line, wanted)
    except (hints.HintError, config.ConfigError, launch.LaunchError) as error:
        raise _give_up(str(error)) from None
    programs = launch_line.programs(line)
    for warning in [*settings.warnings, *filter(None, map(unreachable.why_unreachable, programs))]:
        click.echo(f"collio: warning: {warning}", err=True)
    variables = _variables(settings, verbose) | _network(machine)
    for_pnetcdf, about_pnetcdf = pnetcdf.variables(os.environ) if os.environ.get("COLLIO_ENABLE") != "0" else ({}, "")
    variables |= for_pnetcdf | sanitizer.variables(programs, os.environ)
    if threads:
        variables["COLLIO_THREADS"] = threads
    lines = _empty_lines_file(report_file) if report_file and not dry_run else None
    if lines:
        variables |= {"COLLIO_REPORT": str(lines), "COLLIO_EXITS": "1"}
    try:
        job = launch.prepare(line, choice.launcher_kind, str(build.interposer), variables, os.environ)
    except launch.LaunchError as error:
        raise _give_up(str(error)) from None
    if verbose or dry_run:
        click.echo(f"collio: {choice.name} ({choice.because}); preloading {build.interposer}", err=True)
        if about_pnetcdf:
            click.echo(f"collio: {about_pnetcdf}", err=True)
    if dry_run:
        _print_job(job)
        return
    if lines is None or report_file is None:
        _become(job)
    from collio.run.supervise import supervise  # most jobs take this process's place

    started = time.monotonic()
    try:
        code = supervise(job)
    except launch.LaunchError as error:
        raise _give_up(str(error)) from None
    document: Document = {
        "collio": __version__, "command": list(command), "mpi": choice.name, "exit_code": code,
        "seconds": round(time.monotonic() - started, 6), "hints": settings.hints,
    }
    _finish_report(document, lines, report_file)
    sys.exit(code)


def _variables(settings: config.Settings, verbose: bool) -> dict[str, str]:
    variables = {"COLLIO_HINTS": hints.encode_hints(settings.hints)} if settings.hints else {}
    if settings.rules:
        variables["COLLIO_SET_FOR"] = settings.path_hints()
    if verbose:
        variables["COLLIO_VERBOSE"] = "1"
    return variables


def _network(machine: str | None) -> dict[str, str]:
    """COLLIO_MACHINE, where it is given or has to be another than the user's: the engine reads expanded graphs alone."""
    named = machine or os.environ.get("COLLIO_MACHINE")
    if not named:
        return {}
    from collio.machine_file import MachineFileError  # most jobs name no machine, and start sooner without these
    from collio.topology.expanded import expanded

    try:
        found = expanded(named)
    except MachineFileError as error:
        if machine:
            raise _give_up(f"--machine {error}") from None
        click.echo(f"collio: warning: COLLIO_MACHINE={error}", err=True)  # the engine goes on without, as in jobs it is set in otherwise
        return {}
    if found.told:
        click.echo(f"collio: {found.told}", err=True)
    return {"COLLIO_MACHINE": str(found.path)} if machine or found.told else {}


def _empty_lines_file(report_file: Path) -> Path:
    """The file the ranks append to: next to the report, so that it lies where the nodes can reach it."""
    lines = report_file.absolute().with_name(f".{report_file.name}.{os.getpid()}.lines")
    try:
        lines.write_text("")
    except OSError as error:
        raise _give_up(f"--report {report_file}: cannot write there ({error.strerror})") from None
    return lines


def _become(job: launch.Job) -> NoReturn:
    """Replaces this process by the job: signals, terminal and exit code are the job's own."""
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execvpe(job.words[0], job.words, job.environ)
    except OSError as error:
        raise _give_up(f"cannot start {job.words[0]}: {error.strerror}") from None


def _finish_report(document: Document, lines: Path, report_file: Path) -> None:
    import json  # not before the job: every job waits for what is imported

    from rich.console import Console

    from collio.report import summary as report
    from collio.report import text as report_text

    console = Console(stderr=True)
    document["files"], damaged = report.read_lines(lines)
    document["at_exit"] = report.read_exits(lines)
    report_file.write_text(json.dumps(document, indent=1) + "\n")
    lines.unlink()
    if damaged:
        click.echo(f"collio: warning: {damaged} damaged lines in the report were left out", err=True)
    report_text.print_summary(console, document, environ_disabled=os.environ.get("COLLIO_ENABLE") == "0")
    console.print(f"[dim]report: {report_file}   (`collio report {report_file}` shows it all)[/]", highlight=False, soft_wrap=True)


def _print_job(job: launch.Job) -> None:
    changed = {name: value for name, value in job.environ.items() if os.environ.get(name) != value}
    for name, value in sorted(changed.items()):
        click.echo(f"{name}={shlex.quote(value)} \\")
    click.echo(shlex.join(job.words))


class _CannotRun(click.ClickException):
    exit_code = CANNOT_RUN

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"collio: {self.message}", err=True)


def _give_up(message: str) -> click.ClickException:
    return _CannotRun(message)
