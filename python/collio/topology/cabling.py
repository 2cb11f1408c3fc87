"""Nodes, switches and cables as a reader finds them, and the expanded graph they make.

Routes have the fewest hops. Where several ways are equally short they are dealt to the destinations: at each
vertex a destination gets the way that has fewest so far, as subnet managers do it (OpenSM's "minhop"). Nodes
do not pass traffic on.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from collio.machine_file.errors import MachineFileError
from collio.machine_file.graph import Graph, Link, Node
from collio.machine_file.table import show

MOST_NODES = 4096
"""Of a graph with its routes written out, which has a number for every vertex and node: 64 MB of text."""


@dataclass
class Cabling:
    """Vertices are the numbers that `node` and `switch` return. `file` is for messages, `notes` are for
    people."""

    file: str
    names: list[str] = field(default_factory=list)
    is_node: list[bool] = field(default_factory=list)
    cables: list[Link] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def node(self, name: str) -> int:
        return self._add(name, True)

    def switch(self, name: str) -> int:
        return self._add(name, False)

    def join(self, a: int, b: int, rate_bytes_per_s: float, latency_s: float) -> None:
        self.cables.append(Link(a, b, rate_bytes_per_s, latency_s))

    def _add(self, name: str, is_node: bool) -> int:
        self.names.append(name)
        self.is_node.append(is_node)
        return len(self.names) - 1

    def only(self, nodes: list[str]) -> Cabling:
        """These nodes alone, in this order, with all switches. Raises MachineFileError for a name that is not
        there."""
        number = {name: vertex for vertex, name in enumerate(self.names) if self.is_node[vertex]}
        for name in nodes:
            if name not in number:
                raise MachineFileError(
                    f'{self.file}: has no node "{name}"; its nodes are {some(list(number))}'
                )
        return self._part(
            [number[name] for name in nodes]
            + [vertex for vertex, is_node in enumerate(self.is_node) if not is_node]
        )

    def graph(self, name: str, ranks: int = 1) -> Graph:
        """With routes. Raises MachineFileError where there is no node, too many, or no way between two."""
        nodes = [vertex for vertex, is_node in enumerate(self.is_node) if is_node]
        if not 1 <= len(nodes) <= MOST_NODES:
            raise MachineFileError(
                f"{self.file}: has {len(nodes)} nodes; allowed are 1 to {MOST_NODES} (--nodes takes some of "
                "them)"
            )
        if len({self.names[vertex] for vertex in nodes}) < len(nodes):
            twice = next(
                one
                for index, one in enumerate(map(self.names.__getitem__, nodes))
                if one in map(self.names.__getitem__, nodes[:index])
            )
            raise MachineFileError(
                f'{self.file}: two nodes are named "{twice}"; allowed are names that differ'
            )
        part = self._part([*nodes, *self._useful_switches(nodes)])
        if wrong := [one for one in part.names if any(sign < " " or sign == "\x7f" for sign in one)]:
            raise MachineFileError(
                f"{self.file}: the name {show(wrong[0])} is not allowed; allowed are names without control "
                "characters"
            )
        count, links = len(nodes), tuple(part.cables)
        return Graph(
            name,
            tuple(Node(one, ranks) for one in part.names[:count]),
            tuple(part.names[count:]),
            links,
            spread_routes(len(part.names), count, links),
            note="; ".join(self.notes),
        )

    def _part(self, vertices: list[int]) -> Cabling:
        """These vertices, renumbered in this order, and the cables between them."""
        number = {vertex: index for index, vertex in enumerate(vertices)}
        cables = [
            replace(one, a=number[one.a], b=number[one.b])
            for one in self.cables
            if one.a in number and one.b in number
        ]
        return Cabling(
            self.file,
            [self.names[one] for one in vertices],
            [self.is_node[one] for one in vertices],
            cables,
            self.notes,
        )

    def _useful_switches(self, nodes: list[int]) -> list[int]:
        """Switches that nodes reach, dead ends left out, in their order. Raises MachineFileError where a node
        is not reached."""
        around: dict[int, set[int]] = {vertex: set() for vertex in range(len(self.names))}
        for one in self.cables:
            around[one.a].add(one.b)
            around[one.b].add(one.a)
        reached, front = {nodes[0]}, [nodes[0]]
        for vertex in front:  # grows as it goes
            if self.is_node[vertex] and vertex != nodes[0]:
                continue
            front += around[vertex] - reached
            reached |= around[vertex]
        for vertex in nodes:
            if vertex not in reached:
                raise MachineFileError(
                    f"{self.file}: no way from {self.names[nodes[0]]} to {self.names[vertex]}; allowed are "
                    "cables that join all nodes "
                    "(--nodes takes some of them)"
                )
        useful = {vertex for vertex in reached if not self.is_node[vertex]}
        around = {vertex: around[vertex] & (useful | set(nodes)) for vertex in useful}
        ends = [vertex for vertex in useful if len(around[vertex]) < 2]
        for vertex in ends:
            useful.discard(vertex)
            for other in around[vertex] & useful:
                around[other].discard(vertex)
                if len(around[other]) < 2:
                    ends.append(other)
        return sorted(useful)


def some(names: list[str], most: int = 4) -> str:
    """ "a, b, c, d, …": names for a message."""
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def spread_routes(vertices: int, nodes: int, links: tuple[Link, ...]) -> list[list[int]]:
    """`next` of a Graph: by fewest hops, spread as this file's head says. All must be joined.

    Cost: nodes times switches and their ways, and links for each set of switches that nodes hang at.
    """
    around: list[list[tuple[int, int]]] = [[] for _ in range(vertices)]
    for index, link in enumerate(links):
        around[link.a].append((index, link.b))
        around[link.b].append((index, link.a))
    # of nodes with one link that is all
    table = [[around[vertex][0][0] if around[vertex] else -1] * nodes for vertex in range(vertices)]
    choosing = [vertex for vertex in range(vertices) if vertex >= nodes or len(around[vertex]) > 1]
    # destinations of each way
    taken = {vertex: dict.fromkeys((index for index, _ in around[vertex]), 0) for vertex in choosing}
    known: dict[tuple[int, ...], dict[int, list[int]]] = {}
    for destination in range(nodes):
        last: dict[int, list[int]] = {}
        for index, other in around[destination]:
            last.setdefault(other, []).append(index)
        gates = tuple(sorted(other for other in last if other >= nodes))
        if gates not in known:
            known[gates] = _ways_to(gates, nodes, around, choosing)
        ways = known[gates]
        for vertex in choosing:
            choices = last.get(vertex) or ways[vertex]
            if vertex != destination and choices:
                chosen = min(choices, key=taken[vertex].__getitem__)
                taken[vertex][chosen] += 1
                table[vertex][destination] = chosen
        table[destination][destination] = -1
    return table


def _ways_to(
    gates: tuple[int, ...], nodes: int, around: list[list[tuple[int, int]]], choosing: list[int]
) -> dict[int, list[int]]:
    """{vertex: links that lead nearer to one of these switches}, by switches alone."""
    distance = dict.fromkeys(gates, 0)
    for vertex in (order := list(gates)):  # grows as it goes: nearer vertices first
        for _, other in around[vertex]:
            if other >= nodes and other not in distance:
                distance[other] = distance[vertex] + 1
                order.append(other)
    found = {}
    for vertex in choosing:
        nearest = min((distance[other] for _, other in around[vertex] if other in distance), default=None)
        found[vertex] = [index for index, other in around[vertex] if distance.get(other, -1) == nearest]
    return found
