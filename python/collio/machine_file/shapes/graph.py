"""Any network: switches and links one by one.

Routes have the fewest hops, and at equal hops take the neighbour whose link is listed first. A node passes
traffic on only where the graph needs it: a way with fewer nodes on it goes before a shorter one.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from collio.machine_file.graph import Link
from collio.machine_file.names import check_distinct, read_name, read_vertex
from collio.machine_file.shapes.shape import Wiring, read_latency
from collio.machine_file.table import REQUIRED, Table


@dataclass(frozen=True)
class Custom:
    KEYS: ClassVar[tuple[str, ...]] = ("switches", "links")
    root: ClassVar[str | None] = None

    nodes: int
    switches: tuple[str, ...]
    links: tuple[Link, ...]

    @classmethod
    def read(cls, table: Table, nodes: tuple[str, ...]) -> Custom:
        switches = table.get("switches", table.array(read_name(table)), ())
        check_distinct(table, "switches", switches, taken=nodes)
        numbers = {name: vertex for vertex, name in enumerate((*nodes, *switches))}
        links = table.get("links", table.array(_link_reader(table, numbers)))
        _check_pairs(table, links)
        _check_connected(table, links, list(numbers))
        return cls(len(nodes), switches, links)

    def numbers(self) -> None:
        return None

    def wire(self) -> Wiring:
        neighbours = _neighbours(self.links)
        towards = [self._steps_to(destination, neighbours) for destination in range(self.nodes)]
        return Wiring(self.links, lambda vertex, destination: towards[destination][vertex])

    def _steps_to(self, destination: int, neighbours: dict[int, list[tuple[int, int]]]) -> dict[int, int]:
        """{vertex: link to take}: Dijkstra's algorithm from the destination; a way costs (nodes in between,
        hops)."""
        cost, settled, queue = {destination: (0, 0)}, set(), [((0, 0), destination)]
        while queue:
            (passed, length), at = heapq.heappop(queue)
            if at in settled:
                continue
            settled.add(at)
            beyond = (passed + self._passes(at, destination), length + 1)
            for _, vertex in neighbours.get(at, ()):
                if vertex not in cost or beyond < cost[vertex]:
                    cost[vertex] = beyond
                    heapq.heappush(queue, (beyond, vertex))
        return {
            vertex: min(
                neighbours[vertex],
                key=lambda way: (cost[way[1]][0] + self._passes(way[1], destination), cost[way[1]][1]),
            )[0]
            for vertex in cost
            if vertex != destination
        }

    def _passes(self, vertex: int, destination: int) -> bool:
        """Whether a way through this vertex has a node that passes traffic on."""
        return vertex < self.nodes and vertex != destination


def _link_reader(network: Table, numbers: dict[str, int]) -> Callable[[object, str], Link]:
    """Reader of one table of `links`; the network's link and latency are for links that do not give their
    own."""
    usual_rate = network.get("link", network.rate, None)
    usual_latency = read_latency(network)

    def read(value: object, key: str) -> Link:
        table = network.table(value, key)
        table.only(("between", "rate", "latency"))
        ends = table.get("between", table.array(read_vertex(table, numbers)))
        if len(ends) != 2 or len(set(ends)) != 2:
            raise table.fail(
                "between",
                f"{json.dumps(table.values['between'])} is not allowed; allowed are the names of two "
                "vertices",
            )
        rate = table.get("rate", table.rate, REQUIRED if usual_rate is None else usual_rate)
        return Link(*ends, rate, table.get("latency", table.time, usual_latency))

    return read


def _check_pairs(table: Table, links: tuple[Link, ...]) -> None:
    first: dict[frozenset[int], int] = {}
    for index, link in enumerate(links):
        before = first.setdefault(frozenset((link.a, link.b)), index)
        if before != index:
            raise table.fail(
                f"links[{index}].between",
                f"links[{before}] joins these two; allowed is one link for two vertices",
            )


def _check_connected(table: Table, links: tuple[Link, ...], names: list[str]) -> None:
    neighbours, reached, front = _neighbours(links), {0}, [0]
    while front:
        beyond = {vertex for at in front for _, vertex in neighbours.get(at, ())} - reached
        reached |= beyond
        front = sorted(beyond)
    for vertex, name in enumerate(names):
        if vertex not in reached:
            raise table.fail(
                "links", f"no way from {names[0]} to {name}; allowed are links that join everything"
            )


def _neighbours(links: tuple[Link, ...]) -> dict[int, list[tuple[int, int]]]:
    """{vertex: (link, vertex at its other end), ...} in the order of links."""
    found: dict[int, list[tuple[int, int]]] = {}
    for index, link in enumerate(links):
        found.setdefault(link.a, []).append((index, link.b))
        found.setdefault(link.b, []).append((index, link.a))
    return found
