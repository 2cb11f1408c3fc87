"""A folded Clos network of two levels: every leaf switch has one uplink to every spine switch.

Routes go by destination, as InfiniBand's static routing does (Zahavi, "Fat-tree routing and node ordering
providing contention free traffic for MPI global collectives"): traffic to node d crosses spine d mod spines,
from every sender.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from collio.machine_file.shapes.shape import Cable, Numbers, Wiring
from collio.machine_file.table import Table, even_share

MOST_SPINES = 1024


@dataclass(frozen=True)
class FatTree:
    KEYS: ClassVar[tuple[str, ...]] = ("leaves", "spines", "uplink")
    root: ClassVar[str | None] = "spine0"

    leaves: int
    spines: int
    nodes_per_leaf: int
    link: Cable
    uplink: Cable

    @classmethod
    def read(cls, table: Table, nodes: tuple[str, ...]) -> FatTree:
        leaves = table.get("leaves", table.integer(1, len(nodes)))
        share = even_share(table, "leaves", leaves, len(nodes))
        spines = table.get("spines", table.integer(1, MOST_SPINES))
        return cls(leaves, spines, share, Cable.read(table, "link"), Cable.read(table, "uplink"))

    @property
    def switches(self) -> tuple[str, ...]:
        return (
            *(f"leaf{leaf}" for leaf in range(self.leaves)),
            *(f"spine{spine}" for spine in range(self.spines)),
        )

    def numbers(self) -> Numbers:
        return Numbers("fat-tree", (self.leaves, self.nodes_per_leaf, self.spines), (self.link, self.uplink))

    def wire(self) -> Wiring:
        """Links: one per node, then each leaf's uplinks in the order of spines. Nodes of a leaf follow each
        other."""
        nodes = self.leaves * self.nodes_per_leaf
        first_spine = nodes + self.leaves
        links = tuple(self.link.between(node, nodes + node // self.nodes_per_leaf) for node in range(nodes))
        links += tuple(
            self.uplink.between(nodes + leaf, first_spine + spine)
            for leaf in range(self.leaves)
            for spine in range(self.spines)
        )

        def uplink(leaf: int, spine: int) -> int:
            return nodes + leaf * self.spines + spine

        def step(vertex: int, destination: int) -> int:
            leaf = destination // self.nodes_per_leaf
            if vertex < nodes:
                return vertex
            if vertex >= first_spine:
                return uplink(leaf, vertex - first_spine)
            return (
                destination if vertex == nodes + leaf else uplink(vertex - nodes, destination % self.spines)
            )

        return Wiring(links, step)
