"""A network, and a node from inside, as trees on the terminal."""

from __future__ import annotations

from itertools import groupby

from rich.markup import escape
from rich.tree import Tree

from collio.machine_file.graph import Graph
from collio.machine_file.units import format_rate
from collio.topology.hostlist import compress_hosts
from collio.topology.hwloc import Adapter, Inside
from collio.topology.layers import levels, neighbours
from collio.wording import counted, format_bytes, format_seconds

MOST_ROWS = 60
"""Nodes that are shown one by one, in networks without switches."""


def network_tree(graph: Graph) -> Tree | None:
    """Switches from the top, the nodes below each with the rates of their links; None where nothing is
    joined."""
    if not graph.links:
        return None
    return _Switches(graph).tree() if graph.switches else _nodes_alone(graph)


class _Switches:
    def __init__(self, graph: Graph):
        self.graph, self.around = graph, neighbours(graph)
        self.level = levels(graph, self.around)
        self.placed: set[int] = set()

    def tree(self) -> Tree:
        top = Tree(f"[bold]{escape(self.graph.name)}[/]")
        switches = sorted(range(len(self.graph.nodes), self.graph.vertices), key=lambda one: -self.level[one])
        for vertex in switches:
            if vertex not in self.placed:
                self.placed.add(vertex)
                self._fill(top.add(self._title(vertex, None)), vertex)
        return top

    def _fill(self, branch: Tree, vertex: int) -> None:
        """Adds what is below a vertex and not shown yet."""
        below = [
            (link, other) for link, other in self.around[vertex] if self.level[other] < self.level[vertex]
        ]
        nodes = [(link, other) for link, other in below if other < len(self.graph.nodes)]
        for what, group in groupby(
            sorted(nodes, key=lambda way: way[1]), key=lambda way: self._cable(way[0])
        ):
            names = [self.graph.vertex_name(other) for _, other in group]
            told = escape(compress_hosts(list(dict.fromkeys(names))))
            branch.add(
                f"{told}  [dim]{f'{len(names)} x ' if len(names) > 1 else ''}{what}[/]", highlight=False
            )
        beside = [
            (link, other) for link, other in self.around[vertex] if self.level[other] == self.level[vertex]
        ]
        for what, group in groupby(
            sorted(beside, key=lambda way: (self._cable(way[0]), way[1])), key=lambda way: self._cable(way[0])
        ):
            names = [self.graph.vertex_name(other) for _, other in group]
            branch.add(f"[dim]beside {escape(compress_hosts(names))}: {what}[/]", highlight=False)
        again = []
        for link, other in below:
            if other < len(self.graph.nodes):
                continue
            if other in self.placed:
                again.append(self.graph.vertex_name(other))
                continue
            self.placed.add(other)
            self._fill(branch.add(self._title(other, link), highlight=False), other)
        if again:
            branch.add(f"[dim]and {escape(compress_hosts(again))}, listed above[/]", highlight=False)

    def _title(self, vertex: int, link: int | None) -> str:
        return f"[bold]{escape(self.graph.vertex_name(vertex))}[/]" + (
            f"  [dim]{self._cable(link)}[/]" if link is not None else ""
        )

    def _cable(self, link: int) -> str:
        one = self.graph.links[link]
        return format_rate(one.rate_bytes_per_s) + (
            f", {format_seconds(one.latency_s)}" if one.latency_s else ""
        )


def _nodes_alone(graph: Graph) -> Tree:
    top, around = Tree(f"[bold]{escape(graph.name)}[/]"), neighbours(graph)
    for node in graph.nodes[:MOST_ROWS]:
        ways = around[graph.nodes.index(node)]
        rates = ", ".join(dict.fromkeys(format_rate(graph.links[link].rate_bytes_per_s) for link, _ in ways))
        top.add(
            f"{escape(node.name)}  [dim]to "
            f"{escape(', '.join(graph.vertex_name(other) for _, other in ways))}: {rates}[/]",
            highlight=False,
        )
    if len(graph.nodes) > MOST_ROWS:
        top.add(f"[dim]and {len(graph.nodes) - MOST_ROWS} more nodes[/]")
    return top


def inside_tree(inside: Inside) -> Tree:
    """Packages, their memory domains with cores and adapters; what is near to no single one comes last."""
    counts = (
        counted(len(inside.packages), "package"),
        counted(len(inside.numas), "memory domain"),
        counted(inside.cores, "core"),
        counted(inside.processors, "processor"),
        counted(len({one.bus or one.name for one in inside.adapters}), "network adapter"),
    )
    top = Tree(f"[bold]{escape(inside.host or 'node')}[/]  {', '.join(counts)}")
    packages = {
        number: top.add(f"package {number}  [dim]{escape(model)}[/]", highlight=False)
        for number, model in enumerate(inside.packages)
    }
    for numa in inside.numas:
        told = (
            f"memory domain {numa.number}  [dim]{format_bytes(numa.memory_bytes)}, "
            f"{counted(numa.cores, 'core')}[/]"
        )
        branch = packages.get(numa.package, top).add(told, highlight=False)
        for adapter in inside.adapters:
            if adapter.numas == (numa.number,):
                branch.add(_adapter(adapter), highlight=False)
    for adapter in inside.adapters:
        if len(adapter.numas) != 1:
            top.add(_adapter(adapter), highlight=False)
    return top


def _adapter(adapter: Adapter) -> str:
    bus = f", bus {adapter.bus}" if adapter.bus else ""
    rate = f" of {adapter.bus_gbyte_per_s:.3g} GB/s" if adapter.bus_gbyte_per_s else ""
    return f"{escape(adapter.name)}  [dim]{adapter.kind}{bus}{rate}[/]"
