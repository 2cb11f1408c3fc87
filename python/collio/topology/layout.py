"""Where the vertices of a network are drawn: switches in layers over nodes, grids and tori as grids, others
on a circle."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from collio.machine_file.graph import Graph
from collio.topology.layers import levels, neighbours

CELL = 56.0
ROOMY = 128
"""Nodes up to which they have room for their names."""


@dataclass(frozen=True)
class Layout:
    """Places in pixels from the left top of a picture of `width` by `height`. `kind` is "layers", "grid" or
    "circle"."""

    kind: str
    places: list[tuple[float, float]]
    width: float
    height: float


def lay_out(graph: Graph) -> Layout:
    """Cost: links and vertices, and for networks without switches the ways to cut their number into two or
    three factors."""
    if graph.switches:
        return _layers(graph)
    dims = find_grid(graph)
    return _grid(dims) if dims else _circle(graph.vertices)


def find_grid(graph: Graph) -> tuple[int, ...] | None:
    """Dimensions (two or three) of the grid or torus that the nodes are, numbered as a C array; None where
    they are none."""
    count = len(graph.nodes)
    edges = {frozenset((link.a, link.b)) for link in graph.links}
    if graph.switches or not edges:
        return None
    factors = [one for one in range(2, count) if count % one == 0]
    shapes: list[tuple[int, ...]] = [(one, count // one) for one in factors]
    shapes += [
        (one, two, count // one // two)
        for one in factors
        for two in factors
        if count // one % two == 0 and count // one // two > 1
    ]
    for dims in shapes:
        if edges in (grid_edges(dims, wraps=True), grid_edges(dims, wraps=False)):
            return dims
    return None


def grid_edges(dims: tuple[int, ...], wraps: bool) -> set[frozenset[int]]:
    """Pairs of neighbours; the last dimension varies fastest."""
    number = {place: index for index, place in enumerate(itertools.product(*map(range, dims)))}
    found = set()
    for place, index in number.items():
        for dimension, size in enumerate(dims):
            above = place[dimension] + 1
            if above < size or wraps:
                found.add(
                    frozenset((index, number[(*place[:dimension], above % size, *place[dimension + 1 :])]))
                )
    return found


def _grid(dims: tuple[int, ...]) -> Layout:
    """Planes of three dimensions are next to each other."""
    planes, rows, columns = (1, *dims) if len(dims) == 2 else dims
    step = 1.6 * CELL
    places = [
        (step * (1 + column + plane * (columns + 1)), step * (1 + row))
        for plane in range(planes)
        for row in range(rows)
        for column in range(columns)
    ]
    return Layout("grid", places, step * (planes * (columns + 1) + 1), step * (rows + 1))


def _circle(count: int) -> Layout:
    radius = max(2 * CELL, count * CELL / (2 * math.pi)) if count <= ROOMY else count * CELL / 16
    middle = radius + 1.5 * CELL
    angles = [2 * math.pi * index / count - math.pi / 2 for index in range(count)]
    return Layout(
        "circle",
        [(middle + radius * math.cos(one), middle + radius * math.sin(one)) for one in angles],
        2 * middle,
        2 * middle,
    )


def _layers(graph: Graph) -> Layout:
    """Nodes at the bottom, ordered by their switches; each layer of switches over the middle of what is
    below."""
    around = neighbours(graph)
    level = levels(graph, around)
    nodes = len(graph.nodes)
    step = CELL if nodes <= ROOMY else CELL / 5
    first_switch = [
        min((other for _, other in around[node] if other >= nodes), default=graph.vertices)
        for node in range(nodes)
    ]
    x = [0.0] * graph.vertices
    for place, node in enumerate(sorted(range(nodes), key=lambda one: (first_switch[one], one))):
        x[node] = step * (place + 1)
    width = step * (nodes + 1)
    top = max(level)
    for height in range(1, top + 1):
        layer = [vertex for vertex in range(nodes, graph.vertices) if level[vertex] == height]
        for vertex in layer:
            below = [x[other] for _, other in around[vertex] if level[other] < height]
            x[vertex] = sum(below) / len(below)
        width = max(width, _spread(layer, x, width))
    gap = 2.2 * CELL
    return Layout(
        "layers",
        [(x[vertex], gap * (top - level[vertex]) + CELL) for vertex in range(graph.vertices)],
        width,
        gap * top + 2.2 * CELL,
    )


def _spread(layer: list[int], x: list[float], width: float) -> float:
    """Moves what is too near to its left neighbour, then all so that they are in the middle; the width they
    need."""
    room = 2 * CELL
    order = sorted(layer, key=lambda vertex: (x[vertex], vertex))
    wanted = sum(x[vertex] for vertex in order) / len(order)
    for left, right in zip(order, order[1:]):
        x[right] = max(x[right], x[left] + room)
    shift = wanted - sum(x[vertex] for vertex in order) / len(order)
    shift = max(shift, room / 2 - x[order[0]])
    for vertex in order:
        x[vertex] += shift
    return max(width, x[order[-1]] + room / 2)
