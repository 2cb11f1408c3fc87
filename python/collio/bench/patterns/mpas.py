"""mpas: variables on the cells, edges and vertices of an ocean model's hexagonal mesh."""

from __future__ import annotations

from pathlib import Path

import click

from collio.bench.patterns.options import COUNT
from collio.bench.patterns.prepared import ReadyPattern, with_map
from collio.plain_json import JsonObject

OPTIONS = [
    click.option(
        "--level",
        type=click.IntRange(0, 9),
        default=7,
        show_default=True,
        help="Halvings of the icosahedron: 10 * 4^level + 2 cells.",
    ),
    click.option(
        "--vertical-levels",
        type=COUNT,
        default=1,
        show_default=True,
        help="Numbers in a row on each cell, edge and vertex.",
    ),
    click.option(
        "--element-size",
        type=click.Choice(["4", "8"]),
        default="8",
        show_default=True,
        help="Bytes of a number.",
    ),
    click.option("--call-each", is_flag=True, help="A call for each variable, not one for all."),
    click.option(
        "--variables",
        default="4,4,4",
        show_default=True,
        help="How many on cells (D1), edges (D2), vertices (D3).",
    ),
]


def prepare(options: JsonObject, ranks: int, scratch: Path) -> ReadyPattern:
    from collio import e3sm, mpas  # NumPy, which no other command needs

    try:
        maps = mpas.generate(options["level"], ranks, options["vertical_levels"])
    except e3sm.MapError as error:
        raise click.UsageError(str(error)) from None
    return with_map("mpas", maps, options, scratch)
