"""Faults to be injected (`collio_faults`, `COLLIO_FAULTS`), judged before a job starts by the engine's own
reader (src/policy/hints/faults.cpp)."""

from __future__ import annotations

from collio import builds

JUDGE = "collio_judge_faults"


def wrong_part(text: str) -> str | None:
    """What of `text` is not allowed, and what is; None: all is allowed, or the judge is not built, and ranks
    warn at open. docs/faults.md has the grammar."""
    program = None if text == "none" else builds.find_program(JUDGE)
    if program is None:
        return None
    import subprocess  # most jobs have no faults

    judged = subprocess.run([str(program)], input=text.encode(errors="backslashreplace"), capture_output=True)
    return judged.stdout.decode(errors="replace").strip() if judged.returncode == 1 else None
