"""A map made for N ranks, used on any other number: whole lists to fewer ranks, split lists to more."""

from __future__ import annotations

import numpy as np

from .mapset import Decomposition, MapError, MapSet, assemble, coalesce


def deal_out(maps: MapSet, ranks: int) -> MapSet:
    """The same maps on `ranks` ranks, evenly: neighbouring ranks' lists joined, or each list cut between
    requests so that the parts have nearly equally many elements. A list with fewer requests than parts leaves
    some ranks empty."""
    if ranks < 1:
        raise MapError(f"ranks is {ranks}; allowed: 1 or more")
    if ranks == maps.ranks:
        return maps
    return MapSet(tuple(_deal(d, ranks) for d in maps.decompositions), maps.source)


def _deal(decomposition: Decomposition, ranks: int) -> Decomposition:
    dealt = deal_lists([decomposition.rank(r) for r in range(decomposition.ranks)], ranks)
    return assemble(decomposition.name, decomposition.dims, dealt)


def deal_lists(lists: list[np.ndarray], ranks: int) -> list[np.ndarray]:
    """The runs of len(lists) ranks, int64 (n, 2) each, over `ranks` ranks; see deal_out."""
    have = len(lists)
    if ranks == have:
        return lists
    if ranks < have:
        bounds = [r * have // ranks for r in range(ranks + 1)]
        return [coalesce(np.concatenate(lists[a:b])) for a, b in zip(bounds[:-1], bounds[1:])]
    bounds = [r * ranks // have for r in range(have + 1)]
    return [part for r, runs in enumerate(lists) for part in _cut(runs, bounds[r + 1] - bounds[r])]


def _cut(runs: np.ndarray, parts: int) -> list[np.ndarray]:
    """Cut a list between its runs into `parts`, at the places nearest to equal numbers of elements."""
    before = np.concatenate(([0], np.cumsum(runs[:, 1])))
    wanted = before[-1] * np.arange(1, parts) / parts
    after = np.searchsorted(before, wanted)
    cuts = np.where(before[after] - wanted > wanted - before[after - 1], after - 1, after)
    return np.split(runs, cuts)
