"""btio: the time steps of NAS BT-IO, a cube whose ranks own blocks along its diagonals."""

from __future__ import annotations

from math import isqrt
from pathlib import Path

import click

from collio.bench.patterns.prepared import ReadyPattern
from collio.plain_json import JsonObject

HELP = "NAS BT-IO: a cube of cells, blocks along its diagonals."
CELL_BYTES = 40  # five doubles
OPTIONS = [
    click.option(
        "--n",
        "cells",
        type=click.IntRange(1, 4096),
        default=102,
        show_default=True,
        help="Cells along an edge; the NAS classes A, B, C have 64, 102, 162.",
    )
]


def prepare(options: JsonObject, ranks: int, scratch: Path) -> ReadyPattern:
    root = isqrt(ranks)
    if options["cells"] < root:
        raise click.UsageError(f"--n {options['cells']}: {root} or more with {ranks} ranks")
    if root * root < ranks:
        click.echo(
            f"note: btio needs a square number of ranks; {ranks - root * root} of {ranks} have no bytes",
            err=True,
        )
    return ReadyPattern(
        ["--pattern", "btio", "--n", str(options["cells"])],
        options["cells"] ** 3 * CELL_BYTES,
        {"owners": root * root},
    )
