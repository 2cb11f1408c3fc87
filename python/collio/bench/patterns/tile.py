"""tile: mpi-tile-io, a dense 2-D array cut into tiles, one a rank."""

from __future__ import annotations

from math import isqrt
from pathlib import Path

import click

from collio.bench.patterns.prepared import ReadyPattern
from collio.bench.patterns.rows import ROWS
from collio.plain_json import JsonObject

TILE_BYTES = 4 << 20  # about, unless told otherwise


def prepare(options: JsonObject, ranks: int, scratch: Path) -> ReadyPattern:
    if options["tiles_x"] and ranks % options["tiles_x"]:
        raise click.UsageError(f"--tiles-x {options['tiles_x']} is no divisor of the {ranks} ranks")
    edge = max(1, isqrt(TILE_BYTES // options["element_size"]))
    edges = {axis: options[axis] or edge for axis in ("tile_x", "tile_y")}
    return ROWS["tile"].prepare({**options, **edges}, ranks, scratch)
