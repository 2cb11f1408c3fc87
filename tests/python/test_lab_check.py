"""What a lab is made of and held against, without building one: addresses, routes, shapes, launchers'
options, promises."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from collio.builds import Build
from collio.lab import check, network
from collio.lab.check import Exchange, Flow, Sample
from collio.lab.counters import LinkBytes
from collio.machine_file import expand, load_machine, preset_names, route
from collio.mpi_libraries import MpiLibrary
from collio.run import mpiexec
from collio.run.launch import LaunchError
from collio.run.mpiexec import Cluster
from test_machine_shapes import graph_of

TREE = {"shape": "tree", "racks": 2, "link": "400Mbit/s", "uplink": "100Mbit/s"}
CLUSTER = Cluster(
    Path("/run/lab/agent"), [("node0", 2), ("node1", 4)], network.CONTROL, network.DATA, Path("/run/lab")
)


def mpi_of(family, version="4.1.4"):
    return MpiLibrary(
        f"{family}-{version}", family, version, "mpicc", None, None, "mpiexec", "libmpi.so", "libmpi.so.40"
    )


# --- the network ---


def test_addresses_are_distinct_and_apart():
    graph = graph_of(300, shape="tree", racks=3, uplink="1Gbit/s")
    addresses = [network.address(graph, vertex) for vertex in range(graph.vertices)]
    assert (
        addresses[:2] == ["10.77.0.1", "10.77.0.2"]
        and addresses[255] == "10.77.1.0"
        and addresses[300] == "10.78.0.1"
    )
    assert len(set(addresses)) == 304 and network.names(graph)[-1] == "core"
    assert not any(address.startswith(network.CONTROL_PREFIX) for address in addresses)


@pytest.mark.parametrize("name", preset_names())
def test_following_the_kernels_routes_arrives_over_the_graphs_links(name):
    """Every vertex's routes, read as the kernel does: the device and the neighbour for a destination."""
    graph = expand(load_machine(name))
    vertex_of = {network.address(graph, vertex): vertex for vertex in range(graph.vertices)}
    table = [
        {line.split()[2]: line.split() for line in network._routes(graph, vertex)}
        for vertex in range(graph.vertices)
    ]
    for source in range(len(graph.nodes)):
        for destination in range(len(graph.nodes)):
            at, devices = source, []
            while at != destination:
                words = table[at][f"{network.address(graph, destination)}/32"]
                assert words[words.index("src") + 1] == network.address(graph, at)
                devices.append(words[words.index("dev") + 1])
                at = vertex_of[words[words.index("via") + 1]]
            assert devices == [network.interface(link) for link, _ in route(graph, source, destination)]


def test_shapes_are_in_bits_and_buckets_small():
    assert network._shape("link3", 12.5e6).startswith("qdisc add dev link3 root tbf rate 100000000bit burst ")
    largest_packet = 65536 + 14
    for rate in (1e6, 25e6, 125e6, 1.25e9):
        assert network.bucket_bytes(rate) > largest_packet, "a larger packet would be cut up by the shaper"
        assert network.bucket_bytes(rate) <= max(1.05 * largest_packet, rate * 0.001), (
            "no more than a millisecond for nothing"
        )


# --- the launchers ---


def test_mpich_gets_hosts_agent_and_the_control_network():
    options = mpiexec.options(mpi_of("mpich", "4.0.2"), CLUSTER)
    assert options == [
        "-n",
        "6",
        "-hosts",
        "node0:2,node1:4",
        "-launcher",
        "ssh",
        "-launcher-exec",
        "/run/lab/agent",
        "-iface",
        "ctl",
    ]
    environ = mpiexec.environment(mpi_of("mpich", "4.0.2"), CLUSTER)
    assert environ["FI_TCP_IFACE"] == environ["UCX_NET_DEVICES"] == "data"
    assert "tcp" in environ["UCX_TLS"].split(",") and environ["FI_PROVIDER"] == "tcp"


def test_open_mpi_gets_hosts_agent_and_both_networks():
    options = mpiexec.options(mpi_of("openmpi"), CLUSTER, 3)
    assert options[:4] == ["-n", "3", "--host", "node0:2,node1:4"]
    assert options[options.index("plm_rsh_agent") + 1] == "/run/lab/agent"
    environ = mpiexec.environment(mpi_of("openmpi"), CLUSTER)
    assert (
        environ["OMPI_MCA_btl_tcp_if_include"] == "data" and environ["OMPI_MCA_oob_tcp_if_include"] == "ctl"
    )
    assert environ["OMPI_MCA_orte_tmpdir_base"] == "/run/lab", "its session folders end with the lab"


@pytest.mark.parametrize("version, shared", [("3.1.6", "vader"), ("4.1.4", "vader"), ("5.0.3", "sm")])
def test_open_mpis_shared_memory_has_its_versions_name(version, shared):
    assert mpiexec.environment(mpi_of("openmpi", version), CLUSTER)["OMPI_MCA_btl"] == f"self,{shared},tcp"


