"""Python programs: mpi4py of the system and from wheels (which load MPI privately), and h5py with parallel HDF5."""

import os
import subprocess
from pathlib import Path

import pytest

from collio import mpi_libraries
from jobs import HERE, Jobs, assert_same_bytes, write_and_read_both_ways
from wheels import environment_of_wheels

SYSTEM_PYTHON = "/usr/bin/python3"


def system_python(*modules):
    """The system's interpreter, if it has these modules; else skips."""
    if not os.access(SYSTEM_PYTHON, os.X_OK):
        pytest.skip(f"no {SYSTEM_PYTHON}")
    for module in modules:
        if not system_module(module):
            pytest.skip(f"{SYSTEM_PYTHON} has no {module}")
    return SYSTEM_PYTHON


def system_module(name):
    """Folder of a module of the system's interpreter, found without importing it; empty if it has none."""
    code = f"import importlib.util as u; s = u.find_spec({name!r}); print(s.submodule_search_locations[0] if s else '')"
    done = subprocess.run([SYSTEM_PYTHON, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.strip()


def family_of_mpi4py():
    """Family of the MPI that the system's mpi4py is linked with."""
    for extension in sorted(Path(system_module("mpi4py")).glob("MPI*.so")):
        mpi = mpi_libraries.mpi_of_program(str(extension))
        if mpi:
            return mpi.family
    pytest.skip("the system's mpi4py is linked with no MPI known here")


def test_mpi4py_of_the_system(jobs_of_family):
    python = system_python("mpi4py")
    jobs = jobs_of_family(family_of_mpi4py())
    assert_same_bytes(*write_and_read_both_ways(jobs, [python, HERE / "python" / "mpi4py_fields.py"]))


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_mpi4py_of_wheels(jobs_of_family, family):
    """The wheel loads MPI by dlopen: nothing of it is in the search order of preloaded libraries."""
    jobs = jobs_of_family(family)
    programs = environment_of_wheels(family)
    jobs = Jobs(jobs.mpi, jobs.folder, mpiexec=programs / "mpiexec")
    assert_same_bytes(*write_and_read_both_ways(jobs, [programs / "python", HERE / "python" / "mpi4py_fields.py"]))


def test_h5py_of_the_system(jobs_of_family):
    python = system_python("mpi4py", "h5py", "numpy")
    if not list(Path(system_module("h5py")).glob("_debian_h5py_mpi/*.so")):
        pytest.skip("the system's h5py has no parallel HDF5")
    jobs = jobs_of_family(family_of_mpi4py())
    write_and_read_both_ways(jobs, [python, HERE / "python" / "h5py_fields.py"])
