"""Runs the planner's programs, which every build has once."""

from __future__ import annotations

import functools
import json
import subprocess
from pathlib import Path

from collio import mpi_libraries
from collio.builds import PACKAGED, advice, is_packaged
from collio.plain_json import JsonObject
from collio.plan.errors import PlanError

PLAN, SIMULATE = "collio_plan", "collio_simulate"


@functools.cache
def find_program(name: str) -> Path:
    """It knows no MPI: that of any build will do. Raises PlanError."""
    places = [PACKAGED / "bin"] if is_packaged() else [mpi.build_tree / "bin" for mpi in mpi_libraries.find_mpi_libraries()]
    for place in places:
        if (place / name).is_file():
            return place / name
    raise PlanError(f"{name} is missing; {advice()}")


def document_of(name: str, arguments: list[str]) -> JsonObject:
    """What the program prints. Raises PlanError with what it says."""
    done = subprocess.run([str(find_program(name)), *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise PlanError(done.stderr.strip().removeprefix(f"{name}: ") or f"{name} ended with status {done.returncode}")
    document: JsonObject = json.loads(done.stdout)
    return document
