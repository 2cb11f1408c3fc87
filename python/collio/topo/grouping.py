"""How a network is made, from what it does: the rate of every node, groups of nodes behind one link, what
that link carries.

Nodes that look alike one at a time, in latency and in rate, may still share a link that is too slow for two
of them, and that is what planning has to know. So pairs of flows are measured at once. Flows a to x and b to
y share a link in one direction if and only if (in a tree) one link separates {a, b} from {x, y}; where that
link is too slow for both, they are slower together than each alone. Such a link {p, q} | {x, y} once found,
two measurements tell of every other node on which side it is:

    with p to x, node to y slow: the node is with p, or not with x and y, who are of one group
    with p to x, q to node slow: the node is with x, or not with p and q, who are of one group

Both: it is of a group beyond. Those are told apart by one measurement for each group tried, that of the node
before it in the list
first: what they send to p and to x shares a link if it comes from one group. The two sides are cut further in
the same way. Where no link is shared, nodes that are near to each other are a group.

Cost: O(nodes) flows, and groups squared where neighbours in the list of hosts are neighbours in the network;
nodes times groups at worst. A machine with other work is slow now and then, never too fast: what looks slow
is measured again, and a link has to be shared by those who cross it and not by those who stay on its sides.
"""

from __future__ import annotations

import math
import random
import statistics
from dataclasses import dataclass, field
from typing import Protocol

from collio.machine_file.graph import Graph, Link, Node
from collio.topology.cabling import spread_routes

SLOWER = 0.75
"""Below this part of its rate alone a flow shares a link. Two flows that share one have half."""

FARTHER = 1.6
"""Nodes whose latency is above this multiple of the usual one between neighbours are of different groups."""

LIMITED = 0.85
"""Below this part of what its nodes can send a group's link is the limit."""

ALIKE = 0.75
"""Rates of one group's nodes, or of all groups' links, above this part of the best are taken as it: links are
of few kinds."""

SEED = 1
Pair = tuple[int, int]


class Prober(Protocol):
    """Measures between nodes, by number."""

    def latency_s(self, source: int, destination: int) -> float: ...

    def rates(self, flows: list[Pair]) -> list[float]:
        """Bytes a second of each of these flows at once."""

    def total(self, flows: list[Pair]) -> float:
        """Bytes a second of all together, until the last is done."""


@dataclass
class Measured:
    """`uplinks` in bytes a second, one for each group; none where there is one group."""

    rates: list[float]
    near_s: float
    groups: list[list[int]]
    uplinks: list[float] = field(default_factory=list)
    far_s: float = 0.0
    notes: list[str] = field(default_factory=list)


def measure(prober: Prober, nodes: int) -> Measured:
    """At least two nodes."""
    return _Measurement(prober, nodes).run()


def to_graph(found: Measured, hosts: list[str], name: str) -> Graph:
    """Nodes under a switch for each group, those under a root; one switch where there is one group."""
    nodes = len(hosts)
    link_s = found.near_s / 2
    many = len(found.groups) > 1
    links = [
        Link(node, nodes + group, found.rates[node], link_s)
        for group, members in enumerate(found.groups)
        for node in members
    ]
    links.sort(key=lambda link: link.a)
    uplink_s = max(0.0, found.far_s - found.near_s) / 2
    links += [
        Link(nodes + group, nodes + len(found.groups), rate, uplink_s)
        for group, rate in enumerate(found.uplinks)
    ]
    switches = (*(f"group{group}" for group in range(len(found.groups))), "root") if many else ("switch",)
    return Graph(
        name,
        tuple(Node(host, 1) for host in hosts),
        switches,
        tuple(links),
        spread_routes(nodes + len(switches), nodes, tuple(links)),
        note="; ".join(found.notes),
    )


