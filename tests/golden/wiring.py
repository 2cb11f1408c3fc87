"""The networks of machines.txt: shapes wired up link by link by collio.machine_file, and BlueGene-like I/O
nodes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Callable

from collio.machine_file.graph import Link
from collio.machine_file.shapes.dragonfly import Dragonfly
from collio.machine_file.shapes.fat_tree import FatTree
from collio.machine_file.shapes.shape import Cable
from collio.machine_file.shapes.switch import Switch
from collio.machine_file.shapes.torus import Torus
from collio.machine_file.shapes.tree import Tree

SLOW, USUAL, FAST = Cable(2.5e8, 4e-6), Cable(1e9, 1e-6), Cable(4e9, 2e-6)

SWITCHES = (1, 2, 9, 40)
TREES = ((1, 4), (2, 2), (2, 8), (3, 5), (8, 1), (8, 4), (16, 16))  # racks, nodes per rack
FAT_TREES = (
    (1, 6, 1),
    (2, 4, 2),
    (4, 2, 3),
    (4, 8, 4),
    (6, 3, 5),
    (8, 16, 8),
    (16, 16, 4),
    (3, 7, 2),
    (32, 8, 16),
)
TORI = (
    (5,),
    (8,),
    (2,),
    (3, 3),
    (2, 2),
    (4, 7),
    (1, 6),
    (3, 4, 5),
    (2, 3, 2),
    (4, 4, 4),
    (8, 8, 8),
    (2, 2, 2, 2),
    (4, 1, 2, 3),
    (4, 4, 2, 4, 2),
    (3, 2, 1, 2, 3, 2),
)
# groups, routers, nodes per router
DRAGONFLIES = ((1, 4, 2), (3, 2, 1), (2, 1, 5), (5, 4, 2), (9, 4, 2), (4, 8, 3), (7, 3, 4), (12, 6, 3))
SETS = (
    ((2, 2), 4, 1),
    ((4, 4), 8, 2),
    ((2, 3, 4), 6, 3),
    ((4, 4, 4, 2), 64, 2),
    ((4, 4, 4, 4, 2), 128, 2),
    ((2, 2, 4, 4, 2), 32, 4),
    ((9,), 3, 2),
)  # dims, nodes per set, bridges


@dataclass
class Wired:
    """A network written out. `route` gives the hops of a route, 2 * link + (1 if it goes from b to a)."""

    name: str
    shape: str
    cables: list[tuple[float, float]]
    nodes: int
    links: tuple[Link, ...]
    route: Callable[[int, int], list[int]]
    shortest: bool = True
    io_nodes: list[int] = field(default_factory=list)


def machines() -> Iterator[Wired]:
    for count in SWITCHES:
        yield wire("switch", (count,), Switch(count, USUAL), [USUAL])
    for racks, per_rack in TREES:
        yield wire("tree", (racks, per_rack), Tree(racks, per_rack, USUAL, SLOW), [USUAL, SLOW])
    for leaves, per_leaf, spines in FAT_TREES:
        yield wire(
            "fat-tree",
            (leaves, per_leaf, spines),
            FatTree(leaves, spines, per_leaf, USUAL, FAST),
            [USUAL, FAST],
        )
    for dims in TORI:
        yield wire("torus", dims, Torus(dims, USUAL), [USUAL])
    for groups, routers, per_router in DRAGONFLIES:
        yield wire(
            "dragonfly",
            (groups, routers, per_router),
            Dragonfly(groups, routers, per_router, USUAL, FAST, SLOW),
            [USUAL, FAST, SLOW],
        )
    for dims, per_set, bridges in SETS:
        yield with_io_nodes(dims, per_set, bridges)


def wire(kind: str, numbers: tuple[int, ...], shape, cables: list[Cable]) -> Wired:
    """The numbers of all shapes multiply to their nodes, but for a fat tree's spines."""
    wiring = shape.wire()
    nodes = math.prod(numbers[:2] if kind == "fat-tree" else numbers)
    return Wired(
        f"{kind}-{'x'.join(map(str, numbers))}",
        " ".join(map(str, [kind, *numbers])),
        [(cable.rate_bytes_per_s, cable.latency_s) for cable in cables],
        nodes,
        wiring.links,
        lambda source, destination: walk(wiring, source, destination),
        shortest=kind != "dragonfly",
    )


def walk(wiring, source: int, destination: int) -> list[int]:
    hops, at = [], source
    while at != destination:
        index = wiring.step(at, destination)
        link = wiring.links[index]
        hops.append(2 * index + (link.a != at))
        at = link.other_end(at)
    return hops


def with_io_nodes(dims: tuple[int, ...], per_set: int, bridges: int) -> Wired:
    """A torus whose sets of nodes have an I/O node each, linked to some of the set; the nearest of them is on
    the way."""
    torus = wire("torus", dims, Torus(dims, USUAL), [USUAL])
    sets = torus.nodes // per_set
    ends = [
        (io * per_set + turn * per_set // bridges, torus.nodes + io)
        for io in range(sets)
        for turn in range(bridges)
    ]

    def route(source: int, destination: int) -> list[int]:
        if destination < torus.nodes:
            return torus.route(source, destination)
        ways = [
            torus.route(source, bridge) + [2 * (len(torus.links) + index)]
            for index, (bridge, io_node) in enumerate(ends)
            if io_node == destination
        ]
        return min(ways, key=len)  # the first of equals

    name = "x".join(map(str, dims))
    return Wired(
        f"sets-{name}-of-{per_set}-with-{bridges}",
        " ".join(map(str, ["sets", per_set, bridges, *dims])),
        [*torus.cables, (FAST.rate_bytes_per_s, FAST.latency_s)],
        torus.nodes,
        (*torus.links, *(FAST.between(*pair) for pair in ends)),
        route,
        shortest=False,
        io_nodes=list(range(torus.nodes, torus.nodes + sets)),
    )
