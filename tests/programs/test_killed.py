"""Jobs of which all ranks, or one, are killed at a random moment: the others end, nothing of collio's stays
in /dev/shm, and flushed bytes can be read.

KILLED_JOBS: how many, 10 of each kind and MPI unless told otherwise. KILLED_SEED: of the moments.
"""

import fcntl
import itertools
import os
import random
import re
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest
import shared_memory

import collio
from collio.builds import Build
from collio.subfiles.manifest import ManifestError
from jobs import RANKS, start
from libraries import family_of_library, package_flags

JOBS = int(os.environ.get("KILLED_JOBS", 10))
SEED = int(os.environ.get("KILLED_SEED", 1))
LONGEST_PNETCDF_US = 150000
LONGEST_US = 60000  # some 50 files, each on another communicator
STAGES_US = {"open": 6000, "first": 25000, "later": 25000, "close": 8000, "join": 25000}
MARKS = {"open": 0, "first": 0, "later": 1, "close": 2, "join": 2}  # made before
CALL_BYTES = RANKS << 20  # of a call of killed_stage
COMMAND = re.compile(r"collio ((?:fsck --repair|join --salvage) \S+)")
MEMORY = Path("/dev/shm")
LAUNCHER_S = 60  # until it ends behind the ranks

pytestmark = shared_memory.needed


