"""A machine written out: vertices, links and the way from everywhere to every node.

This is what the engine's planner and the lab's builder read: no shapes, no defaults, no units but bytes and
seconds. Vertices are numbered, nodes first, then switches. A link is full duplex; its rate is that of each
direction. `next[vertex][node]` is the link to take towards a node, -1 at the node itself: a table, as routers
have one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from collio import plain_json
from collio.machine_file.errors import MachineFileError
from collio.plain_json import JsonObject

FORMAT = "collio-machine-graph/1"


@dataclass(frozen=True)
class Node:
    name: str
    ranks: int


@dataclass(frozen=True)
class Link:
    """A cable between vertices `a` and `b`. The latency is for planners; 0 where the file gives none."""

    a: int
    b: int
    rate_bytes_per_s: float
    latency_s: float

    def other_end(self, vertex: int) -> int:
        return self.a + self.b - vertex


@dataclass(frozen=True)
class Target:
    """A storage target; no rate is unlimited, no capacity what the backing has. Backing: "memory" or a
    directory."""

    name: str
    rate_bytes_per_s: float | None
    capacity_bytes: int | None
    backing: str


@dataclass(frozen=True)
class Striped:
    """One file system over all targets. Unit and count are those of new files; `lock_s`: a write to a stripe
    that another node wrote last."""

    unit_bytes: int
    count: int
    lock_s: float


@dataclass(frozen=True)
class Storage:
    """`attach` is the vertex the targets hang at. Without `striped` each target is a folder."""

    attach: int
    targets: tuple[Target, ...]
    striped: Striped | None = None


@dataclass(frozen=True)
class Graph:
    """The expanded machine. `shape` and `note` are for people and not part of the JSON."""

    name: str
    nodes: tuple[Node, ...]
    switches: tuple[str, ...]
    links: tuple[Link, ...]
    next: list[list[int]]
    storage: Storage | None = None
    shape: str = field(default="", compare=False)
    note: str = field(default="", compare=False)

    @property
    def vertices(self) -> int:
        return len(self.nodes) + len(self.switches)

    @property
    def ranks(self) -> int:
        return sum(node.ranks for node in self.nodes)

    def vertex_name(self, vertex: int) -> str:
        return (
            self.nodes[vertex].name if vertex < len(self.nodes) else self.switches[vertex - len(self.nodes)]
        )

    def link_name(self, link: int) -> str:
        """ "rack0 - core"."""
        return f"{self.vertex_name(self.links[link].a)} - {self.vertex_name(self.links[link].b)}"

    def to_json(self) -> str:
        """The format of this file as text, one line for each top-level key. "storage" is left out where there
        is none."""
        document: JsonObject = {
            "format": FORMAT,
            "name": self.name,
            "nodes": [asdict(node) for node in self.nodes],
            "switches": list(self.switches),
            "links": [asdict(link) for link in self.links],
            "next": self.next,
        }
        if self.storage:
            document["storage"] = {
                key: value for key, value in asdict(self.storage).items() if value is not None
            }
        return (
            "{"
            + ",\n ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in document.items())
            + "}\n"
        )

    @classmethod
    def from_json(cls, text: str) -> Graph:
        """Reads `to_json` again. Raises MachineFileError for what is no such graph, also when a route does
        not arrive."""
        try:
            document = plain_json.parse(text)
        except ValueError as error:
            raise MachineFileError(f"machine graph: not in the format {FORMAT} ({error})") from None
        return cls.from_document(document)

    @classmethod
    def from_document(cls, document: Any) -> Graph:
        """From the values of `to_json`'s text. Raises MachineFileError, as `from_json` does."""
        try:
            if document["format"] != FORMAT:
                raise MachineFileError(
                    f'machine graph: format: "{document["format"]}" is not allowed; allowed is "{FORMAT}"'
                )
            graph = cls(
                document["name"],
                tuple(Node(**node) for node in document["nodes"]),
                tuple(document["switches"]),
                tuple(Link(**link) for link in document["links"]),
                document["next"],
                _storage(document.get("storage")),
            )
            check(graph)
        except (KeyError, TypeError, IndexError) as error:
            raise MachineFileError(
                f"machine graph: not in the format {FORMAT} ({type(error).__name__}: {error})"
            ) from None
        return graph


def _storage(document: JsonObject | None) -> Storage | None:
    if not document:
        return None
    if not isinstance(document, dict):
        raise TypeError(f'storage is "{document}"; allowed is an object')
    striped = Striped(**document["striped"]) if document.get("striped") else None
    return Storage(document["attach"], tuple(Target(**target) for target in document["targets"]), striped)


