#!/usr/bin/env python3
"""Writes tatp.txt: an example of the size of Liu, Zhou & Guo's (J. Optimization 2018), figures 1 and 3 to 7.

    python tests/golden/make_tatp.py > tests/golden/tatp.txt        (needs NumPy and SciPy)

The paper prints its matrices as pictures only. Its text says: 6 processes with 4 elements each, 3 domains of
8; 4 nodes of 2 cores under a tree of 3 switches; distances 1 inside a node and 2 to the next one;
W[P2][second domain] = 24; the domains go to P2, P0 and P3. This communication matrix has all of that, with no
other placement as good.
"""

import numpy as np
from scipy.optimize import linear_sum_assignment

NODE = np.array([0, 0, 1, 1, 2, 2])  # of each rank; nodes 0 and 1 are under one switch, 2 and 3 under another
COMMUNICATION = np.array([[0, 3, 1], [1, 1, 2], [3, 0, 1], [1, 0, 3], [2, 2, 0], [1, 2, 1]])
CLASSICAL = [0, 2, 4]  # rank that serves each domain


def distance(one: int, other: int) -> int:
    if one == other:
        return 0
    if NODE[one] == NODE[other]:
        return 1
    return 2 if NODE[one] // 2 == NODE[other] // 2 else 4


def link_loads(ranks: list[int]) -> dict:
    """Elements on each link of the tree, by direction."""
    loads = {}
    for rank, row in enumerate(COMMUNICATION):
        for domain, home in enumerate(NODE[ranks]):
            node = NODE[rank]
            way = [] if node == home else [("node", node, "up"), ("node", home, "down")]
            if node // 2 != home // 2:
                way += [("switch", node // 2, "up"), ("switch", home // 2, "down")]
            for link in way:
                loads[link] = loads.get(link, 0) + row[domain]
    return loads


def busiest(ranks: list[int]) -> str:
    """Of one direction, and of both together."""
    loads = link_loads(ranks)
    both = [loads[link] + loads.get((*link[:2], "down" if link[2] == "up" else "up"), 0) for link in loads]
    return f"{max(loads.values())} {max(both)}"


def main() -> None:
    distances = np.array([[distance(one, other) for other in range(6)] for one in range(6)])
    work = distances @ COMMUNICATION
    ranks, domains = linear_sum_assignment(work)
    best = [int(ranks[list(domains).index(domain)]) for domain in range(3)]
    assert (
        work[2][1] == 24
        and best == [2, 0, 3]
        and set(COMMUNICATION.sum(axis=1)) == {4}
        and set(COMMUNICATION.sum(axis=0)) == {8}
    )
    print("# Written by make_tatp.py, which says where the numbers are from. Rows are ranks.")
    print("example tatp")
    print("node", *NODE)
    for name, matrix in (("distance", distances), ("communication", COMMUNICATION), ("workload", work)):
        for row in matrix:
            print(name, *row)
    print("# rank of each domain; hop-bytes; elements on the busiest link, one direction and both together")
    for name, chosen in (("classical", CLASSICAL), ("topology_aware", best)):
        print(name, *chosen)
        print(f"{name}_hop_bytes", sum(work[rank][domain] for domain, rank in enumerate(chosen)))
        print(f"{name}_busiest", busiest(chosen))


if __name__ == "__main__":
    main()
