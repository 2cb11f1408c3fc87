"""Networks found by measuring: simulated ones, with links shared as TCP shares them, and noise that only
makes slower."""

import random
import statistics
from dataclasses import replace

import pytest

from collio.machine_file import expand, load_machine, route
from collio.machine_file.graph import check
from collio.topo.grouping import measure, to_graph
from test_machine_shapes import graph_of


class Simulated:
    """Measures a graph: flows that meet on a link, one way, share it fairly. `noise`: how often something is
    slow."""

    def __init__(self, graph, noise=0.0, order=None):
        self.graph, self.noise, self.chance = graph, noise, random.Random(3)
        self.order = order or list(range(len(graph.nodes)))  # hosts in the job's order
        self.flows = self.latencies = 0

    def _way(self, flow):
        return route(self.graph, self.order[flow[0]], self.order[flow[1]])

    def _slow(self):
        return (
            self.chance.uniform(0.3, 0.9)
            if self.chance.random() < self.noise
            else self.chance.uniform(0.94, 1.0)
        )

    def latency_s(self, source, destination):
        self.latencies += 1
        return (
            sum(self.graph.links[link].latency_s for link, _ in self._way((source, destination)))
            / self._slow()
        )

    def rates(self, flows):
        """Max-min fair: the tightest link's flows get equal shares of it, and so on with what is left."""
        self.flows += len(flows)
        left = {}
        ways = [self._way(flow) for flow in flows]
        for way in ways:
            left.update({step: self.graph.links[step[0]].rate_bytes_per_s for step in way})
        found = [None] * len(flows)
        while None in found:
            open_ = [index for index, rate in enumerate(found) if rate is None]
            users = {step: [index for index in open_ if step in ways[index]] for step in left}
            share, step = min((left[step] / len(those), step) for step, those in users.items() if those)
            for index in users[step]:
                found[index] = share
                for passed in ways[index]:
                    left[passed] -= share
        return [rate * self._slow() for rate in found]

    def total(self, flows):
        return sum(self.rates(flows))


def measured(graph, **keywords):
    prober = Simulated(graph, **keywords)
    return measure(prober, len(graph.nodes)), prober


def tree(nodes, racks, uplink, latency="5us"):
    return graph_of(nodes, shape="tree", racks=racks, link="400Mbit/s", uplink=uplink, latency=latency)


@pytest.mark.parametrize("nodes, racks", [(4, 2), (8, 2), (12, 3), (32, 8), (60, 5)])
@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_racks_behind_slow_uplinks(nodes, racks, noise):
    """Latencies that say nothing, as in the lab."""
    found, prober = measured(flat(tree(nodes, racks, "400Mbit/s")), noise=noise)
    share = nodes // racks
    assert found.groups == [list(range(rack * share, (rack + 1) * share)) for rack in range(racks)]
    assert all(rate == pytest.approx(50e6, rel=0.15) for rate in found.rates + found.uplinks)
    assert prober.flows < 20 * nodes + 8 * racks * racks + 100, "not all pairs"


def flat(graph):
    """The same network with one latency between all nodes: nodes' links have it all."""
    nodes = len(graph.nodes)
    return replace(
        graph, links=tuple(replace(link, latency_s=30e-6 if link.a < nodes else 0.0) for link in graph.links)
    )


def test_hosts_in_any_order():
    order = list(range(24))
    random.Random(9).shuffle(order)
    found, prober = measured(flat(tree(24, 4, "400Mbit/s")), order=order)
    assert sorted(sorted(order[node] for node in group) for group in found.groups) == [
        list(range(at, at + 6)) for at in (0, 6, 12, 18)
    ]
    assert prober.flows < 24 * 24 * 3


def test_racks_told_by_latency_where_uplinks_are_wide():
    found, _ = measured(tree(16, 4, "10Gbit/s"), noise=0.05)
    assert found.groups == [list(range(at, at + 4)) for at in (0, 4, 8, 12)]
    assert found.uplinks == [pytest.approx(4 * 50e6, rel=0.15)] * 4, "no limit: what the nodes can send"
    assert found.near_s == pytest.approx(10e-6, rel=0.2) and found.far_s == pytest.approx(20e-6, rel=0.2)


def test_one_switch_is_one_group():
    found, _ = measured(expand(load_machine("pair")))
    assert found.groups == [[0, 1]] and not found.uplinks and "fewer than 4 nodes" in found.notes[0]
    found, prober = measured(graph_of(16, shape="switch", link="1Gbit/s", latency="5us"), noise=0.05)
    assert found.groups == [list(range(16))] and not found.notes
    assert statistics.median(found.rates) == pytest.approx(125e6, rel=0.1) and prober.flows < 200


def test_links_that_only_many_flows_fill_are_told():
    found, _ = measured(flat(tree(16, 2, "1600Mbit/s")))
    assert len(found.groups) == 1 and found.notes[0].startswith("8 flows at once have ")


def test_measured_networks_as_graphs():
    found, _ = measured(flat(tree(8, 2, "400Mbit/s")))
    graph = to_graph(found, [f"h{index}" for index in range(8)], "measured")
    check(graph)
    assert graph.switches == ("group0", "group1", "root") and len(graph.links) == 10
    assert [graph.link_name(link) for link, _ in route(graph, 0, 5)] == [
        "h0 - group0",
        "group0 - root",
        "group1 - root",
        "h5 - group1",
    ]
    alone, _ = measured(expand(load_machine("pair")))
    assert to_graph(alone, ["a", "b"], "measured").switches == ("switch",)
