"""Arrays in HDF5 and CDF-5 files, written and read by all ranks with declared I/O.

    collio.array.write(comm, "out.h5", "temperature", block, shape=(nz, ny, nx), start=(0, y, x))
    block = collio.array.read(comm, "out.h5", "temperature", start=(0, y, x), count=(nz, ny // 4, nx // 4))

Rank 0 makes the file with h5py or netCDF4 and tells the other ranks where each array lies; then all ranks move the data. h5py, netCDF4 and xarray read the
file. Arrays have a fixed shape and are neither chunked nor compressed. Scalars are kept as they are in the file: CDF-5 is big-endian, so its arrays are
converted in a copy.

With `subfiles` a CDF-5 file is a master and that number of subfiles, each with a part of every array (array_subfiles.py). Such a file is read as any other.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeVar

import numpy as np

from . import agreement, array_formats, array_subfiles, memory
from . import file as files
from .array_alone import references as references
from .array_formats import Place, Spec
from .array_subfiles import Contents, Master, Subfile, Wish
from .decomposition import Decomposition, box
from .decomposition import map as map_of
from .errors import Error, NotFoundError
from .memory import Array
from .request import Request
from .variable import Variable

MODES = ("r", "r+", "w")


def write(
    comm: Any, path: str | os.PathLike[str], name: str, block: Array, *, shape: Sequence[int], start: Sequence[int] | None = None,
    decomposition: Decomposition | None = None, dimensions: Sequence[str] = (), hints: Mapping[str, object] | None = None,
    subfiles: int | None = None, par_dim: str | int | None = None,
) -> None:
    """Makes a file with one array, in place of a file that is there.

    block: this rank's part, of the array's dtype; no elements where it has none. shape: of the whole array, the same on all ranks. start: the block's first
    element (default: zeros); or decomposition: which elements the block has. dimensions: their names in the file. The ending of `path` chooses the format:
    .h5 (HDF5) or .nc (CDF-5). subfiles, par_dim: as in open().

    Raises ValueError, TypeError, Error. Collective.
    """
    arrays = {name: (shape, np.asarray(block).dtype, dimensions)}
    with open(comm, path, "w", arrays, hints=hints, subfiles=subfiles, par_dim=par_dim) as file:
        file.put(name, block, start, decomposition)
        file.commit(wait=True)


def read(
    comm: Any, path: str | os.PathLike[str], name: str, *, start: Sequence[int] | None = None, count: Sequence[int] | None = None,
    decomposition: Decomposition | None = None, hints: Mapping[str, object] | None = None,
) -> Array:
    """This rank's part of an array: count[d] elements from start[d] on (default: all), or the elements of a decomposition, as one dimension.

    Returns a new array in the machine's byte order. Raises KeyError for an array that is not there or not contiguous; ValueError, Error. Collective.
    """
    with open(comm, path, "r", hints=hints) as file:
        return file.read(name, start, count, decomposition)


def open(
    comm: Any, path: str | os.PathLike[str], mode: str = "r", arrays: Mapping[str, Sequence[Any]] | None = None, *, format: str | None = None,
    hints: Mapping[str, object] | None = None, subfiles: int | None = None, par_dim: str | int | None = None, min_ndims: int = 1,
) -> ArrayFile:
    """Opens a file of arrays.

    mode: "r" reads, "r+" reads and writes, "w" makes a file with `arrays`: {name: (shape, dtype)} or {name: (shape, dtype, dimension names)}; those of rank 0
    count. format: "hdf5" or "cdf5"; None: by the ending of `path`.
    subfiles: of a new CDF-5 file, 1 to the length of the dimension that is cut: that named `par_dim` (an index will do), and the first one of arrays that do
    not have it. Arrays of fewer than `min_ndims` dimensions stay in the master. PnetCDF's hint nc_num_subfiles does the same.

    Raises ValueError, TypeError, Error on all ranks. Collective. Rank 0 reads the file's header and sends O(arrays) bytes. Each rank makes, or reads the
    headers of, every P-th subfile; all get O(arrays x subfiles) numbers.
    """
    comm, name = agreement.communicator(comm), os.fspath(path)

    def prepare() -> Contents | Master:
        if mode not in MODES:
            raise ValueError(f"mode is {mode!r}; allowed: {', '.join(map(repr, MODES))}")
        if mode != "w":
            return array_subfiles.look_at_master(name) or Contents(array_formats.look(name))
        specs = {key: Spec.of(key, *spec) for key, spec in (arrays or {}).items()}
        return _create(name, format, specs, array_subfiles.wish_of(hints or {}, subfiles, par_dim, min_ndims))

    found = _from_first_rank(comm, prepare, name)
    contents = _with_subfiles(comm, name, found, mode == "w") if isinstance(found, Master) else found
    file = files.open(comm, name, "r" if mode == "r" else "r+", {**(hints or {}), **contents.hints()})
    return ArrayFile(file, contents.places)


@dataclass
class _Part:
    """What this rank has of an array, or of one of its pieces. `of_block`: the index of these elements in the block of a box, or in the row of a map."""

    variable: Variable
    of_block: Any = ...


class ArrayFile:
    """An open file of arrays; made by open(). A context manager as File is.

    `arrays`: by name, with `shape`, `dtype` and `offset`. `file`: the File under it. A file with subfiles is one File; its bytes are those of one subfile after
    the other, at distances.
    """

    def __init__(self, file: files.File, arrays: dict[str, Place]) -> None:
        self.file = file
        self.arrays = arrays
        self._boxes: dict[Any, Decomposition] = {}
        self._parts: dict[Any, tuple[Decomposition, list[_Part]]] = {}

    def put(self, name: str, block: Array, start: Sequence[int] | None = None, decomposition: Decomposition | None = None) -> None:
        """This rank's part of an array, to be written by the next commit; start and decomposition as in write(). The block must not change before.

        Raises KeyError, TypeError for another dtype, ValueError. Not collective.
        """
        place = self._place(name)
        if not isinstance(block, np.ndarray) or block.dtype.newbyteorder("=") != place.dtype.newbyteorder("="):
            raise TypeError(f"array {name!r} has the dtype {place.dtype}, the block {getattr(block, 'dtype', type(block).__name__)}")
        if decomposition is None:
            if block.size == 0:
                return
            decomposition = self._box(name, start, block.shape)
        parts = self._parts_of(name, decomposition)
        if place.cut is not None:
            memory.checked(f"put of {name!r}", block, block.dtype, decomposition.elements)
            block = block.reshape(decomposition.box[1] if decomposition.box else -1)
        for part in parts:
            part.variable.put(block[part.of_block].astype(place.dtype, copy=False))

    def commit(self, wait: bool = False) -> Request | None:
        """Writes what ranks have put; as File.commit(). Collective."""
        if wait:
            self.file.commit(wait=True)
            return None
        return self.file.commit()

    def read(
        self, name: str, start: Sequence[int] | None = None, count: Sequence[int] | None = None, decomposition: Decomposition | None = None,
    ) -> Array:
        """This rank's part of an array; as read() of the module. Collective."""
        place = self._place(name)
        if decomposition is None:
            first = (0,) * len(place.shape) if start is None else tuple(start)
            wanted = tuple(length - at for length, at in zip(place.shape, first)) if count is None else tuple(count)
            decomposition = self._box(name, first, wanted)
        else:
            wanted = (decomposition.elements,)
        block = np.zeros(decomposition.box[1] if decomposition.box else decomposition.elements, dtype=place.dtype)
        apart = []
        for part in self._parts_of(name, decomposition):
            into = block[part.of_block]
            part.variable.get(into)
            if not np.may_share_memory(into, block):
                apart.append((part.of_block, into))
        self.file.fetch()
        for chosen, values in apart:
            block[chosen] = values
        return block.reshape(wanted).astype(place.dtype.newbyteorder("="), copy=False)

    def close(self) -> None:
        """As File.close(). Collective."""
        self.file.close()

    def __enter__(self) -> ArrayFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.file.__exit__(kind, error, trace)

    def _place(self, name: str) -> Place:
        if name not in self.arrays:
            raise KeyError(f"{self.file.path} has no contiguous array {name!r}; it has {', '.join(map(repr, self.arrays)) or 'none'}")
        return self.arrays[name]

    def _box(self, name: str, start: Sequence[int] | None, count: Sequence[int]) -> Decomposition:
        """The decomposition of a block; the same object for the same block."""
        shape = self.arrays[name].shape
        key = (name, tuple(start) if start is not None else (0,) * len(shape), tuple(count))
        if key not in self._boxes:
            self._boxes[key] = box(shape, key[1], key[2])
        return self._boxes[key]

    def _parts_of(self, name: str, decomposition: Decomposition) -> list[_Part]:
        """What the decomposition has of an array: one part, or one for each piece that it meets. The same objects for the same decomposition."""
        if decomposition.shape != self.arrays[name].shape:
            raise ValueError(f"array {name!r} has the shape {self.arrays[name].shape}, the decomposition {decomposition.shape}")
        key = (name, id(decomposition))  # the decomposition is kept, so no other gets its id
        if key not in self._parts:
            self._parts[key] = (decomposition, list(self._cut(name, self.arrays[name], decomposition)))
        return self._parts[key][1]

    def _cut(self, name: str, place: Place, decomposition: Decomposition) -> Iterator[_Part]:
        def variable(decomposition: Decomposition, offset: int) -> Variable:
            return self.file.variable(f"{name} {len(self.file.variables)}", place.dtype, decomposition, offset)

        if place.cut is None:
            yield _Part(variable(decomposition, place.offset))
        elif decomposition.box is not None:
            for one in place.cut.of_box(*decomposition.box):
                yield _Part(variable(box(place.cut.piece_shape(one.piece), one.start, one.count), place.offsets[one.piece]), one.block)
        else:
            for part in place.cut.of_map(decomposition.indices()):
                yield _Part(variable(map_of(place.cut.piece_shape(part.piece), part.indices), place.offsets[part.piece]), part.chosen)


