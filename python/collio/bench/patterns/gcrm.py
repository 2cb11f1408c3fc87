"""gcrm: a step of a global cloud resolving model, 38 variables on a geodesic grid, a collective call each."""

from __future__ import annotations

from pathlib import Path

import click

from collio.bench.patterns.prepared import ReadyPattern
from collio.plain_json import JsonObject

HELP = "Variables of a cloud model's geodesic grid, a call each."
VARIABLES, NUMBER_BYTES = 38, 4
OPTIONS = [
    click.option(
        "--level",
        type=click.IntRange(3, 12),
        default=6,
        show_default=True,
        help="Halvings of the icosahedron: 10 * 4^level cells.",
    ),
    click.option(
        "--blocks-level",
        type=click.IntRange(0, 12),
        default=3,
        show_default=True,
        help="The ranks share 10 * 4^N blocks of cells.",
    ),
    click.option(
        "--layers",
        type=click.IntRange(1, 1024),
        default=26,
        show_default=True,
        help="Numbers in a row on each cell.",
    ),
]


def prepare(options: JsonObject, ranks: int, scratch: Path) -> ReadyPattern:
    level, blocks_level, layers = (options[name] for name in ("level", "blocks_level", "layers"))
    if blocks_level > level:
        raise click.UsageError(f"--blocks-level is {blocks_level}; allowed: 0 to --level ({level})")
    arguments = [
        "--pattern",
        "gcrm",
        "--level",
        str(level),
        "--blocks-level",
        str(blocks_level),
        "--layers",
        str(layers),
    ]
    return ReadyPattern(arguments, VARIABLES * 10 * 4**level * layers * NUMBER_BYTES)
