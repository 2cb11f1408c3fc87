"""A lab that is not what its machine file says, and what `collio lab check` finds. Runs as a lab's first
process:

    python -m lab_dishonest MPI rate|route

"rate": its links carry half of what they should. "route": on the torus, packets from node0 to node4 go over
node1, not node3. Prints the check's document.
"""

import json
import sys
from dataclasses import replace

from collio.lab import build, check_run
from collio.lab.check import Flow
from collio.machine_file import expand, load_machine


def slowed(graph):
    return replace(
        graph, links=tuple(replace(link, rate_bytes_per_s=link.rate_bytes_per_s / 2) for link in graph.links)
    )


def detoured(graph):
    table = [list(row) for row in graph.next]
    for vertex, following in ((0, 1), (1, 4)):
        table[vertex][4] = next(
            index for index, link in enumerate(graph.links) if {link.a, link.b} == {vertex, following}
        )
    return replace(graph, next=table)


def main(mpi, lie):
    machine, flow, lying = {
        "rate": ("pair", Flow(0, 1), slowed),
        "route": ("torus-3x3", Flow(0, 4), detoured),
    }[lie]
    graph = expand(load_machine(machine))
    assert lying(graph) != graph
    lab = build.build(lying(graph))
    settings = check_run.CheckSettings(
        check_run.find_mpi(mpi), tolerance=0.15, seconds=0.3, tries=1, timeout_s=60, all_to_all=False
    )
    print(json.dumps(check_run.run(replace(lab, graph=graph), [(flow,)], settings)))


if __name__ == "__main__":
    main(*sys.argv[1:])