def test_only_mpich_is_helped_to_yield(tmp_path):
    build = Build(tmp_path)
    with pytest.raises(LaunchError, match="libcollio_yield.so is missing; `make build` makes it"):
        mpiexec.preloads(mpi_of("mpich"), build)
    build.yield_preload.parent.mkdir()
    build.yield_preload.touch()
    assert mpiexec.preloads(mpi_of("mpich"), build) == [str(build.yield_preload)]
    assert mpiexec.preloads(mpi_of("openmpi"), build) == []


# --- what is promised ---


def test_a_flow_gets_the_least_rate_on_its_route():
    graph = graph_of(4, **TREE)
    assert check.promise(graph, (Flow(0, 1),)) == [50e6]
    assert check.promise(graph, (Flow(0, 3),)) == [12.5e6]


def test_links_are_full_duplex_but_shared_one_way():
    graph = graph_of(4, **TREE)
    assert check.promise(graph, (Flow(0, 3), Flow(3, 0))) == [12.5e6, 12.5e6]
    assert check.promise(graph, (Flow(0, 3), Flow(1, 2))) == [6.25e6, 6.25e6]


def test_exchange_is_bound_by_the_busiest_link():
    """Two racks of two: each uplink carries 2 x 2 messages each way, at 12.5 MB/s; a node's link 3 at 50
    MB/s."""
    assert check.bound_s(graph_of(4, **TREE), 1e6) == pytest.approx(4 / 12.5)
    assert check.bound_s(graph_of(4, shape="switch"), 1e6) == pytest.approx(3 / 125)


@pytest.mark.parametrize("name", preset_names())
def test_rounds_have_the_nearest_and_the_farthest_alone_and_both_ways(name):
    graph = expand(load_machine(name))
    chosen = check.rounds(graph, 5)
    alone, both = [one[0] for one in chosen if len(one) == 1], [one for one in chosen if len(one) == 2]
    lengths = [len(route(graph, flow.source, flow.destination)) for flow in check.everyone(graph)]
    of_chosen = [len(route(graph, flow.source, flow.destination)) for flow in alone]
    assert (min(of_chosen), max(of_chosen)) == (min(lengths), max(lengths))
    assert len(alone) == len(set(alone)) == min(5, len(lengths)) and chosen == check.rounds(graph, 5)
    assert all(one == Flow(other.destination, other.source) for one, other in both) and both


# --- what was measured ---


@pytest.mark.parametrize(
    "ratio, ok", [(0.99, True), (0.86, True), (0.84, False), (1.14, True), (1.16, False), (0, False)]
)
def test_a_pair_may_be_off_by_the_tolerance(ratio, ok):
    (row,) = check.judge_round(graph_of(4, **TREE), (Flow(0, 3),), [Sample(12.5e6 * ratio, 1e-5, 1)], 0.15)
    assert (row["ok"], row["from"], row["to"], row["hops"]) == (ok, "node0", "node3", 4)


@pytest.mark.parametrize("ratio, ok", [(0.84, False), (0.9, True), (1, True), (3, True)])
def test_an_exchange_may_be_slow_but_not_fast(ratio, ok):
    graph = graph_of(4, shape="switch")
    assert check.judge_exchange(graph, Exchange(1_000_000, ratio * 3 / 125), 0.15)["ok"] == ok


def off(graph, sent, counted):
    return {row["way"] for row in check.judge_links(graph, sent, counted, 0.15) if not row["ok"]}


def with_headers(links):
    """As the kernel counts: 1 % more, and 1 % back for acknowledgements."""
    return [
        LinkBytes(round(1.01 * one.there + 0.01 * one.back), round(1.01 * one.back + 0.01 * one.there))
        for one in links
    ]


@pytest.mark.parametrize("name", preset_names())
def test_links_that_carried_what_was_sent_are_right(name):
    graph = expand(load_machine(name))
    draw = random.Random(7)
    sent = {flow: draw.randrange(10**6, 10**8) for flow in check.everyone(graph)}
    counted = with_headers(check.crossing(graph, sent))
    assert not off(graph, sent, counted)
    lacking = [replace(counted[0], there=counted[0].there // 2), *counted[1:]]
    assert off(graph, sent, lacking) == {graph.link_name(0).replace(" - ", " to ")}


def test_a_detour_and_a_way_past_the_network_are_found():
    graph = graph_of(4, shape="ring")
    sent = {Flow(0, 1): 10_000_000}
    over = check.crossing(graph, sent)
    assert not off(graph, sent, with_headers(over))
    nothing = [LinkBytes(0, 0)] * 4
    assert off(graph, sent, nothing) == {"node0 to node1"}
    round_about = with_headers(
        check.crossing(graph, {Flow(0, 3): 10_000_000, Flow(3, 2): 10_000_000, Flow(2, 1): 10_000_000})
    )
    assert off(graph, sent, round_about) == {
        "node0 to node1",
        "node0 to node3",
        "node3 to node2",
        "node2 to node1",
    }


def test_bytes_of_all_tries_count():
    assert check.sum_of([{Flow(0, 1): 2.0}, {Flow(0, 1): 3.0, Flow(1, 0): 1.0}]) == {
        Flow(0, 1): 5.0,
        Flow(1, 0): 1.0,
    }
