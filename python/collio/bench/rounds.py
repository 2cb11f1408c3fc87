"""All runs of a benchmark: every engine once per repeat, in an order that rotates.

Rotation, so that no engine always follows the same one (page cache, frequency, neighbours on the machine).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable

from collio.bench import launcher
from collio.bench.engines import Engine
from collio.bench.launcher import Outcome, Setup


@dataclass
class Samples:
    """What one engine's runs gave. `lines` are results of runs whose bytes were right."""

    engine: Engine
    lines: list[dict] = field(default_factory=list)
    files: list[dict] = field(default_factory=list)  # collio's report of them
    errors: list[str] = field(default_factory=list)


def rotation(engines: list[Engine], repeat: int) -> list[Engine]:
    """Order of the engines in one repeat."""
    cut = repeat % len(engines)
    return engines[cut:] + engines[:cut]


def run_rounds(
    setup: Setup, engines: list[Engine], arguments_of: Callable[[Engine], list[str]], repeats: int,
    told: Callable[[Engine, int, Outcome], None],
) -> list[Samples]:
    """Runs everything; an engine that failed once is not run again. `told` hears of each run."""
    samples = {engine.label: Samples(engine) for engine in engines}
    for repeat in range(repeats):
        for engine in rotation(engines, repeat):
            mine = samples[engine.label]
            if mine.errors:
                continue
            outcome = launcher.measure(setup, engine, arguments_of(engine))
            error = outcome.error or _unverified(outcome)
            if error:
                mine.errors.append(error)
            else:
                mine.lines += outcome.lines
                mine.files += outcome.files
            told(engine, repeat, outcome)
    return list(samples.values())


def _unverified(outcome: Outcome) -> str | None:
    """Why a run that ended well does not count."""
    wrong = [text for line in outcome.lines for text in line.get("errors", ())]
    if wrong:
        return "; ".join(wrong)
    return None if all(line.get("verified", False) for line in outcome.lines) else "bytes were not verified"
