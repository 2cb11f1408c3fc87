"""Whether collio can serve the PnetCDF of a program in place of it: where that is a shared library."""

from __future__ import annotations

import mmap
from pathlib import Path

from collio import mpi_libraries
from collio.doctor.findings import NOTE, WELL, Finding

_NAME = "PnetCDF"
_IN_ITS_CODE = b"\0PNETCDF_HINTS\0"
"""A string of PnetCDF's own, also where names are stripped off a program."""


def finding(program: Path) -> Finding:
    """What holds for this program."""
    for soname, path in mpi_libraries.shared_libraries(str(program)):
        if soname.startswith("libpnetcdf.so"):
            return Finding(_NAME, WELL, f"{path or soname}, a shared library: collio serves its calls")
    if _is_inside(program):
        return Finding(
            _NAME,
            NOTE,
            f"linked into {program}: collio serves its MPI-IO calls only",
            "link the program with libpnetcdf.so",
        )
    return Finding(_NAME, WELL, f"not used by {program}, or loaded later")


def _is_inside(program: Path) -> bool:
    try:
        with open(program, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as image:
            return image.find(_IN_ITS_CODE) >= 0
    except (OSError, ValueError):  # ValueError: an empty file
        return False
