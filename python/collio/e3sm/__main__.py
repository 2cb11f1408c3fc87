"""Make a binary map for the C programs: `python3 -m collio.e3sm --ne 30 --levels 72 --ranks 16 --output
FILE`."""

from __future__ import annotations

import argparse
import json
import sys

from collio.plain_json import JsonObject

from . import MapError, MapSet, deal_out, generate, read_map, write_binary


def describe(maps: MapSet) -> JsonObject:
    """What is in a map, for people and JSON."""
    return {
        "source": maps.source,
        "ranks": maps.ranks,
        "decompositions": [
            {
                "name": d.name,
                "dims": list(d.dims),
                "elements": d.elements,
                "covered": d.covered,
                "pieces": d.pieces,
            }
            for d in maps.decompositions
        ],
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m collio.e3sm", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--map",
        metavar="FILE",
        help="a decomposition file of the E3SM-IO benchmark instead of a generated grid",
    )
    parser.add_argument("--ne", type=int, default=30, help="elements along an edge of the cube (default 30)")
    parser.add_argument("--levels", type=int, default=72, help="vertical levels (default 72)")
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument(
        "--model-ranks",
        type=int,
        help="ranks of the model run that is dealt out (default: one per four elements)",
    )
    parser.add_argument(
        "--holes",
        type=float,
        default=0.0,
        help="share of columns that no rank writes, 0 to below 1 (default 0)",
    )
    parser.add_argument("--output", metavar="FILE", required=True)
    options = parser.parse_args(arguments)
    try:
        if options.map:
            maps = deal_out(read_map(options.map), options.ranks)
        else:
            maps = generate(options.ne, options.levels, options.ranks, options.holes, options.model_ranks)
        write_binary(maps, options.output)
    except (MapError, OSError) as error:
        print(f"collio.e3sm: {error}", file=sys.stderr)
        return 2
    print(json.dumps(describe(maps)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
