"""Arrays in HDF5 and CDF-5 files, written and read by all ranks with declared I/O.

    collio.array.write(comm, "out.h5", "temperature", block, shape=(nz, ny, nx), start=(0, y, x))
    block = collio.array.read(comm, "out.h5", "temperature", start=(0, y, x), count=(nz, ny // 4, nx // 4))

Rank 0 makes the file with h5py or netCDF4 and tells the other ranks where each array lies; then all ranks
move the data. h5py, netCDF4 and xarray read the file. Arrays are neither chunked nor compressed. Scalars are
kept as they are in the file: CDF-5 is big-endian, so its arrays are converted in a copy.

In CDF-5 the first dimension of an array may be that of records, as time is in many models: its length is
None, and every put is for one record.

With `subfiles` a CDF-5 file is a master and that number of subfiles, each with a part of every array
(subfile_set.py). Such a file is read as any other, and has records as any other.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from collio.flushing import flush_folder

from .. import agreement
from .. import file as files
from ..decomposition import Decomposition
from ..memory import Array
from . import creation, formats, subfile_set
from .alone import references as references
from .array_file import ArrayFile as ArrayFile
from .formats import Spec
from .hdf5_view import hdf5_view as hdf5_view
from .ranks import as_raised, from_first_rank
from .subfile_set import Contents, Master, Subfile, Wish

MODES = ("r", "r+", "w")


def write(
    comm: Any,
    path: str | os.PathLike[str],
    name: str,
    block: Array,
    *,
    shape: Sequence[int | None],
    start: Sequence[int] | None = None,
    decomposition: Decomposition | None = None,
    dimensions: Sequence[str] = (),
    hints: Mapping[str, object] | None = None,
    subfiles: int | None = None,
    par_dim: str | int | None = None,
) -> None:
    """Makes a file with one array, in place of a file that is there.

    block: this rank's part, of the array's dtype; no elements where it has none. shape: of the whole array,
    the same on all ranks; the first length may be None, and the block is record 0. start: the block's first
    element (default: zeros); or decomposition: which elements the block has. dimensions: their names in the
    file. The ending of `path` chooses the format: .h5 (HDF5) or .nc (CDF-5). subfiles, par_dim: as in open().

    Raises ValueError, TypeError, Error. Collective.
    """
    arrays = {name: (shape, np.asarray(block).dtype, dimensions)}
    with open(comm, path, "w", arrays, hints=hints, subfiles=subfiles, par_dim=par_dim) as file:
        file.put(name, block, start, decomposition, 0 if shape[0] is None else None)
        file.commit()


def read(
    comm: Any,
    path: str | os.PathLike[str],
    name: str,
    *,
    start: Sequence[int] | None = None,
    count: Sequence[int] | None = None,
    decomposition: Decomposition | None = None,
    record: int | None = None,
    hints: Mapping[str, object] | None = None,
) -> Array:
    """This rank's part of an array: count[d] elements from start[d] on (default: all), or the elements of a
    decomposition, as one dimension.

    record: of an array of records, whose start, count and decomposition are those of one record; None: all,
    as the first dimension.

    Returns a new array in the machine's byte order. Raises KeyError for an array that is not there or not
    contiguous; ValueError, Error. Collective.
    """
    with open(comm, path, "r", hints=hints) as file:
        return file.read(name, start, count, decomposition, record)


def open(
    comm: Any,
    path: str | os.PathLike[str],
    mode: str = "r",
    arrays: Mapping[str, Sequence[Any]] | None = None,
    *,
    format: str | None = None,
    hints: Mapping[str, object] | None = None,
    subfiles: int | None = None,
    par_dim: str | int | None = None,
    min_ndims: int = 1,
) -> ArrayFile:
    """Opens a file of arrays.

    mode: "r" reads, "r+" reads and writes, "w" makes a file with `arrays`: {name: (shape, dtype)} or {name:
    (shape, dtype, dimension names)}; those of rank 0 count. shape[0] may be None: an array of records.
    format: "hdf5" or "cdf5"; None: by the ending of `path`.
    subfiles: of a new CDF-5 file, 1 to the length of the dimension that is cut: that named `par_dim` (an
    index will do), and the first one of arrays that do not have it; of arrays of records the second one.
    Arrays of fewer than `min_ndims` dimensions stay in the master, and so do arrays that have the dimension
    of records alone. PnetCDF's hint nc_num_subfiles does the same. The hint collio_subfile_dirs deals
    subfiles to folders, one on each storage target for instance, and leaves links beside the master.

    Raises ValueError, TypeError, Error on all ranks. Collective. Rank 0 reads the file's header and sends
    O(arrays) bytes. Each rank makes, or reads the headers of, every P-th subfile; all get O(arrays x
    subfiles) numbers.
    """
    comm, name = agreement.communicator(comm), os.fspath(path)
    agreement.meet(comm)

    def prepare() -> tuple[str | None, Contents | Master]:
        if mode not in MODES:
            raise ValueError(f"mode is {mode!r}; allowed: {', '.join(map(repr, MODES))}")
        linked = os.path.realpath(name) if os.path.islink(name) else None
        there = linked or name
        if mode != "w":
            return linked, subfile_set.look_at_master(there) or Contents(*formats.look_at_all(there))
        specs = {key: Spec.of(key, *spec) for key, spec in (arrays or {}).items()}
        return linked, _create(
            there, format, specs, creation.wish_of(hints or {}, subfiles, par_dim, min_ndims)
        )

    linked, found = from_first_rank(comm, prepare, name)
    name = linked or name  # subfiles lie beside their master, whatever links lead to it
    contents = _with_subfiles(comm, name, found, mode == "w") if isinstance(found, Master) else found
    file = files.open(comm, name, "r" if mode == "r" else "r+", {**(hints or {}), **contents.hints()})
    return ArrayFile(file, contents)


# --- opening ------------------------------------------------------------------------------------


def _create(path: str, format: str | None, specs: Mapping[str, Spec], wish: Wish | None) -> Contents | Master:
    """On rank 0: makes a file, or the master of one. Raises Error, OSError, ValueError."""
    kind = format or formats.format_of_ending(path)
    if wish is not None and kind != formats.CDF5:
        raise ValueError(
            f"{path}: subfiles is {wish.count}, and the format {kind!r}; allowed with subfiles: "
            f"{formats.CDF5!r}"
        )
    formats.check(kind, specs)
    if wish is not None:
        return creation.make_master(path, specs, wish)
    creation.remove_subfiles(path)
    return Contents(*formats.create(path, kind, specs))


def _with_subfiles(comm: Any, path: str, master: Master, making: bool) -> Contents:
    """All arrays of a master and its subfiles; makes these first. Each rank takes every P-th. Raises the same
    error on all ranks. Collective."""
    looked: dict[int, Subfile | Exception] = {}
    for number in range(comm.rank, master.count, comm.size):
        try:
            if making:
                creation.make_subfile(path, master, number)
            looked[number] = subfile_set.look_at_subfile(path, master, number)
        except Exception as error:
            looked[number] = as_raised(error, f"subfile {number} of {path}")
            break
    gathered = comm.gather(looked, root=0)

    def join() -> Contents:
        found = {number: one for rank in gathered for number, one in rank.items()}
        for _, one in sorted(found.items()):
            if isinstance(one, Exception):
                raise one
        if making:  # links, too
            flush_folder(os.path.dirname(path))
        return subfile_set.contents(path, master, [found[number] for number in range(master.count)])

    return from_first_rank(comm, join, path)
