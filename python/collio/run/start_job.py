"""`collio run` without its command line: starts a job with collio in its ranks. Every job waits for what is
imported here."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from collio import __version__, config, hints
from collio.run import launch, launch_line, pnetcdf, sanitizer, unreachable

if TYPE_CHECKING:
    from collio.report.records import Document


class Wish(NamedTuple):
    """The options of `collio run`, and the job's command."""

    command: tuple[str, ...]
    assignments: tuple[str, ...] = ()
    report_file: Path | None = None
    trace_file: Path | None = None
    machine: str | None = None
    threads: str | None = None
    mpi: str | None = None
    verbose: bool = False
    dry_run: bool = False


class CannotRun(Exception):
    """collio cannot start the job; the message says why."""


def read_quickly(words: list[str]) -> Wish | None:
    """The wish in the words that follow `collio run`, if they are of the plainest kind; else None, and click
    reads them, which takes 40 ms."""
    assignments, chosen, verbose = [], dict.fromkeys(("--mpi", "--machine")), False
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "--":
        option, equals, value = words[at].partition("=")
        if option in ("-v", "--verbose") and not equals:
            verbose = True
        elif option in ("--set", *chosen):
            if not equals:
                at += 1
                if at == len(words):
                    return None
                value = words[at]
            if option == "--set":
                assignments.append(value)
            else:
                chosen[option] = value
        else:
            return None
        at += 1
    command = tuple(words[at + 1 :] if words[at : at + 1] == ["--"] else words[at:])
    return (
        Wish(command, tuple(assignments), machine=chosen["--machine"], mpi=chosen["--mpi"], verbose=verbose)
        if command
        else None
    )


def start_job(wish: Wish) -> NoReturn:
    """Becomes the job, or supervises it for its report. Raises CannotRun; then no report is left."""
    if not wish.report_file or wish.dry_run:
        _start(wish)
    from collio.run import report_name  # most jobs have no report

    try:
        report_file = report_name.claim(wish.report_file, os.environ)
    except OSError as error:
        raise CannotRun(f"--report {wish.report_file}: cannot write there ({error.strerror})") from None
    try:
        _start(wish._replace(report_file=report_file))
    except CannotRun:
        new = [_lines_of(report_file)] + [report_file] * (report_file != wish.report_file)
        for path in new:
            with contextlib.suppress(OSError):
                path.unlink()
        raise


def _start(wish: Wish) -> NoReturn:
    off = _switched_off()
    try:
        settings = config.gather_settings(wish.assignments)
        line = launch_line.read_launch_line(list(wish.command))
        if (wish.report_file or wish.trace_file) and not line.waits:
            raise launch.LaunchError(
                "--report and --trace need a launcher that waits for the job's end: `flux run`, or "
                "`flux submit --wait`"
            )
        choice, build = launch.choose(line, wish.mpi)
    except (hints.HintError, config.ConfigError, launch.LaunchError) as error:
        raise CannotRun(str(error)) from None
    programs = launch_line.programs(line)
    _warn(settings, programs)
    variables = _variables(settings, wish.verbose) | _network(wish.machine)
    for_pnetcdf, about_pnetcdf = ({}, "") if off else pnetcdf.variables(os.environ)
    for_sanitizer = sanitizer.variables(programs, os.environ)
    variables |= for_pnetcdf | for_sanitizer
    # A sanitizer replaces functions of the C library itself, and wants to be in front of others that do.
    alone = bool(for_sanitizer) or off
    preload = str(build.interposer) if alone else build.job_preloads
    if wish.report_file and not alone and build.timers.is_file():
        preload += f":{build.timers}"
    if wish.threads:
        variables["COLLIO_THREADS"] = wish.threads
    lines = _empty_lines_file(wish.report_file) if wish.report_file and not wish.dry_run else None
    if lines:
        variables |= {"COLLIO_REPORT": str(lines), "COLLIO_EXITS": "1"}
    traces = _trace_prefix(wish.trace_file) if wish.trace_file and not wish.dry_run else None
    if traces:
        variables["COLLIO_TRACE"] = str(traces)
    try:
        job = launch.prepare(line, choice.launcher_kind, preload, variables, os.environ)
    except launch.LaunchError as error:
        raise CannotRun(str(error)) from None
    if wish.verbose or wish.dry_run:
        _say(f"collio: {choice.name} ({choice.because}); preloading {preload}")
        if about_pnetcdf:
            _say(f"collio: {about_pnetcdf}")
    if wish.dry_run:
        _print_job(job)
        sys.exit()
    if lines is None and traces is None:
        _become(job)
    from collio.run.supervise import supervise  # most jobs take this process's place

    started = time.monotonic()
    try:
        code = supervise(job)
    except launch.LaunchError as error:
        raise CannotRun(str(error)) from None
    if traces and wish.trace_file:
        _finish_trace(traces, wish.trace_file)
    if lines is None or wish.report_file is None:
        sys.exit(code)
    document: Document = {
        "collio": __version__,
        "command": list(wish.command),
        "mpi": choice.name,
        "exit_code": code,
        "seconds": round(time.monotonic() - started, 6),
        "hints": settings.hints,
    }
    _finish_report(document, lines, wish.report_file)
    sys.exit(code)


