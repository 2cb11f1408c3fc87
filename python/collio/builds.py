"""The files of collio's own build for one MPI library: `build/<mpi-id>/{lib,bin}`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from collio.mpi_libraries import MpiLibrary

INTERPOSER = "libcollio_mpiio.so"
YIELD_PRELOAD = "libcollio_yield.so"


@dataclass(frozen=True)
class Build:
    """A build tree; none of its files need exist."""

    root: Path

    @classmethod
    def of(cls, mpi: MpiLibrary) -> "Build":
        return cls(mpi.build_tree)

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
        return self.root / "bin" / name
