"""MPI jobs of the programs in this folder, with and without collio, and what must be true of them.

Every program takes two arguments, `write FILE` or `read FILE`. Writing also reads back; both check every
value and end with a code other than 0 when one is wrong.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from collio.builds import Build

HERE = Path(__file__).parent
RANKS = 4
TIMEOUT_S = 120
OWN_PATHS = ("two_layer", "two_phase", "independent")


class Jobs:
    """Starts programs on RANKS ranks of one MPI. `mpiexec`: another launcher than the MPI's own."""

    def __init__(self, mpi, folder, mpiexec=None):
        self.mpi, self.folder, self.mpiexec = mpi, folder, mpiexec or mpi.mpiexec
        self.runs, self.output = 0, ""

    def natively(self, program, *words, environment=None):
        """Runs the program without collio."""
        return start([*self._launch(), *program, *words], environment or self.environment())

    def with_collio(self, program, *words, environment=None):
        """Runs the program under `collio run`; gives the report's list of files. `output` is what was
        printed."""
        self.runs += 1
        report = self.folder / f"report-{self.runs}.json"
        collio = [sys.executable, "-m", "collio", "run", "--mpi", self.mpi.id, "--report", report, "--"]
        self.output = start([*collio, *self._launch(), *program, *words], environment or self.environment())
        return json.loads(report.read_text())["files"]

    def _launch(self):
        return [self.mpiexec, "-n", RANKS]

    def environment(self):
        environment = dict(os.environ, COLLIO_YIELD_NS="1000", PYTHONDONTWRITEBYTECODE="1")
        if self.mpi.family == "openmpi":
            environment.update(
                OMPI_ALLOW_RUN_AS_ROOT="1",
                OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                OMPI_MCA_rmaps_base_oversubscribe="1",
                PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",
                OMPI_MCA_hwloc_base_binding_policy="none",
                OMPI_MCA_mpi_yield_when_idle="1",
            )
        elif (os.cpu_count() or 1) < RANKS and Build.of(self.mpi).yield_preload.is_file():
            environment["LD_PRELOAD"] = str(Build.of(self.mpi).yield_preload)
        return environment


def start(words, environment):
    """Runs a command to its end and gives its output; a failure shows it. Nothing of it outlives
    TIMEOUT_S."""
    words = [str(word) for word in words]
    with subprocess.Popen(
        words,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as job:
        try:
            output, _ = job.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)
            output, _ = job.communicate()
            pytest.fail(f"{' '.join(words)} did not end within {TIMEOUT_S} s:\n{output[-4000:]}")
    assert job.returncode == 0, f"{' '.join(words)} ended with {job.returncode}:\n{output[-4000:]}"
    return output


def compile_program(name, command, flags, folder):
    """Compiles a source of this folder; skips the test if the compiler is missing."""
    source = HERE / name
    program = folder / source.stem
    # From the source's folder: some compiler wrappers take a path with spaces apart.
    words = [*command, "-O1", "-o", program, source.name, *flags]
    done = subprocess.run(
        [str(word) for word in words],
        cwd=source.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, f"{' '.join(map(str, words))}:\n{done.stdout}"
    return program


def assert_caught(files, path, *operations):
    """The report tells that collio itself moved bytes of this file, by each kind of collective call."""
    mine = [one for one in files if Path(one["file"]).name == path.name]
    assert mine, f"no file {path.name} in the report, only {[one['file'] for one in files]}"
    calls = [call for one in mine for call in one["calls"]]
    assert all(one["comm_size"] == RANKS for one in mine)
    for operation in operations:
        kinds = (operation, operation.replace("_", "_at_"))
        own = [call for call in calls if call["operation"] in kinds and call["path"] in OWN_PATHS]
        assert sum(call["repeats"] for call in own if call["bytes"]) > 0, (
            f"no {operation} by collio in {calls}"
        )
    native = [call for call in calls if call["path"] not in OWN_PATHS]
    assert not native, f"left to the MPI library: {native}"


def write_and_read_both_ways(jobs, program, write="write_all", read="read_all"):
    """collio writes and the MPI library reads, and the reverse. Gives the two files: collio's and the native
    one. `write`, `read`: the calls that collio must have had."""
    ours, native = jobs.folder / "written-by-collio", jobs.folder / "written-natively"
    assert_caught(jobs.with_collio(program, "write", ours), ours, write, read)
    jobs.natively(program, "read", ours)
    jobs.natively(program, "write", native)
    assert_caught(jobs.with_collio(program, "read", native), native, read)
    return ours, native


def assert_same_bytes(ours, native):
    one, other = ours.read_bytes(), native.read_bytes()
    assert len(one) == len(other), f"collio's file has {len(one)} bytes, the native one {len(other)}"
    first = next((at for at in range(len(one)) if one[at] != other[at]), None)
    assert first is None, f"byte {first} differs"
