"""The decompositions of E3SM's F case (active atmosphere) on a generated grid.

D1 is the dynamics' (a rank owns a stretch of the space-filling curve's elements and the columns they
numbered: long runs). D2 and D3 are the physics': columns are dealt round robin to chunks of at most 16, so
that each chunk has columns from all over the globe (day and night, land and sea), and each rank takes equally
many chunks, preferring those whose columns it holds in the dynamics: short runs. D4 is D1 with levels. The
real maps of the E3SM-IO benchmark show the same build.

How short the runs are depends on how many ranks the model ran with, not on how many replay its I/O.
Production runs give a rank a few elements: the F case of the TAM paper (Kang et al. 2020) ran ne120 on 21600
ranks, four elements each, and made requests of 11 bytes in the mean. So a map is made for four elements a
rank and then dealt out over the ranks asked for, as that paper did; ne30 makes 1350 model ranks and runs of
2.7 columns.
"""

from __future__ import annotations

import numpy as np

from .cubed_sphere import Grid, make_grid
from .curve import element_curve
from .deal import deal_lists
from .mapset import Decomposition, MapError, MapSet, assemble, coalesce

CHUNK_COLUMNS = 16  # at most this many columns in a physics chunk (the model's pcols)
ELEMENTS_PER_MODEL_RANK = 4


def generate(ne: int, levels: int, ranks: int, holes: float = 0.0, model_ranks: int | None = None) -> MapSet:
    """D1 (ncol) and D4 (levels, ncol) by dynamics, D2 (ncol) and D3 (levels, ncol) by physics.

    holes: share of columns that nobody writes, in [0, 1), in continent-like patches.
    model_ranks: ranks of the model run whose columns are dealt out over `ranks`; default: one for every four
    elements.
    """
    grid = make_grid(ne)
    if model_ranks is None:
        model_ranks = max(1, grid.elements // ELEMENTS_PER_MODEL_RANK)
    for name, value in (("levels", levels), ("ranks", ranks), ("model_ranks", model_ranks)):
        if value < 1:
            raise MapError(f"{name} is {value}; allowed: 1 or more")
    if not 0.0 <= holes < 1.0:
        raise MapError(f"holes is {holes}; allowed: from 0 to below 1")
    dynamics = dynamics_owner(grid, model_ranks)
    physics = physics_owner(dynamics, model_ranks)
    written = ~continents(grid, holes)
    flat_dynamics, flat_physics = (
        deal_lists(_runs(owner, written, model_ranks), ranks) for owner in (dynamics, physics)
    )
    shape = (levels, grid.columns)
    return MapSet(
        (
            assemble("D1", (grid.columns,), flat_dynamics),
            assemble("D2", (grid.columns,), flat_physics),
            _with_levels("D3", shape, flat_physics),
            _with_levels("D4", shape, flat_dynamics),
        ),
        f"ne{ne}, {levels} levels, {model_ranks} model ranks"
        + (f", {holes:g} of the columns are holes" if holes else ""),
    )


def dynamics_owner(grid: Grid, ranks: int) -> np.ndarray:
    """Rank of each column: equal stretches of elements along the curve; with more ranks than elements some
    have none."""
    parts = min(ranks, grid.elements)
    owner_of_element = np.empty(grid.elements, dtype=np.int64)
    owner_of_element[element_curve(grid.ne)] = np.arange(grid.elements) * parts // grid.elements
    owner: np.ndarray = owner_of_element[grid.element_of_column]
    return owner


def physics_owner(dynamics: np.ndarray, ranks: int) -> np.ndarray:
    """Rank of each column: chunk k has columns k, k + chunks, k + 2 chunks …; each chunk goes to the rank
    with room that holds most of its columns in the dynamics, else to the first with room."""
    columns = dynamics.size
    chunks_per_rank = -(-columns // (ranks * CHUNK_COLUMNS))
    chunks = chunks_per_rank * ranks
    chunk_of_column = np.arange(columns) % chunks
    pairs, weight = np.unique(chunk_of_column * ranks + dynamics, return_counts=True)
    by_chunk = np.lexsort((pairs, -weight, pairs // ranks))
    room = [chunks_per_rank] * ranks
    owner_of_chunk = np.full(chunks, -1, dtype=np.int64)
    for pair in pairs[by_chunk].tolist():
        chunk, rank = divmod(pair, ranks)
        if owner_of_chunk[chunk] < 0 and room[rank]:
            owner_of_chunk[chunk] = rank
            room[rank] -= 1
    owner_of_chunk[owner_of_chunk < 0] = np.repeat(np.arange(ranks), room)
    return owner_of_chunk[chunk_of_column]


def continents(grid: Grid, share: float) -> np.ndarray:
    """bool (columns,): true on about `share` of the columns, in patches: where a smooth function of the place
    is lowest."""
    if share == 0.0:
        return np.zeros(grid.columns, dtype=bool)
    x, y, z = ((grid.place - 1.5 * grid.ne) / (1.5 * grid.ne)).T
    height = (
        np.sin(2.9 * x + 1.1) * np.cos(2.3 * y - 0.4)
        + 0.7 * np.sin(3.7 * z + 1.9 * x)
        + 0.4 * np.cos(5.3 * y * z + 0.8)
    )
    low: np.ndarray = height < np.quantile(height, share)
    return low


def _runs(owner: np.ndarray, written: np.ndarray, ranks: int) -> list[np.ndarray]:
    """Runs of columns per rank: a list of int64 (n, 2)."""
    columns = np.flatnonzero(written)
    columns = columns[np.argsort(owner[columns], kind="stable")]
    ends = np.cumsum(np.bincount(owner[columns], minlength=ranks))
    single = np.column_stack((columns, np.ones_like(columns)))
    return [coalesce(part) for part in np.split(single, ends[:-1])]


def _with_levels(name: str, shape: tuple[int, int], flat: list[np.ndarray]) -> Decomposition:
    """The same runs on every level, joined where one level's last run touches the next level's first."""
    levels, columns = shape
    step = np.arange(levels, dtype=np.int64) * columns
    tall = []
    for runs in flat:
        offsets = (step[:, None] + runs[None, :, 0]).ravel()
        tall.append(coalesce(np.column_stack((offsets, np.tile(runs[:, 1], levels)))))
    return assemble(name, shape, tall)
