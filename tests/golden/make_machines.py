#!/usr/bin/env python3
"""Writes machines.txt: networks with distances, routes and placements computed here, apart from collio's C++.

    python tests/golden/make_machines.py > tests/golden/machines.txt        (needs NumPy and SciPy)

Routes come from the expansion of machine files (collio.machine_file.shapes), I/O nodes from this file;
distances are checked against breadth-first search where routes are shortest. Least costs are SciPy's
linear_sum_assignment, and for few domains all placements are tried for the one whose busiest link is done
soonest. The file's head has its format.
"""

import itertools
import random
import sys
from collections import deque
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from wiring import Wired, machines  # noqa: E402

MOST_PLACEMENTS_TRIED = 800
HEAD = """\
# Golden machines, written by make_machines.py. A machine is what follows its line "machine NAME":
#   shape KIND NUMBERS         as the fields of the shape in machine/shapes.hpp, without the rates
#   cable RATE LATENCY         bytes/s and s; a line for each kind of link, in the order of the shape's fields
#   links COUNT                of the network
#   nodes N...                 of the job: network node of each
#   seats N...                 of each aggregator: node of the job
#   bytes B...                 a row for each node of the job, a column for each domain
#   hops H...                  between nodes of the job, row by row: from, to
#   storage VERTEX HOPS...     with I/O nodes only: the vertex of one, and the hops from each node of the job
#   route FROM TO H...         network vertices; each hop is 2 * link + (0 from its end a to b, 1 back)
#   in_order HOPBYTES BUSIEST_S INSIDE MOST    of domain i served by aggregator i mod seats: hop-bytes,
#                              seconds of the busiest link, bytes that stay on their node, most bytes of an
#                              aggregator
#   most_inside B              most bytes that can stay on their node
#   least_hop_bytes B          of all placements
#   least_busiest_s S          of all placements; only where few are possible
"""


def bytes_of_nodes(rng: random.Random, nodes: int, domains: int) -> np.ndarray:
    """Block-like (each node near one domain), all to all, or sparse; now and then nothing for a domain."""
    kind = rng.choice(("blocks", "even", "sparse"))
    demand = np.zeros((nodes, domains), dtype=np.int64)
    for node, domain in itertools.product(range(nodes), range(domains)):
        near = abs(node * domains // nodes - domain) <= 1
        if kind == "even" or (kind == "blocks" and near) or (kind == "sparse" and rng.random() < 0.3):
            demand[node, domain] = rng.choice((rng.randrange(1, 1 << 20), 65536))
    return demand


class Case:
    """A job on a network: who sits where and has what."""

    def __init__(self, wired: Wired, rng: random.Random):
        self.wired = wired
        self.nodes = sorted(rng.sample(range(wired.nodes), min(wired.nodes, rng.randrange(2, 21))))
        if rng.random() < 0.5:
            rng.shuffle(self.nodes)
        domains = rng.randrange(1, 9)
        seats = max(1, domains + rng.choice((0, 0, 1, 3, -1, -domains // 2)))
        self.seats = [rng.randrange(len(self.nodes)) for _ in range(seats)]
        self.demand = bytes_of_nodes(rng, len(self.nodes), domains)
        pairs = [(one, other) for one in self.nodes for other in self.nodes]
        self.routes = {pair: wired.route(*pair) for pair in pairs}
        self.shown = rng.sample(pairs, min(8, len(pairs)))

    @property
    def domains(self) -> int:
        return self.demand.shape[1]

    @property
    def slots(self) -> list[int]:
        """Seats, each as often as it may have a domain."""
        return self.seats * -(-self.domains // len(self.seats))

    def hops(self) -> np.ndarray:
        return np.array([[len(self.routes[one, other]) for other in self.nodes] for one in self.nodes])

    def busiest_s(self, homes: list[int]) -> float:
        loads = np.zeros(2 * len(self.wired.links))
        for domain, home in enumerate(homes):
            for node, network_node in enumerate(self.nodes):
                for hop in self.routes[network_node, self.nodes[home]]:
                    loads[hop] += self.demand[node, domain]
        rates = np.repeat([link.rate_bytes_per_s for link in self.wired.links], 2)
        return float((loads / rates).max()) if len(loads) else 0.0

    def least_busiest_s(self) -> float | None:
        slots = self.slots
        if np.prod([len(slots) - i for i in range(self.domains)], dtype=float) > MOST_PLACEMENTS_TRIED:
            return None
        return min(self.busiest_s(list(homes)) for homes in set(itertools.permutations(slots, self.domains)))


def lines_of(case: Case):
    wired, hops = case.wired, case.hops()
    yield f"machine {wired.name}"
    yield f"shape {wired.shape}"
    yield from (f"cable {rate!r} {latency!r}" for rate, latency in wired.cables)
    yield f"links {len(wired.links)}"
    yield words("nodes", case.nodes)
    yield words("seats", case.seats)
    yield from (words("bytes", row) for row in case.demand)
    yield from (words("hops", row) for row in hops)
    for vertex in wired.io_nodes[:2]:
        yield words("storage", [vertex, *(len(wired.route(node, vertex)) for node in case.nodes)])
    yield from (words("route", [*pair, *case.routes[pair]]) for pair in case.shown)
    yield from (
        words("route", [case.nodes[0], vertex, *wired.route(case.nodes[0], vertex)])
        for vertex in wired.io_nodes[-1:]
    )
    yield from placements(case, hops)


def placements(case: Case, hops: np.ndarray):
    homes = [case.seats[domain % len(case.seats)] for domain in range(case.domains)]
    work = hops.T @ case.demand  # hops from a node to a home; [home][domain]
    inside = sum(int(case.demand[home, domain]) for domain, home in enumerate(homes))
    served = np.zeros(len(case.seats), dtype=np.int64)
    np.add.at(served, [domain % len(case.seats) for domain in range(case.domains)], case.demand.sum(axis=0))
    hop_bytes = sum(int(work[home, domain]) for domain, home in enumerate(homes))
    yield f"in_order {hop_bytes} {case.busiest_s(homes)!r} {inside} {served.max()}"
    for name, costs, maximize in (("most_inside", case.demand, True), ("least_hop_bytes", work, False)):
        matrix = costs[case.slots].T
        yield f"{name} {int(matrix[linear_sum_assignment(matrix, maximize=maximize)].sum())}"
    if (least := case.least_busiest_s()) is not None:
        yield f"least_busiest_s {least!r}"


def check_shortest(wired: Wired) -> None:
    """Every route is as long as breadth-first search says."""
    neighbours = {}
    for link in wired.links:
        neighbours.setdefault(link.a, []).append(link.b)
        neighbours.setdefault(link.b, []).append(link.a)
    for start in range(wired.nodes):
        distance, queue = {start: 0}, deque([start])
        while queue:
            at = queue.popleft()
            for other in neighbours.get(at, ()):
                if other not in distance:
                    distance[other] = distance[at] + 1
                    queue.append(other)
        for node in range(0, wired.nodes, 1 + wired.nodes // 40):
            assert len(wired.route(start, node)) == distance[node], (wired.name, start, node)


def words(key: str, values) -> str:
    return " ".join([key, *map(str, values)])


if __name__ == "__main__":
    print(HEAD, end="")
    for number, machine in enumerate(machines()):
        if machine.shortest:
            check_shortest(machine)
        print("\n".join(lines_of(Case(machine, random.Random(number)))))