def _switched_off() -> bool:
    """Whether COLLIO_ENABLE leaves all files to the MPI library. Raises CannotRun."""
    value = os.environ.get("COLLIO_ENABLE", "")
    if value not in ("", "0", "1"):
        raise CannotRun(
            f"COLLIO_ENABLE={value}: allowed are 0, which leaves all files to the MPI library, and 1"
        )
    return value == "0"


def _warn(settings: config.Settings, programs: list[Path]) -> None:
    for warning in [
        *settings.warnings,
        *([] if programs else ["no word after the launcher is a program on this machine"]),
        *filter(None, map(unreachable.why_unreachable, programs)),
    ]:
        _say(f"collio: warning: {warning}")


def _variables(settings: config.Settings, verbose: bool) -> dict[str, str]:
    variables = {"COLLIO_HINTS": hints.encode_hints(settings.hints)} if settings.hints else {}
    if settings.rules:
        variables["COLLIO_SET_FOR"] = settings.path_hints()
    if verbose:
        variables["COLLIO_VERBOSE"] = "1"
    return variables


def _network(machine: str | None) -> dict[str, str]:
    """COLLIO_MACHINE, where it is given or has to be another than the user's: the engine reads expanded
    graphs alone."""
    named = machine or os.environ.get("COLLIO_MACHINE")
    if not named:
        return {}
    # most jobs name no machine, and start sooner without these
    from collio.machine_file import MachineFileError
    from collio.topology.expanded import expanded

    try:
        found = expanded(named)
    except MachineFileError as error:
        if machine:
            raise CannotRun(f"--machine {error}") from None
        # the engine goes on without, as in jobs it is set in otherwise
        _say(f"collio: warning: COLLIO_MACHINE={error}")
        return {}
    if found.told:
        _say(f"collio: {found.told}")
    return {"COLLIO_MACHINE": str(found.path)} if machine or found.told else {}


def _empty_lines_file(report_file: Path) -> Path:
    lines = _lines_of(report_file)
    try:
        lines.write_text("")
    except OSError as error:
        raise CannotRun(f"--report {report_file}: cannot write there ({error.strerror})") from None
    return lines


def _lines_of(report_file: Path) -> Path:
    """The file the ranks append to: next to the report, so that it lies where the nodes can reach it."""
    return report_file.absolute().with_name(f".{report_file.name}.{os.getpid()}.lines")


def _trace_prefix(trace_file: Path) -> Path:
    """Of the files that the ranks write."""
    from collio.run import trace

    try:
        trace_file.write_bytes(b"")
    except OSError as error:
        raise CannotRun(f"--trace {trace_file}: cannot write there ({error.strerror})") from None
    return trace.prefix_of(trace_file, os.getpid())


def _finish_trace(prefix: Path, trace_file: Path) -> None:
    from collio.run import trace

    try:
        written = trace.gather(prefix, trace_file)
    except OSError as error:
        _say(f"collio: --trace {trace_file}: {error.strerror}; the ranks' times are in {prefix}.*")
        return
    left_out = f"; {written.left_out} left out, as a rank keeps 131,072" if written.left_out else ""
    events = f"{written.events} events of {written.ranks} ranks{left_out}"
    _say(f"trace: {trace_file}: {events}; ui.perfetto.dev opens it")


def _become(job: launch.Job) -> NoReturn:
    """Replaces this process by the job: signals, terminal and exit code are the job's own."""
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execvpe(job.words[0], job.words, job.environ)
    except OSError as error:
        raise CannotRun(f"cannot start {job.words[0]}: {error.strerror}") from None


def _tables_by_line(text: str) -> str:
    """Lists of numbers on one line each. Texts have no line ends in JSON, so none is changed."""
    return re.sub(r"\[\n[\d\s.,eE+-]+\]", lambda found: re.sub(r"\s+", "", found[0]), text)


def _finish_report(document: Document, lines: Path, report_file: Path) -> None:
    import json  # not before the job: every job waits for what is imported

    from rich.console import Console

    from collio.report import reading
    from collio.report import text as report_text

    console = Console(stderr=True)
    document["files"], damaged = reading.read_lines(lines)
    document["at_exit"] = reading.read_exits(lines)
    report_file.write_text(_tables_by_line(json.dumps(document, indent=1)) + "\n")
    lines.unlink()
    if damaged:
        _say(f"collio: warning: {damaged} damaged lines in the report were left out")
    report_text.print_summary(console, document, environ_disabled=os.environ.get("COLLIO_ENABLE") == "0")
    console.print(
        f"[dim]report: {report_file}   (`collio report {report_file}` shows it all)[/]",
        highlight=False,
        soft_wrap=True,
    )


def _print_job(job: launch.Job) -> None:
    import shlex  # for --dry-run alone

    changed = {name: value for name, value in job.environ.items() if os.environ.get(name) != value}
    for name, value in sorted(changed.items()):
        print(f"{name}={shlex.quote(value)} \\")
    print(shlex.join(job.words))


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
