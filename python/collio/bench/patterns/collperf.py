"""collperf: ROMIO's coll_perf, a block-distributed 3-D array of ints."""

from __future__ import annotations

from pathlib import Path

import click

from collio.bench.patterns.prepared import ReadyPattern
from collio.plain_json import JsonObject

HELP = "ROMIO's coll_perf: a block-distributed 3-D array, one call."
NUMBER_BYTES = 4
AXES = ("nz", "ny", "nx")
OPTIONS = [
    click.option(
        f"--{axis}",
        type=click.IntRange(1, 8192),
        default=192,
        show_default=True,
        help=f"Numbers along {axis[1]}.",
    )
    for axis in AXES
]


def prepare(options: JsonObject, ranks: int, scratch: Path) -> ReadyPattern:
    arguments = ["--pattern", "collperf"]
    for axis in AXES:
        arguments += [f"--{axis}", str(options[axis])]
    return ReadyPattern(arguments, options["nz"] * options["ny"] * options["nx"] * NUMBER_BYTES)
