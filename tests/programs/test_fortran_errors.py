"""An error that a Fortran program does not ask for ends the job on all ranks, by MPI_Abort()."""

import os
import subprocess

import pytest

from collio.builds import Build
from jobs import HERE

MOST_RUNS = 5
PROGRAM = """program errors
use mpi
use collio
use iso_fortran_env, only: int64
implicit none
type(collio_file) :: file
type(collio_decomposition) :: box
type(collio_variable) :: x
integer :: ierr, rank
real(8) :: values(3)
call MPI_Init(ierr)
call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
call collio_open(MPI_COMM_WORLD, "errors.raw", ior(COLLIO_WRITE, COLLIO_CREATE), "", file)
call collio_box([4_int64], [1_int64], [4_int64], box)
call collio_define(file, box, 8, 0_int64, 0_int64, x)
values = 0
if (rank == 1) then
  CALL_OF_ONE_RANK
end if
call MPI_Barrier(MPI_COMM_WORLD, ierr)
end program
"""


@pytest.mark.parametrize(
    "call",
    ["call collio_put(x, 1, values)", "call collio_box([4_int64], [9_int64], [9_int64], box)"],
    ids=["C", "Fortran"],
)
def test_an_error_without_ierr_aborts_the_job(jobs, tmp_path, call):
    compiler = jobs.mpi.mpifort
    if (
        compiler is None
        or subprocess.run(
            [compiler, "-fsyntax-only", "-x", "f95", "-"],
            input="use mpi\nend",
            text=True,
            stderr=subprocess.DEVNULL,
        ).returncode
    ):
        pytest.skip(f"{jobs.mpi.id} has no module mpi for a Fortran compiler here")
    libraries = Build.of(jobs.mpi).root / "lib"
    (tmp_path / "errors.f90").write_text(PROGRAM.replace("CALL_OF_ONE_RANK", call))
    words = [
        compiler,
        "-o",
        "errors",
        HERE.parents[1] / "include/collio/collio.f90",
        "errors.f90",
        f"-L{libraries}",
        "-lcollio",
        f"-Wl,-rpath,{libraries}",
    ]
    subprocess.run([os.fspath(word) for word in words], cwd=tmp_path, check=True)
    ends = [ended(jobs, tmp_path)]
    if jobs.mpi.family != "openmpi":  # whose launcher has no text for it at times
        # a launcher that ends the ranks at once may lose the second of two lines
        while "MPI_ABORT" not in ends[-1].upper() and len(ends) < MOST_RUNS:
            ends.append(ended(jobs, tmp_path))
        assert "MPI_ABORT" in ends[-1].upper(), ends


def ended(jobs, folder):
    """What a job says that must fail; launchers report an abort on either stream."""
    done = subprocess.run(
        [jobs.mpi.mpiexec, "-n", "2", "./errors"],
        cwd=folder,
        env=jobs.environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    said = done.stdout + done.stderr
    assert done.returncode != 0 and "collio: " in said, said
    return said
