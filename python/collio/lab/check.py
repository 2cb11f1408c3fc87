"""Is a lab honest? What its machine file promises, and what of it was measured. Pure; measuring is in
check_run.py.

rounds      which pairs of nodes are measured, alone or at the same time
promise     bytes a second of every flow of a round: the least rate on its route, shared where flows meet
bound_s     what an exchange of all with all takes at least: the busiest link at its rate
crossing    bytes that flows leave on every link, for comparison with the kernel's counters
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from collio.lab.counters import LinkBytes
from collio.machine_file import Graph, hops, route
from collio.plain_json import JsonObject

ACKNOWLEDGED = 0.03
"""Of what goes one way over a link, at most so much comes back as acknowledgements."""

STRAY_BYTES = 256 << 10
"""What MPI sends over a link to find itself, and the latency's messages, before it counts as off the
route."""

SEED = 1


@dataclass(frozen=True)
class Flow:
    """From one node to another, as numbers."""

    source: int
    destination: int


@dataclass(frozen=True)
class FlowBytes:
    """Bytes that flows leave on one link, from its end a to its end b, and back; parts of bytes where they
    share it."""

    there: float
    back: float


Round = tuple[Flow, ...]
"""Flows that go at the same time."""


@dataclass(frozen=True)
class Sample:
    """What was measured of one flow. `bytes` are those of all tries."""

    bytes_per_s: float
    latency_s: float
    bytes: int


@dataclass(frozen=True)
class Exchange:
    """All with all: `bytes` from each to each, and the seconds it took."""

    bytes: int
    seconds: float


def rounds(graph: Graph, most: int) -> list[Round]:
    """The nearest and the farthest pair alone and both ways at once, and others at random, `most` pairs in
    all."""
    pairs = sorted(
        (
            (one, other)
            for one in range(len(graph.nodes))
            for other in range(len(graph.nodes))
            if one != other
        ),
        key=lambda pair: hops(graph, *pair),
    )
    ends = list(dict.fromkeys((pairs[0], pairs[-1])))
    others = [pair for pair in pairs if pair not in ends]
    chosen = [*ends, *random.Random(SEED).sample(others, max(0, min(most - len(ends), len(others))))]
    both_ways = list(dict.fromkeys(tuple(sorted(pair)) for pair in ends))
    return [(Flow(*pair),) for pair in chosen] + [
        (Flow(one, other), Flow(other, one)) for one, other in both_ways
    ]


def promise(graph: Graph, together: Round) -> list[float]:
    """Bytes a second of every flow of a round. Where flows share a way each gets its part of it."""
    users = Counter(way for flow in together for way in _route(graph, flow))
    return [
        min(graph.links[link].rate_bytes_per_s / users[link, start] for link, start in _route(graph, flow))
        for flow in together
    ]


def bound_s(graph: Graph, bytes_of_each: float) -> float:
    """Least time of an exchange of all with all."""
    crossed = crossing(graph, dict.fromkeys(everyone(graph), bytes_of_each))
    return max(max(over.there, over.back) / link.rate_bytes_per_s for over, link in zip(crossed, graph.links))


def everyone(graph: Graph) -> list[Flow]:
    """The flows of an exchange of all with all."""
    nodes = range(len(graph.nodes))
    return [Flow(one, other) for one in nodes for other in nodes if one != other]


def crossing(graph: Graph, sent: dict[Flow, float]) -> list[FlowBytes]:
    """Bytes over every link when `sent` takes the graph's routes."""
    over = [FlowBytes(0.0, 0.0)] * len(graph.links)
    for flow, count in sent.items():
        for link, start in _route(graph, flow):
            there = start == graph.links[link].a
            over[link] = (
                replace(over[link], there=over[link].there + count)
                if there
                else replace(over[link], back=over[link].back + count)
            )
    return over


def judge_round(graph: Graph, together: Round, samples: list[Sample], tolerance: float) -> list[JsonObject]:
    """A row of the document for each flow."""
    rows = []
    for flow, sample, rate in zip(together, samples, promise(graph, together)):
        ratio = sample.bytes_per_s / rate
        rows.append(
            {
                "from": graph.nodes[flow.source].name,
                "to": graph.nodes[flow.destination].name,
                "hops": hops(graph, flow.source, flow.destination),
                "at_once": len(together),
                "bytes_per_s": round(sample.bytes_per_s),
                "promised_bytes_per_s": rate,
                "ratio": round(ratio, 4),
                "latency_s": sample.latency_s,
                "ok": abs(ratio - 1) <= tolerance,
            }
        )
    return rows


def judge_exchange(graph: Graph, exchange: Exchange, tolerance: float) -> JsonObject:
    """Faster than the bound cannot be honest. Slower can: flows that meet do not share a link evenly, and
    cores are few."""
    least = bound_s(graph, exchange.bytes)
    ratio = exchange.seconds / least
    return {
        "bytes": exchange.bytes,
        "seconds": exchange.seconds,
        "bound_s": least,
        "ratio": round(ratio, 4),
        "ok": ratio >= 1 - tolerance,
    }


def judge_links(
    graph: Graph, sent: dict[Flow, float], counted: list[LinkBytes], tolerance: float
) -> list[JsonObject]:
    """A row for each way over a link: what the routes say crossed it, what did, and whether they agree.

    Less than the routes say went past the network; more took a way that is not its route.
    """
    rows = []
    for index, (route_says, kernel_says) in enumerate(zip(crossing(graph, sent), counted)):
        for one in ("there", "back"):
            said, did = getattr(route_says, one), getattr(kernel_says, one)
            answers = ACKNOWLEDGED * getattr(route_says, "back" if one == "there" else "there")
            rows.append(
                {
                    "way": _way_name(graph, index, one == "there"),
                    "bytes": did,
                    "expected_bytes": round(said),
                    "ok": 0.99 * said <= did <= (1 + tolerance) * said + answers + STRAY_BYTES,
                }
            )
    return rows


def sum_of(parts: Iterable[dict[Flow, float]]) -> dict[Flow, float]:
    """Bytes of every flow in all."""
    total: Counter[Flow] = Counter()
    for part in parts:
        total.update(part)
    return dict(total)


def _route(graph: Graph, flow: Flow) -> list[tuple[int, int]]:
    return route(graph, flow.source, flow.destination)


def _way_name(graph: Graph, link: int, there: bool) -> str:
    ends = (graph.links[link].a, graph.links[link].b)
    start, end = ends if there else reversed(ends)
    return f"{graph.vertex_name(start)} to {graph.vertex_name(end)}"
