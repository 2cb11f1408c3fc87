"""A Fortran program by mpif.h, `use mpi` and `use mpi_f08`, on every MPI that has them."""

import os
import subprocess

import numpy
import pytest

from jobs import RANKS, write_and_read_both_ways

BINDINGS = {"mpif.h": ["-DBINDING_MPIFH"], "mpi": ["-DBINDING_MPI"], "mpi_f08": []}
# mpif.h and gfortran's `use mpi` know nothing of choice buffers: different types in one argument are legacy.
FLAGS = ["-cpp", "-std=legacy"]


def expected_file():
    """What fields.F90 writes: a plane of blocks, then scattered elements; holes are zero."""
    n, scattered = 60, 1500
    plane = numpy.zeros((RANKS // 2 * n, 2 * n))
    places = numpy.arange(scattered) * RANKS + numpy.arange(scattered) // 7 * RANKS
    elements = numpy.zeros(places[-1] + RANKS)
    for rank in range(RANKS):
        row, column = rank // 2 * n, rank % 2 * n
        plane[row : row + n, column : column + n] = (1e6 + rank * 1e4 + numpy.arange(1, n * n + 1)).reshape(
            n, n
        )
        elements[places + rank] = 2e6 + rank * 1e4 + numpy.arange(1, scattered + 1)
    return plane.tobytes() + elements.tobytes()


def compiles(command, statements):
    """Whether a Fortran program with these lines compiles."""
    text = "program t\n" + statements + "\nend program\n"
    done = subprocess.run(
        [*command, "-fsyntax-only", "-x", "f95", "-"],
        input=text,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    return done.returncode == 0


@pytest.mark.parametrize("binding", BINDINGS)
def test_fields(jobs, compiled, binding):
    if jobs.mpi.mpifort is None:
        pytest.skip(f"{jobs.mpi.id} has no Fortran compiler wrapper")
    command = [jobs.mpi.mpifort]
    if not compiles(command, ""):
        pytest.skip(f"{os.path.basename(jobs.mpi.mpifort)} finds no Fortran compiler")
    if binding != "mpif.h" and not compiles(command, f"use {binding}"):
        pytest.skip(f"{jobs.mpi.id} has no module {binding} for this compiler")
    program = compiled("fortran/fields.F90", command, [*FLAGS, *BINDINGS[binding]])
    written_by_collio, _ = write_and_read_both_ways(jobs, [program])
    # Not the native file: MPI libraries leave memory's old content in holes.
    assert written_by_collio.read_bytes() == expected_file()
