"""Decompositions of E3SM's grids: which rank writes which elements of a variable.

Two sources: a generator for the atmosphere's cubed-sphere grid (any ne, levels and ranks) and a reader for
the decomposition files of the E3SM-IO benchmark. Both give a :class:`MapSet`; :func:`write_binary` stores it
for the C programs.
"""

from .binary import read_binary, write_binary
from .deal import deal_out
from .generate import generate
from .holes import count_hole_bytes
from .mapset import Decomposition, MapError, MapSet
from .netcdf_map import find_real_maps, read_map

__all__ = [
    "Decomposition",
    "MapError",
    "MapSet",
    "count_hole_bytes",
    "deal_out",
    "find_real_maps",
    "generate",
    "read_binary",
    "read_map",
    "write_binary",
]