class _Measurement:
    def __init__(self, prober: Prober, nodes: int):
        self.prober, self.nodes = prober, nodes
        self.notes: list[str] = []
        self.latencies: dict[Pair, float] = {}
        self.alone: dict[Pair, float] = {}
        self.node_rates: list[float] = []

    def run(self) -> Measured:
        ring = [(node, (node + 1) % self.nodes) for node in range(self.nodes)]
        for pair in ring:
            self._latency(pair)
            self._alone(pair)
        self.node_rates = [
            max(self.alone[node, after], self.alone[before, node])
            for (node, after), (before, _) in zip(ring, ring[-1:] + ring[:-1])
        ]
        groups = self._groups_by_sharing()
        if len(groups) == 1:
            groups = self._groups_by_latency()
        groups = sorted(sorted(group) for group in groups)
        of = {node: number for number, group in enumerate(groups) for node in group}
        many = len(groups) > 1
        for group, after in zip(groups, groups[1:]):
            for pair in zip(group, after[:3]):
                self._latency(pair)
        near = min(
            (time for (a, b), time in self.latencies.items() if of[a] == of[b]),
            default=min(self.latencies.values()),
        )
        far = min((time for (a, b), time in self.latencies.items() if of[a] != of[b]), default=near)
        for group in groups:
            for node, rate in zip(group, _without_noise([self.node_rates[node] for node in group])):
                self.node_rates[node] = rate
        uplinks = _without_noise([self._uplink(group) for group in groups]) if many else []
        return Measured(self.node_rates, near, groups, uplinks, far if many else 0.0, self.notes)

    # --- what is measured once

    def _latency(self, pair: Pair) -> float:
        key = (min(pair), max(pair))
        if key not in self.latencies:
            self.latencies[key] = self.prober.latency_s(*pair)
        return self.latencies[key]

    def _alone(self, pair: Pair) -> float:
        if pair not in self.alone:
            self.alone[pair] = self.prober.rates([pair])[0]
        return self.alone[pair]

    # --- groups by what is shared

    def _groups_by_sharing(self) -> list[list[int]]:
        everyone = list(range(self.nodes))
        if self.nodes < 4:
            self.notes.append("fewer than 4 nodes: whether they share a link was not measured")
        groups = self._cut(everyone)
        if len(groups) == 1 and self.nodes >= 4:
            self._look_at_all_at_once()
        return groups

    def _cut(self, nodes: list[int]) -> list[list[int]]:
        """The groups among these nodes; one where no link is found that some of them share."""
        for one, other in self._quartets(nodes):
            sides = self._sides(nodes, one, other) if self._is_split(one, other) else None
            if sides:
                with_p, with_x, beyond = sides
                groups = self._others(beyond, *one)
                self._take_back(groups, sides, one, other)
                return self._cut(with_p) + self._cut(with_x) + groups
        return [nodes]

    def _is_split(self, one: Pair, other: Pair) -> bool:
        """Whether p to x and q to y share a link, and p to q and x to y do not: where they seem to, it is the
        machine that is slow."""
        across, beside = (one, other), ((one[0], other[0]), (one[1], other[1]))
        return self._share(*across) and not self._share(*beside) and self._share(*across)

    def _take_back(
        self, groups: list[list[int]], sides: tuple[list[int], ...], one: Pair, other: Pair, tries: int = 3
    ) -> None:
        """Nodes that are alone beyond may be there only because something was slow for a while: they are
        asked again."""
        q, y = other
        for _ in range(tries):
            for group in [group for group in groups if len(group) == 1]:
                node = group[0]
                sends, receives = self._share(one, (node, y)), self._share(one, (q, node))
                if sends != receives:
                    groups.remove(group)
                    sides[0 if sends else 1].append(node)

    def _sides(
        self, nodes: list[int], one: Pair, other: Pair
    ) -> tuple[list[int], list[int], list[int]] | None:
        """Nodes with p and q, with x and y, and beyond; None where there is no such link after all, as too
        many nodes are on no side."""
        (p, x), (q, y) = one, other
        with_p, with_x = [p, q], [x, y]
        beyond: list[int] = []
        nowhere: list[int] = []
        for node in nodes:
            if node not in (p, q, x, y):
                sends, receives = self._share(one, (node, y)), self._share(one, (q, node))
                home = beyond if sends and receives else with_p if sends else with_x if receives else nowhere
                home.append(node)
                if len(nowhere) > len(nodes) / 4:
                    return None
        return with_p, with_x, beyond + nowhere

    def _others(self, left: list[int], p: int, x: int) -> list[list[int]]:
        """Groups of nodes that are in neither p's nor x's, which are two different ones."""
        groups: list[list[int]] = []
        for node in left:
            home = next((group for group in groups if self._share((group[0], p), (node, x))), None)
            if home is None:
                groups.insert(0, [node])
            else:
                home.append(node)
                groups.remove(home)
                groups.insert(0, home)  # the next node is tried here first
        return groups

    @staticmethod
    def _quartets(nodes: list[int]) -> list[tuple[Pair, Pair]]:
        """Two flows each: neighbours in the list to neighbours half the list away, and some at random; none
        for fewer than 4 nodes."""
        count, half = len(nodes), len(nodes) // 2
        if count < 4:
            return []
        starts = [round(index * count / 4) for index in range(4)]
        fours = [tuple(nodes[(start + step) % count] for step in (0, 1, half, half + 1)) for start in starts]
        chance = random.Random(SEED)
        fours += [tuple(chance.sample(nodes, 4)) for _ in range(4 + 2 * math.ceil(math.log2(count)))]
        return [((p, x), (q, y)) for p, q, x, y in dict.fromkeys(fours)]

    def _share(self, one: Pair, other: Pair, tries: int = 4) -> bool:
        """Whether two flows between four nodes are slower at once than each alone."""
        for _ in range(tries):
            at_once = self.prober.rates([one, other])
            slow = [
                pair
                for pair, rate in zip((one, other), at_once)
                if rate < SLOWER * min(map(self.node_rates.__getitem__, pair))
            ]
            if not any(
                rate < SLOWER * self._alone(pair) for pair, rate in zip((one, other), at_once) if pair in slow
            ):
                return False
        return True

    def _look_at_all_at_once(self) -> None:
        """Two flows at once showed nothing; a link that is too slow for many flows says so here, if not where
        it is."""
        half = self.nodes // 2
        flows = [(node, node + half) for node in range(half)]
        rate, bound = self._sum_of(flows)
        if rate < SLOWER * bound:
            self.notes.append(
                f"{half} flows at once have {rate / bound:.0%} of their rates alone: links that more than "
                "two nodes share are not shown"
            )

    # --- groups by distance

    def _groups_by_latency(self) -> list[list[int]]:
        """Each with its first node's neighbours. One group where every node would be alone, or where the
        measurements say nothing."""
        nearest = [
            min(time for pair, time in self.latencies.items() if node in pair) for node in range(self.nodes)
        ]
        limit = FARTHER * statistics.median(nearest)
        left, groups = list(range(self.nodes)), []
        while left:
            far = self._far(left[0], left[1:], limit)
            groups.append([node for node in left if node not in far])
            left = [node for node in left if node in far]
        return groups if 1 < len(groups) <= self.nodes // 2 else [list(range(self.nodes))]

    def _far(self, pivot: int, nodes: list[int], limit: float, tries: int = 5) -> set[int]:
        """Those that are far from a node, by the best of some tries. All are tried before one is again: what
        slows a machine down lasts a while."""
        far = set(nodes)
        for turn in range(tries):
            for node in sorted(far):
                key = (pivot, node)
                before = self._latency(key)
                if turn > 0:
                    self.latencies[key] = min(before, self.prober.latency_s(*key))
                if self.latencies[key] <= limit:
                    far.discard(node)
        return far

    # --- what groups' links carry

    def _uplink(self, group: list[int]) -> float:
        """The most that its nodes send to others at once, or get from them; what they can send at all where
        that is no limit."""
        others = [node for node in range(self.nodes) if node not in group]
        flows = list(zip(group, random.Random(SEED).sample(others, len(others))))
        (out, bound), (into, _) = self._sum_of(flows), self._sum_of([(b, a) for a, b in flows])
        most = max(out, into)
        return most if most < LIMITED * bound else sum(self.node_rates[node] for node in group)

    def _sum_of(self, flows: list[Pair], tries: int = 2) -> tuple[float, float]:
        """Bytes a second of all at once, the best of some tries, and what their nodes' links allow."""
        bound = sum(min(self.node_rates[a], self.node_rates[b]) for a, b in flows)
        return max(self.prober.total(flows) for _ in range(tries)), bound


def _without_noise(rates: list[float]) -> list[float]:
    """Those that are alike as one: links of one kind measure differently, but none above its rate."""
    return [max(rates) if rate > ALIKE * max(rates) else rate for rate in rates]
