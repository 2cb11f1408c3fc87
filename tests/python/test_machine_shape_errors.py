"""What the shapes of networks in machine files do not allow."""

import pytest

from collio import machine_file
from collio.machine_file import MachineFileError
from test_machine_shapes import links, machine


@pytest.mark.parametrize(
    "network, message",
    [
        (
            dict(shape="tree", racks=3, uplink="1Gbit/s"),
            "network.racks: 3 does not divide nodes.count 8; allowed is 1, 2, 4, 8",
        ),
        (
            dict(shape="tree", racks=9, uplink="1Gbit/s"),
            "network.racks: 9 is not allowed; allowed is an integer 1..8",
        ),
        (dict(shape="tree", racks=2), "network.uplink: is missing"),
        (
            dict(shape="fat-tree", leaves=3, spines=1, uplink="1Gbit/s"),
            "network.leaves: 3 does not divide nodes.count 8; allowed is 1, 2, 4, 8",
        ),
        (
            dict(shape="fat-tree", leaves=2, spines=0, uplink="1Gbit/s"),
            "network.spines: 0 is not allowed; allowed is an integer 1..1024",
        ),
        (
            dict(shape="torus", dims=[3, 3]),
            "network.dims: [3, 3] makes 9 nodes; allowed are integers whose product is nodes.count 8",
        ),
        (
            dict(shape="torus", dims=[]),
            "network.dims: [] has no dimension; allowed are integers whose product is nodes.count 8",
        ),
        (dict(shape="torus", dims=[0, 8]), "network.dims[0]: 0 is not allowed; allowed is an integer 1..8"),
        (dict(shape="torus", dims=8), "network.dims: 8 is not allowed; allowed is an array"),
        (
            dict(shape="dragonfly", groups=3, routers=2),
            "network.groups: 3 does not divide nodes.count 8; allowed is 1, 2, 4, 8",
        ),
        (
            dict(shape="dragonfly", groups=2, routers=3),
            "network.routers: 3 does not divide the nodes of a group, 4; allowed is 1, 2, 4",
        ),
        (dict(shape="dragonfly", groups=2, routers=2, local="1Gbit/s"), "network.global: is missing"),
        (
            dict(shape="switch", racks=2),
            'network.racks: no such key; allowed for shape "switch" are shape, link, latency',
        ),
        (
            dict(shape="tree", rakcs=2),
            'network.rakcs: no such key; did you mean network.racks? allowed for shape "tree" are shape, '
            "link, latency, racks, uplink",
        ),
    ],
)
def test_what_a_shape_does_not_allow(network, message):
    with pytest.raises(MachineFileError) as error:
        machine(8, **network)
    assert str(error.value) == f"test: {message}"


@pytest.mark.parametrize(
    "network, message",
    [
        (dict(), "network.links: is missing"),
        (
            dict(links=links("node0-a")),
            'network.links[0].between[1]: "a" is not allowed; allowed is the name of a node or switch',
        ),
        (
            dict(links=links("node0-ndoe1")),
            'network.links[0].between[1]: "ndoe1" is not allowed; did you mean "node1"? allowed is the name '
            "of a node or switch",
        ),
        (
            dict(links=links("node0-node0")),
            'network.links[0].between: ["node0", "node0"] is not allowed; allowed are the names of two '
            "vertices",
        ),
        (
            dict(links=links("node0-node1-node2")),
            'network.links[0].between: ["node0", "node1", "node2"] is not allowed; allowed are the names of '
            "two vertices",
        ),
        (
            dict(links=links("node0-node1 node1-node0")),
            "network.links[1].between: links[0] joins these two; allowed is one link for two vertices",
        ),
        (
            dict(links=links("node0-node1")),
            "network.links: no way from node0 to node2; allowed are links that join everything",
        ),
        (
            dict(switches=["a"], links=links("node0-node1 node1-node2")),
            "network.links: no way from node0 to a; allowed are links that join everything",
        ),
        (
            dict(switches=["a", "A"], links=[]),
            'network.switches[1]: "A" is there already; allowed are names that differ, not in capitals alone',
        ),
        (
            dict(switches=["node1"], links=[]),
            'network.switches[0]: "node1" is there already; allowed are names that differ, not in capitals '
            "alone",
        ),
        (
            dict(switches=["a b"], links=[]),
            'network.switches[0]: "a b" is not allowed; allowed is a host name but localhost: letters, '
            "digits, '-' and '.', first a letter, at most 63",
        ),
        (
            dict(links=[{"between": ["node0", "node1"], "rat": "1Gbit/s"}]),
            "network.links[0].rat: no such key; did you mean network.links[0].rate? allowed are between, "
            "rate, latency",
        ),
        (dict(links=["node0"]), 'network.links[0]: "node0" is not allowed; allowed is a table'),
    ],
)
def test_what_a_graph_does_not_allow(network, message):
    with pytest.raises(MachineFileError) as error:
        machine(3, shape="graph", **network)
    assert str(error.value) == f"test: {message}"


def test_link_of_a_graph_without_a_rate():
    values = {
        "format": "collio-machine/1",
        "name": "x",
        "nodes": {"count": 2, "ranks": 1},
        "network": {"shape": "graph", "links": links("node0-node1")},
    }
    with pytest.raises(MachineFileError, match=r"network\.links\[0\]\.rate: is missing"):
        machine_file.parse(values, "test")
