"""A space-filling curve over the six faces of the cube, for any number of elements per edge.

Within a face: the generalised Hilbert curve of J. Cerveny ("gilbert", 2018), which fills any rectangle from
one corner to the next. The faces are joined corner to corner: the last element of one face and the first of
the next share an edge, so the whole curve is continuous; the joining is found by a search over face orders
and cube corners.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

# (origin, direction of i, direction of j) of each face on the unit cube: 0-3 around the equator eastwards, 4
# south, 5 north.
FACES = (
    ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    ((1, 1, 0), (-1, 0, 0), (0, 0, 1)),
    ((0, 1, 0), (0, -1, 0), (0, 0, 1)),
    ((0, 0, 0), (1, 0, 0), (0, 0, 1)),
    ((0, 0, 0), (0, 1, 0), (1, 0, 0)),
    ((1, 0, 1), (0, 1, 0), (-1, 0, 0)),
)

Vector = tuple[int, int]


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


def _fill(at: Vector, along: Vector, across: Vector) -> Iterator[Vector]:
    """Cells of the rectangle spanned by `along` and `across` from cell `at`; ends at the far end of
    `along`."""
    width, height = abs(sum(along)), abs(sum(across))
    step = (_sign(along[0]), _sign(along[1]))
    side = (_sign(across[0]), _sign(across[1]))
    if height == 1 or width == 1:
        move = step if height == 1 else side
        yield from ((at[0] + k * move[0], at[1] + k * move[1]) for k in range(max(width, height)))
        return
    half = (along[0] // 2, along[1] // 2)
    rise = (across[0] // 2, across[1] // 2)
    if 2 * width > 3 * height:
        if abs(sum(half)) % 2 and width > 2:
            half = (half[0] + step[0], half[1] + step[1])
        yield from _fill(at, half, across)
        yield from _fill((at[0] + half[0], at[1] + half[1]), (along[0] - half[0], along[1] - half[1]), across)
        return
    if abs(sum(rise)) % 2 and height > 2:
        rise = (rise[0] + side[0], rise[1] + side[1])
    yield from _fill(at, rise, half)
    yield from _fill((at[0] + rise[0], at[1] + rise[1]), along, (across[0] - rise[0], across[1] - rise[1]))
    last = (at[0] + along[0] - step[0] + rise[0] - side[0], at[1] + along[1] - step[1] + rise[1] - side[1])
    yield from _fill(last, (-rise[0], -rise[1]), (half[0] - along[0], half[1] - along[1]))


def face_curve(ne: int) -> np.ndarray:
    """Cells (i, j) of an ne x ne face in curve order, from (0, 0) to (ne - 1, 0). int64 (ne * ne, 2)."""
    return np.array(list(_fill((0, 0), (ne, 0), (0, ne))), dtype=np.int64)


def _corner(face: int, i: int, j: int) -> tuple[int, int, int]:
    origin, along, across = FACES[face]
    x, y, z = (o + i * a + j * b for o, a, b in zip(origin, along, across))
    return x, y, z


@lru_cache(maxsize=1)
def join_faces() -> tuple[tuple[int, Vector, Vector], ...]:
    """(face, corner where its curve starts, corner where it ends) in visiting order, consecutive faces
    meeting at one cube corner."""
    edges = [
        ((i, j), (k, m))
        for i in (0, 1)
        for j in (0, 1)
        for k in (0, 1)
        for m in (0, 1)
        if abs(i - k) + abs(j - m) == 1
    ]

    def extend(path: list[tuple[int, Vector, Vector]]) -> list[tuple[int, Vector, Vector]] | None:
        if len(path) == len(FACES):
            return path
        meeting = _corner(path[-1][0], *path[-1][2]) if path else None
        for face in range(len(FACES)):
            if any(face == visited[0] for visited in path):
                continue
            for start, end in edges:
                if meeting is None or _corner(face, *start) == meeting:
                    found = extend([*path, (face, start, end)])
                    if found:
                        return found
        return None

    path = extend([])
    assert path is not None, "a cube has such a path"
    return tuple(path)


def element_curve(ne: int) -> np.ndarray:
    """Global element numbers (face * ne^2 + j * ne + i) in curve order. int64 (6 * ne^2,)."""
    cells = face_curve(ne)
    parts = []
    for face, start, end in join_faces():
        # distance from the start corner towards the end corner, and off that edge
        along, away = cells[:, 0], cells[:, 1]
        axis = 0 if start[0] != end[0] else 1
        on_edge = along if start[axis] == 0 else ne - 1 - along
        off_edge = away if start[1 - axis] == 0 else ne - 1 - away
        i, j = (on_edge, off_edge) if axis == 0 else (off_edge, on_edge)
        parts.append(face * ne * ne + j * ne + i)
    return np.concatenate(parts)
