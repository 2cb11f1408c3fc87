"""Two numbers that tell how a network is: how far its switches are oversubscribed, and what all nodes at once
can send."""

from __future__ import annotations

from dataclasses import dataclass

from collio.machine_file.graph import Graph


@dataclass(frozen=True)
class Oversubscription:
    """At a switch: rates of its links from nodes, and of those to other switches, in sum. Above 1 it is
    oversubscribed."""

    vertex: int
    from_nodes_bytes_per_s: float
    onwards_bytes_per_s: float

    @property
    def ratio(self) -> float:
        return self.from_nodes_bytes_per_s / self.onwards_bytes_per_s


def oversubscription(graph: Graph) -> Oversubscription | None:
    """Of the switch where it is greatest; None where no switch has both nodes and other switches."""
    nodes = len(graph.nodes)
    sums = [[0.0, 0.0] for _ in range(graph.vertices)]
    for link in graph.links:
        for end in (link.a, link.b):
            sums[end][link.other_end(end) >= nodes] += link.rate_bytes_per_s
    found = [
        Oversubscription(vertex, *sums[vertex])
        for vertex in range(nodes, graph.vertices)
        if all(sums[vertex])
    ]
    return max(found, key=lambda one: one.ratio, default=None)


@dataclass(frozen=True)
class AllToAll:
    """What each node can send when all send equally to all others, and the link and the vertex it is entered
    from that limit it."""

    node_bytes_per_s: float
    link: int
    from_vertex: int


def all_to_all(graph: Graph) -> AllToAll | None:
    """None for a single node. Cost: vertices times nodes."""
    routes: dict[tuple[int, int], int] = {}
    for destination in range(len(graph.nodes)):
        _add_routes_to(graph, destination, routes)
    others = len(graph.nodes) - 1
    limits = {
        step: graph.links[step[0]].rate_bytes_per_s * others / count for step, count in sorted(routes.items())
    }
    slowest = min(limits, key=limits.__getitem__, default=None)
    return AllToAll(limits[slowest], *slowest) if slowest else None


def _add_routes_to(graph: Graph, destination: int, routes: dict[tuple[int, int], int]) -> None:
    """Adds to `routes` how many nodes' ways to the destination take each (link, vertex): they form a tree,
    summed from its leaves."""
    behind: dict[int, list[int]] = {}
    for vertex in range(graph.vertices):
        if vertex != destination:
            behind.setdefault(graph.links[graph.next[vertex][destination]].other_end(vertex), []).append(
                vertex
            )
    order = [destination]
    for vertex in order:  # grows as it goes: nearer vertices first
        order += behind.get(vertex, ())
    sources = {vertex: int(vertex < len(graph.nodes)) for vertex in order}
    for vertex in reversed(order):
        sources[vertex] += sum(sources[other] for other in behind.get(vertex, ()))
        if sources[vertex] and vertex != destination:
            step = (graph.next[vertex][destination], vertex)
            routes[step] = routes.get(step, 0) + sources[vertex]
