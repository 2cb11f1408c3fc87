"""interleave: the ranks' small pieces alternate in the file, block-cyclic or with irregular sizes."""

from __future__ import annotations

from pathlib import Path

import click

from collio.bench.patterns.options import COUNT, SIZE
from collio.bench.patterns.prepared import ReadyPattern
from collio.plain_json import JsonObject

HELP = "Small pieces, alternating between the ranks."
OPTIONS = [
    click.option("--pieces", type=COUNT, default=100_000, show_default=True, help="Pieces of each rank."),
    click.option("--size", type=SIZE, default=32, show_default=True, help="Bytes of a piece."),
    click.option("--irregular", is_flag=True, help="Pieces of different sizes."),
    click.option("--min-size", type=SIZE, default=8, show_default=True, help="Smallest irregular piece."),
    click.option("--max-size", type=SIZE, default=64, show_default=True, help="Largest irregular piece."),
    click.option(
        "--gap",
        type=click.IntRange(min=0),
        default=0,
        help="Longest hole behind a piece, in bytes; lengths vary.",
    ),
    click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True),
]


def prepare(options: JsonObject, ranks: int, scratch: Path) -> ReadyPattern:
    if options["irregular"] and options["min_size"] > options["max_size"]:
        raise click.UsageError(
            f"--min-size {options['min_size']} is more than --max-size {options['max_size']}"
        )
    arguments = ["--pattern", "interleave", "--pieces", str(options["pieces"])]
    largest = options["size"]
    if options["irregular"]:
        largest = options["max_size"]
        arguments += ["--irregular", "--min-size", str(options["min_size"]), "--max-size", str(largest)]
    else:
        arguments += ["--size", str(largest)]
    if options["gap"]:
        arguments += ["--gap", str(options["gap"])]
    if options["irregular"] or options["gap"]:
        arguments += ["--seed", str(options["seed"])]
    return ReadyPattern(arguments, ranks * options["pieces"] * (largest + options["gap"]))
