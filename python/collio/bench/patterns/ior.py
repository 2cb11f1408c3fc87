"""ior: IOR's shared file, segments of a block of every rank, one collective call a transfer."""

from __future__ import annotations

from pathlib import Path

import click

from collio.bench.patterns.options import COUNT, SIZE
from collio.bench.patterns.prepared import ReadyPattern
from collio.plain_json import JsonObject

HELP = "IOR: segments of a block of every rank, a call a transfer."
OPTIONS = [
    click.option(
        "--transfer", type=SIZE, default="256KiB", show_default=True, help="Bytes of a call of each rank."
    ),
    click.option(
        "--block",
        type=SIZE,
        default="1MiB",
        show_default=True,
        help="Bytes of each rank in a segment, a multiple of --transfer.",
    ),
    click.option("--segments", type=COUNT, default=4, show_default=True),
]


def prepare(options: JsonObject, ranks: int, scratch: Path) -> ReadyPattern:
    if options["block"] % options["transfer"]:
        raise click.UsageError(
            f"--block {options['block']} is no multiple of --transfer {options['transfer']}"
        )
    arguments = ["--pattern", "ior"]
    for name in ("transfer", "block", "segments"):
        arguments += [f"--{name}", str(options[name])]
    return ReadyPattern(arguments, ranks * options["block"] * options["segments"])
