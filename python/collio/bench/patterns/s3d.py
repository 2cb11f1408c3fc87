"""s3d: the checkpoint of a combustion solver, four variables on a grid cut into blocks, a collective call
each."""

from __future__ import annotations

from pathlib import Path

import click

from collio.bench.patterns.prepared import ReadyPattern
from collio.plain_json import JsonObject

HELP = "S3D-IO: variables of a block-decomposed grid, a call each."
POINT_BYTES = 128  # 11 + 3 + 1 + 1 doubles
AXES = ("nx", "ny", "nz")
OPTIONS = [
    click.option(
        f"--{axis}",
        type=click.IntRange(1, 4096),
        default=80,
        show_default=True,
        help=f"Grid points along {axis[1]}.",
    )
    for axis in AXES
]


def prepare(options: JsonObject, ranks: int, scratch: Path) -> ReadyPattern:
    arguments = ["--pattern", "s3d"]
    for axis in AXES:
        arguments += [f"--{axis}", str(options[axis])]
    return ReadyPattern(arguments, options["nx"] * options["ny"] * options["nz"] * POINT_BYTES)
