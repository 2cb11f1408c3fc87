"""A process that loads two MPI libraries privately, as an interpreter's extensions may: collio serves the one
that the program initializes."""

import pytest

from collio import mpi_libraries
from jobs import assert_same_bytes, write_and_read_both_ways

AS_PART = ("-shared", "-fPIC", "-Dmain=program")


@pytest.mark.parametrize("first", [False, True], ids=["the other one first", "the other one last"])
def test_two_private_mpi_libraries(compiled, jobs, tmp_path, first):
    others = [mpi for mpi in mpi_libraries.find_mpi_libraries() if mpi.family != jobs.mpi.family]
    if not others:
        pytest.skip("only one family of MPI libraries on this machine")
    own, other = (compiled("c/turns.c", [mpi.mpicc], AS_PART) for mpi in (jobs.mpi, others[0]))
    program = [
        compiled("c/loads_parts.c", ["cc"], ("-ldl",)),
        *([own, other, own] if first else [other, own]),
    ]
    assert_same_bytes(*write_and_read_both_ways(jobs, program))
