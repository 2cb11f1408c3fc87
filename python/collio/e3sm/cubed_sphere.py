"""E3SM's atmosphere grid: a cubed sphere of ne x ne spectral elements a face, 4 x 4 Gauss-Lobatto-Legendre
nodes each.

Neighbouring elements share the nodes on their common edge; the unique nodes, 6 (3 ne)^2 + 2, are the model's
columns. They are numbered as the dynamics does: elements in global order (face, row, column), each numbering
its nodes that no earlier element has numbered. That makes the first element's 16 nodes columns 0 to 15, its
neighbour's 12 new ones 16 to 27, and so on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .curve import FACES
from .mapset import MapError

NODES = 4  # GLL nodes along an element's edge
LARGEST_NE = 1024


@dataclass(frozen=True)
class Grid:
    """ne: elements along a face's edge. element_of_column: int64 (columns,), the element that numbered it.
    place: int16 (columns, 3), the node's point on the integer cube surface [0, 3 ne]^3."""

    ne: int
    element_of_column: np.ndarray
    place: np.ndarray

    @property
    def columns(self) -> int:
        return int(self.element_of_column.size)

    @property
    def elements(self) -> int:
        return 6 * self.ne * self.ne


def make_grid(ne: int) -> Grid:
    """The grid with its columns numbered. Cost: O(ne^2 log ne), about a second at ne120."""
    if not 1 <= ne <= LARGEST_NE:
        raise MapError(f"ne is {ne}; allowed: 1 to {LARGEST_NE}")
    places = np.concatenate([_face_nodes(ne, face) for face in range(len(FACES))])
    width = (NODES - 1) * ne + 1
    keys = (places[:, 0] * width + places[:, 1]) * width + places[:, 2]
    first = np.sort(np.unique(keys, return_index=True)[1])
    return Grid(ne, first // (NODES * NODES), places[first].astype(np.int16))


def _face_nodes(ne: int, face: int) -> np.ndarray:
    """Points on the integer cube of all nodes of one face, element by element, row by row in each. int64 (16
    ne^2, 3)."""
    steps = NODES - 1
    element_row, element_column, row, column = np.meshgrid(
        np.arange(ne), np.arange(ne), np.arange(NODES), np.arange(NODES), indexing="ij"
    )
    i = (element_column * steps + column).ravel()[:, None]
    j = (element_row * steps + row).ravel()[:, None]
    origin, along, across = (np.array(vector, dtype=np.int64) for vector in FACES[face])
    points: np.ndarray = origin * (steps * ne) + i * along + j * across
    return points
