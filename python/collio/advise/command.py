"""`collio advise`: the command, and what it prints."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from collio.advise import darshan_log, forecast, of_report
from collio.advise.darshan_log import LogError
from collio.advise.forecast import Forecast, Observed
from collio.report import reading
from collio.run.own_python import module_command
from collio.wording import format_seconds

MOST_PHASES = 3
LOGS = ("*.darshan", "*.json")
EVIDENCE = (
    "docs/benchmarks.md: up to 16 ranks on 2 cores, and a lab of 8 nodes; larger machines are not measured"
)


class _WithJob(click.Command):
    """Takes what follows `--` first: click drops that word."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            at = args.index("--")
            ctx.meta["job"], args = args[at + 1 :], args[:at]
        return super().parse_args(ctx, args)


@click.command(cls=_WithJob, options_metavar="[FILE | --folder FOLDER | -- mpiexec ...]")
@click.argument(
    "file", required=False, metavar="", type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Rank the logs and reports in FOLDER and below.",
)
@click.pass_context
def advise(ctx: click.Context, file: Path | None, folder: Path | None) -> None:
    """Forecast whether a job would gain under collio.

    FILE is a log of Darshan, or a report of `collio run --report`. Without one, `collio advise -- mpiexec
    -n 4 ./app` runs the job once under collio. A job gains if it would be at least 1.1 times as fast.
    """
    job = ctx.meta.get("job")
    if sum(map(bool, (file, folder, job))) != 1:
        raise click.UsageError("allowed: one of FILE, --folder FOLDER, and -- with a command")
    try:
        if folder:
            _rank(folder)
        else:
            _show(_read(file) if file else _run(job or []))
    except (LogError, reading.ReportError) as error:
        raise click.ClickException(str(error)) from None


def _read(path: Path) -> Observed:
    """A log, or a report. Raises LogError or ReportError."""
    return of_report.read(reading.load(path)) if path.suffix == ".json" else darshan_log.read(path)


def _run(job: list[str]) -> Observed:
    """Runs the job once. Ends with its exit code where that is not 0."""
    if os.environ.get("COLLIO_ENABLE") == "0":
        raise click.ClickException(
            "COLLIO_ENABLE=0 leaves all files to the MPI library; the forecast needs a run under collio: "
            "unset COLLIO_ENABLE"
        )
    try:
        made = tempfile.TemporaryDirectory(prefix=".collio-advise-", dir=".")  # where all nodes reach it
    except OSError as error:
        raise click.ClickException(
            f"{Path.cwd()}: cannot write the report there ({error.strerror}); start it in a folder that all "
            "nodes can write to"
        ) from None
    with made as folder:
        report = Path(folder) / "report.json"
        code = subprocess.run(module_command("collio", "run", "--report", str(report), "--", *job)).returncode
        if code:
            click.echo(f"collio advise: the job failed (exit code {code}), so nothing is forecast", err=True)
            sys.exit(code)
        return of_report.read(reading.load(report))


def _show(seen: Observed) -> None:
    found, console = forecast.of(seen), Console()
    style = "bold green" if found.gains else "bold"
    console.print(Text(headline(found), style=style), highlight=False, soft_wrap=True)
    for line in _details(seen, found):
        console.print(Text(line), highlight=False, soft_wrap=True)


def headline(found: Forecast) -> str:
    """ "Would gain: I/O about 5.1x (3.3x to 8.2x) as fast, the job about 1.4x (1.3x to 1.5x)"."""
    if found.gains:
        return f"Would gain: I/O {found.io} as fast, the job {found.job}."
    return f"Would not gain: {found.reason}."


def _details(seen: Observed, found: Forecast) -> list[str]:
    under = "under collio" if seen.under_collio else "without collio"
    lines = [f"I/O took {format_seconds(seen.io_s)} of {format_seconds(seen.job_s)} {under}."]
    largest = sorted(seen.phases, key=lambda phase: -phase.seconds)[:MOST_PHASES]
    lines += [f"  - {phase.evidence}" for phase in largest]
    lines += [f"  - {remark}" for remark in seen.remarks]
    if seen.phases:
        lines.append(f"  - evidence: {EVIDENCE}")
    if found.remedy:
        lines.append(f"To gain: {found.remedy}.")
    return [*lines, "To try it:", *trial(seen)]


def trial(seen: Observed) -> list[str]:
    """Three lines: the job with collio, without, and what differs."""
    job = seen.command if seen.under_collio else f"mpiexec -n {seen.ranks} {seen.command}"
    return [
        f"  collio run --report with.json -- {job}",
        f"  COLLIO_ENABLE=0 collio run --report without.json -- {job}",
        "  collio report without.json with.json",
    ]


def _rank(folder: Path) -> None:
    """A table: jobs that gain, largest saving first, then the others. Raises LogError where the folder has
    neither logs nor reports."""
    rows: list[tuple[tuple[bool, float], list[Any]]] = []
    other = []
    for path in sorted(path for kind in LOGS for path in folder.rglob(kind) if os.path.isfile(path)):
        try:
            seen = _read(path)
        except (LogError, reading.ReportError) as error:
            other.append(str(error))
            continue
        found = forecast.of(seen)
        rows.append(((found.gains, _saved(seen, found)), _row(str(path.relative_to(folder)), seen, found)))
    if not rows:
        raise LogError("\n".join([f"{folder}: no log of Darshan and no report of collio", *other]))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("job", "seconds", "I/O", "saved", "gain", "why"):
        table.add_column(name, justify="left" if name in ("job", "why") else "right", header_style="dim")
    for _, row in sorted(rows, key=lambda item: item[0], reverse=True):
        table.add_row(*row)
    Console().print(table, soft_wrap=True)
    for line in other:
        click.echo(line, err=True)


def _saved(seen: Observed, found: Forecast) -> float:
    """Seconds of the job that collio saves."""
    job_s = max(seen.job_s, seen.io_s)
    return job_s * (found.job.middle - 1) if seen.under_collio else job_s * (1 - 1 / found.job.middle)


def _row(name: str, seen: Observed, found: Forecast) -> list[Any]:
    return [
        Text(name),
        format_seconds(seen.job_s),
        format_seconds(seen.io_s),
        format_seconds(_saved(seen, found)) if found.gains else "",
        f"{found.job.middle:.2g}x" if found.gains else "none",
        Text(found.reason or f"I/O {found.io} as fast"),
    ]
