"""contiguous: large blocks, one rank after the other; what collective I/O must not make slower."""

from __future__ import annotations

from pathlib import Path

import click

from collio.bench.patterns.options import COUNT, SIZE
from collio.bench.patterns.prepared import ReadyPattern
from collio.plain_json import JsonObject

HELP = "Large blocks, one rank after the other."
OPTIONS = [
    click.option("--size", type=SIZE, default="4MiB", show_default=True, help="Bytes of a block."),
    click.option("--pieces", type=COUNT, default=8, show_default=True, help="Blocks of each rank."),
    click.option("--one-call", is_flag=True, help="All blocks in one collective call."),
]


def prepare(options: JsonObject, ranks: int, scratch: Path) -> ReadyPattern:
    arguments = [
        "--pattern",
        "contiguous",
        "--size",
        str(options["size"]),
        "--pieces",
        str(options["pieces"]),
    ]
    arguments += ["--one-call"] if options["one_call"] else []
    return ReadyPattern(arguments, ranks * options["size"] * options["pieces"])
