"""What PIO's interface reads of netCDF-4/HDF5 files, by netCDF-C."""

import ctypes.util
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from test_pio import flags, jobs  # noqa: F401


@pytest.fixture
def files(tmp_path):
    """A netCDF-4 file, which pio_netcdf4.c knows, and a classic file."""
    import netCDF4

    four, classic = tmp_path / "four.nc", tmp_path / "classic.nc"
    with netCDF4.Dataset(four, "w") as file:
        for name, length in (("y", 1500), ("x", 2000), ("time", None), ("cell", 10), ("other", None)):
            file.createDimension(name, length)
        file.title, file.numbers = "of a model", np.array([3, 7])
        file.setncattr_string("words", ["one", "two"])
        large = file.createVariable("large", "f8", ("y", "x"), zlib=True, chunksizes=(700, 900))
        large.setncattr("scale", 0.5)
        large[:] = np.arange(1500 * 2000).reshape(1500, 2000) % 251
        file.createVariable("steps", "i4", ("time", "cell"), zlib=True)[:] = 100 * np.arange(3)[
            :, None
        ] + np.arange(10)
        file.createVariable("names", str, ("cell",))
        file.createVariable("scalar", "f4", ())[:] = 2.5
        file.createVariable("second", "i2", ("other",))[:] = np.arange(4)
    with netCDF4.Dataset(classic, "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("x", 4)
    return four, classic


def test_netcdf4_files_are_read(jobs, compiled, files):
    if not (ctypes.util.find_library("netcdf") or ctypes.util.find_library("netcdf_mpi")):
        pytest.skip("no netCDF-C on this system")
    jobs.natively([compiled("c/pio_netcdf4.c", [jobs.mpi.mpicc], flags(jobs))], *files)


def test_what_is_missing_is_told_on_all_ranks(jobs, compiled, files, tmp_path):
    """Where the system has no netCDF-C: a preload hides it."""
    source, hides = tmp_path / "hides.c", tmp_path / "libhides.so"
    source.write_text("""#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
void* dlopen(const char* name, int flags) {
  void* (*next)(const char*, int) = dlsym(RTLD_NEXT, "dlopen");
  return name && strstr(name, "libnetcdf") ? NULL : next(name, flags);
}""")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", hides, source, "-ldl"], check=True)
    program = compiled("c/pio_netcdf4.c", [jobs.mpi.mpicc], flags(jobs))
    environment = {**jobs.environment(), "LD_PRELOAD": str(hides)}
    line = jobs.natively([program], *files, "missing", environment=environment)
    assert (
        line.startswith("-51 ")
        and Path(files[0]).name in line
        and re.search("netCDF-C, which was not found. Install it", line)
    ), line
