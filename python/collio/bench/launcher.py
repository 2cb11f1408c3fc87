"""One run of a measuring program under mpiexec: every engine starts alike, apart from its own settings."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

from collio import hints, launch, launch_line, plain_json, report
from collio.bench.engines import BenchError, Engine
from collio.builds import Build, advice
from collio.lab import counters, inside, mpi_launch
from collio.lab.counters import LinkBytes
from collio.lab.inside import Lab
from collio.mpi_libraries import OPENMPI, MpiLibrary
from collio.plain_json import JsonObject
from collio.report_records import FileRecord

YIELD_NAP_NS = "1000"
STDERR_TAIL_CHARS = 600
REPORT_LINES = "report.lines"
PERSONAL = ("COLLIO_", "OMPI_MCA_", "LD_PRELOAD")
"""Variables of the person who measures that must not favour a side."""


@dataclass(frozen=True)
class Setup:
    """What all runs of a benchmark share."""

    mpi: MpiLibrary
    build: Build
    ranks: int
    timeout_s: float
    scratch: Path | None = None  # where collio's runs leave their report
    lab: Lab | None = None  # the nodes the ranks run on; None: this machine
    thread_multiple: bool = False  # collio's runs ask for MPI_THREAD_MULTIPLE


@dataclass(frozen=True)
class Outcome:
    """The JSON lines of one run and collio's report of it, or what went wrong."""

    lines: list[JsonObject]
    error: str | None = None
    files: list[FileRecord] = field(default_factory=list)
    links: list[LinkBytes] | None = None  # what crossed the lab's links


def check_setup(setup: Setup, program: str, engines: list[Engine]) -> Path:
    """Path of the measuring program. Raises BenchError when something this needs is missing."""
    path = setup.build.program(program)
    if not path.is_file():
        raise BenchError(f"{path} is missing; {advice()}")
    if setup.mpi.mpiexec is None:
        raise BenchError(f"{setup.mpi.id} has no mpiexec")
    if any(engine.preload and not engine.interposer for engine in engines) and not setup.build.exists:
        raise BenchError(f"no build of collio for {setup.mpi.id}; `make build` makes it")
    needs_yield = setup.mpi.family != OPENMPI and any(engine.yields for engine in engines)
    if needs_yield and not setup.build.yield_preload.is_file():
        raise BenchError(f"{setup.build.yield_preload} is missing; {advice()}")
    return path


def job_of(setup: Setup, engine: Engine, arguments: list[str]) -> launch.Prepared:
    """The launch of `arguments` (program first) for one engine."""
    openmpi = setup.mpi.family == OPENMPI
    environ = {name: value for name, value in os.environ.items() if name == "COLLIO_BUILD" or not name.startswith(PERSONAL)}
    options = ["-n", str(setup.ranks)]
    preloads = setup.build.preloads_of_programs(setup.mpi)
    if setup.lab:
        options = mpi_launch.options(setup.mpi, setup.lab.nodes, setup.ranks)
        environ |= mpi_launch.environment(setup.mpi)
    if openmpi:
        options += [] if setup.lab else ["--oversubscribe", "--bind-to", "none"]
        environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        environ |= {"OMPI_MCA_mpi_yield_when_idle": "1"} if engine.yields else {}
    elif engine.yields:
        preloads.append(str(setup.build.yield_preload))
        environ["COLLIO_YIELD_NS"] = YIELD_NAP_NS
    environ |= engine.environ
    variables = {}
    if engine.preload:
        preloads.insert(0, str(engine.interposer or setup.build.interposer))
        variables = {"COLLIO_HINTS": hints.encode_hints(engine.hints)} if engine.hints else {}
        variables |= {"COLLIO_REPORT": str(setup.scratch / REPORT_LINES)} if setup.scratch else {}
        variables |= {"COLLIO_MACHINE": str(inside.GRAPH_FILE)} if setup.lab else {}
        variables |= {"COLLIO_THREADS": "multiple"} if setup.thread_multiple else {}
    elif engine.mode == "mpiio":
        arguments = arguments + [part for key, value in engine.hints.items() for part in ("--hint", f"{key}={value}")]
    assert setup.mpi.mpiexec is not None, "check_setup() has seen to it"
    words = [setup.mpi.mpiexec, *options, *arguments]
    if not preloads:
        return launch.Prepared(words, environ)
    line = launch_line.LaunchLine(tuple(words), 0)
    return launch.prepare(line, "openmpi" if openmpi else "hydra", ":".join(preloads), variables, environ)


def measure(setup: Setup, engine: Engine, arguments: list[str]) -> Outcome:
    """One run of one engine. A run under collio that collio took no part in is an error, not a result."""
    before = counters.read(setup.lab.graph) if setup.lab else []
    outcome = run_job(job_of(setup, engine, arguments), setup.timeout_s)
    if setup.lab:
        outcome = replace(outcome, links=counters.since(setup.lab.graph, before))
    if not (engine.preload and setup.scratch):
        return outcome
    lines = setup.scratch / REPORT_LINES
    files, _ = report.read_lines(lines)
    lines.unlink(missing_ok=True)
    error = outcome.error or (None if files else "collio took over no file")
    return replace(outcome, files=files, error=error)


def run_job(job: launch.Prepared, timeout_s: float) -> Outcome:
    """Starts a job, waits for it, reads the JSON lines on its standard output."""
    code, output, errors = output_of(job, timeout_s)
    if code is None:
        return Outcome([], f"not done after {timeout_s:g} s")
    lines = [parsed for line in output.splitlines() if (parsed := _json_object(line)) is not None]
    said = [text for line in lines for text in line.get("errors", ())]
    if code:
        tail = "; ".join(said) or errors.strip()[-STDERR_TAIL_CHARS:] or "nothing on standard error"
        return Outcome(lines, f"exit code {code}: {tail}")
    return Outcome(lines, None if lines else "no result printed")


def output_of(job: launch.Prepared, timeout_s: float) -> tuple[int | None, str, str]:
    """Exit code, standard output and standard error of a job. The code is None where it was ended after `timeout_s`."""
    process = subprocess.Popen(
        job.words, env=job.environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, errors="replace", start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        _end(process)
        return None, "", ""
    except BaseException:
        _end(process)
        raise
    return process.returncode, output, errors


def end_with_its_runs(*numbers: int) -> None:
    """Makes signals (SIGTERM and SIGHUP) end this process like Ctrl-C does: the running launcher ended, files removed."""
    def end(received: int, _frame: object) -> None:
        signal.signal(received, signal.SIG_IGN)  # one is enough: a second would interrupt the putting in order
        sys.exit(128 + received)

    for number in numbers or (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup means it
            signal.signal(number, end)


def _json_object(line: str) -> JsonObject | None:
    if not line.startswith("{"):
        return None
    try:
        parsed: JsonObject = plain_json.parse(line)
    except ValueError:
        return None
    return parsed


def _end(process: subprocess.Popen[str]) -> None:
    """Ends a launcher and, through it or directly, its ranks."""
    for number, patience_s in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
        try:
            os.killpg(process.pid, number)
            process.communicate(timeout=patience_s)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue
