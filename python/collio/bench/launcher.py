"""One run of a measuring program under mpiexec: every engine starts alike, apart from its own settings."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path

from collio import hints
from collio.bench import machine
from collio.bench.engines import BenchError, Engine
from collio.builds import Build, advice
from collio.lab import build, counters
from collio.lab.build import Lab
from collio.lab.counters import LinkBytes
from collio.mpi_libraries import OPENMPI, MpiLibrary
from collio.report import reading
from collio.report.records import FileRecord
from collio.run import launch, launch_line, mpiexec
from collio.run.output import Printed, run_job

YIELD_NAP_NS = "1000"
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
    scratch: Path | None = None  # where collio's runs leave their report; None: they leave none
    lab: Lab | None = None  # the nodes the ranks run on; None: this machine
    thread_multiple: bool = False  # collio's runs ask for MPI_THREAD_MULTIPLE
    conditions: dict[str, str] = field(default_factory=dict)  # variables of collio's runs


@dataclass(frozen=True)
class Outcome(Printed):
    """One run, with collio's report of it."""

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
    needs_preload = setup.mpi.family != OPENMPI and any(_helped_to_yield(setup, engine) for engine in engines)
    if needs_preload and not setup.build.yield_preload.is_file():
        raise BenchError(f"{setup.build.yield_preload} is missing; {advice()}")
    return path


def _helped_to_yield(setup: Setup, engine: Engine) -> bool:
    """Where each rank has a core, yielding would only slow it down. The lab's nodes share this machine's
    cores."""
    threads = 2 if setup.thread_multiple else 1  # a rank's, with collio's
    return engine.yields and (setup.lab is not None or threads * setup.ranks > machine.cores())


def job_of(setup: Setup, engine: Engine, arguments: list[str]) -> launch.Job:
    """The launch of `arguments` (program first) for one engine."""
    environ = {
        name: value
        for name, value in os.environ.items()
        if name == "COLLIO_BUILD" or not name.startswith(PERSONAL)
    }
    preloads = setup.build.preloads_of_programs(setup.mpi)
    if setup.lab:
        options = mpiexec.options(setup.mpi, setup.lab.cluster, setup.ranks)
        environ |= mpiexec.environment(setup.mpi, setup.lab.cluster)
    else:
        options = mpiexec.options_here(setup.mpi, setup.ranks)
        environ |= mpiexec.environment_here(setup.mpi)
    helped = _helped_to_yield(setup, engine)
    if helped and setup.mpi.family == OPENMPI:
        environ["OMPI_MCA_mpi_yield_when_idle"] = "1"
    elif helped:
        preloads.append(str(setup.build.yield_preload))
        environ["COLLIO_YIELD_NS"] = YIELD_NAP_NS
    environ |= engine.environ
    variables = {}
    arguments = [*arguments, *engine.arguments]
    if engine.preload:
        preloads.insert(0, str(engine.interposer or setup.build.interposer))
        variables = {"COLLIO_HINTS": hints.encode_hints(engine.hints)} if engine.hints else {}
        variables |= {"COLLIO_REPORT": str(setup.scratch / REPORT_LINES)} if setup.scratch else {}
        variables |= {"COLLIO_MACHINE": str(build.GRAPH_FILE)} if setup.lab else {}
        variables |= {"COLLIO_THREADS": "multiple"} if setup.thread_multiple else {}
        variables |= setup.conditions
    elif engine.mode in ("mpiio", "pnetcdf"):
        arguments = arguments + [
            part for key, value in engine.hints.items() for part in ("--hint", f"{key}={value}")
        ]
    assert setup.mpi.mpiexec is not None, "check_setup() has seen to it"
    words = [setup.mpi.mpiexec, *options, *arguments]
    if not preloads:
        return launch.Job(words, environ)
    line = launch_line.LaunchLine(tuple(words), 0)
    return launch.prepare(line, mpiexec.kind_of(setup.mpi), ":".join(preloads), variables, environ)


def measure(setup: Setup, engine: Engine, arguments: list[str]) -> Outcome:
    """One run of one engine. A run that collio should report on and took no part in is an error, not a
    result."""
    before = counters.read(setup.lab.graph) if setup.lab else []
    printed = run_job(job_of(setup, engine, arguments), setup.timeout_s)
    outcome = Outcome(printed.lines, printed.error)
    if setup.lab:
        outcome = replace(outcome, links=counters.since(setup.lab.graph, before))
    if not (engine.preload and setup.scratch):
        return outcome
    lines = setup.scratch / REPORT_LINES
    files, _ = reading.read_lines(lines)
    lines.unlink(missing_ok=True)
    error = outcome.error or (None if files else "collio took over no file")
    return replace(outcome, files=files, error=error)