# --- opening ------------------------------------------------------------------------------------


def _create(path: str, format: str | None, specs: Mapping[str, Spec], wish: Wish | None) -> Contents | Master:
    """On rank 0: makes a file, or the master of one. Raises Error, OSError, ValueError."""
    kind = format or array_formats.format_of_ending(path)
    if wish is None:
        array_subfiles.remove_subfiles(path)
        return Contents(array_formats.create(path, kind, specs))
    if kind != array_formats.CDF5:
        raise ValueError(f"{path}: subfiles is {wish.count}, and the format {kind!r}; allowed with subfiles: {array_formats.CDF5!r}")
    return array_subfiles.make_master(path, specs, wish)


def _with_subfiles(comm: Any, path: str, master: Master, making: bool) -> Contents:
    """All arrays of a master and its subfiles; makes these first. Each rank takes every P-th. Raises the same error on all ranks. Collective."""
    looked: dict[int, Subfile | Exception] = {}
    for number in range(comm.rank, master.count, comm.size):
        try:
            if making:
                array_subfiles.make_subfile(path, master, number)
            looked[number] = array_subfiles.look_at_subfile(path, master, number)
        except Exception as error:
            looked[number] = _told(error, f"subfile {number} of {path}")
            break
    gathered = comm.gather(looked, root=0)

    def join() -> Contents:
        found = {number: one for rank in gathered for number, one in rank.items()}
        for _, one in sorted(found.items()):
            if isinstance(one, Exception):
                raise one
        return array_subfiles.contents(master, [found[number] for number in range(master.count)])

    return _from_first_rank(comm, join, path)


_Found = TypeVar("_Found")


def _from_first_rank(comm: Any, work: Callable[[], _Found], path: str) -> _Found:
    """What `work` on a file gives on rank 0; its exception is raised on all ranks. Collective."""
    found: _Found | Exception | None = None
    if comm.rank == 0:
        try:
            found = work()
        except Exception as error:
            found = _told(error, path)
    found = comm.bcast(found, root=0)
    if isinstance(found, Exception):
        raise found
    return found  # type: ignore[return-value]


def _told(error: Exception, path: str) -> Exception:
    """An exception as this module raises it."""
    if isinstance(error, FileNotFoundError) and not isinstance(error, Error):
        return NotFoundError(f"{path}: {error.strerror or error}", "NO_SUCH_FILE")
    return error if isinstance(error, (ValueError, TypeError, Error)) else Error(f"{path}: {error}")
