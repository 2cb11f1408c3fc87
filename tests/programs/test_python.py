"""Python programs: mpi4py of the system and from wheels (which load MPI privately), h5py with parallel HDF5,
and PnetCDF's module."""

from pathlib import Path

import pytest
import shared_memory

from jobs import HERE, Jobs, assert_same_bytes, write_and_read_both_ways
from libraries import family_of_mpi4py, system_module, system_python
from wheels import environment_of_wheels


def test_mpi4py_of_the_system(jobs_of_family):
    python = system_python("mpi4py")
    jobs = jobs_of_family(family_of_mpi4py())
    assert_same_bytes(*write_and_read_both_ways(jobs, [python, HERE / "python" / "mpi4py_fields.py"]))


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_mpi4py_of_wheels(jobs_of_family, family):
    """The wheel loads MPI by dlopen: nothing of it is in the search order of preloaded libraries."""
    if family == "mpich" and not shared_memory.WRITABLE:
        pytest.skip(f"MPICH's wheel does not start; {shared_memory.NONE}")
    jobs = jobs_of_family(family)
    programs = environment_of_wheels(family)
    jobs = Jobs(jobs.mpi, jobs.folder, mpiexec=programs / "mpiexec")
    assert_same_bytes(
        *write_and_read_both_ways(jobs, [programs / "python", HERE / "python" / "mpi4py_fields.py"])
    )


def test_h5py_of_the_system(jobs_of_family):
    python = system_python("mpi4py", "h5py", "numpy")
    if not list(Path(system_module("h5py")).glob("_debian_h5py_mpi/*.so")):
        pytest.skip("the system's h5py has no parallel HDF5")
    jobs = jobs_of_family(family_of_mpi4py())
    write_and_read_both_ways(jobs, [python, HERE / "python" / "h5py_fields.py"])


def test_pnetcdf_of_the_system(jobs_of_family):
    """The module loads PnetCDF privately."""
    python = system_python("mpi4py", "pnetcdf", "numpy")
    jobs = jobs_of_family(family_of_mpi4py())
    program = [python, HERE / "python" / "pnetcdf_fields.py"]
    assert_same_bytes(*write_and_read_both_ways(jobs, program, "ncmpi_put", "ncmpi_get"))
