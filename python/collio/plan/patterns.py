"""The patterns of a plan: those of `collio bench`, and two that only the planner has."""

from __future__ import annotations

from pathlib import Path

import click

from collio.bench.patterns import PATTERNS as MEASURED
from collio.bench.patterns.options import SIZE
from collio.bench.patterns.prepared import Pattern, ReadyPattern
from collio.plain_json import JsonObject
from collio.plan.errors import PlanError


def _prepare_cube(options: JsonObject, ranks: int, scratch: Path) -> ReadyPattern:
    return ReadyPattern(["--pattern", "cube", "--n", str(options["numbers"])], options["numbers"] ** 3 * 8)


def _prepare_random(options: JsonObject, ranks: int, scratch: Path) -> ReadyPattern:
    most = options["max_size"]
    return ReadyPattern(
        ["--pattern", "random", "--max-size", str(most), "--seed", str(options["seed"])], ranks * most
    )


PATTERNS: dict[str, Pattern] = {
    **MEASURED,
    "cube": Pattern(
        help="",
        options=[
            click.option(
                "--n", "numbers", type=click.IntRange(1, 65536), default=256, help="Doubles along an edge."
            )
        ],
        prepare=_prepare_cube,
    ),
    "random": Pattern(
        help="",
        options=[
            click.option("--max-size", type=SIZE, default=2_000_000, help="Most bytes of a rank."),
            click.option("--seed", type=click.IntRange(0), default=1),
        ],
        prepare=_prepare_random,
    ),
}


def prepare(name: str, words: tuple[str, ...], ranks: int, scratch: Path) -> ReadyPattern:
    """The pattern with its own options. Raises PlanError and click's usage errors."""
    if name not in PATTERNS:
        raise PlanError(f"--pattern {name}: no such pattern; allowed: {', '.join(PATTERNS)}")

    def nothing(**_options: object) -> None:
        pass

    for option in reversed(PATTERNS[name].options):
        nothing = option(nothing)
    options = (
        click.command(f"--pattern {name}")(nothing)
        .make_context(f"collio: pattern {name}", list(words))
        .params
    )
    return PATTERNS[name].prepare(options, ranks, scratch)
