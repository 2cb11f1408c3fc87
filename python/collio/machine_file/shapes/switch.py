"""All nodes on one switch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from collio.machine_file.shapes.shape import Cable, Numbers, Wiring
from collio.machine_file.table import Table


@dataclass(frozen=True)
class Switch:
    KEYS: ClassVar[tuple[str, ...]] = ()
    switches: ClassVar[tuple[str, ...]] = ("switch",)
    root: ClassVar[str | None] = "switch"

    nodes: int
    link: Cable

    @classmethod
    def read(cls, table: Table, nodes: tuple[str, ...]) -> Switch:
        return cls(len(nodes), Cable.read(table, "link"))

    def numbers(self) -> Numbers:
        return Numbers("switch", (self.nodes,), (self.link,))

    def wire(self) -> Wiring:
        """Link i is node i's."""
        links = tuple(self.link.between(node, self.nodes) for node in range(self.nodes))
        return Wiring(links, lambda vertex, destination: vertex if vertex < self.nodes else destination)
