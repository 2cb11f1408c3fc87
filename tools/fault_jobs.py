"""Runs drills under an MPI library, each within a time limit: a job that hangs or breaks down is ended and
goes on behind that drill."""

import json
import os
import queue
import re
import signal
import subprocess
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Engine:
    """Who does the collective I/O of a job. `words`: further words of the launcher."""

    name: str
    library: object  # collio.mpi_libraries.MpiLibrary
    tree: Path  # its build
    collio: bool = True
    words: tuple = ()
    environ: dict = field(default_factory=dict)

    def command(self, ranks, words):
        """The whole command line of a job."""
        openmpi = self.library.family == "openmpi"
        preload = [] if openmpi else [self.tree / "lib/libcollio_yield.so"]
        preload += [self.tree / "lib/libcollio_mpiio.so"] if self.collio else []
        launcher = [
            self.library.mpiexec,
            *(["--oversubscribe"] if openmpi else []),
            *self.words,
            "-n",
            str(ranks),
        ]
        return [
            *launcher,
            "env",
            "LD_PRELOAD=" + ":".join(map(str, preload)),
            str(self.tree / "bin/fault_outcomes"),
            *words,
        ]

    def environment(self):
        fixed = {
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_mpi_yield_when_idle": "1",
            "OMPI_MCA_hwloc_base_binding_policy": "none",
            "COLLIO_YIELD_NS": "1000",
        }
        return {**os.environ, **fixed, **self.environ}


def run_drills(engine, drills, ranks, limit_s):
    """[outcome] of the drills, in their order: the program's JSON as a dict, or {"verdict": "hang"} or "crash
    (...)"."""
    outcomes = {}
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder, "drills")
        lines.write_text("\n".join(drills) + "\n")
        while len(outcomes) < len(drills):
            first = len(outcomes)
            ended = _run_job(
                engine.command(ranks, ["--drills", str(lines), "--first", str(first)]),
                engine.environment(),
                outcomes,
                limit_s,
            )
            if len(outcomes) < len(drills) and ended is not None:
                outcomes[len(outcomes)] = {"verdict": ended, "honest": False}
    return [outcomes[i] for i in range(len(drills))]


def _run_job(command, environ, outcomes, limit_s):
    """Takes in what a job says. None when it came to its end, else what happened to the drill that has no
    outcome."""
    job = subprocess.Popen(
        command,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    said, complaints = queue.Queue(), []
    threading.Thread(target=_pass_on, args=(job.stdout, said.put), daemon=True).start()
    threading.Thread(target=_pass_on, args=(job.stderr, complaints.append), daemon=True).start()
    try:
        while (line := said.get(timeout=limit_s)) is not None:
            if line.startswith("end "):
                number, _, document = line[4:].partition(" ")
                outcomes[int(number)] = json.loads(document)
    except queue.Empty:
        _end(job)
        return f"hang (ended after {limit_s} s)"
    code = job.wait()
    return f"crash (exit code {code}: {_reason(complaints)})"


def _pass_on(stream, put):
    for line in stream:
        put(line.rstrip("\n"))
    put(None)


def _reason(complaints):
    """The line that says most, without the "[host:process]" before it."""
    lines = [re.sub(r"^\[[^]]*\] *", "", line) for line in complaints if line and line.strip()]
    telling = (
        [line for line in lines if line.startswith("Signal: ")]
        or [line for line in lines if "rror" in line or "signal" in line]
        or lines
    )
    return telling[0].strip()[:80] if telling else "no words"


def _end(job):
    for number, patience_s in ((signal.SIGTERM, 3), (signal.SIGKILL, 10)):
        try:
            os.killpg(job.pid, number)
            job.wait(timeout=patience_s)
            break
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            break
