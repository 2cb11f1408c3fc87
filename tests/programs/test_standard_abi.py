"""MPI 5's standard ABI has other handles than the MPI that this tree is for; without an engine of that family
such programs pass through."""

import pytest
import shared_memory

from jobs import Jobs
from wheels import environment_of_wheels


@shared_memory.needed
def test_program_of_the_standard_abi(jobs_of_family, compiled):
    jobs = jobs_of_family("mpich")
    programs = environment_of_wheels("mpich")
    compiler = programs / "mpicc_abi"
    if not compiler.exists():
        pytest.skip("this MPICH has no standard ABI")
    if " " in str(compiler):
        pytest.skip("MPICH's mpicc_abi does not work from a path with spaces")
    jobs = Jobs(jobs.mpi, jobs.folder, mpiexec=programs / "mpiexec")
    program = [compiled("c/turns.c", [compiler])]
    path = jobs.folder / "data"
    assert jobs.with_collio(program, "write", path) == []
    jobs.natively(program, "read", path)
