"""What a checkpoint file holds where no rank wrote: it must be zero in a new file, never leftover memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .mapset import Decomposition, MapError, MapSet

HEADER_BYTES = 512  # of the demo program's files


def count_hole_bytes(
    maps: MapSet,
    variables: Sequence[int],
    element_size: int,
    path: str | Path,
    header_bytes: int = HEADER_BYTES,
) -> tuple[int, int]:
    """(bytes in holes, how many of them are not zero) in a file with variables[i] variables of decomposition
    i, in order.

    A file that ends before its last hole counts as zero there. Cost: reads the file once.
    """
    if len(variables) > len(maps.decompositions):
        raise MapError(f"{len(variables)} numbers of variables for {len(maps.decompositions)} decompositions")
    holes = nonzero = 0
    at = header_bytes
    with open(path, "rb") as file:
        for decomposition, count in zip(maps.decompositions, variables):
            size = decomposition.elements * element_size
            hole = np.repeat(hole_elements(decomposition) if count else np.zeros(0, dtype=bool), element_size)
            for _ in range(count):
                file.seek(at)
                seen = np.frombuffer(file.read(size), dtype=np.uint8)
                holes += int(hole.sum())
                nonzero += int(np.count_nonzero(seen[hole[: seen.size]]))
                at += size
    return holes, nonzero


def hole_elements(decomposition: Decomposition) -> np.ndarray:
    """bool (elements,): true where no rank writes."""
    edges = np.zeros(decomposition.elements + 1, dtype=np.int64)
    np.add.at(edges, decomposition.runs[:, 0], 1)
    np.add.at(edges, decomposition.runs.sum(axis=1), -1)
    empty: np.ndarray = np.cumsum(edges[:-1]) == 0
    return empty
