"""Runs `collio_plan`, which every build has once."""

from __future__ import annotations

import functools
import json
import subprocess
from pathlib import Path

from collio import mpi_libraries
from collio.builds import PACKAGED, advice, is_packaged
from collio.plain_json import JsonObject
from collio.plan.errors import PlanError

NAME = "collio_plan"


@functools.cache
def find_planner() -> Path:
    """It knows no MPI: that of any build will do. Raises PlanError."""
    places = [PACKAGED / "bin"] if is_packaged() else [mpi.build_tree / "bin" for mpi in mpi_libraries.find_mpi_libraries()]
    for place in places:
        if (place / NAME).is_file():
            return place / NAME
    raise PlanError(f"{NAME} is missing; {advice()}")


def plan(arguments: list[str]) -> JsonObject:
    """The planner's document. Raises PlanError with what it says."""
    done = subprocess.run([str(find_planner()), *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise PlanError(done.stderr.strip().removeprefix(f"{NAME}: ") or f"{NAME} ended with status {done.returncode}")
    document: JsonObject = json.loads(done.stdout)
    return document
