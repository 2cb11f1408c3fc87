"""Runs collio_probe, which every build has once."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

from collio import builds, progress
from collio.plain_json import JsonObject

PROGRAM = "collio_probe"
ALL_USABLE, SOME_UNUSABLE = 0, 1
LOOK_AGAIN_S = 0.2


class ProbeError(Exception):
    """One line for the user: the value, and what is allowed."""


def find() -> Path:
    """Raises ProbeError."""
    program = builds.find_program(PROGRAM)
    if program is None:
        raise ProbeError(f"{PROGRAM} is missing; {builds.advice()}")
    return program


def document_of(arguments: list[str], most_s: float) -> tuple[JsonObject, bool]:
    """What the program prints, and whether all targets can be used. Raises ProbeError with what it says.
    `most_s`: the seconds after which it ends, for the bar."""
    with (
        progress.bar("probing, at most", most_s) as bar,
        subprocess.Popen(
            [str(find()), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as run,
    ):
        output, errors = _output_of(run, bar)
    if run.returncode not in (ALL_USABLE, SOME_UNUSABLE):
        raise ProbeError(
            errors.strip().removeprefix(f"{PROGRAM}: ") or f"{PROGRAM} ended with status {run.returncode}"
        )
    document: JsonObject = json.loads(output)
    return document, run.returncode == ALL_USABLE


def _output_of(run: subprocess.Popen[str], bar: progress.Bar) -> tuple[str, str]:
    started = time.monotonic()
    while True:
        try:
            return run.communicate(timeout=LOOK_AGAIN_S)
        except subprocess.TimeoutExpired:
            bar.reach(time.monotonic() - started)
        except BaseException:  # as the interrupt key
            run.kill()
            raise
