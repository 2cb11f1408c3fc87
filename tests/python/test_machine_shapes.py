"""Shapes of networks: golden routes, and for many sizes that every route arrives, never loops and is as short
as said."""

import itertools
import random

import pytest

from collio import machine_file
from collio.machine_file import hops, route


def machine(nodes, /, **network):
    """A machine of this many nodes, or of nodes with these names."""
    names = {} if isinstance(nodes, int) else {"names": nodes}
    count = nodes if isinstance(nodes, int) else len(nodes)
    return machine_file.parse(
        {
            "format": "collio-machine/1",
            "name": "test",
            "nodes": {"count": count, "ranks": 1, **names},
            "network": {"link": "1Gbit/s", **network},
        },
        "test",
    )


def graph_of(nodes, /, **network):
    return machine_file.expand(machine(nodes, **network))


def way(graph, source, destination):
    """Names of the vertices on the way."""
    steps = route(graph, source, destination)
    return [graph.vertex_name(vertex) for _, vertex in steps] + [graph.vertex_name(destination)]


def ends(graph):
    return [(graph.vertex_name(link.a), graph.vertex_name(link.b)) for link in graph.links]


def walk_everywhere(graph):
    """From every vertex to every node, over links that leave the vertex one is at; the lengths of the
    ways."""
    lengths = {}
    for source in range(graph.vertices):
        for destination in range(len(graph.nodes)):
            visited, at = {source}, source
            while at != destination:
                link = graph.links[graph.next[at][destination]]
                assert at in (link.a, link.b)
                at = link.b if at == link.a else link.a
                assert at not in visited, f"{source} to {destination} comes back to {at}"
                visited.add(at)
            assert graph.next[destination][destination] == -1
            lengths[source, destination] = len(visited) - 1
    return lengths


def shortest(graph):
    """Lengths of the shortest ways by another method than any shape uses (Floyd and Warshall's)."""
    everywhere = range(graph.vertices)
    length = {(a, b): 0 if a == b else 10**6 for a in everywhere for b in everywhere}
    for link in graph.links:
        length[link.a, link.b] = length[link.b, link.a] = 1
    for between, a, b in itertools.product(everywhere, repeat=3):
        length[a, b] = min(length[a, b], length[a, between] + length[between, b])
    return {(a, b): length[a, b] for a in everywhere for b in range(len(graph.nodes))}


# --- switch and tree ----------------------------------------------------------------------------


def test_switch():
    graph = graph_of(3, shape="switch", latency="2us")
    assert graph.switches == ("switch",)
    assert ends(graph) == [("node0", "switch"), ("node1", "switch"), ("node2", "switch")]
    assert {(link.rate_bytes_per_s, link.latency_s) for link in graph.links} == {(125e6, 2e-6)}
    assert way(graph, 2, 0) == ["node2", "switch", "node0"]
    assert route(graph, 2, 0) == [(2, 2), (0, 3)]
    assert route(graph, 1, 1) == [] and hops(graph, 1, 1) == 0 and hops(graph, 0, 1) == 2


def test_tree():
    graph = graph_of(4, shape="tree", racks=2, uplink="3Gbit/s")
    assert graph.switches == ("rack0", "rack1", "core")
    assert ends(graph) == [
        ("node0", "rack0"),
        ("node1", "rack0"),
        ("node2", "rack1"),
        ("node3", "rack1"),
        ("rack0", "core"),
        ("rack1", "core"),
    ]
    assert [link.rate_bytes_per_s for link in graph.links] == [125e6] * 4 + [375e6] * 2
    assert way(graph, 0, 1) == ["node0", "rack0", "node1"]
    assert way(graph, 1, 2) == ["node1", "rack0", "core", "rack1", "node2"]
    assert route(graph, 1, 2) == [(1, 1), (4, 4), (5, 6), (2, 5)]


# --- fat tree -----------------------------------------------------------------------------------


