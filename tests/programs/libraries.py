"""Where this system keeps parallel HDF5, netCDF and PnetCDF, and which MPI each was built with."""

import shutil
import subprocess
from pathlib import Path

import pytest

from collio import mpi_libraries


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
    done = subprocess.run([str(wrapper), "-show"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
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
    done = subprocess.run(["pkg-config", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.strip() if done.returncode == 0 else None
