"""All runs of a benchmark: every engine once per repeat, in an order that rotates.

Rotation, so that no engine always follows the same one (page cache, frequency, neighbours on the machine).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Callable

from collio.bench import launcher
from collio.bench.engines import Engine
from collio.bench.launcher import Outcome, Setup
from collio.lab.counters import LinkBytes
from collio.plain_json import JsonObject
from collio.report.records import FileRecord


@dataclass
class Samples:
    """What one engine's runs gave. `lines` are results of runs whose bytes were right."""

    engine: Engine
    lines: list[JsonObject] = field(default_factory=list)
    files: list[FileRecord] = field(default_factory=list)  # collio's report of a run that is not timed
    reported: list[JsonObject] = field(default_factory=list)  # the lines of that run
    links: list[list[LinkBytes]] = field(default_factory=list)  # of a lab, one list a run
    errors: list[str] = field(default_factory=list)


def rotation(engines: list[Engine], repeat: int) -> list[Engine]:
    """Order of the engines in one repeat."""
    cut = repeat % len(engines)
    return engines[cut:] + engines[:cut]


def run_rounds(
    setup: Setup,
    engines: list[Engine],
    arguments_of: Callable[[Engine], list[str]],
    repeats: int,
    each_run: Callable[[Engine, int, Outcome], None],
) -> list[Samples]:
    """Runs all engines; one that failed once is not run again. `each_run` is called after every run.

    Timed runs of collio leave no report, as a user's do: each line that collio writes into one takes 50 us. A
    run before them does.
    """
    samples = {engine.label: Samples(engine) for engine in engines}
    timed = replace(setup, scratch=None)
    for mine in samples.values():
        if setup.scratch and mine.engine.preload:
            each_run(mine.engine, -1, _report(setup, mine, arguments_of))
    for repeat in range(repeats):
        for engine in rotation(engines, repeat):
            mine = samples[engine.label]
            if mine.errors:
                continue
            outcome = _run(timed, engine, arguments_of)
            error = problem(engine, outcome)
            if error:
                mine.errors.append(error)
            else:
                mine.lines += outcome.lines
                mine.links += [outcome.links] if outcome.links else []
            each_run(engine, repeat, outcome)
    return list(samples.values())


def _report(setup: Setup, mine: Samples, arguments_of: Callable[[Engine], list[str]]) -> Outcome:
    """One run of collio that is not timed: it says what the timed ones will do, and that collio takes
    part."""
    outcome = launcher.measure(setup, mine.engine, arguments_of(mine.engine))
    error = problem(mine.engine, outcome)
    if error:
        mine.errors.append(error)
    else:
        mine.files, mine.reported = outcome.files, outcome.lines
    return outcome


def _run(setup: Setup, engine: Engine, arguments_of: Callable[[Engine], list[str]]) -> Outcome:
    """One run; of an engine with other settings for each operation, one for each setting.

    Each of these runs does all operations, as those of other engines do, and counts for its own.
    """
    if engine.tunes and not engine.by_operation:
        return Outcome([], "none of the settings tried worked")
    if not engine.tunes:
        return launcher.measure(setup, engine, arguments_of(engine))
    parts = {part.label: part for part in engine.by_operation.values()}
    lines = []
    for part in parts.values():
        outcome = launcher.measure(setup, part, arguments_of(part))
        error = problem(part, outcome)
        if error:
            return Outcome([], f"{part.label}: {error}")
        mine = {operation for operation, chosen in engine.by_operation.items() if chosen.label == part.label}
        lines += [_only(line, mine) for line in outcome.lines]
    return Outcome(lines, None, links=outcome.links if len(parts) == 1 else None)


def _only(line: JsonObject, operations: set[str]) -> JsonObject:
    """The line of a run with some of its operations."""
    kept = [operation for operation in line["operations"] if operation["operation"] in operations]
    good = all(operation.get("verified", line.get("verified")) for operation in kept)
    return {**line, "operations": kept, "verified": good, "errors": [] if good else line.get("errors", [])}


def problem(engine: Engine, outcome: Outcome) -> str | None:
    """Why a run does not count; None when it does.

    An opponent that leaves something in bytes nobody wrote is measured all the same, and the result says so:
    both MPICH's and Open MPI's own I/O do that. For collio it is an error like any other wrong byte.
    """
    if not engine.preload and _only_holes_wrong(outcome):
        return None
    wrong = [text for line in outcome.lines for text in line.get("errors", ())]
    if outcome.error or wrong:
        return outcome.error or "; ".join(wrong)
    return None if all(line.get("verified", False) for line in outcome.lines) else "bytes were not verified"


def _only_holes_wrong(outcome: Outcome) -> bool:
    operations = [operation for line in outcome.lines for operation in line.get("operations", ())]
    wrong = [operation for operation in operations if not operation.get("verified", False)]
    return bool(wrong) and all(
        one.get("wrong_bytes") == 0 and one.get("wrong_hole_bytes", 0) > 0 for one in wrong
    )