def test_fat_tree_crosses_the_spine_of_the_destination():
    graph = graph_of(6, shape="fat-tree", leaves=3, spines=2, uplink="2Gbit/s")
    assert graph.switches == ("leaf0", "leaf1", "leaf2", "spine0", "spine1")
    assert ends(graph)[6:] == [(f"leaf{leaf}", f"spine{spine}") for leaf in range(3) for spine in range(2)]
    assert way(graph, 0, 1) == ["node0", "leaf0", "node1"]
    assert way(graph, 0, 2) == ["node0", "leaf0", "spine0", "leaf1", "node2"]
    assert way(graph, 0, 3) == ["node0", "leaf0", "spine1", "leaf1", "node3"]
    assert way(graph, 5, 3) == ["node5", "leaf2", "spine1", "leaf1", "node3"]
    assert {link.rate_bytes_per_s for link in graph.links[6:]} == {250e6}


@pytest.mark.parametrize("leaves, per_leaf, spines", [(2, 3, 2), (4, 4, 4), (3, 5, 2), (1, 2, 3), (5, 1, 1)])
def test_fat_tree_has_one_spine_for_each_destination(leaves, per_leaf, spines):
    graph = graph_of(leaves * per_leaf, shape="fat-tree", leaves=leaves, spines=spines, uplink="1Gbit/s")
    for source, destination in itertools.product(range(leaves * per_leaf), repeat=2):
        crossed = [name for name in way(graph, source, destination) if name.startswith("spine")]
        assert crossed == (
            [] if source // per_leaf == destination // per_leaf else [f"spine{destination % spines}"]
        )


# --- ring and torus -----------------------------------------------------------------------------


def test_ring_goes_the_shorter_way_and_halfway_up():
    graph = graph_of(6, shape="ring")
    assert ends(graph) == [(f"node{i}", f"node{(i + 1) % 6}") for i in range(6)]
    assert graph.switches == ()
    assert way(graph, 0, 2) == ["node0", "node1", "node2"]
    assert way(graph, 0, 4) == ["node0", "node5", "node4"]
    assert way(graph, 0, 3) == ["node0", "node1", "node2", "node3"]
    assert way(graph, 4, 1) == ["node4", "node5", "node0", "node1"]


@pytest.mark.parametrize("nodes, links", [(1, 0), (2, 1), (3, 3), (4, 4)])
def test_links_of_a_ring(nodes, links):
    assert len(graph_of(nodes, shape="ring").links) == links


def test_torus_goes_dimension_by_dimension():
    graph = graph_of(12, shape="torus", dims=[3, 4])  # node = 4 * first + second
    # (0,0) to (1,2): first dimension first, halfway round up
    assert way(graph, 0, 6) == ["node0", "node4", "node5", "node6"]
    # (1,2) to (0,0): down, then halfway up round the end
    assert way(graph, 6, 0) == ["node6", "node2", "node3", "node0"]
    assert way(graph, 0, 11) == ["node0", "node8", "node11"]  # (0,0) to (2,3): both wrap downwards
    assert len(graph.links) == 24


def test_dimension_of_two_has_one_link_and_of_one_has_none():
    graph = graph_of(6, shape="torus", dims=[2, 1, 3])
    assert ends(graph) == [
        ("node0", "node3"),
        ("node0", "node1"),
        ("node1", "node4"),
        ("node1", "node2"),
        ("node2", "node5"),
        ("node2", "node0"),
        ("node3", "node4"),
        ("node4", "node5"),
        ("node5", "node3"),
    ]
    assert way(graph, 4, 0) == ["node4", "node1", "node0"] and way(graph, 0, 4) == ["node0", "node3", "node4"]


