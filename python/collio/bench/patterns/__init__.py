"""The access patterns of `collio bench`. A new one is a module here and a name in `PATTERNS`.

A pattern module has
    HELP          one line
    OPTIONS       click options of its own
    prepare(options, ranks, scratch) -> ReadyPattern
"""

from __future__ import annotations

from collio.bench.patterns import (
    btio,
    collperf,
    contiguous,
    e3sm,
    flash,
    gcrm,
    hacc,
    interleave,
    ior,
    mpas,
    s3d,
    tile,
    wrf,
)
from collio.bench.patterns.prepared import Pattern

PATTERNS: dict[str, Pattern] = {
    "interleave": interleave,
    "e3sm": e3sm,
    "contiguous": contiguous,
    "btio": btio,
    "s3d": s3d,
    "mpas": mpas,
    "ior": ior,
    "tile": tile,
    "flash": flash,
    "gcrm": gcrm,
    "hacc": hacc,
    "collperf": collperf,
    "wrf": wrf,
}
