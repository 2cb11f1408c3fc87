"""tile: mpi-tile-io, a dense 2-D array cut into tiles, one a rank."""

from __future__ import annotations

from math import isqrt
from pathlib import Path

import click

from collio.bench.patterns.options import SIZE
from collio.bench.patterns.prepared import ReadyPattern
from collio.plain_json import JsonObject

HELP = "mpi-tile-io: tiles of a 2-D array, one a rank."
TILE_BYTES = 4 << 20  # about, unless told otherwise
LENGTH = click.IntRange(1, 1 << 16)
OPTIONS = [
    click.option(
        "--element-size",
        type=SIZE,
        default=256,
        show_default=True,
        help="Bytes of an element; 256 and 1MiB are usual.",
    ),
    click.option(
        "--tiles-x", type=click.IntRange(min=1), help="Tiles in a row.  [default: as square as can be]"
    ),
    click.option(
        "--tile-x", type=LENGTH, help="Elements of a tile along x.  [default: what makes 4 MiB, square]"
    ),
    click.option(
        "--tile-y", type=LENGTH, help="Elements of a tile along y.  [default: what makes 4 MiB, square]"
    ),
]


def prepare(options: JsonObject, ranks: int, scratch: Path) -> ReadyPattern:
    if options["tiles_x"] and ranks % options["tiles_x"]:
        raise click.UsageError(f"--tiles-x {options['tiles_x']} is no divisor of the {ranks} ranks")
    edge = max(1, isqrt(TILE_BYTES // options["element_size"]))
    tile_x, tile_y = options["tile_x"] or edge, options["tile_y"] or edge
    arguments = [
        "--pattern",
        "tile",
        "--element-size",
        str(options["element_size"]),
        "--tile-x",
        str(tile_x),
        "--tile-y",
        str(tile_y),
    ]
    arguments += ["--tiles-x", str(options["tiles_x"])] if options["tiles_x"] else []
    return ReadyPattern(arguments, ranks * tile_x * tile_y * options["element_size"])
