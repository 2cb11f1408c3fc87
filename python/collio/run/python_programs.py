"""Which MPI library a program in Python is of: its interpreter is linked with none, its mpi4py is."""

from __future__ import annotations

import re
from pathlib import Path

from collio import mpi_libraries
from collio.mpi_libraries import ProgramMpi
from collio.short_commands import output_of

_FOLDERS = (
    "import importlib.util as util; found = util.find_spec('mpi4py'); "
    "print(*(found.submodule_search_locations if found else ()), sep='\\n')"
)


def mpi_of_mpi4py(interpreter: Path, locate: bool = True) -> ProgramMpi | None:
    """That of the interpreter's mpi4py. None: it is no Python, has no mpi4py, or one for several MPI
    libraries, as the wheels of mpi4py are. Starts the interpreter, without mpi4py: some 20 ms."""
    if not re.fullmatch(r"python[\d.]*", interpreter.name):
        return None
    folders = (output_of([str(interpreter), "-c", _FOLDERS]) or "").splitlines()
    extensions = [path for folder in folders for path in sorted(Path(folder).glob("MPI.*so"))]
    return mpi_libraries.mpi_of_program(str(extensions[0]), locate) if len(extensions) == 1 else None
