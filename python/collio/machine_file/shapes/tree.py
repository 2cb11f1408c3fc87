"""Racks of nodes under one root switch: the cluster with a top-of-rack switch. Its uplinks may be
oversubscribed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from collio.machine_file.shapes.shape import Cable, Numbers, Wiring
from collio.machine_file.table import Table, even_share


@dataclass(frozen=True)
class Tree:
    KEYS: ClassVar[tuple[str, ...]] = ("racks", "uplink")
    root: ClassVar[str | None] = "core"

    racks: int
    nodes_per_rack: int
    link: Cable
    uplink: Cable

    @classmethod
    def read(cls, table: Table, nodes: tuple[str, ...]) -> Tree:
        racks = table.get("racks", table.integer(1, len(nodes)))
        share = even_share(table, "racks", racks, len(nodes))
        return cls(racks, share, Cable.read(table, "link"), Cable.read(table, "uplink"))

    @property
    def switches(self) -> tuple[str, ...]:
        return (*(f"rack{rack}" for rack in range(self.racks)), "core")

    def numbers(self) -> Numbers:
        return Numbers("tree", (self.racks, self.nodes_per_rack), (self.link, self.uplink))

    def wire(self) -> Wiring:
        """Links: one per node, then one per rack. Nodes of a rack follow each other."""
        nodes = self.racks * self.nodes_per_rack
        core = nodes + self.racks
        links = tuple(self.link.between(node, nodes + node // self.nodes_per_rack) for node in range(nodes))
        links += tuple(self.uplink.between(nodes + rack, core) for rack in range(self.racks))

        def step(vertex: int, destination: int) -> int:
            rack = nodes + destination // self.nodes_per_rack
            if vertex < nodes:
                return vertex
            if vertex == rack:
                return destination
            # the uplink of rack r has index nodes + r, as the rack's vertex has
            return rack if vertex == core else vertex

        return Wiring(links, step)
