"""Runs `collio_plan`, which every build has once."""

from __future__ import annotations

import functools
import json
import subprocess
from pathlib import Path

from collio import mpi_libraries
from collio.builds import Build
from collio.plan.errors import PlanError

NAME = "collio_plan"


@functools.lru_cache(maxsize=None)
def find_planner() -> Path:
    """It knows no MPI: that of any build will do. Raises PlanError."""
    for mpi in mpi_libraries.find_mpi_libraries():
        program = Build.of(mpi).program(NAME)
        if program.is_file():
            return program
    raise PlanError(f"{NAME} is not built; `make build` builds it")


def plan(arguments: list[str]) -> dict:
    """The planner's document. Raises PlanError with what it says."""
    done = subprocess.run([str(find_planner()), *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise PlanError(done.stderr.strip().removeprefix(f"{NAME}: ") or f"{NAME} ended with status {done.returncode}")
    return json.loads(done.stdout)
