"""flash: the FLASH I/O checkpoint, 24 variables that are strided in memory, a collective call each."""

from __future__ import annotations

from pathlib import Path

import click

from collio.bench.patterns.prepared import ReadyPattern
from collio.plain_json import JsonObject

HELP = "FLASH I/O: 24 variables, strided in memory, a call each."
CELL_BYTES = 24 * 8
OPTIONS = [
    click.option(
        "--nxb",
        type=click.Choice(["8", "16"]),
        default="8",
        show_default=True,
        help="Cells along the edge of a block, guard cells not counted.",
    ),
    click.option(
        "--blocks",
        type=click.IntRange(1, 1 << 14),
        default=40,
        show_default=True,
        help="Blocks of each rank.",
    ),
]


def prepare(options: JsonObject, ranks: int, scratch: Path) -> ReadyPattern:
    cells = int(options["nxb"]) ** 3 * options["blocks"]
    return ReadyPattern(
        ["--pattern", "flash", "--nxb", options["nxb"], "--blocks", str(options["blocks"])],
        ranks * cells * CELL_BYTES,
    )
