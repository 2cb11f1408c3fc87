"""What the demo writes: a decomposition of E3SM's atmosphere grid, how many variables of it, and where."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from collio.bench import machine
from collio.bench.engines import BenchError
from collio.mpi_libraries import OPENMPI, MpiLibrary
from collio.wording import format_bytes

if TYPE_CHECKING:  # NumPy, which only the runs need
    from collio.e3sm import MapSet

ELEMENT_BYTES = 4
HEADER_BYTES = 512
MANY_PIECES = 100_000  # in one variable of each decomposition
FILES = 3
"""Files at once: native's, collio's, the floor's."""


@dataclass(frozen=True)
class Case:
    """One checkpoint. `per_decomposition` counts variables of each decomposition of the map, in its order."""

    title: str
    map_binary: Path
    ranks: int
    per_decomposition: tuple[int, ...]
    file_bytes: int
    pieces: int
    shortened: bool
    maps: MapSet = field(repr=False)
    has_holes: bool = False

    @property
    def variables(self) -> str:
        return ",".join(map(str, self.per_decomposition))


@dataclass(frozen=True)
class CaseGrid:
    """Which decompositions: generated, or those of a file of the E3SM-IO benchmark."""

    ne: int
    levels: int
    map_file: Path | None = None
    holes: float = 0.0


def make_case(grid: CaseGrid, ranks: int, mpi: MpiLibrary, scratch: Path) -> Case:
    """The checkpoint for one MPI: 2 flat and 4 deep variables of each decomposition. Raises BenchError.

    With Open MPI a grid of a third the resolution, or one variable of each decomposition in a file, when
    there are many pieces: its own collective I/O takes minutes for the whole.
    """
    from collio import e3sm  # NumPy and netCDF4: slow to import

    openmpi = mpi.family == OPENMPI
    coarser = openmpi and grid.map_file is None and grid.ne > 10
    ne = grid.ne // 3 if coarser else grid.ne
    try:
        if grid.map_file:
            maps, title = e3sm.deal_out(e3sm.read_map(str(grid.map_file)), ranks=ranks), grid.map_file.name
        else:
            maps = e3sm.generate(ne=ne, levels=grid.levels, ranks=ranks, holes=grid.holes)
            title = f"atmosphere ne{ne}, {6 * (3 * ne) ** 2 + 2:,} columns x {grid.levels} levels"
    except e3sm.MapError as error:
        raise BenchError(str(error)) from None
    fewer = (
        openmpi and grid.map_file is not None and sum(maps[name].pieces for name in maps.names) > MANY_PIECES
    )
    binary = scratch / f"{mpi.id}.map"
    e3sm.write_binary(maps, str(binary))
    counts = tuple(1 if fewer else 4 if len(maps[name].dims) > 1 else 2 for name in maps.names)
    chosen = [(count, maps[name]) for count, name in zip(counts, maps.names)]
    return Case(
        title,
        binary,
        maps.ranks,
        counts,
        file_bytes=HEADER_BYTES + sum(count * one.elements * ELEMENT_BYTES for count, one in chosen),
        pieces=sum(count * one.pieces for count, one in chosen),
        shortened=coarser or fewer,
        maps=maps,
        has_holes=any(one.covered < one.elements for _, one in chosen),
    )


def choose_folder(wanted: Path | None, file_bytes: int) -> Path:
    """`wanted`, or the first of /dev/shm, $TMPDIR, /tmp with room for the demo's files. Raises BenchError."""
    need = FILES * file_bytes + (64 << 20)
    candidates = (
        [wanted] if wanted else [Path("/dev/shm"), Path(os.environ.get("TMPDIR", "/tmp")), Path("/tmp")]
    )
    tried = []
    for folder in candidates:
        if not (folder.is_dir() and os.access(folder, os.W_OK)):
            tried.append(f"{folder} cannot be written to")
        elif machine.free_bytes(folder) < need:
            tried.append(f"{folder} has {format_bytes(machine.free_bytes(folder))} free")
        else:
            return folder
    raise BenchError(
        f"no room for {format_bytes(need)} of files: {'; '.join(tried)}; name a folder with --dir"
    )
