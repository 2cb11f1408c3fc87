"""The generated atmosphere grid: counts, ownership, the curve, the decompositions, holes."""

import time

import numpy as np
import pytest

from collio import e3sm
from collio.e3sm.cubed_sphere import make_grid
from collio.e3sm.curve import element_curve, face_curve, join_faces
from collio.e3sm.generate import continents, dynamics_owner, physics_owner
from collio.e3sm.holes import hole_elements


@pytest.mark.parametrize(("ne", "columns"), [(1, 56), (2, 218), (4, 866), (7, 2648), (30, 48602)])
def test_number_of_columns(ne, columns):
    assert make_grid(ne).columns == columns == 6 * (3 * ne) ** 2 + 2


def test_large_grid_is_numbered_quickly():
    start = time.perf_counter()
    assert make_grid(120).columns == 777602
    assert time.perf_counter() - start < 20


def test_numbering_follows_the_elements():
    first = make_grid(4).element_of_column
    per_element = np.bincount(first)
    # 16 nodes in the first element, 12 new ones in its right neighbours, 9 inside a face: as in the real ne4
    # map.
    assert per_element[:4].tolist() == [16, 12, 12, 12]
    assert per_element[4:8].tolist() == [12, 9, 9, 9]
    assert (np.diff(first) >= 0).all()


@pytest.mark.parametrize("ne", [1, 2, 3, 4, 5, 6, 7, 10, 30, 31])
def test_face_curve_visits_every_cell_once_in_small_steps(ne):
    cells = face_curve(ne)
    assert len({tuple(cell) for cell in cells.tolist()}) == ne * ne
    assert cells.min() == 0
    assert cells.max() == ne - 1
    assert cells[0].tolist() == [0, 0]
    assert cells[-1].tolist() == [ne - 1, 0]
    assert np.abs(np.diff(cells, axis=0)).sum(axis=1).max(initial=1) == 1


def test_faces_are_joined_in_one_path():
    assert sorted(face for face, _, _ in join_faces()) == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("ne", [2, 3, 4, 5, 30])
def test_curve_is_continuous_over_the_whole_cube(ne):
    """Consecutive elements share an edge: four of the sixteen nodes' points, also where one face meets the
    next."""
    curve = element_curve(ne)
    assert sorted(curve.tolist()) == list(range(6 * ne * ne))
    from collio.e3sm.cubed_sphere import _face_nodes

    nodes = np.concatenate([_face_nodes(ne, face) for face in range(6)]).reshape(-1, 16, 3)
    for one, other in zip(curve[:-1], curve[1:]):
        shared = {tuple(p) for p in nodes[one].tolist()} & {tuple(p) for p in nodes[other].tolist()}
        assert len(shared) == 4, (one, other)


@pytest.mark.parametrize(("ne", "ranks"), [(4, 16), (4, 1), (5, 7), (30, 64)])
def test_ranks_are_balanced_and_compact(ne, ranks):
    grid = make_grid(ne)
    owner = dynamics_owner(grid, ranks)
    columns = np.bincount(owner, minlength=ranks)
    assert columns.min() > 0
    assert columns.max() < 2.0 * grid.columns / ranks
    if ranks < 8:
        return
    # A compact part of 1/ranks of the surface (6 faces of edge 3 ne) has a diameter near sqrt(6/ranks) of
    # that edge; scattered columns would spread over the whole cube. Four times that leaves room for the
    # curve's ragged outlines.
    edge = 3 * ne
    for rank in range(ranks):
        place = grid.place[owner == rank].astype(float)
        spread = np.sqrt(((place - place.mean(axis=0)) ** 2).sum(axis=1)).mean()
        assert spread < 2 * edge * np.sqrt(6 / ranks)


def test_more_ranks_than_elements_leaves_some_empty():
    owner = dynamics_owner(make_grid(1), 10)
    assert len(np.unique(owner)) == 6


def test_physics_takes_equal_shares():
    dynamics = dynamics_owner(make_grid(4), 16)
    columns = np.bincount(physics_owner(dynamics, 16), minlength=16)
    # Four chunks a rank, of 13 or 14 columns each: 52 to 56, as in the real ne4 map.
    assert columns.min() >= 52
    assert columns.max() <= 56


