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
from collio.lab import namespaces, network, nodes, striped, targets
from collio.machine_file import Graph, expand, load_machine
from collio.mpi_libraries import find_mpi_libraries
from collio.run.mpiexec import Cluster

MEMORY = namespaces.HOME / "memory"
"""A folder in memory that all nodes share, as fast as this machine: storage that never is the bottleneck."""

GRAPH_FILE = namespaces.GRAPH_FILE

TEMPORARY = namespaces.HOME / "tmp"
"""$TMPDIR of all that runs in the lab. What MPI libraries leave in there goes with the lab, and two labs,
whose process numbers are alike, do not meet in each other's session folders."""

CANNOT_BUILD = 125


@dataclass
class Lab:
    """The lab this process is the first one of."""

    graph: Graph
    cluster: Cluster
    storage: list[targets.Mount] = field(default_factory=list)

    @property
    def ranks(self) -> int:
        return self.graph.ranks


_current: Lab | None = None


def current() -> Lab | None:
    """The lab this process is in; None outside of one."""
    return _current


def mountpoint(name: str) -> Path:
    """Where a storage target, or the striped file system, is seen on every node of every lab."""
    return namespaces.HOME / name


def control(graph: Graph, number: int) -> Path:
    """What stands for a target in the functions of collio.lab.targets."""
    assert graph.storage, "it has the target"
    if graph.storage.striped:
        return striped.control(mountpoint(striped.NAME), number)
    return mountpoint(graph.storage.targets[number].name)


def build(graph: Graph) -> Lab:
    """Makes everything of a lab. Raises NamespaceError, NetworkError, TargetError."""
    namespaces.make_private()
    _mount_memory(MEMORY)
    _mount_memory(TEMPORARY)
    network.build(graph)
    started = _start_storage(graph)
    lab = Lab(graph, nodes.start(graph, namespaces.HOME), started)
    _write_at_once(GRAPH_FILE, graph.to_json())
    return lab


def _start_storage(graph: Graph) -> list[targets.Mount]:
    storage = graph.storage
    if not storage or not storage.targets:
        return []
    memory = namespaces.HOME / "backing"
    _mount_memory(memory)
    specs = [targets.TargetSpec(**asdict(target)) for target in storage.targets]
    if not storage.striped:
        program = _program(targets.PROGRAM)
        return [targets.start_target(program, spec, mountpoint(spec.name), memory) for spec in specs]
    folder = memory if specs[0].backing == targets.MEMORY else specs[0].backing
    spec = striped.StripedSpec(tuple(specs), **asdict(storage.striped))
    return [striped.start_striped(_program(striped.PROGRAM), spec, mountpoint(striped.NAME), folder)]


def _program(name: str) -> Path:
    """A file system of the lab, from any build; it is the same in all. Raises TargetError."""
    programs = [Build.of(mpi).program(name) for mpi in find_mpi_libraries()]
    for program in programs:
        if program.is_file():
            return program
    raise targets.TargetError(
        f"{name} is not built (libfuse3-dev, then `make build`); the machine file has storage targets"
    )


def _mount_memory(path: Path) -> None:
    path.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", str(path)], capture_output=True, text=True
    )
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
