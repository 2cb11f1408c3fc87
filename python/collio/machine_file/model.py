"""What a machine file says, checked and in base units."""

from __future__ import annotations

from dataclasses import dataclass

from collio.machine_file.costs import Costs
from collio.machine_file.graph import Node, Storage
from collio.machine_file.shapes.shape import Shape

FORMAT = "collio-machine/1"


@dataclass(frozen=True)
class MachineFile:
    """`network` is one of the classes in `shapes`, named by `shape`. `file` is where it was read, for
    messages."""

    file: str
    name: str
    note: str
    nodes: tuple[Node, ...]
    shape: str
    network: Shape
    storage: Storage | None
    costs: Costs
