"""The access patterns of `collio bench`: the driver's, by its table (rows.py). A pattern that needs more is a
module of its name here, with
    OPTIONS       click options, where they are not the driver's
    prepare(options, ranks, scratch) -> ReadyPattern
"""

from __future__ import annotations

import importlib
import pkgutil

from collio.bench.patterns.prepared import Pattern
from collio.bench.patterns.row import Row
from collio.bench.patterns.rows import ROWS

_MODULES = {module.name for module in pkgutil.iter_modules(__path__)}


def _pattern(row: Row) -> Pattern:
    if row.name not in _MODULES:
        return Pattern(row.help, row.for_click(), row.prepare)
    module = importlib.import_module(f"{__name__}.{row.name}")
    return Pattern(row.help, getattr(module, "OPTIONS", None) or row.for_click(), module.prepare)


PATTERNS = {name: _pattern(row) for name, row in ROWS.items()}
