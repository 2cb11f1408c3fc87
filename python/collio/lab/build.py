"""The first process of a lab: builds it, then goes on as the `collio` command that asked for it.

    python -m collio.lab.build MACHINE ARGUMENTS-OF-COLLIO...
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

from collio.builds import Build
from collio.lab import namespaces, network, nodes, targets
from collio.machine_file import Graph, expand, load_machine
from collio.mpi_libraries import find_mpi_libraries
from collio.run.mpiexec import Cluster

MEMORY = namespaces.HOME / "memory"
"""A folder in memory that all nodes share, as fast as this machine: storage that never is the bottleneck."""

GRAPH_FILE = namespaces.GRAPH_FILE

TEMPORARY = namespaces.HOME / "tmp"
"""$TMPDIR of all that runs in the lab. What MPI libraries leave in there goes with the lab, and two labs, whose process
numbers are alike, do not meet in each other's session folders."""

CANNOT_BUILD = 125


@dataclass
class Lab:
    """The lab this process is the first one of."""

    graph: Graph
    cluster: Cluster
    targets: dict[str, targets.Target] = field(default_factory=dict)

    @property
    def ranks(self) -> int:
        return self.graph.ranks


_current: Lab | None = None


def current() -> Lab | None:
    """The lab this process is in; None outside of one."""
    return _current


def mountpoint(target: str) -> Path:
    """Where a storage target is seen, on every node of every lab."""
    return namespaces.HOME / target


def build(graph: Graph) -> Lab:
    """Makes everything of a lab. Raises NamespaceError, NetworkError, TargetError."""
    namespaces.make_private()
    _mount_memory(MEMORY)
    _mount_memory(TEMPORARY)
    network.build(graph)
    started = _start_targets(graph)
    lab = Lab(graph, nodes.start(graph, namespaces.HOME), started)
    _write_at_once(GRAPH_FILE, graph.to_json())
    return lab


def _start_targets(graph: Graph) -> dict[str, targets.Target]:
    if not graph.storage or not graph.storage.targets:
        return {}
    backing = namespaces.HOME / "backing"
    _mount_memory(backing)
    program = _target_program()
    specs = [targets.TargetSpec(**asdict(target)) for target in graph.storage.targets]
    return {spec.name: targets.start_target(program, spec, mountpoint(spec.name), backing) for spec in specs}


def _target_program() -> Path:
    """The file system of the targets, from any build; it is the same in all. Raises TargetError."""
    programs = [Build.of(mpi).program(targets.PROGRAM) for mpi in find_mpi_libraries()]
    for program in programs:
        if program.is_file():
            return program
    raise targets.TargetError(f"{targets.PROGRAM} is not built (libfuse3-dev, then `make build`); the machine file has storage targets")


def _mount_memory(path: Path) -> None:
    path.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", str(path)], capture_output=True, text=True)
    if done.returncode:
        raise namespaces.NamespaceError(f"{path}: {done.stderr.strip()}")


def _write_at_once(path: Path, text: str) -> None:
    part = path.with_suffix(".part")
    part.write_text(text)
    part.rename(path)


def main(machine: str, arguments: list[str]) -> None:
    """Builds the lab of a machine and runs `collio ARGUMENTS` in it."""
    from collio.cli import main as command_line
    from collio.run.output import end_with_its_runs

    global _current
    end_with_its_runs(*namespaces.HANDED_ON)
    sys.argv[1:] = arguments  # what reports give as the command
    try:
        _current = build(expand(load_machine(machine)))
    except (namespaces.NamespaceError, network.NetworkError, targets.TargetError) as error:
        print(f"collio lab: {error}", file=sys.stderr)
        sys.exit(CANNOT_BUILD)
    os.environ["TMPDIR"] = str(TEMPORARY)
    command_line(arguments, prog_name="collio")


if __name__ == "__main__":
    # Imported under its own name, so that `current` is one thing for every importer.
    from collio.lab.build import main as lab_main

    lab_main(sys.argv[1], sys.argv[2:])
