"""ior: IOR's shared file, segments of a block of every rank, one collective call a transfer."""

from __future__ import annotations

from pathlib import Path

import click

from collio.bench.patterns.prepared import ReadyPattern
from collio.bench.patterns.rows import ROWS
from collio.plain_json import JsonObject


def prepare(options: JsonObject, ranks: int, scratch: Path) -> ReadyPattern:
    if options["block"] % options["transfer"]:
        raise click.UsageError(
            f"--block {options['block']} is no multiple of --transfer {options['transfer']}"
        )
    return ROWS["ior"].prepare(options, ranks, scratch)
