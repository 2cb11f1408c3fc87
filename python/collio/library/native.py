"""libcollio.so: finds it, loads it, and declares the functions of collio.h.

The library is bound by ctypes rather than by a compiled extension, so that one wheel serves every Python
version and every MPI.

libcollio.so itself is the same for all MPI libraries: it loads the engine of the process's MPI from its own
folder. A package has all engines in one folder. A source checkout has a build tree per MPI, so the tree must
be the one of the MPI library in this process.
"""

from __future__ import annotations

import ctypes
import functools
import re
from pathlib import Path
from typing import Any

from collio.builds import PACKAGED, is_packaged
from collio.mpi_libraries import MPICH, OPENMPI, build_folder

from .errors import Error, error_of

LIBRARY = "libcollio.so"
READ, WRITE, CREATE, EXCLUSIVE, TRUNCATE = 1, 2, 4, 8, 16  # enum collio_mode

Handle = ctypes.c_void_p
_int, _i64, _text = ctypes.c_int, ctypes.c_int64, ctypes.c_char_p
_i64s = ctypes.POINTER(ctypes.c_int64)
_place = ctypes.POINTER(ctypes.c_void_p)


class Layout(ctypes.Structure):
    """collio_layout: counts in elements, strides in bytes."""

    _fields_ = [("dims", _int), ("counts", _i64s), ("strides", _i64s)]


class Part(ctypes.Structure):
    """collio_part: a put to come."""

    _fields_ = [("variable", Handle), ("record", _i64)]


class Pieces(ctypes.Structure):
    """collio_pieces: offsets and lengths in bytes."""

    _fields_ = [("count", _i64), ("offsets", _i64s), ("lengths", _i64s)]


class Shape(ctypes.Structure):
    """collio_shape: lengths in elements."""

    _fields_ = [("dims", _int), ("lengths", _i64s)]


_pieces = ctypes.POINTER(Pieces)
# collio.h: by tools/generate_calls
_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "end_job": (_int,),
    "open_f": (_int, _text, _int, _text, _place),
    "close": (_place,),
    "sync": (Handle,),
    "size": (Handle, _i64s),
    "set_size": (Handle, _i64),
    "delete_file": (_text,),
    "replace_file": (_text, _text),
    "box": (_int, _i64s, _i64s, _i64s, _place),
    "map": (_int, _i64s, _i64, _i64s, _place),
    "free": (_place,),
    "inquire": (Handle, ctypes.POINTER(_int), _i64s, _i64s),
    "indices": (Handle, _i64s),
    "save_f": (_int, _text, Handle),
    "load_f": (_int, _text, ctypes.POINTER(Shape), _int, _place),
    "define": (Handle, Handle, _i64, _i64, _i64, _place),
    "undefine": (_place,),
    "put": (Handle, _i64, Handle, ctypes.POINTER(Layout)),
    "get": (Handle, _i64, Handle, ctypes.POINTER(Layout)),
    "commit": (Handle, _place),
    "fetch": (Handle, _place),
    "wait": (_place, _i64s),
    "test": (Handle, ctypes.POINTER(_int)),
    "cancel": (Handle,),
    "declare": (Handle, _i64, ctypes.POINTER(Part), _i64),
    "wait_puts": (Handle, _i64),
    "group_end": (Handle, _i64, _i64s),
    "write_pieces": (Handle, _pieces, Handle, _pieces, _place),
    "read_pieces": (Handle, _pieces, Handle, _pieces, _place),
    "write_alone": (Handle, _pieces, Handle, _pieces, _i64s),
    "read_alone": (Handle, _pieces, Handle, _pieces, _i64s),
}
# end of collio.h


def call(name: str, *arguments: Any) -> None:
    """Calls collio_<name>(). Raises the Error of its code; other Python threads run meanwhile."""
    native = library()
    number = getattr(native, f"collio_{name}")(*arguments)
    if number != 0:
        raise error_of(number, native.collio_error_text().decode(errors="replace"))


def int64s(numbers: Any) -> Any:
    """The numbers as a C array. Raises ValueError for those that do not fit."""
    if any(not -(1 << 63) <= number < 1 << 63 for number in numbers):
        raise ValueError(f"{tuple(numbers)}: a number does not fit into 64 bits")
    return (ctypes.c_int64 * len(numbers))(*numbers)


@functools.cache
def library() -> ctypes.CDLL:
    """The loaded library. Raises Error where it is missing or cannot be loaded. Needs mpi4py, so that an MPI
    library is in the process."""
    try:
        from mpi4py import MPI  # noqa: F401  # libcollio.so looks for the MPI library once
    except ImportError as error:
        raise ImportError(
            f"collio's Python library needs mpi4py, which cannot be imported ({error}); `pip install mpi4py`"
        ) from error
    path = find_library()
    try:
        loaded = ctypes.CDLL(str(path))
        for name, parameters in _FUNCTIONS.items():
            function = getattr(loaded, f"collio_{name}")
            function.argtypes, function.restype = parameters, ctypes.c_int
        for name in ("error_text", "version"):
            function = getattr(loaded, f"collio_{name}")
            function.argtypes, function.restype = (), ctypes.c_char_p
    except (OSError, AttributeError) as error:
        raise Error(f"{path} cannot be used: {error}") from error
    return loaded


def find_library() -> Path:
    """Path of libcollio.so for the MPI library in this process. Raises Error where there is none."""
    if is_packaged():
        path = PACKAGED / "lib" / LIBRARY
        if not path.is_file():
            raise Error(f"{path} is missing; install collio again")
        return path
    from mpi4py import MPI

    path_or_none = library_of_trees(build_folder(), MPI.Get_library_version(), _speaks_standard_abi())
    if path_or_none is None:
        version = MPI.Get_library_version().splitlines()[0].strip()
        raise Error(
            f"no build of collio for this process's MPI library ({version}) in {build_folder()}; `make "
            "build` makes one per MPI library found"
        )
    return path_or_none


def library_of_trees(trees: Path, version_text: str, standard_abi: bool = False) -> Path | None:
    """libcollio.so of the build tree that fits an MPI library, by the text of its MPI_Get_library_version():
    the same version first, else the family.

    None if no tree has an engine of the family. Reads the folders, changes nothing.
    """
    family = "abi" if standard_abi else OPENMPI if version_text.startswith("Open MPI") else MPICH
    found = re.search(r"\d+\.\d+[\w.]*", version_text)
    own = f"{family}-{found.group(0)}" if found else ""
    fitting = [
        path
        for path in sorted(trees.glob(f"*/lib/{LIBRARY}"))
        if path.with_name(f"libcollio_engine_{family}.so").is_file()
    ]
    return next(iter([path for path in fitting if path.parents[1].name == own] + fitting), None)


def _speaks_standard_abi() -> bool:
    """mpi4py's extension for MPI's standard ABI needs a library of that name."""
    try:
        return "/libmpi_abi.so" in Path("/proc/self/maps").read_text()
    except OSError:
        return False
