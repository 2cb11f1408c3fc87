"""Runs collio_probe, which every build has once."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from collio import builds
from collio.plain_json import JsonObject

PROGRAM = "collio_probe"
ALL_USABLE, SOME_UNUSABLE = 0, 1


class ProbeError(Exception):
    """One line for the user: the value, and what is allowed."""


def find() -> Path:
    """Raises ProbeError."""
    program = builds.find_program(PROGRAM)
    if program is None:
        raise ProbeError(f"{PROGRAM} is missing; {builds.advice()}")
    return program


def document_of(arguments: list[str]) -> tuple[JsonObject, bool]:
    """What the program prints, and whether all targets can be used. Raises ProbeError with what it says."""
    done = subprocess.run([str(find()), *arguments], capture_output=True, text=True)
    if done.returncode not in (ALL_USABLE, SOME_UNUSABLE):
        raise ProbeError(
            done.stderr.strip().removeprefix(f"{PROGRAM}: ")
            or f"{PROGRAM} ended with status {done.returncode}"
        )
    document: JsonObject = json.loads(done.stdout)
    return document, done.returncode == ALL_USABLE
