"""How an array is cut into pieces, one in each subfile, and which part of a rank's data goes to which piece.
Pure.

The rule and the names are PnetCDF's (src/drivers/ncmpio/ncmpio_subfile.c): of K subfiles, number i has the
elements from ceil(i * x) up to ceil((i + 1) * x) - 1 of the dimension that is cut, x = length / K, and all
elements of the others.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from math import ceil, gcd, prod
from typing import Any

import numpy as np

PREFIX = "_PnetCDF_SubFiling."
NUM_SUBFILES, PAR_DIM_INDEX, PAR_DIM_ID = (
    PREFIX + "num_subfiles",
    PREFIX + "par_dim_index",
    PREFIX + "par_dim_id",
)
NDIMS_ORG, DIMIDS_ORG, SUBFILE_INDEX = PREFIX + "ndims_org", PREFIX + "dimids_org", PREFIX + "subfile_index"


def range_name(dimension: str, subfile: int) -> str:
    """The attribute with the first and the last element of a dimension in a subfile."""
    return f"{PREFIX}range({dimension}).subfile.{subfile}"


def subfile_path(master: str, subfile: int) -> str:
    return f"{master}.subfile_{subfile}.nc"


def begins(length: int, count: int) -> tuple[int, ...]:
    """The first element of each of `count` pieces of a dimension, and its length at the end. Each has one
    element at least where count <= length. In floating point, as PnetCDF: where i * x is whole, it may be
    rounded up to the next number."""
    return (*(ceil(length / count * i) for i in range(count)), length)


@dataclass(frozen=True)
class BoxPart:
    """What a box has of one piece. `start`, `count`: in the piece; `block`: of the rank's block."""

    piece: int
    start: tuple[int, ...]
    count: tuple[int, ...]
    block: tuple[slice, ...]


@dataclass(frozen=True)
class MapPart:
    """What a map has of one piece. `indices`: in the piece; `chosen`: which of the map's elements these
    are."""

    piece: int
    indices: np.ndarray[Any, Any]
    chosen: np.ndarray[Any, Any]


@dataclass(frozen=True)
class Cut:
    """An array of `shape` in pieces along dimension `along`. `begins`: as begins() gives them; any that
    ascend will do."""

    shape: tuple[int, ...]
    along: int
    begins: tuple[int, ...]

    def piece_shape(self, piece: int) -> tuple[int, ...]:
        length = self.begins[piece + 1] - self.begins[piece]
        return (*self.shape[: self.along], length, *self.shape[self.along + 1 :])

    def of_box(self, start: Sequence[int], count: Sequence[int]) -> Iterator[BoxPart]:
        """The parts of a box that has elements and lies in the array, by piece. O(pieces that it meets)."""
        first, behind = start[self.along], start[self.along] + count[self.along]
        piece = bisect_right(self.begins, first) - 1
        while first < behind and prod(count) > 0:
            end = min(behind, self.begins[piece + 1])
            local, part = list(start), list(count)
            local[self.along], part[self.along] = first - self.begins[piece], end - first
            block = [slice(None)] * len(self.shape)
            block[self.along] = slice(first - start[self.along], end - start[self.along])
            yield BoxPart(piece, tuple(local), tuple(part), tuple(block))
            first, piece = end, piece + 1

    def of_map(self, indices: np.ndarray[Any, Any]) -> Iterator[MapPart]:
        """The parts of a map, whose indices are -1 or below the array's size, by piece. O(elements), with a
        sort by piece."""
        inner, length = prod(self.shape[self.along + 1 :]), self.shape[self.along]
        outer, at, rest = indices // (inner * length), indices // inner % length, indices % inner
        pieces = np.where(indices < 0, -1, np.searchsorted(self.begins, at, side="right") - 1)
        order = np.argsort(pieces, kind="stable")
        ends = np.searchsorted(pieces[order], np.arange(len(self.begins)), side="left")
        for piece in np.flatnonzero(np.diff(ends)).tolist():
            chosen = order[ends[piece] : ends[piece + 1]]
            here = self.piece_shape(piece)[self.along]
            yield MapPart(
                piece, (outer[chosen] * here + at[chosen] - self.begins[piece]) * inner + rest[chosen], chosen
            )

    def chunk(self) -> tuple[int, ...]:
        """The largest chunk of which every piece has whole ones, each contiguous in its subfile: a whole
        piece where all have one length; else as many elements as divide all lengths, for each element of the
        dimensions before."""
        lengths = {end - begin for begin, end in zip(self.begins, self.begins[1:])}
        before = self.shape[: self.along] if len(lengths) == 1 else (1,) * self.along
        return (*before, reduce(gcd, lengths), *self.shape[self.along + 1 :])
