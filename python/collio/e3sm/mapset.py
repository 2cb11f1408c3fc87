"""What a map is: for every rank a sorted, coalesced list of (offset, length) runs, in elements of one
variable."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np


class MapError(ValueError):
    """A map that cannot be read, made or used; the text names the value and says what is allowed."""


@dataclass(frozen=True)
class Decomposition:
    """How the elements of one shape of variable are spread over ranks.

    dims: shape of the variable, row-major (slowest first).
    counts: int64 (ranks,), runs per rank.
    runs: int64 (sum(counts), 2), offset and length in elements, rank after rank; within a rank sorted and
    coalesced.
    """

    name: str
    dims: tuple[int, ...]
    counts: np.ndarray
    runs: np.ndarray

    @cached_property
    def _starts(self) -> np.ndarray:
        return np.concatenate(([0], np.cumsum(self.counts)))

    @property
    def ranks(self) -> int:
        return int(self.counts.size)

    @property
    def elements(self) -> int:
        """Elements of the variable, written or not."""
        return prod(self.dims)

    @property
    def covered(self) -> int:
        """Elements that some rank writes."""
        return int(self.runs[:, 1].sum())

    @property
    def pieces(self) -> int:
        """Runs over all ranks."""
        return int(self.counts.sum())

    def rank(self, index: int) -> np.ndarray:
        """Runs of one rank: int64 (n, 2), a view."""
        if not 0 <= index < self.ranks:
            raise MapError(f"{self.name}: rank {index} is not in the map; allowed: 0 to {self.ranks - 1}")
        return self.runs[self._starts[index] : self._starts[index + 1]]

    def check(self, where: str = "map") -> None:
        """Raise MapError unless every run lies inside the variable, is sorted within its rank, and no element
        has two writers."""
        offsets, lengths = self.runs[:, 0], self.runs[:, 1]
        here = f"{where}: {self.name}"
        if (self.counts < 0).any():
            raise MapError(f"{here}: a rank has {int(self.counts.min())} requests; allowed: 0 or more")
        if self.pieces != len(self.runs):
            raise MapError(
                f"{here}: the ranks' counts add up to {self.pieces}, but there are {len(self.runs)} requests"
            )
        if not len(self.runs):
            return
        if lengths.min() < 1:
            raise MapError(
                f"{here}: request {int(lengths.argmin())} has length {int(lengths.min())}; allowed: 1 or more"
            )
        if offsets.min() < 0:
            raise MapError(
                f"{here}: request {int(offsets.argmin())} has offset {int(offsets.min())}; allowed: 0 or more"
            )
        beyond = offsets > self.elements - lengths
        if beyond.any():
            at = int(beyond.argmax())
            raise MapError(
                f"{here}: request {at} covers elements {int(offsets[at])} to "
                f"{int(offsets[at]) + int(lengths[at]) - 1}; "
                f"allowed: 0 to {self.elements - 1} (dims {' x '.join(map(str, self.dims))})"
            )
        owner = np.repeat(np.arange(self.ranks), self.counts)
        unsorted = (owner[1:] == owner[:-1]) & (offsets[1:] < offsets[:-1] + lengths[:-1])
        if unsorted.any():
            at = int(unsorted.argmax()) + 1
            raise MapError(
                f"{here}: request {at} of rank {owner[at]} starts at element {offsets[at]}, before the one "
                "in front of it ends"
            )
        order = np.argsort(offsets, kind="stable")
        starts, ends, owners = offsets[order], (offsets + lengths)[order], owner[order]
        twice = starts[1:] < ends[:-1]
        if twice.any():
            at = int(twice.argmax())
            raise MapError(
                f"{here}: element {int(starts[at + 1])} has two writers, ranks {owners[at]} and "
                f"{owners[at + 1]}; allowed: at most one"
            )


@dataclass(frozen=True)
class MapSet:
    """The decompositions of one model on one number of ranks, in order."""

    decompositions: tuple[Decomposition, ...]
    source: str = ""

    def __post_init__(self) -> None:
        if not self.decompositions:
            raise MapError(f"{self.source or 'map'}: has no decomposition; allowed: 1 or more")
        if len({d.ranks for d in self.decompositions}) != 1:
            raise MapError(f"{self.source or 'map'}: its decompositions are for different numbers of ranks")

    @property
    def ranks(self) -> int:
        return self.decompositions[0].ranks

    @property
    def names(self) -> list[str]:
        return [d.name for d in self.decompositions]

    def __getitem__(self, name: str) -> Decomposition:
        for decomposition in self.decompositions:
            if decomposition.name == name:
                return decomposition
        raise MapError(
            f"{self.source or 'map'}: has no decomposition {name!r}; allowed: {', '.join(self.names)}"
        )


def coalesce(runs: np.ndarray) -> np.ndarray:
    """Sort runs by offset and join neighbours that touch. runs: int64 (n, 2); overlapping runs are left
    apart, for check()."""
    if len(runs) == 0:
        return runs.reshape(0, 2)
    runs = runs[np.argsort(runs[:, 0], kind="stable")]
    ends = runs[:, 0] + runs[:, 1]
    first = np.flatnonzero(np.concatenate(([True], runs[1:, 0] != ends[:-1])))
    last = np.concatenate((first[1:] - 1, [len(runs) - 1]))
    return np.column_stack((runs[first, 0], ends[last] - runs[first, 0]))


def assemble(name: str, dims: tuple[int, ...], per_rank: list[np.ndarray]) -> Decomposition:
    """A Decomposition from one array of runs (n, 2) per rank."""
    counts = np.array([len(runs) for runs in per_rank], dtype=np.int64)
    runs = (
        np.concatenate([runs.reshape(-1, 2) for runs in per_rank])
        if per_rank
        else np.zeros((0, 2), dtype=np.int64)
    )
    return Decomposition(
        name, tuple(int(d) for d in dims), counts, np.ascontiguousarray(runs, dtype=np.int64)
    )
