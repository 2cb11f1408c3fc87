"""interleave: the ranks' small pieces alternate in the file, block-cyclic or with irregular sizes."""

from __future__ import annotations

from pathlib import Path

import click

from collio.bench.patterns.prepared import ReadyPattern
from collio.bench.patterns.rows import ROWS
from collio.plain_json import JsonObject


def prepare(options: JsonObject, ranks: int, scratch: Path) -> ReadyPattern:
    irregular = options["irregular"]
    if irregular and options["min_size"] > options["max_size"]:
        raise click.UsageError(
            f"--min-size {options['min_size']} is more than --max-size {options['max_size']}"
        )
    unused = ("size",) if irregular else ("min_size", "max_size")
    return ROWS["interleave"].prepare({**options, **dict.fromkeys(unused)}, ranks, scratch)
