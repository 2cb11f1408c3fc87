"""btio: the time steps of NAS BT-IO, a cube whose ranks own blocks along its diagonals."""

from __future__ import annotations

from dataclasses import replace
from math import isqrt
from pathlib import Path

import click

from collio.bench.patterns.prepared import ReadyPattern
from collio.bench.patterns.rows import ROWS
from collio.plain_json import JsonObject


def prepare(options: JsonObject, ranks: int, scratch: Path) -> ReadyPattern:
    root = isqrt(ranks)
    if options["n"] < root:
        raise click.UsageError(f"--n {options['n']}: {root} or more with {ranks} ranks")
    if root * root < ranks:
        click.echo(
            f"note: btio needs a square number of ranks; {ranks - root * root} of {ranks} have no bytes",
            err=True,
        )
    ready = ROWS["btio"].prepare(options, ranks, scratch)
    return replace(ready, parameters={"owners": root * root})
