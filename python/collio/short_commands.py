"""Asks other programs of this machine, which answer at once."""

from __future__ import annotations

from collections.abc import Sequence

TIMEOUT_S = 20


def output_of(command: Sequence[str], text: str = "", accept_failure: bool = False) -> str | None:
    """Standard output (and error) of a short command; None if it cannot be run or fails."""
    import subprocess  # not every `collio run` asks another program

    try:
        done = subprocess.run(
            command,
            input=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 or accept_failure else None
