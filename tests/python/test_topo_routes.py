"""Routes that `collio topo` finds in what the readers give."""

import random

from collio.machine_file import route
from collio.machine_file.graph import check


def test_routes_have_the_fewest_hops_on_random_networks():
    """Compared with a breadth-first search over switches, node by node; nodes pass nothing on."""
    from collio.topology.cabling import Cabling

    chance = random.Random(11)
    for _ in range(60):
        cabling = Cabling("random")
        switches = [cabling.switch(f"s{index}") for index in range(chance.randint(1, 7))]
        for index, one in enumerate(switches[1:], 1):
            cabling.join(one, chance.choice(switches[:index]), 1.0, 0.0)
        for _ in range(chance.randint(0, 8)):
            a, b = chance.choice(switches), chance.choice(switches)
            cabling.join(a, b, 1.0, 0.0) if a != b else None
        nodes = [cabling.node(f"n{index}") for index in range(chance.randint(1, 9))]
        for node in nodes:
            for _ in range(chance.choice((1, 1, 2))):
                cabling.join(node, chance.choice(switches), 1.0, 0.0)
        if len(nodes) > 1:
            cabling.join(nodes[0], nodes[1], 1.0, 0.0)
        graph = cabling.graph("random")
        check(graph)
        for source in range(len(graph.nodes)):
            for destination in range(len(graph.nodes)):
                way = route(graph, source, destination)
                assert len(way) == fewest(graph, source, destination)
                assert all(start >= len(graph.nodes) for _, start in way[1:])


def fewest(graph, source, destination):
    front, hops, seen = {source}, 0, {source}
    while destination not in front:
        sends = {vertex for vertex in front if vertex >= len(graph.nodes) or vertex == source}
        front = {
            link.other_end(end) for link in graph.links for end in (link.a, link.b) if end in sends
        } - seen
        seen |= front
        hops += 1
    return hops


def test_uplinks_get_equal_shares_of_the_destinations():
    from collio.topology.cabling import Cabling

    cabling = Cabling("fat")
    leaves, spines = (
        [cabling.switch(f"l{index}") for index in range(4)],
        [cabling.switch(f"s{index}") for index in range(3)],
    )
    for leaf in leaves:
        for spine in spines:
            cabling.join(leaf, spine, 1.0, 0.0)
        for index in range(6):
            cabling.join(cabling.node(f"n{leaf}-{index}"), leaf, 1.0, 0.0)
    graph = cabling.graph("fat")
    for source in range(0, 24, 6):
        used = [route(graph, source, other)[1][0] for other in range(24) if other // 6 != source // 6]
        assert sorted(map(used.count, set(used))) == [6, 6, 6]
