"""A machine in a few lines of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from collio.machine_file.graph import Graph, Storage
from collio.machine_file.measures import all_to_all, oversubscription
from collio.machine_file.units import format_byte_rate, format_rate
from collio.wording import counted, format_bytes, format_seconds

MOST_NAMES = 8
"""Switches whose names are shown."""

MOST_CELLS = 1_500_000
"""Vertices times nodes up to which all to all is shown; more take seconds."""


def describe(graph: Graph) -> str:
    """Plain text of five to eight lines: nodes and ranks, shape, links, what limits the network, storage."""
    rows = [
        ("", graph.note),
        ("nodes", _nodes(graph)),
        ("shape", graph.shape),
        ("switches", _switches(graph)),
        ("links", _links(graph)),
        ("oversubscribed", _oversubscribed(graph)),
        ("all to all", _all_to_all(graph)),
        ("storage", _storage(graph, graph.storage) if graph.storage else "none of its own"),
    ]
    return "\n".join(
        [graph.name, *(f"  {name:<15} {text}" if name else f"  {text}" for name, text in rows if text)]
    )


def _nodes(graph: Graph) -> str:
    ranks = [node.ranks for node in graph.nodes]
    each = f"{min(ranks)}" if min(ranks) == max(ranks) else f"{min(ranks)} to {max(ranks)}"
    return (
        f"{len(ranks)} x {each} ranks, {graph.ranks} in all "
        f"({_first_to_last([node.name for node in graph.nodes])})"
    )


def _switches(graph: Graph) -> str:
    many = len(graph.switches) > MOST_NAMES
    return (
        f"{len(graph.switches)} ({_first_to_last(graph.switches) if many else ', '.join(graph.switches)})"
        if graph.switches
        else ""
    )


def _first_to_last(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"


def _links(graph: Graph) -> str:
    """ "8 x 400 Mbit/s node to switch, 2 x 400 Mbit/s switch to switch; latency 5.00 us"."""
    kinds = ("node to node", "node to switch", "switch to switch")
    nodes = len(graph.nodes)
    groups = Counter(
        (kinds[(link.a >= nodes) + (link.b >= nodes)], link.rate_bytes_per_s) for link in graph.links
    )
    latencies = sorted({link.latency_s for link in graph.links})
    told = ", ".join(f"{count} x {format_rate(rate)} {kind}" for (kind, rate), count in groups.items())
    return told + (
        f"; latency {' to '.join(map(format_seconds, dict.fromkeys((latencies[0], latencies[-1]))))}"
        if any(latencies)
        else ""
    )


def _oversubscribed(graph: Graph) -> str:
    found = oversubscription(graph)
    if not found:
        return ""
    told = (
        f"{found.ratio:.3g}:1 at {graph.vertex_name(found.vertex)}"
        if found.ratio > 1.0001
        else f"no, at most {found.ratio:.3g}:1"
    )
    return (
        f"{told} ({format_rate(found.from_nodes_bytes_per_s)} from nodes, "
        f"{format_rate(found.onwards_bytes_per_s)} onwards)"
    )


def _all_to_all(graph: Graph) -> str:
    found = all_to_all(graph) if graph.vertices * len(graph.nodes) <= MOST_CELLS else None
    if not found:
        return ""
    ends = (found.from_vertex, graph.links[found.link].other_end(found.from_vertex))
    to_switch = min(ends) < len(graph.nodes) <= max(ends)
    limit = "the nodes' own links" if to_switch else " to ".join(map(graph.vertex_name, ends))
    return f"{format_rate(found.node_bytes_per_s)} a node, limited by {limit}"


def _storage(graph: Graph, storage: Storage) -> str:
    rates = Counter(
        format_byte_rate(one.rate_bytes_per_s) if one.rate_bytes_per_s else "unlimited"
        for one in storage.targets
    )
    sizes = Counter(
        format_bytes(one.capacity_bytes) for one in storage.targets if one.capacity_bytes is not None
    )
    parts = [", ".join(f"{count} x {what}" for what, count in counts.items()) for counts in (rates, sizes)]
    places = dict.fromkeys(one.backing for one in storage.targets)
    parts += [f"at {graph.vertex_name(storage.attach)}", "in " + ", ".join(places)]
    if storage.striped:
        parts.append(
            f"one file system, stripes of {format_bytes(storage.striped.unit_bytes)} over "
            f"{storage.striped.count}"
        )
    return f"{counted(len(storage.targets), 'target')}: {', '.join(filter(None, parts))}"