def covered_once(decomposition):
    written = np.zeros(decomposition.elements, dtype=int)
    for rank in range(decomposition.ranks):
        runs = decomposition.rank(rank)
        assert (runs[1:, 0] > runs[:-1].sum(axis=1)).all(), "sorted and coalesced"
        for offset, length in runs.tolist():
            written[offset : offset + length] += 1
    return written


@pytest.mark.parametrize("ranks", [1, 3, 16, 24, 100])
@pytest.mark.parametrize("model_ranks", [None, 16])
def test_every_element_has_exactly_one_owner(ranks, model_ranks):
    maps = e3sm.generate(ne=4, levels=5, ranks=ranks, model_ranks=model_ranks)
    assert maps.names == ["D1", "D2", "D3", "D4"]
    assert maps["D3"].dims == (5, 866)
    for decomposition in maps.decompositions:
        decomposition.check()
        assert decomposition.ranks == ranks
        assert (covered_once(decomposition) == 1).all()


def test_levels_repeat_the_columns():
    maps = e3sm.generate(ne=2, levels=3, ranks=4)
    flat, tall = covered_elements(maps["D2"], 2), covered_elements(maps["D3"], 2)
    assert tall == [level * 218 + column for level in range(3) for column in flat]


def covered_elements(decomposition, rank):
    return [e for offset, length in decomposition.rank(rank).tolist() for e in range(offset, offset + length)]


def test_production_map_has_short_runs():
    start = time.perf_counter()
    maps = e3sm.generate(ne=30, levels=72, ranks=16)
    assert time.perf_counter() - start < 15
    assert 2.5 < maps["D3"].covered / maps["D3"].pieces < 3.0
    assert maps["D1"].covered / maps["D1"].pieces > 50


@pytest.mark.parametrize("share", [0.1, 0.3, 0.7])
def test_holes(share):
    maps = e3sm.generate(ne=8, levels=2, ranks=6, holes=share)
    for decomposition in maps.decompositions:
        written = covered_once(decomposition)
        assert set(written.tolist()) == {0, 1}
        assert abs((written == 0).mean() - share) < 0.01
        assert ((written == 0) == hole_elements(decomposition)).all()
    # Holes are the same columns in all of them, and come in patches rather than one by one.
    flat = hole_elements(maps["D1"])
    assert (hole_elements(maps["D2"]) == flat).all()
    assert (hole_elements(maps["D3"]).reshape(2, -1) == flat).all()
    assert (np.diff(flat.astype(int)) == 1).sum() < 0.4 * flat.sum()


def test_no_holes_by_default():
    assert not continents(make_grid(3), 0.0).any()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"ne": 0}, "ne is 0"),
        ({"ne": 5000}, "ne is 5000"),
        ({"ranks": 0}, "ranks is 0"),
        ({"levels": -1}, "levels is -1"),
        ({"holes": 1.0}, "holes is 1.0"),
        ({"model_ranks": 0}, "model_ranks is 0"),
    ],
)
def test_bad_arguments_are_named(arguments, named):
    with pytest.raises(e3sm.MapError, match=named) as caught:
        e3sm.generate(**{"ne": 2, "levels": 1, "ranks": 1, **arguments})
    assert "allowed" in str(caught.value)


def test_hole_bytes_of_a_checkpoint(tmp_path):
    maps = e3sm.generate(ne=2, levels=1, ranks=2, holes=0.25)
    hole = hole_elements(maps["D1"])
    values = np.where(hole, 0, 7).astype(np.int32)
    file = tmp_path / "checkpoint"
    file.write_bytes(b"#" * 512 + values.tobytes() * 2)
    assert e3sm.count_hole_bytes(maps, [2], 4, file) == (8 * int(hole.sum()), 0)
    values[np.flatnonzero(hole)[3]] = -1
    file.write_bytes(b"#" * 512 + values.tobytes() * 2)
    assert e3sm.count_hole_bytes(maps, [2], 4, file)[1] == 8
