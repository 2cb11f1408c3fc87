"""Which rank has which cell: recursive coordinate bisection (Berger & Bokhari 1987).

The cells are cut in two across the axis along which they reach farthest, in the proportion of the ranks on
either side, until each part has one rank: compact parts of equally many cells, as a graph partitioner gives
them.
"""

from __future__ import annotations

import numpy as np


def bisect(place: np.ndarray, ranks: int) -> np.ndarray:
    """Rank of each point, int64 (points,). place: float64 (points, 3). With more ranks than points some have
    none.
    Cost: O(points log ranks)."""
    owner = np.empty(len(place), dtype=np.int64)
    parts = [(np.arange(len(place)), 0, ranks)]
    while parts:
        points, first, number = parts.pop()
        if number == 1 or len(points) == 0:
            owner[points] = first
            continue
        lower = number // 2
        cut = len(points) * lower // number
        here = place[points]
        axis = int(np.argmax(np.ptp(here, axis=0)))
        order = np.argsort(here[:, axis], kind="stable")
        parts.append((points[order[:cut]], first, lower))
        parts.append((points[order[cut:]], first + lower, number - lower))
    return owner
