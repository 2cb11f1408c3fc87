"""Where the compiled parts of collio are: in a source tree `build/<mpi-id>/{lib,bin}`, in an installed package beside this file.

A package has one preloaded library and an engine for every family of MPI libraries, so it need not know the MPI beforehand. Its measuring programs name
no MPI library: the one they use is preloaded, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from collio.mpi_libraries import MpiLibrary

INTERPOSER = "libcollio_mpiio.so"
YIELD_PRELOAD = "libcollio_yield.so"
PACKAGED = Path(__file__).resolve().parent / "native"


@dataclass(frozen=True)
class Build:
    """None of its files need exist. `programs`: the folder of its programs, where that is not bin/ of `root`."""

    root: Path
    programs: Path | None = None

    @classmethod
    def of(cls, mpi: MpiLibrary) -> "Build":
        return cls(PACKAGED, PACKAGED / "bin" / mpi.family) if is_packaged() else cls(mpi.build_tree)

    @property
    def interposer(self) -> Path:
        return self.root / "lib" / INTERPOSER

    @property
    def yield_preload(self) -> Path:
        """The preload that makes MPICH's progress loop give the processor away (benchmarks only)."""
        return self.root / "lib" / YIELD_PRELOAD

    @property
    def exists(self) -> bool:
        return self.interposer.is_file()

    def program(self, name: str) -> Path:
        return (self.programs or self.root / "bin") / name

    def preloads_of_programs(self, mpi: MpiLibrary) -> list[str]:
        """What its own MPI programs want preloaded besides collio: in a package, the MPI library."""
        return [mpi.library] if self.programs else []


def is_packaged() -> bool:
    """Whether this is an installed package with its compiled parts, not a source tree."""
    return PACKAGED.is_dir()


def advice() -> str:
    """What to do about a program that is missing."""
    return "this package has no such program; a source tree does" if is_packaged() else "`make build` makes it"
