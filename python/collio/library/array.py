"""Arrays in HDF5 and CDF-5 files, written and read by all ranks with declared I/O.

    collio.array.write(comm, "out.h5", "temperature", block, shape=(nz, ny, nx), start=(0, y, x))
    block = collio.array.read(comm, "out.h5", "temperature", start=(0, y, x), count=(nz, ny // 4, nx // 4))

Rank 0 makes the file with h5py or netCDF4 and tells the other ranks where each array lies; then all ranks move the data. h5py, netCDF4 and xarray read the
file. Arrays have a fixed shape and are neither chunked nor compressed. Scalars are kept as they are in the file: CDF-5 is big-endian, so its arrays are
converted in a copy.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

import numpy as np

from . import agreement, array_formats
from . import file as files
from .array_formats import Place, Spec
from .decomposition import Decomposition, box
from .errors import Error, NotFoundError
from .memory import Array
from .request import Request
from .variable import Variable

MODES = ("r", "r+", "w")


def write(
    comm: Any, path: str | os.PathLike[str], name: str, block: Array, *, shape: Sequence[int], start: Sequence[int] | None = None,
    decomposition: Decomposition | None = None, dimensions: Sequence[str] = (), hints: Mapping[str, object] | None = None,
) -> None:
    """Makes a file with one array, in place of a file that is there.

    block: this rank's part, of the array's dtype; no elements where it has none. shape: of the whole array, the same on all ranks. start: the block's first
    element (default: zeros); or decomposition: which elements the block has. dimensions: their names in the file. The ending of `path` chooses the format:
    .h5 (HDF5) or .nc (CDF-5).

    Raises ValueError, TypeError, Error. Collective.
    """
    arrays = {name: (shape, np.asarray(block).dtype, dimensions)}
    with open(comm, path, "w", arrays, hints=hints) as file:
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
    hints: Mapping[str, object] | None = None,
) -> ArrayFile:
    """Opens a file of arrays.

    mode: "r" reads, "r+" reads and writes, "w" makes a file with `arrays`: {name: (shape, dtype)} or {name: (shape, dtype, dimension names)}; those of rank 0
    count. format: "hdf5" or "cdf5"; None: by the ending of `path`.

    Raises ValueError, TypeError, Error on all ranks. Collective. Rank 0 reads the file's header and sends O(arrays) bytes.
    """
    comm, name = agreement.communicator(comm), os.fspath(path)

    def prepare() -> dict[str, Place]:
        if mode not in MODES:
            raise ValueError(f"mode is {mode!r}; allowed: {', '.join(map(repr, MODES))}")
        if mode != "w":
            return array_formats.look(name)
        specs = {key: Spec.of(key, *spec) for key, spec in (arrays or {}).items()}
        return array_formats.create(name, format or array_formats.format_of_ending(name), specs)

    places = _from_first_rank(comm, prepare, name)
    return ArrayFile(files.open(comm, name, "r" if mode == "r" else "r+", hints), places)


class ArrayFile:
    """An open file of arrays; made by open(). A context manager as File is.

    `arrays`: by name, with `shape`, `dtype` and `offset`. `file`: the File under it.
    """

    def __init__(self, file: files.File, arrays: dict[str, Place]) -> None:
        self.file = file
        self.arrays = arrays
        self._variables: dict[Any, Variable] = {}

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
        self._variable(name, decomposition).put(block.astype(place.dtype, copy=False))

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
        block = np.zeros(wanted, dtype=place.dtype)
        self._variable(name, decomposition).get(block)
        self.file.fetch()
        return block.astype(place.dtype.newbyteorder("="), copy=False)

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
        known = self._variables.get(key)
        if known is not None:
            return known.decomposition
        made = box(shape, key[1], key[2])
        self._variables[key] = self._variable(name, made)
        return made

    def _variable(self, name: str, decomposition: Decomposition) -> Variable:
        if decomposition.shape != self.arrays[name].shape:
            raise ValueError(f"array {name!r} has the shape {self.arrays[name].shape}, the decomposition {decomposition.shape}")
        key = (name, id(decomposition))  # the variable keeps the decomposition, so no other gets its id
        if key not in self._variables:
            place = self.arrays[name]
            self._variables[key] = self.file.variable(f"{name} {len(self._variables)}", place.dtype, decomposition, place.offset)
        return self._variables[key]


def _from_first_rank(comm: Any, work: Callable[[], dict[str, Place]], path: str) -> dict[str, Place]:
    """What `work` on a file gives on rank 0; its exception is raised on all ranks. Collective."""
    found: dict[str, Place] | Exception = {}
    if comm.rank == 0:
        try:
            found = work()
        except FileNotFoundError as error:
            found = NotFoundError(f"{path}: {error.strerror or error}", "NO_SUCH_FILE")
        except Exception as error:
            found = error if isinstance(error, (ValueError, TypeError, Error)) else Error(f"{path}: {error}")
    found = comm.bcast(found, root=0)
    if isinstance(found, Exception):
        raise found
    return found
