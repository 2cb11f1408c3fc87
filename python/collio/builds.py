"""Where the compiled parts of collio are: in a source tree `build/<mpi-id>/{lib,bin}`, in an installed
package beside this file.

A package has one preloaded library and an engine for every family of MPI libraries, so it need not know the
MPI beforehand. Its measuring programs name no MPI library: the one they use is preloaded, too.
"""

from __future__ import annotations

import functools
import os
import re
from pathlib import Path
from typing import NamedTuple

from collio import mpi_libraries
from collio.mpi_libraries import MpiLibrary

INTERPOSER = "libcollio_mpiio.so"
YIELD_PRELOAD = "libcollio_yield.so"
VIEW_PRELOAD = "libcollio_view.so"
JOB_VIEW_PRELOAD = "libcollio_job_view.so"
TIMERS_PRELOAD = "libcollio_timers.so"
PACKAGED = Path(__file__).resolve().parent / "native"


class Build(NamedTuple):
    """None of its files need exist. `programs`: the folder of its programs, where that is not bin/ of
    `root`."""

    root: Path
    programs: Path | None = None

    @classmethod
    def of(cls, mpi: MpiLibrary) -> Build:
        return cls(PACKAGED, PACKAGED / "bin" / mpi.family) if is_packaged() else cls(mpi.build_tree)

    @property
    def interposer(self) -> Path:
        return preloadable(self.root / "lib") / INTERPOSER

    @property
    def job_preloads(self) -> str:
        """What the ranks of a job get: the interposer, and what shows files in subfiles to calls past
        MPI-IO."""
        view = preloadable(self.root / "lib") / JOB_VIEW_PRELOAD
        return f"{self.interposer}:{view}" if view.is_file() else str(self.interposer)

    @property
    def timers(self) -> Path:
        """The preload that times the functions of libraries above MPI-IO, for a report."""
        return preloadable(self.root / "lib") / TIMERS_PRELOAD

    @property
    def yield_preload(self) -> Path:
        """The preload that makes MPICH's progress loop give the processor away (benchmarks only)."""
        return preloadable(self.root / "lib") / YIELD_PRELOAD

    @property
    def exists(self) -> bool:
        return self.interposer.is_file()

    def program(self, name: str) -> Path:
        return (self.programs or self.root / "bin") / name

    def preloads_of_programs(self, mpi: MpiLibrary) -> list[str]:
        """What its own MPI programs want preloaded besides collio: in a package, the MPI library."""
        return [mpi.library] if self.programs else []


def preloadable(folder: Path) -> Path:
    """A name of `folder` that LD_PRELOAD can hold: spaces and colons separate its entries, so such a folder
    gets a link in the user's cache folder, which the nodes of a job usually share. `folder` itself where no
    link can be made."""
    if not _SEPARATOR.search(str(folder)) or not folder.is_dir():
        return folder
    import hashlib  # few need it

    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "collio"
    link = cache / hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    try:
        cache.mkdir(parents=True, exist_ok=True)
        if not link.is_symlink():
            link.symlink_to(folder, target_is_directory=True)
    except FileExistsError:  # by another process, meanwhile
        pass
    except OSError:
        return folder
    return folder if _SEPARATOR.search(str(link)) else link


_SEPARATOR = re.compile(r"[\s:]")


@functools.cache
def find_program(name: str) -> Path | None:
    """A program that knows no MPI: that of any build will do."""
    places = (
        [PACKAGED / "bin"]
        if is_packaged()
        else [mpi.build_tree / "bin" for mpi in mpi_libraries.find_mpi_libraries()]
    )
    return next((place / name for place in places if (place / name).is_file()), None)


def find_library(name: str) -> Path | None:
    """The same of a library to preload."""
    places = (
        [PACKAGED / "lib"]
        if is_packaged()
        else [mpi.build_tree / "lib" for mpi in mpi_libraries.find_mpi_libraries()]
    )
    return next((preloadable(place) / name for place in places if (place / name).is_file()), None)


def is_packaged() -> bool:
    """Whether this is an installed package with its compiled parts, not a source tree."""
    return PACKAGED.is_dir()


def advice() -> str:
    """What to do about a program that is missing."""
    return (
        "this package has no such program; a source tree does" if is_packaged() else "`make build` makes it"
    )
