"""Where this system keeps parallel HDF5, netCDF, PnetCDF and Python's modules, and which MPI each was built
with."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from collio import mpi_libraries

SYSTEM_PYTHON = "/usr/bin/python3"


def hdf5_compiler(mpi):
    """HDF5's compiler wrapper for this MPI; skips where there is none."""
    folder = Path(mpi.mpicc).parent
    suffix = Path(mpi.mpicc).name.removeprefix("mpicc")
    for wrapper in (folder / f"h5pcc{suffix}", folder / "h5pcc"):
        if wrapper.is_file() and shown(wrapper).split("/")[-1].split()[0] == Path(mpi.mpicc).name:
            return [str(wrapper), "-shlib"]
    pytest.skip(f"no parallel HDF5 for {mpi.id}")


def shown(wrapper):
    """The first word of what a wrapper would run, and what follows."""
    done = subprocess.run(
        [str(wrapper), "-show"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    words = done.stdout.split()
    return words[0] if done.returncode == 0 and words else "nothing"


def package_flags(package):
    """Flags to compile and link with a library that pkg-config knows; skips where it is missing."""
    if not shutil.which("pkg-config"):
        pytest.skip("no pkg-config")
    flags = ask_pkg_config("--cflags", "--libs", package)
    prefix = ask_pkg_config("--variable=prefix", package)
    if flags is None:
        pytest.skip(f"no {package} on this system")
    # Debian's netcdf-mpi.pc names the folder of headers only by its prefix.
    return [*flags.split(), *([f"-I{prefix}/include"] if prefix else [])]


def family_of_library(name):
    """Family of the MPI that lib<name>.so, found as the linker finds it, was built with."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("no C compiler")
    done = subprocess.run([compiler, f"-print-file-name=lib{name}.so"], stdout=subprocess.PIPE, text=True)
    mpi = mpi_libraries.mpi_of_program(done.stdout.strip())
    if not mpi:
        pytest.skip(f"lib{name}.so is linked with no MPI known here")
    return mpi.family


def ask_pkg_config(*words):
    done = subprocess.run(
        ["pkg-config", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    return done.stdout.strip() if done.returncode == 0 else None


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
    code = (
        f"import importlib.util as u; s = u.find_spec({name!r}); print(s.submodule_search_locations[0] "
        "if s else '')"
    )
    done = subprocess.run(
        [SYSTEM_PYTHON, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    return done.stdout.strip()


def family_of_mpi4py():
    """Family of the MPI that the system's mpi4py is linked with."""
    for extension in sorted(Path(system_module("mpi4py")).glob("MPI*.so")):
        mpi = mpi_libraries.mpi_of_program(str(extension))
        if mpi:
            return mpi.family
    pytest.skip("the system's mpi4py is linked with no MPI known here")
