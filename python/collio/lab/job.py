"""An MPI job of the user's in the lab: which MPI, which preloads, and what to run."""

from __future__ import annotations

import os
from dataclasses import dataclass

from collio import hints
from collio.lab import namespaces
from collio.lab.build import Lab
from collio.run import launch, launch_line, mpiexec

REPORT_LINES = namespaces.HOME / "report.lines"


@dataclass(frozen=True)
class Wish:
    """What the user asked for. `native`: without collio."""

    program: list[str]
    mpi: str | None = None
    ranks: int | None = None
    native: bool = False
    hints: dict[str, str] | None = None


def prepare(lab: Lab, wish: Wish) -> tuple[launch.Job, launch.KnownChoice]:
    """Words and environment of the job. Raises launch.LaunchError."""
    line = launch_line.read_launch_line(wish.program)
    if line.launcher is not None:
        raise launch.LaunchError(
            f"{line.launcher_word}: the lab starts the ranks itself; give the program only"
        )
    if launch_line.executable(wish.program[0]) is None:
        raise launch.LaunchError(
            "program not found: "
            f"{wish.program[0]}{'' if os.sep in wish.program[0] else ' is no program on PATH'}"
        )
    choice = launch.choose_mpi(line, wish.mpi)
    if choice.mpi.mpiexec is None:
        raise launch.LaunchError(f"{choice.mpi.id} has no mpiexec")
    build = launch.usable_build(choice.mpi)
    preloads = mpiexec.preloads(choice.mpi, build)
    variables = dict(mpiexec.environment(choice.mpi, lab.cluster))
    if not wish.native:
        preloads.insert(0, str(build.interposer))
        variables |= {"COLLIO_REPORT": str(REPORT_LINES), "COLLIO_MACHINE": str(namespaces.GRAPH_FILE)}
        if wish.hints:
            variables["COLLIO_HINTS"] = hints.encode_hints(wish.hints)
    words = (choice.mpi.mpiexec, *mpiexec.options(choice.mpi, lab.cluster, wish.ranks), *wish.program)
    if not preloads:
        return launch.Job(list(words), {**os.environ, **variables}), choice
    return launch.prepare(
        launch_line.LaunchLine(words, 0),
        mpiexec.kind_of(choice.mpi),
        ":".join(preloads),
        variables,
        os.environ,
    ), choice
