"""The generated ocean mesh: counts, neighbours, numbering, who owns what."""

import time

import numpy as np
import pytest

from collio import e3sm, mpas
from collio.mpas.partition import bisect


@pytest.mark.parametrize("level", [0, 1, 2, 5])
def test_counts_and_eulers_formula(level):
    mesh = mpas.make_mesh(level)
    assert (mesh.cells, mesh.edges, mesh.vertices) == (10 * 4**level + 2, 30 * 4**level, 20 * 4**level)
    assert mesh.cells - mesh.edges + mesh.vertices == 2


@pytest.mark.parametrize("level", [0, 1, 4])
def test_twelve_pentagons_among_hexagons(level):
    mesh = mpas.make_mesh(level)
    assert len(np.unique(mesh.cells_on_edge, axis=0)) == mesh.edges
    neighbours = np.bincount(mesh.cells_on_edge.ravel(), minlength=mesh.cells)
    assert set(neighbours.tolist()) <= {5, 6}
    assert np.flatnonzero(neighbours == 5).tolist() == list(range(12))
    assert (np.bincount(mesh.cells_on_vertex.ravel(), minlength=mesh.cells) == neighbours).all()


def test_every_side_of_a_vertex_is_an_edge_of_two_vertices():
    mesh = mpas.make_mesh(3)
    sides = mesh.cells_on_vertex[:, [[0, 1], [1, 2], [0, 2]]].reshape(-1, 2)
    rows, count = np.unique(sides, axis=0, return_counts=True)
    assert (count == 2).all()
    assert (rows == np.unique(mesh.cells_on_edge, axis=0)).all()


def test_cells_lie_on_the_sphere_evenly():
    mesh = mpas.make_mesh(4)
    assert np.allclose(np.linalg.norm(mesh.place, axis=1), 1.0)
    apart = np.linalg.norm(
        mesh.place[mesh.cells_on_edge[:, 0]] - mesh.place[mesh.cells_on_edge[:, 1]], axis=1
    )
    assert apart.max() < 1.3 * apart.min()


def test_finer_meshes_keep_the_cells_of_coarser_ones():
    coarse, fine = mpas.make_mesh(2), mpas.make_mesh(3)
    assert np.allclose(fine.place[: coarse.cells], coarse.place)


@pytest.mark.parametrize("ranks", [1, 3, 8, 13])
def test_parts_are_of_one_size_and_compact(ranks):
    mesh = mpas.make_mesh(4)
    owner = bisect(mesh.place, ranks)
    cells = np.bincount(owner, minlength=ranks)
    assert cells.max() - cells.min() <= 2
    cut = (owner[mesh.cells_on_edge[:, 0]] != owner[mesh.cells_on_edge[:, 1]]).sum()
    assert cut < 0.2 * mesh.edges


def test_more_ranks_than_cells_leave_some_without():
    assert np.bincount(bisect(mpas.make_mesh(0).place, 20), minlength=20).max() == 1
    maps = mpas.generate(level=0, ranks=20)
    assert maps["D1"].covered == 12


@pytest.mark.parametrize(("ranks", "vertical_levels"), [(1, 1), (5, 1), (8, 3)])
def test_every_element_has_one_owner(tmp_path, ranks, vertical_levels):
    maps = mpas.generate(level=3, ranks=ranks, vertical_levels=vertical_levels)
    assert maps.names == ["D1", "D2", "D3"]
    assert [maps[name].dims for name in maps.names] == [
        (642, vertical_levels),
        (1920, vertical_levels),
        (1280, vertical_levels),
    ]
    for name in maps.names:
        maps[name].check()  # sorted, inside, no element twice
        assert maps[name].covered == maps[name].elements
    e3sm.write_binary(maps, tmp_path / "mpas.map")
    assert (e3sm.read_binary(tmp_path / "mpas.map")["D2"].runs == maps["D2"].runs).all()


def test_pieces_are_small_and_the_mesh_is_made_quickly():
    start = time.perf_counter()
    maps = mpas.generate(level=7, ranks=8)
    assert time.perf_counter() - start < 20
    for name in maps.names:
        assert maps[name].elements / maps[name].pieces < 2


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"level": 10, "ranks": 1}, "level is 10; allowed: 0 to 9"),
        ({"level": -1, "ranks": 1}, "level is -1"),
        ({"level": 1, "ranks": 0}, "ranks is 0"),
        ({"level": 1, "ranks": 1, "vertical_levels": 0}, "vertical_levels is 0"),
    ],
)
def test_what_cannot_be_made(arguments, named):
    with pytest.raises(e3sm.MapError, match=named):
        mpas.generate(**arguments)
