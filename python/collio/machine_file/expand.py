"""From what a machine file says to the graph it stands for."""

from __future__ import annotations

from collio.machine_file.errors import MachineFileError
from collio.machine_file.graph import Graph
from collio.machine_file.model import MachineFile

MOST_NODES = 1024
"""Of a table of all routes."""


def expand(machine: MachineFile) -> Graph:
    """Links, and the way from every vertex to every node. Cost: vertices times nodes. Raises MachineFileError
    for more than MOST_NODES."""
    if len(machine.nodes) > MOST_NODES:
        raise MachineFileError(
            f"{machine.file}: nodes.count: {len(machine.nodes)} nodes are too many to write out; allowed "
            f"here is 1..{MOST_NODES}"
        )
    links, step = machine.network.wire()
    nodes = len(machine.nodes)
    table = [
        [-1 if vertex == destination else step(vertex, destination) for destination in range(nodes)]
        for vertex in range(nodes + len(machine.network.switches))
    ]
    return Graph(
        machine.name,
        machine.nodes,
        machine.network.switches,
        links,
        table,
        machine.storage,
        shape=machine.shape,
        note=machine.note,
    )