def run_to_kill(jobs, words, environment):
    """Runs a job that may end by a kill; what it prints is the launcher's business. Whether it was killed. No
    process of it is left."""
    token = uuid.uuid4().hex
    preload = ":".join(filter(None, [str(Build.of(jobs.mpi).interposer), environment.get("LD_PRELOAD")]))
    command = [jobs.mpiexec, "-n", RANKS, "env", f"LD_PRELOAD={preload}", *words]
    with subprocess.Popen(
        [str(word) for word in command],
        env=dict(environment, COLLIO_TEST_JOB=token),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as launcher:
        try:
            printed, _ = launcher.communicate(timeout=LAUNCHER_S)
        except subprocess.TimeoutExpired:
            # Open MPI 4.1.4's mpiexec may stay when all ranks are killed at once
            going_on = [process for process in processes_of(token) if process != str(launcher.pid)]
            launcher.kill()
            printed, _ = launcher.communicate()
            assert not going_on, f"processes {going_on} go on after {words}:\n{printed}"
    until = time.monotonic() + 10
    while left := processes_of(token):
        assert time.monotonic() < until, f"processes {left} go on after {words}:\n{printed}"
        time.sleep(0.01)
    return launcher.returncode != 0


def processes_of(token):
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if token.encode() in (process / "environ").read_bytes():
                found.append(process.name)
        except OSError:  # it has ended, or is another user's
            continue
    return found


def of_collio():
    return {path.name for path in MEMORY.glob("collio.*")}


def is_held(name):
    """By the process that made it: jobs of other tests run meanwhile."""
    try:
        with (MEMORY / name).open("rb") as memory:
            fcntl.flock(memory, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, FileNotFoundError):  # locked, or removed meanwhile
        return True
    return False


def left_since(before):
    """What no process holds. Makers lock what they have made: they are given time for that."""
    if left := of_collio() - before:
        time.sleep(0.5)
    return {name for name in left if not is_held(name)}


def environment_of(jobs, ranks_per_node):
    return {**jobs.environment(), **({"COLLIO_RANKS_PER_NODE": ranks_per_node} if ranks_per_node else {})}


@pytest.mark.parametrize("ranks_per_node", ["", "2"], ids=["one_node", "two_nodes"])
def test_nothing_is_left(compiled, jobs, tmp_path, ranks_per_node):
    program = compiled("c/killed.c", [jobs.mpi.mpicc])
    moments, before = random.Random(SEED), of_collio()
    for job in range(JOBS):
        after_us = moments.randint(1, LONGEST_US)
        one = [moments.randrange(RANKS)] if job % 2 else []
        assert run_to_kill(
            jobs, [program, tmp_path / "file", after_us, *one], environment_of(jobs, ranks_per_node)
        )
        left = left_since(before)
        assert not left, (
            f"job {job}, rank {one or 'all'} killed after {after_us} us (KILLED_SEED={SEED}), left {left}"
        )


def content(path):
    try:
        with collio.open_file(path) as file:
            return file.read()
    except (OSError, ManifestError):
        return b""


def last_mark(folder):
    return max((int(path.name.removeprefix("mark-")) for path in folder.glob("mark-*")), default=0)


def what_is_lost(folder):
    """ "" if all bytes that were flushed are read, after the command that fsck prints where it takes one;
    else what was tried."""
    flushed = b"".join(
        bytes([ord("a") + call]) * CALL_BYTES for call in range(1, min(2, last_mark(folder)) + 1)
    )
    if content(folder / "file").startswith(flushed):
        return ""
    tried = fsck = run_collio("fsck", folder / "file")
    if asked := COMMAND.search(fsck):
        tried += run_collio(*asked[1].split())
    return (
        "" if content(folder / "file").startswith(flushed) else f"{len(flushed)} bytes were flushed: {tried}"
    )


def run_collio(*words):
    return subprocess.run(
        [sys.executable, "-m", "collio", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ).stdout


@pytest.mark.parametrize("ranks_per_node", ["", "2"], ids=["one_node", "two_nodes"])
def test_flushed_bytes_are_read(compiled, jobs, tmp_path, ranks_per_node):
    """Killed in each stage of a file in subfiles in turn, up to its join; all ranks and one."""
    program = compiled("c/killed_stage.c", [jobs.mpi.mpicc])
    moments, before = random.Random(SEED), of_collio()
    killed = dict.fromkeys(STAGES_US, 0)
    for job, (who, stage) in zip(range(JOBS), itertools.cycle(itertools.product(("all", "one"), STAGES_US))):
        after_us = moments.randint(1, STAGES_US[stage])
        one = [moments.randrange(RANKS)] if who == "one" else []
        folder = tmp_path / str(job)
        folder.mkdir()
        ended = run_to_kill(
            jobs, [program, folder, stage, after_us, *one], environment_of(jobs, ranks_per_node)
        )
        killed[stage] += ended and last_mark(folder) == MARKS[stage]
        told = f"job {job}, rank {one or 'all'} killed {after_us} us after {stage} began (KILLED_SEED={SEED})"
        left, lost = left_since(before), what_is_lost(folder)
        assert not left, f"{told}, left {left}"
        assert not lost, f"{told}: {lost}"
    print(f"{JOBS} jobs, killed in the stage: {killed}")
    assert sum(killed.values()) > JOBS / 3


@pytest.mark.parametrize("who", ["all", "one"])
def test_flushed_records_of_pnetcdf_are_read(compiled, jobs_of_family, tmp_path, who):
    """Killed at any moment of a program that puts and flushes records, in both modes."""
    jobs = jobs_of_family(family_of_library("pnetcdf"))
    program = compiled("c/pnetcdf_steps.c", [jobs.mpi.mpicc], package_flags("pnetcdf"))
    moments, before, most, longest_us = random.Random(SEED), of_collio(), 0, LONGEST_PNETCDF_US
    for job in range(JOBS):
        after_us, one = moments.randint(1, longest_us), [moments.randrange(RANKS)]
        folder = tmp_path / str(job)
        folder.mkdir()
        ranks = one if who == "one" else []
        told = f"job {job}, rank {ranks or 'all'} killed after {after_us} us (KILLED_SEED={SEED})"
        words = [program, "write", folder, after_us, *ranks]
        assert run_to_kill(jobs, words, jobs.environment()), f"{told} ended as if it was not"
        left = left_since(before)
        assert not left, f"{told}, left {left}"
        flushed = last_mark(folder)
        most = max(most, flushed)
        if flushed:
            start([program, "read", folder, flushed], jobs.environment())
        elif not most:  # a busy machine has not come to the first flush so far
            longest_us = min(2 * longest_us, 20 * LONGEST_PNETCDF_US)
    assert most > 0
