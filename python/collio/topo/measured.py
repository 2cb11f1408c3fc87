"""The network between the nodes of a job, as it is measured; kept for the next time."""

from __future__ import annotations

import hashlib
import os
import time
from dataclasses import replace
from pathlib import Path

from collio.builds import Build, advice
from collio.lab import check_run
from collio.lab import job as lab_job
from collio.lab.build import Lab
from collio.machine_file import Graph
from collio.run import launch, launch_line
from collio.topo import grouping
from collio.topo.session import PROGRAM, MeasureError, Session
from collio.topology.kept import cache_folder, keep
from collio.wording import counted


def measure_job(words: list[str], wanted: str | None, timeout_s: float, again: bool) -> tuple[Graph, str]:
    """The network of the nodes on which a launcher's command (`mpiexec -n 16 --host …`) starts ranks, and how
    it is known.

    Raises MeasureError, launch.LaunchError.
    """
    line = launch_line.read_launch_line(words)
    if line.launcher is None:
        raise MeasureError(
            "give the launcher with its options, without a program: collio topo --measure -- mpiexec -n 16 "
            "--hosts a,b"
        )
    if launch_line.programs(line):
        raise MeasureError(
            f"{launch_line.programs(line)[0]}: a program is not allowed here; allowed are the launcher and "
            "its options"
        )
    choice = launch.choose_mpi(line, wanted)
    program = Build.of(choice.mpi).program(PROGRAM)
    if not program.is_file():
        raise MeasureError(f"{program} is missing; {advice()}")
    prepared = launch.Job([*words, str(program), "--ask"], dict(os.environ))
    with Session(prepared, timeout_s) as session:
        key = hashlib.sha256("\n".join([choice.mpi.id, *session.hosts]).encode()).hexdigest()[:16]
        kept = cache_folder() / f"measured-{key}.json"
        if not again and (known := _known(kept)):
            age = time.strftime("%Y-%m-%d %H:%M", time.localtime(kept.stat().st_mtime))
            return known, f"measured {age}, kept in {kept} (--again measures again)"
        graph, how = _measure(session, f"measured-{len(session.hosts)}-nodes")
    return graph, f"{how}; kept in {keep(graph.to_json(), kept.name)}"


def _known(kept: Path) -> Graph | None:
    """What was measured before; None where nothing was, or the file is damaged."""
    try:
        return Graph.from_json(kept.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def measure_lab(lab: Lab, wanted: str | None, timeout_s: float) -> tuple[Graph, str]:
    """The network of a lab, one rank a node. Nothing is kept: nodes are called alike in every lab.

    Raises MeasureError, launch.LaunchError, check_run.CheckError.
    """
    cluster = replace(lab.cluster, hosts=[(name, 1) for name, _ in lab.cluster.hosts])
    mpi = check_run.find_mpi(wanted)
    wish = lab_job.Wish([str(Build.of(mpi).program(PROGRAM)), "--ask"], mpi.id, native=True)
    prepared, _ = lab_job.prepare(replace(lab, cluster=cluster), wish)
    with Session(prepared, timeout_s) as session:
        return _measure(session, f"{lab.graph.name}-measured")


def _measure(session: Session, name: str) -> tuple[Graph, str]:
    if len(session.hosts) < 2:
        raise MeasureError(f"all ranks are on one node ({', '.join(session.hosts)}); a network needs two")
    began = time.monotonic()
    graph = grouping.to_graph(grouping.measure(session, len(session.hosts)), session.hosts, name)
    did = f"{counted(session.flows, 'flow')} and {counted(session.latencies, 'round trip')}"
    return graph, f"measured: {did} in {time.monotonic() - began:.1f} s"
