"""How far the vertices of a network are from its nodes: what is drawn and told level by level."""

from __future__ import annotations

from collio.machine_file.graph import Graph


def neighbours(graph: Graph) -> list[list[tuple[int, int]]]:
    """[vertex]: (link, vertex at its other end), in the order of links."""
    around: list[list[tuple[int, int]]] = [[] for _ in range(graph.vertices)]
    for index, link in enumerate(graph.links):
        around[link.a].append((index, link.b))
        around[link.b].append((index, link.a))
    return around


def levels(graph: Graph, around: list[list[tuple[int, int]]]) -> list[int]:
    """Links from each vertex to the nearest node, on ways that pass no other node; 0 for nodes."""
    count = len(graph.nodes)
    level = [0] * count + [-1] * (graph.vertices - count)
    order = list(range(count))
    for vertex in order:  # grows as it goes: nearer vertices first
        for _, other in around[vertex]:
            if level[other] < 0:
                level[other] = level[vertex] + 1
                order.append(other)
    return level
