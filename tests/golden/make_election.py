#!/usr/bin/env python3
"""Writes election.txt: four partitions on a grid, one aggregator elected in each by four strategies.

    python tests/golden/make_election.py > tests/golden/election.txt        (needs NumPy)

As in Tessier et al. (COM-HPC 2016), figure 2 and section 5.2, whose picture has no numbers: quarters of a
grid of 8 x 8 nodes, 0 to 2 MB a node at random, 1.8 GB/s and 20 us a hop, one I/O node behind two bridges. In
the second case nodes have bytes of several parts.
"""

import random

import numpy as np

SIDE, PARTS, BRIDGES = 8, 4, (0, 32)
RATE, LATENCY = 1.8e9, 20e-6
NODES = SIDE * SIDE


def hops(one: int, other: int) -> int:
    apart = [abs(a - b) for a, b in zip(divmod(one, SIDE), divmod(other, SIDE))]
    return sum(min(a, SIDE - a) for a in apart)


TO_STORAGE = [1 + min(hops(node, bridge) for bridge in BRIDGES) for node in range(NODES)]


def costs(demand: np.ndarray, part: int, candidate: int) -> tuple[float, float]:
    """C1 and C2."""
    members = [node for node in range(NODES) if demand[node, part]]
    gather = max(
        (
            LATENCY * hops(node, candidate) + demand[node, part] / RATE
            for node in members
            if node != candidate
        ),
        default=0.0,
    )
    return gather, LATENCY * TO_STORAGE[candidate] + demand[:, part].sum() / (len(members) * RATE)


def elect(demand: np.ndarray, score) -> list[int]:
    taken: list[int] = []
    for part in range(PARTS):
        free = [node for node in range(NODES) if demand[node, part] and node not in taken]
        taken.append(min(free, key=lambda node: (score(part, node), node)))
    return taken


def quarters(rng: random.Random) -> np.ndarray:
    demand = np.zeros((NODES, PARTS), dtype=np.int64)
    for node in range(NODES):
        row, column = divmod(node, SIDE)
        demand[node, 2 * (row >= SIDE // 2) + (column >= SIDE // 2)] = rng.randrange(2_000_000)
    return demand


def main() -> None:
    rng = random.Random(2016)
    several = quarters(rng)
    for node in range(NODES):
        several[node, rng.randrange(PARTS)] += rng.randrange(2_000_000)
    print(
        "# Written by make_election.py. bytes: a row for each node, a column for each partition; then the "
        "node of each partition,"
    )
    print("# and C1 and C2 in seconds of the topology-aware ones.")
    for name, demand in (("quarters", quarters(rng)), ("several", several)):
        print("example", name)
        for row in demand:
            print("bytes", *row)
        chosen = elect(demand, lambda part, node, demand=demand: sum(costs(demand, part, node)))
        print("topology_aware", *chosen)
        print("greedy", *elect(demand, lambda part, node: node))
        print("shortest_path", *elect(demand, lambda part, node: TO_STORAGE[node]))
        print("longest_path", *elect(demand, lambda part, node: -TO_STORAGE[node]))
        for part, node in enumerate(chosen):
            print("cost", *costs(demand, part, node))


if __name__ == "__main__":
    main()
