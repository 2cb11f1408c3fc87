"""An ocean model's mesh: hexagons on the sphere, and twelve pentagons.

The mesh is the dual of an icosahedral geodesic grid (Sadourny, Arakawa & Mintz 1968; Heikes & Randall 1995),
in MPAS' words (Ringler et al. 2013): every corner of the triangulation is a cell, every side an edge between
two cells, every triangle a vertex where three cells meet. `level` halvings of the icosahedron's sides give 10
4^level + 2 cells, 30 4^level edges and 20 4^level vertices.

Everything is numbered as it comes into being. A halving makes the first of the four new triangles of all old
ones, then the second of all, and so on; sides count from the first triangle that has them; the cells in their
middles come behind all older cells. So neighbours in number lie on different faces of the icosahedron, and no
rank's part of the sphere is contiguous.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from collio.e3sm import MapError

LARGEST_LEVEL = 9  # 2,621,442 cells, 7 km apart
GOLDEN = (1 + 5**0.5) / 2


@dataclass(frozen=True)
class Mesh:
    """place: float64 (cells, 3), points on the unit sphere. cells_on_edge: int64 (edges, 2) and
    cells_on_vertex: int64 (vertices, 3), each row's cells ascending."""

    place: np.ndarray
    cells_on_edge: np.ndarray
    cells_on_vertex: np.ndarray

    @property
    def cells(self) -> int:
        return len(self.place)

    @property
    def edges(self) -> int:
        return len(self.cells_on_edge)

    @property
    def vertices(self) -> int:
        return len(self.cells_on_vertex)


def make_mesh(level: int) -> Mesh:
    """The mesh after `level` halvings. Cost: O(4^level log), about a second at level 7."""
    if not 0 <= level <= LARGEST_LEVEL:
        raise MapError(f"level is {level}; allowed: 0 to {LARGEST_LEVEL}")
    place, triangles = icosahedron()
    for _ in range(level):
        place, triangles = _halve(place, triangles)
    sides, _ = _sides(triangles)
    return Mesh(place, sides, np.sort(triangles, axis=1))


def icosahedron() -> tuple[np.ndarray, np.ndarray]:
    """Corners, float64 (12, 3) on the unit sphere, and triangles, int64 (20, 3): the corners that lie nearest
    to each other."""
    corners = np.array(
        [np.roll((0.0, a, b * GOLDEN), turn) for turn in range(3) for a in (-1, 1) for b in (-1, 1)]
    )
    near = np.isclose(np.linalg.norm(corners[:, None] - corners[None], axis=2), 2.0)
    i, j, k = (axis.ravel() for axis in np.meshgrid(*[np.arange(12)] * 3, indexing="ij"))
    triangle = (i < j) & (j < k) & near[i, j] & near[j, k] & near[i, k]
    return _on_sphere(corners), np.column_stack((i, j, k))[triangle]


def _halve(place: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every triangle in four, by the middles of its sides, which become new corners behind the old ones."""
    sides, side_of = _sides(triangles)
    middles = _on_sphere(place[sides[:, 0]] + place[sides[:, 1]])
    a, b, c = triangles.T
    ab, bc, ca = len(place) + side_of
    children = [np.column_stack(corners) for corners in ((a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca))]
    return np.concatenate((place, middles)), np.concatenate(children)


def _sides(triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sides as pairs of corners, int64 (n, 2), the lower corner first; and int64 (3, triangles), the sides
    between each triangle's first and second corner, second and third, third and first. The first sides of all
    triangles are numbered first."""
    one, other = triangles.T.ravel(), np.roll(triangles, -1, axis=1).T.ravel()
    width = int(triangles.max()) + 1
    keys, first, side_of = np.unique(
        np.minimum(one, other) * width + np.maximum(one, other), return_index=True, return_inverse=True
    )
    order = np.argsort(first)
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    return np.column_stack(np.divmod(keys[order], width)), number[side_of].reshape(3, -1)


def _on_sphere(points: np.ndarray) -> np.ndarray:
    scaled: np.ndarray = points / np.linalg.norm(points, axis=1, keepdims=True)
    return scaled