def route(graph: Graph, source_node: int, destination_node: int) -> list[tuple[int, int]]:
    """The way as (link, vertex it is entered from), in order; empty from a node to itself. The source may be
    a switch, too."""
    way, at = [], source_node
    while at != destination_node:
        link = graph.next[at][destination_node]
        way.append((link, at))
        at = graph.links[link].other_end(at)
        assert len(way) < graph.vertices, "a route never visits a vertex twice"
    return way


def hops(graph: Graph, source_node: int, destination_node: int) -> int:
    """Links on the way."""
    return len(route(graph, source_node, destination_node))


def check(graph: Graph) -> None:
    """Raises MachineFileError unless links join vertices and every route arrives. Cost: vertices times
    nodes."""

    def demand(holds: bool, problem: str) -> None:
        if not holds:
            raise MachineFileError(f"machine graph: {problem}")

    _check_values(graph, demand)
    vertices, nodes = graph.vertices, len(graph.nodes)
    for index, link in enumerate(graph.links):
        demand(
            0 <= link.a < vertices and 0 <= link.b < vertices and link.a != link.b,
            f"links[{index}] does not join two vertices",
        )
    demand(
        len(graph.next) == vertices and all(len(row) == nodes for row in graph.next),
        "next: not a row per vertex, a column per node",
    )
    demand(not graph.storage or 0 <= graph.storage.attach < vertices, "storage.attach: no vertex")
    for destination in range(nodes):
        lost = _lost(graph, destination)
        demand(lost is None, f"next: vertex {lost} has no way to node {destination}")


def _check_values(graph: Graph, demand: Callable[[bool, str], None]) -> None:
    """What each value has to be on its own; the engine's reader wants the same."""

    def whole(value: object, low: int) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and low <= value < 1 << 31

    def real(value: object, most: float = math.inf) -> bool:
        return (
            isinstance(value, (int, float))
            and not isinstance(value, bool)
            and 0 <= value < most
            and abs(value) < 1e300
        )

    def text(value: object) -> bool:
        return isinstance(value, str) and not any(sign < " " or sign == "\x7f" for sign in value)

    demand(text(graph.name), "name: not a text of one line")
    demand(len(graph.nodes) > 0, "nodes: the list is empty")
    for index, node in enumerate(graph.nodes):
        demand(
            text(node.name) and node.name != "" and whole(node.ranks, 1),
            f"nodes[{index}]: not a name and a number of ranks",
        )
    for index, name in enumerate(graph.switches):
        demand(text(name) and name != "", f"switches[{index}]: not a name")
    for index, link in enumerate(graph.links):
        demand(whole(link.a, 0) and whole(link.b, 0), f"links[{index}] does not join two vertices")
        demand(
            real(link.rate_bytes_per_s) and link.rate_bytes_per_s > 0 and real(link.latency_s),
            f"links[{index}]: not a rate above 0 and a latency",
        )
    for vertex, row in enumerate(graph.next):
        demand(
            isinstance(row, list) and all(whole(link, -1) for link in row),
            f"next[{vertex}]: not a list of links",
        )
    if graph.storage:
        demand(whole(graph.storage.attach, 0), "storage.attach: no vertex")
        for index, target in enumerate(graph.storage.targets):
            rate, capacity = target.rate_bytes_per_s, target.capacity_bytes
            demand(
                text(target.name) and text(target.backing),
                f"storage.targets[{index}]: not a name and a backing",
            )
            demand(rate is None or (real(rate) and rate > 0), f"storage.targets[{index}]: not a rate above 0")
            demand(capacity is None or real(capacity, 1 << 63), f"storage.targets[{index}]: not a capacity")
        striped = graph.storage.striped
        demand(
            not striped
            or (whole(striped.unit_bytes, 4096) and whole(striped.count, 1) and real(striped.lock_s)),
            "storage.striped: not a unit, a count and a time",
        )


def _lost(graph: Graph, destination: int) -> int | None:
    """A vertex whose way to the destination does not arrive; None if there is none."""
    arrives = {destination} if graph.next[destination][destination] == -1 else set()
    for start in range(graph.vertices):
        seen, at = set(), start
        while at not in arrives:
            link = graph.next[at][destination]
            if (
                at in seen
                or not 0 <= link < len(graph.links)
                or at not in (graph.links[link].a, graph.links[link].b)
            ):
                return start
            seen.add(at)
            at = graph.links[link].other_end(at)
        arrives |= seen
    return None
