"""What every shape of network has in common.

A shape is a frozen dataclass of what its keys say. `read` makes it from a table, `switches` names its
switches, `wire` gives its links and routes. All are pure, and nothing here knows of files, ranks or storage.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, ClassVar, NamedTuple, Protocol

from collio.machine_file.graph import Link
from collio.machine_file.table import REQUIRED, Table


@dataclass(frozen=True)
class Cable:
    """What kind of link: its rate in each direction, and its latency."""

    rate_bytes_per_s: float
    latency_s: float

    @classmethod
    def read(cls, table: Table, key: str) -> Cable:
        """The rate at `key` of the network's table with the latency of all its links."""
        return cls(table.get(key, table.rate, REQUIRED), read_latency(table))

    def between(self, a: int, b: int) -> Link:
        return Link(a, b, self.rate_bytes_per_s, self.latency_s)


def read_latency(table: Table) -> float:
    """Seconds; 0 where the table gives none."""
    return table.get("latency", table.time, 0.0)


class Wiring(NamedTuple):
    """Links, and `step(vertex, node)`: the index of the link to take from a vertex that is not that node."""

    links: tuple[Link, ...]
    step: Callable[[int, int], int]


class Numbers(NamedTuple):
    """Name, sizes and kinds of links of a regular shape, in the planner's order."""

    kind: str
    sizes: tuple[int, ...]
    cables: tuple[Cable, ...]


class Shape(Protocol):
    """Vertices 0..nodes-1 are the nodes; the switches follow in the order of their names."""

    KEYS: ClassVar[tuple[str, ...]]
    """Keys of [network] besides shape, link and latency."""

    @classmethod
    def read(cls, table: Table, nodes: tuple[str, ...]) -> Shape:
        """From [network] and the nodes' names. Raises MachineFileError."""

    @property
    def switches(self) -> tuple[str, ...]: ...

    @property
    def root(self) -> str | None:
        """The switch at the top, where storage hangs unless the file says otherwise; None where no switch
        is."""

    def numbers(self) -> Numbers | None:
        """The shape by formulas, as planning knows it (machine/shapes.hpp); None where there is none."""

    def wire(self) -> Wiring: ...
