"""Decompositions of variables on the mesh, in the map format of collio.e3sm.

D1 cells, D2 edges, D3 vertices, each with the vertical levels fastest, as MPAS has them: (nCells,
nVertLevels). An edge or vertex belongs to the rank of the lowest-numbered cell it touches.
"""

from __future__ import annotations

import numpy as np

from collio.e3sm import Decomposition, MapError, MapSet
from collio.e3sm.mapset import assemble, coalesce

from .mesh import make_mesh
from .partition import bisect


def generate(level: int, ranks: int, vertical_levels: int = 1) -> MapSet:
    """Maps D1, D2, D3 of the mesh after `level` halvings, over `ranks` ranks."""
    for name, value in (("ranks", ranks), ("vertical_levels", vertical_levels)):
        if value < 1:
            raise MapError(f"{name} is {value}; allowed: 1 or more")
    mesh = make_mesh(level)
    owner = bisect(mesh.place, ranks)
    owners = {"D1": owner, "D2": owner[mesh.cells_on_edge[:, 0]], "D3": owner[mesh.cells_on_vertex[:, 0]]}
    maps = tuple(_decomposition(name, of, ranks, vertical_levels) for name, of in owners.items())
    return MapSet(
        maps, f"hexagonal mesh of level {level}, {mesh.cells} cells, {vertical_levels} vertical levels"
    )


def _decomposition(name: str, owner: np.ndarray, ranks: int, vertical_levels: int) -> Decomposition:
    """The elements of each rank: all levels of all places it owns."""
    places = np.argsort(owner, kind="stable")
    ends = np.cumsum(np.bincount(owner, minlength=ranks))
    single = np.column_stack((places, np.ones_like(places)))
    runs = [coalesce(part) * vertical_levels for part in np.split(single, ends[:-1])]
    return assemble(name, (len(owner), vertical_levels), runs)
