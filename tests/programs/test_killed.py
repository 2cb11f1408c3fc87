"""Jobs of which all ranks, or one, are killed at a random moment of an open, a call or a close: nothing of collio's stays in /dev/shm.

KILLED_JOBS: how many, 20 of each kind and MPI unless told otherwise. KILLED_SEED: of the moments.
"""

import os
import random
import subprocess
from pathlib import Path

import pytest
import shared_memory

from collio.builds import Build
from jobs import RANKS, TIMEOUT_S

JOBS = int(os.environ.get("KILLED_JOBS", 20))
SEED = int(os.environ.get("KILLED_SEED", 1))
LONGEST_US = 60000  # some 50 files, each on another communicator
MEMORY = Path("/dev/shm")

pytestmark = shared_memory.needed


def run_killed(jobs, words, environment):
    """Runs a job that ends by a kill; what it prints is the launcher's business."""
    preload = ":".join(filter(None, [str(Build.of(jobs.mpi).interposer), environment.get("LD_PRELOAD")]))
    command = [jobs.mpiexec, "-n", RANKS, "env", f"LD_PRELOAD={preload}", *words]
    done = subprocess.run([str(word) for word in command], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", timeout=TIMEOUT_S)
    assert done.returncode != 0, done.stdout


def of_collio():
    return {path.name for path in MEMORY.glob("collio.*")}


@pytest.mark.parametrize("ranks_per_node", ["", "2"], ids=["one_node", "two_nodes"])
def test_nothing_is_left(compiled, jobs, tmp_path, ranks_per_node):
    program = compiled("c/killed.c", [jobs.mpi.mpicc])
    moments = random.Random(SEED)
    environment = jobs.environment()
    if ranks_per_node:
        environment["COLLIO_RANKS_PER_NODE"] = ranks_per_node
    before = of_collio()
    for job in range(JOBS):
        after_us = moments.randint(1, LONGEST_US)
        one = [moments.randrange(RANKS)] if job % 2 else []
        run_killed(jobs, [program, tmp_path / "file", after_us, *one], environment)
        left = of_collio() - before
        assert not left, f"job {job}, rank {one or 'all'} killed after {after_us} us (KILLED_SEED={SEED}), left {left}"
