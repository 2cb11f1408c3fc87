"""Programs whose MPI-IO calls no preloaded library can see."""

from __future__ import annotations

import mmap
import struct
from pathlib import Path

from collio import elf, mpi_libraries

_HEADER_BYTES = 64
_PROGRAM_TYPES = (2, 3)  # ET_EXEC, ET_DYN
_INTERPRETER = 3  # PT_INTERP
_PROFILING_NAME = b"\0PMPI_Init\0"  # in a table of names: the MPI library defines it, programs do not


def why_unreachable(path: Path) -> str:
    """One sentence and the remedy; "" for programs that a preload reaches, and for files that are no 64-bit
    ELF program."""
    try:
        with open(path, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as image:
            if not _is_program(image):
                return ""
            if not _has_interpreter(image):
                return (
                    f"{path} is linked statically, so nothing can be preloaded into it; link it dynamically"
                )
            soname, needed = elf.elf_names(str(path))
            # asks ldd: comes last
            if (
                soname is None
                and needed
                and image.find(_PROFILING_NAME) >= 0
                and not mpi_libraries.mpi_of_program(str(path))
            ):
                return (
                    f"{path} has an MPI library linked into it, whose calls no preload can see; link it "
                    "with the shared MPI library"
                )
    except (OSError, ValueError, struct.error):  # ValueError: an empty file
        pass
    return ""


def _is_program(image: mmap.mmap) -> bool:
    return (
        len(image) >= _HEADER_BYTES
        and image[:6] == b"\x7fELF\x02\x01"
        and struct.unpack_from("<H", image, 16)[0] in _PROGRAM_TYPES
    )


def _has_interpreter(image: mmap.mmap) -> bool:
    (first,) = struct.unpack_from("<Q", image, 32)
    size, count = struct.unpack_from("<HH", image, 54)
    return any(
        struct.unpack_from("<I", image, first + index * size)[0] == _INTERPRETER for index in range(count)
    )
