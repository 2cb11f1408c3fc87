"""Nodes that are routers themselves, in a grid of any number of dimensions whose ends are joined.

Nodes are numbered as the elements of a C array: the last dimension varies fastest. Routes go dimension by
dimension, the first one first, each the shorter way round; where both ways are equally long, upwards.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from collio.machine_file.graph import Link
from collio.machine_file.shapes.shape import Cable, Numbers, Wiring
from collio.machine_file.table import Table


@dataclass(frozen=True)
class Torus:
    KEYS: ClassVar[tuple[str, ...]] = ("dims",)
    switches: ClassVar[tuple[str, ...]] = ()
    root: ClassVar[str | None] = None

    dims: tuple[int, ...]
    link: Cable

    @classmethod
    def read(cls, table: Table, nodes: tuple[str, ...]) -> Torus:
        dims = table.get("dims", table.array(table.integer(1, len(nodes))))
        if not dims or math.prod(dims) != len(nodes):
            told = f"{list(dims)} makes {math.prod(dims)} nodes" if dims else "[] has no dimension"
            raise table.fail(
                "dims", f"{told}; allowed are integers whose product is nodes.count {len(nodes)}"
            )
        return cls(dims, Cable.read(table, "link"))

    def numbers(self) -> Numbers:
        return Numbers("torus", self.dims, (self.link,))

    def wire(self) -> Wiring:
        """Links: node by node, one upwards in each dimension. A dimension of 2 has one link, a dimension of 1
        none."""
        nodes = math.prod(self.dims)
        index_of: dict[tuple[int, int], int] = {}
        links: list[Link] = []
        for node in range(nodes):
            for dimension, size in enumerate(self.dims):
                above = self._moved(node, dimension, 1)
                if size > 2 or above > node:  # of two nodes, the upper one's way up is the same link
                    index_of[node, above] = index_of[above, node] = len(links)
                    links.append(self.link.between(node, above))

        return Wiring(
            tuple(links), lambda vertex, destination: index_of[vertex, self._towards(vertex, destination)]
        )

    def _towards(self, node: int, destination: int) -> int:
        """The next node on the way."""
        for dimension, size in enumerate(self.dims):
            ahead = (self._coordinate(destination, dimension) - self._coordinate(node, dimension)) % size
            if ahead:
                return self._moved(node, dimension, 1 if 2 * ahead <= size else -1)
        raise AssertionError("a node has no way to itself")

    def _coordinate(self, node: int, dimension: int) -> int:
        return node // self._stride(dimension) % self.dims[dimension]

    def _moved(self, node: int, dimension: int, by: int) -> int:
        was = self._coordinate(node, dimension)
        return node + ((was + by) % self.dims[dimension] - was) * self._stride(dimension)

    def _stride(self, dimension: int) -> int:
        return math.prod(self.dims[dimension + 1 :])
