"""e3sm: variables of E3SM's atmosphere grid, generated or from a decomposition file of the E3SM-IO
benchmark."""

from __future__ import annotations

from pathlib import Path

import click

from collio.bench.patterns.options import COUNT
from collio.bench.patterns.prepared import ReadyPattern, with_map
from collio.plain_json import JsonObject

OPTIONS = [
    click.option(
        "--ne", type=COUNT, default=30, show_default=True, help="Elements along an edge of the cube."
    ),
    click.option("--levels", type=COUNT, default=72, show_default=True, help="Vertical levels."),
    click.option(
        "--map",
        "map_file",
        type=click.Path(exists=True, dir_okay=False),
        help="A decomposition file (netCDF) instead of --ne.",
    ),
    click.option(
        "--element-size",
        type=click.Choice(["4", "8"]),
        default="4",
        show_default=True,
        help="Bytes of a number.",
    ),
    click.option("--call-each", is_flag=True, help="A call for each variable, not one for all."),
    click.option(
        "--variables",
        default="10",
        show_default=True,
        help="Number of variables, in all or per decomposition: 2,2,6.",
    ),
    click.option("--decomposition", help="The variables' decomposition (D1, D2, …)."),
    click.option(
        "--holes", type=click.FloatRange(0, 0.95), default=0.0, help="Share of columns that no rank writes."
    ),
]


def prepare(options: JsonObject, ranks: int, scratch: Path) -> ReadyPattern:
    from collio import e3sm  # NumPy and netCDF4, which no other command needs

    try:
        if options["map_file"]:
            maps = e3sm.deal_out(e3sm.read_map(options["map_file"]), ranks=ranks)
        else:
            maps = e3sm.generate(
                ne=options["ne"], levels=options["levels"], ranks=ranks, holes=options["holes"]
            )
    except e3sm.MapError as error:
        raise click.UsageError(str(error)) from None
    return with_map("e3sm", maps, options, scratch)