@pytest.mark.parametrize(
    "dims", [[1], [2], [5], [8], [2, 2], [3, 3], [4, 2], [2, 3, 4], [4, 4, 2], [1, 1, 7], [2, 2, 2, 3]]
)
def test_torus_routes_are_shortest(dims):
    count = 1
    for size in dims:
        count *= size
    graph = graph_of(count, shape="torus", dims=dims)
    assert len(graph.links) == sum(count if size > 2 else count // 2 if size == 2 else 0 for size in dims)
    assert len({frozenset((link.a, link.b)) for link in graph.links}) == len(graph.links)
    assert walk_everywhere(graph) == shortest(graph)


# --- dragonfly ----------------------------------------------------------------------------------


def test_dragonfly_is_minimal():
    graph = graph_of(12, shape="dragonfly", groups=3, routers=2, local="2Gbit/s", **{"global": "500Mbit/s"})
    assert graph.switches == tuple(
        f"group{group}-router{router}" for group in range(3) for router in range(2)
    )
    assert ends(graph)[12:] == [
        ("group0-router0", "group0-router1"),
        ("group1-router0", "group1-router1"),
        ("group2-router0", "group2-router1"),
        ("group0-router0", "group1-router0"),
        ("group0-router1", "group2-router0"),
        ("group1-router1", "group2-router1"),
    ]
    assert [link.rate_bytes_per_s for link in graph.links[12:]] == [250e6] * 3 + [62.5e6] * 3
    assert way(graph, 0, 1) == ["node0", "group0-router0", "node1"]
    assert way(graph, 0, 2) == ["node0", "group0-router0", "group0-router1", "node2"]
    assert way(graph, 0, 4) == ["node0", "group0-router0", "group1-router0", "node4"]
    assert way(graph, 2, 7) == [
        "node2",
        "group0-router1",
        "group0-router0",
        "group1-router0",
        "group1-router1",
        "node7",
    ]
    assert way(graph, 9, 5) == [
        "node9",
        "group2-router0",
        "group2-router1",
        "group1-router1",
        "group1-router0",
        "node5",
    ]


@pytest.mark.parametrize(
    "groups, routers, each",
    [(1, 1, 3), (1, 4, 2), (2, 1, 1), (3, 2, 2), (4, 3, 1), (5, 2, 2), (7, 3, 1), (6, 2, 1)],
)
def test_dragonfly_crosses_one_global_link_and_at_most_a_local_one_on_either_side(groups, routers, each):
    graph = graph_of(
        groups * routers * each,
        shape="dragonfly",
        groups=groups,
        routers=routers,
        local="1Gbit/s",
        **{"global": "1Gbit/s"},
    )
    walk_everywhere(graph)

    def group(name):
        return name.split("-")[0]

    for source, destination in itertools.product(range(len(graph.nodes)), repeat=2):
        switches = way(graph, source, destination)[1:-1]
        crossings = [group(one) != group(other) for one, other in zip(switches, switches[1:])]
        far = source // (routers * each) != destination // (routers * each)
        assert crossings.count(True) == far and len(crossings) <= (3 if far else 1)
        assert not far or crossings.index(True) <= 1
    across = [pair for pair in ends(graph) if "node" not in pair[0] and group(pair[0]) != group(pair[1])]
    joined = [sorted(map(group, pair)) for pair in across]
    assert sorted(joined) == sorted(
        map(list, itertools.combinations([f"group{i}" for i in range(groups)], 2))
    )
    taken = [sum(name in pair for pair in across) for name in graph.switches]
    assert max(taken) - min(taken) <= 1, "global links are dealt evenly"


# --- graph --------------------------------------------------------------------------------------


def links(text):
    """ "a-b c-d" as links."""
    return [{"between": pair.split("-")} for pair in text.split()]


def test_graph_takes_the_fewest_hops_and_the_neighbour_listed_first():
    graph = graph_of(["x", "y"], shape="graph", switches=["a", "b", "c"], links=links("x-a a-c a-b y-c b-c"))
    assert way(graph, 0, 1) == ["x", "a", "c", "y"]
    square = graph_of(
        ["x", "y"], shape="graph", switches=["a", "b", "c", "d"], links=links("x-a y-d a-c c-d a-b b-d")
    )
    assert way(square, 0, 1) == ["x", "a", "c", "d", "y"]
    assert way(square, 1, 0) == ["y", "d", "c", "a", "x"]
    other = graph_of(
        ["x", "y"], shape="graph", switches=["a", "b", "c", "d"], links=links("x-a y-d a-b b-d a-c c-d")
    )
    assert way(other, 0, 1) == ["x", "a", "b", "d", "y"]


def test_nodes_forward_only_where_the_graph_needs_it():
    """m joins both switches and would be a hop shorter than b - c - d."""
    graph = graph_of(
        ["x", "y", "m"],
        shape="graph",
        switches=["a", "b", "c", "d", "e"],
        links=links("x-a y-e a-m m-e a-b b-c c-d d-e"),
    )
    assert way(graph, 0, 1) == ["x", "a", "b", "c", "d", "e", "y"]
    assert way(graph, 0, 2) == ["x", "a", "m"]
    line = graph_of(["x", "m", "y"], shape="graph", links=links("x-m m-y"))
    assert way(line, 0, 2) == ["x", "m", "y"]


def test_links_of_a_graph_have_their_own_rates():
    graph = graph_of(
        ["x", "y"],
        shape="graph",
        switches=["a"],
        latency="1us",
        links=[{"between": ["x", "a"], "rate": "10MB/s"}, {"between": ["a", "y"], "latency": "1ms"}],
    )
    assert [(link.rate_bytes_per_s, link.latency_s) for link in graph.links] == [(10e6, 1e-6), (125e6, 1e-3)]


def random_graph(rng):
    """At most seven vertices: all simple ways can be listed."""
    names = [f"n{i}" for i in range(rng.randint(1, 4))], [f"s{i}" for i in range(rng.randint(0, 3))]
    vertices = names[0] + names[1]
    pairs = {frozenset((vertices[i], rng.choice(vertices[:i]))) for i in range(1, len(vertices))}
    pairs |= {frozenset(rng.sample(vertices, 2)) for _ in range(rng.randint(0, 5)) if len(vertices) > 1}
    order = sorted(map(sorted, pairs))
    rng.shuffle(order)
    return graph_of(names[0], shape="graph", switches=names[1], links=[{"between": pair} for pair in order])


def all_ways(graph, at, destination, visited=()):
    """Every way without a loop, as [(link, vertex), ...]."""
    if at == destination:
        yield []
        return
    for index, link in enumerate(graph.links):
        if at in (link.a, link.b) and link.other_end(at) not in (*visited, at):
            for rest in all_ways(graph, link.other_end(at), destination, (*visited, at)):
                yield [(index, at), *rest]


@pytest.mark.parametrize("seed", range(60))
def test_graph_routes_are_the_best_of_all_ways(seed):
    graph = random_graph(random.Random(seed))
    walk_everywhere(graph)
    for source, destination in itertools.product(range(graph.vertices), range(len(graph.nodes))):
        if source == destination:
            continue
        cost = {
            tuple(one): (sum(v < len(graph.nodes) for _, v in one[1:]), len(one))
            for one in all_ways(graph, source, destination)
        }
        best = [one for one, what in cost.items() if what == min(cost.values())]
        found = tuple(route(graph, source, destination))
        assert found in best and found[0][0] == min(one[0][0] for one in best)


# --- all shapes ---------------------------------------------------------------------------------


def random_machine(rng):
    shape = rng.choice(["switch", "tree", "fat-tree", "ring", "torus", "dragonfly"])
    a, b, c = (rng.randint(1, 5) for _ in range(3))
    if shape == "tree":
        return graph_of(a * b, shape=shape, racks=a, uplink="1Gbit/s")
    if shape == "fat-tree":
        return graph_of(a * b, shape=shape, leaves=a, spines=c, uplink="1Gbit/s")
    if shape == "torus":
        return graph_of(a * b * c, shape=shape, dims=[a, b, c])
    if shape == "dragonfly":
        return graph_of(a * b * c, shape=shape, groups=a, routers=b, local="1Gbit/s", **{"global": "1Gbit/s"})
    return graph_of(a * b, shape=shape)


@pytest.mark.parametrize("seed", range(80))
def test_every_route_arrives_and_none_loops(seed):
    graph = random_machine(random.Random(seed))
    lengths = walk_everywhere(graph)
    for source, destination in itertools.product(range(len(graph.nodes)), repeat=2):
        assert hops(graph, source, destination) == lengths[source, destination]
    if graph.shape not in ("dragonfly",) and graph.vertices <= 40:
        assert lengths == shortest(graph)


def test_spine_reached_by_mistake_still_leads_to_the_leaf():
    graph = graph_of(4, shape="fat-tree", leaves=2, spines=2, uplink="1Gbit/s")
    assert way(graph, 7, 0) == ["spine1", "leaf0", "node0"]
