"""The PnetCDF that engines named `pnetcdf...` write and read through."""

from __future__ import annotations

from pathlib import Path

from collio.bench.engines import BenchError
from collio.mpi_libraries import MpiLibrary, mpi_of_program

PLACES = ("lib", "lib64", "lib/*-linux-gnu")


def find_library(prefix: Path, mpi: MpiLibrary) -> Path:
    """libpnetcdf.so under a prefix, linked with this MPI. Raises BenchError."""
    found = next((path for place in PLACES for path in sorted(prefix.glob(f"{place}/libpnetcdf.so"))), None)
    if found is None:
        raise BenchError(f"--pnetcdf {prefix}: no libpnetcdf.so in {', '.join(PLACES)} there")
    linked = mpi_of_program(str(found))
    if linked is None or linked.soname != mpi.soname:
        other = linked.soname if linked else "no MPI library"
        raise BenchError(
            f"--pnetcdf {prefix}: {found} is linked with {other}; allowed for {mpi.id}: {mpi.soname}"
        )
    return found
