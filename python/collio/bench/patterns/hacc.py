"""hacc: HACC-IO, particles of a cosmology code, as an array of structures or a structure of arrays."""

from __future__ import annotations

from pathlib import Path

import click

from collio.bench.patterns.prepared import ReadyPattern
from collio.plain_json import JsonObject

HELP = "HACC-IO: particles of 38 bytes, in one call or in nine."
PARTICLE_BYTES = 38  # seven floats, an int64, an int16
OPTIONS = [
    click.option(
        "--particles",
        type=click.IntRange(1, 1 << 26),
        default=100_000,
        show_default=True,
        help="Particles of each rank.",
    ),
    click.option(
        "--layout",
        type=click.Choice(["aos", "soa", "blocks"]),
        default="aos",
        show_default=True,
        help="Array of structures, or structure of arrays: a call for each variable.",
    ),
]


def prepare(options: JsonObject, ranks: int, scratch: Path) -> ReadyPattern:
    arguments = ["--pattern", "hacc", "--particles", str(options["particles"]), "--layout", options["layout"]]
    return ReadyPattern(arguments, ranks * options["particles"] * PARTICLE_BYTES)
