"""Nodes in a circle, each with a link to the next: a torus of one dimension."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from collio.machine_file.shapes.shape import Cable, Numbers, Wiring
from collio.machine_file.shapes.torus import Torus
from collio.machine_file.table import Table


@dataclass(frozen=True)
class Ring:
    KEYS: ClassVar[tuple[str, ...]] = ()
    switches: ClassVar[tuple[str, ...]] = ()
    root: ClassVar[str | None] = None

    nodes: int
    link: Cable

    @classmethod
    def read(cls, table: Table, nodes: tuple[str, ...]) -> Ring:
        return cls(len(nodes), Cable.read(table, "link"))

    def numbers(self) -> Numbers:
        return Torus((self.nodes,), self.link).numbers()

    def wire(self) -> Wiring:
        """Link i is from node i upwards. Routes go the shorter way round, halfway round upwards."""
        return Torus((self.nodes,), self.link).wire()
