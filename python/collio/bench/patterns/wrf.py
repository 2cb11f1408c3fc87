"""wrf: a record of a weather model, 147 variables on a grid cut into blocks, a collective call each."""

from __future__ import annotations

from pathlib import Path

import click

from collio.bench.patterns.prepared import ReadyPattern
from collio.plain_json import JsonObject

HELP = "WRF-IO: variables of a weather model's grid, a call each."
LEVELS = 857  # of all variables together, fields without levels counted as one
STAGGERED = {"ny": 40, "nx": 39}  # levels with one more row, one more column
NUMBER_BYTES = 4
OPTIONS = [
    click.option(
        "--ny",
        type=click.IntRange(1, 4096),
        default=130,
        show_default=True,
        help="Grid cells from south to north.",
    ),
    click.option(
        "--nx",
        type=click.IntRange(1, 4096),
        default=190,
        show_default=True,
        help="Grid cells from west to east.",
    ),
]


def prepare(options: JsonObject, ranks: int, scratch: Path) -> ReadyPattern:
    ny, nx = options["ny"], options["nx"]
    cells = LEVELS * ny * nx + STAGGERED["ny"] * nx + STAGGERED["nx"] * ny
    return ReadyPattern(["--pattern", "wrf", "--ny", str(ny), "--nx", str(nx)], cells * NUMBER_BYTES)
