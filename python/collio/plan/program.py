"""Runs the planner's programs, which every build has once."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from collio import builds
from collio.plain_json import JsonObject
from collio.plan.errors import PlanError

PLAN, SIMULATE = "collio_plan", "collio_simulate"


def find_program(name: str) -> Path:
    """Raises PlanError."""
    program = builds.find_program(name)
    if program is None:
        raise PlanError(f"{name} is missing; {builds.advice()}")
    return program


def document_of(name: str, arguments: list[str]) -> JsonObject:
    """What the program prints. Raises PlanError with what it says."""
    done = subprocess.run([str(find_program(name)), *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise PlanError(
            done.stderr.strip().removeprefix(f"{name}: ") or f"{name} ended with status {done.returncode}"
        )
    document: JsonObject = json.loads(done.stdout)
    return document
