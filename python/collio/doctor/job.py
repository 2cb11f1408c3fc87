"""The doctor's job: the program collio_doctor (bench/doctor) under the user's launcher, as `collio run` would
start it."""

from __future__ import annotations

import os
import secrets
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from collio import config, hints, mpi_libraries, plain_json
from collio.builds import Build, advice
from collio.mpi_libraries import OPENMPI, MpiLibrary
from collio.plain_json import JsonObject
from collio.report import reading
from collio.report.records import FileRecord
from collio.run import launch, launch_line
from collio.run.output import output_of

PROGRAM = "collio_doctor"
MARK = "collio-doctor {"
STDERR_TAIL_CHARS = 1500


@dataclass(frozen=True)
class Plan:
    """What is started. `kind`: the launcher's, as in mpi_libraries.LauncherMpi."""

    words: tuple[str, ...]  # launcher and options
    mpi: MpiLibrary
    kind: str
    settings: config.Settings

    @property
    def build(self) -> Build:
        return Build.of(self.mpi)


@dataclass(frozen=True)
class Visit:
    """What came back. `code`: None: the job did not end in time."""

    code: int | None
    errors: str  # the end of standard error
    token: str
    ranks: list[JsonObject] = field(default_factory=list)
    files: list[FileRecord] = field(default_factory=list)  # collio's report


def make_plan(words: tuple[str, ...], wanted: str | None) -> Plan:
    """Raises LaunchError, HintError, ConfigError."""
    settings = config.gather_settings(())
    mpi = None
    if not words:
        mpi = launch.named_mpi(wanted) if wanted else _first_mpi()
        words = (mpi.mpiexec or "mpiexec", "-n", "2", *(["--oversubscribe"] if mpi.family == OPENMPI else []))
    line = launch_line.read_launch_line(list(words))
    if line.launcher is None:
        raise launch.LaunchError(f"{words[0]}: no launcher; name one behind --: mpiexec, mpirun, srun, …")
    if not line.waits:
        raise launch.LaunchError(
            "the launcher must wait for the job's end: `flux run`, or `flux submit --wait`"
        )
    choice = launch.choose_mpi(line, wanted or (mpi.id if mpi else None))
    return Plan(words, choice.mpi, choice.launcher_kind, settings)


def check_plan(plan: Plan) -> str:
    """What is missing to run it, and the remedy; empty: nothing."""
    for path in (plan.build.interposer, plan.build.program(PROGRAM)):
        if not path.is_file():
            return f"{path} is missing; {advice()}"
    return ""


def run(plan: Plan, folder: Path, timeout_s: float) -> Visit:
    """Runs the job on a folder that is removed again. Raises OSError where the folder cannot be made."""
    with tempfile.TemporaryDirectory(prefix="collio-doctor-", dir=folder) as here:
        token, lines = secrets.token_hex(8), Path(here) / "report.lines"
        lines.write_text("")
        job = _job(plan, here, {"COLLIO_DOCTOR": token, "COLLIO_REPORT": str(lines)})
        code, output, errors = output_of(job, timeout_s)
        files, _ = reading.read_lines(lines)
        return Visit(code, errors.strip()[-STDERR_TAIL_CHARS:], token, _ranks(output), files)


def _job(plan: Plan, here: str, variables: dict[str, str]) -> launch.Job:
    if plan.settings.hints:
        variables["COLLIO_HINTS"] = hints.encode_hints(plan.settings.hints)
    if plan.settings.rules:
        variables["COLLIO_SET_FOR"] = plan.settings.path_hints()
    line = launch_line.read_launch_line([*plan.words, str(plan.build.program(PROGRAM)), here])
    preload = ":".join([str(plan.build.interposer), *plan.build.preloads_of_programs(plan.mpi)])
    return launch.prepare(line, plan.kind, preload, variables, os.environ)


def _ranks(output: str) -> list[JsonObject]:
    """The ranks' lines, whatever the launcher puts in front of each."""
    found = []
    for line in output.splitlines():
        _, mark, rest = line.partition(MARK)
        if mark:
            try:
                found.append(plain_json.parse("{" + rest))
            except ValueError:
                continue  # a line that another one was printed into
    return found


def _first_mpi() -> MpiLibrary:
    libraries = mpi_libraries.find_mpi_libraries()
    with_launcher = [mpi for mpi in libraries if mpi.mpiexec]
    if not with_launcher:
        raise launch.LaunchError(
            "no MPI library with a launcher found on this machine (no mpicc on PATH, in $MPI_HOME or in the "
            "usual folders); "
            "load its module, or name the launcher after --"
        )
    return next((mpi for mpi in with_launcher if Build.of(mpi).exists), with_launcher[0])
