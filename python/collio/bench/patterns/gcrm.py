"""gcrm: a step of a global cloud resolving model, 38 variables on a geodesic grid, a collective call each."""

from __future__ import annotations

from pathlib import Path

import click

from collio.bench.patterns.prepared import ReadyPattern
from collio.bench.patterns.rows import ROWS
from collio.plain_json import JsonObject


def prepare(options: JsonObject, ranks: int, scratch: Path) -> ReadyPattern:
    level, blocks_level = options["level"], options["blocks_level"]
    if blocks_level > level:
        raise click.UsageError(f"--blocks-level is {blocks_level}; allowed: 0 to --level ({level})")
    return ROWS["gcrm"].prepare(options, ranks, scratch)
