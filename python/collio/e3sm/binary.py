"""The map as a plain binary file, for the C programs (reader: bench/e3sm_map.h). Native byte order, all
integers int64.

    bytes 0-7    "COLLIOE3"
    8            version, 1
    16           ranks
    24           decompositions
    32           one 64-byte record per decomposition: name (16 characters, NUL-padded), number of dims
                 (1 to 4), dims[4] (unused ones 1), runs over all ranks
    then         for each decomposition: runs of each rank, ranks values
    then         for each decomposition, rank after rank: (offset, length) of each run, in elements of the
                 variable, sorted and coalesced within the rank

The file ends there: its size follows from the records, so a truncated file is known by its size.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .mapset import Decomposition, MapError, MapSet

MAGIC = b"COLLIOE3"
VERSION = 1
MOST_DIMS = 4
RECORD = np.dtype([("name", "S16"), ("ndims", "i8"), ("dims", "i8", (MOST_DIMS,)), ("runs", "i8")])


def write_binary(maps: MapSet, path: str | Path) -> None:
    """Write the maps. Raises MapError for a map the format has no room for, OSError as the file system gives
    it."""
    records = np.zeros(len(maps.decompositions), dtype=RECORD)
    for record, d in zip(records, maps.decompositions):
        if len(d.name.encode()) > 15:
            raise MapError(f"decomposition name {d.name!r} is too long; allowed: 15 bytes")
        if not 1 <= len(d.dims) <= MOST_DIMS:
            raise MapError(f"{d.name}: has {len(d.dims)} dims; allowed: 1 to {MOST_DIMS}")
        record["name"], record["ndims"], record["runs"] = d.name.encode(), len(d.dims), d.pieces
        record["dims"] = (*d.dims, *(1,) * (MOST_DIMS - len(d.dims)))
    with open(path, "wb") as file:
        file.write(MAGIC)
        file.write(np.array([VERSION, maps.ranks, len(records)], dtype=np.int64).tobytes())
        file.write(records.tobytes())
        for d in maps.decompositions:
            file.write(d.counts.astype(np.int64).tobytes())
        for d in maps.decompositions:
            file.write(np.ascontiguousarray(d.runs, dtype=np.int64).data)


def read_binary(path: str | Path) -> MapSet:
    """Read and check what write_binary wrote."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise MapError(f"{path}: {error.strerror}") from error
    if data[:8] != MAGIC:
        raise MapError(f"{path}: starts with {data[:8]!r}; a binary map starts with {MAGIC!r}")
    version, ranks, number = (int(v) for v in _take(path, data, 8, 3))
    if version != VERSION:
        raise MapError(f"{path}: version {version}; allowed: {VERSION}")
    if ranks < 1 or number < 1:
        raise MapError(f"{path}: {ranks} ranks and {number} decompositions; allowed: 1 or more of each")
    at = 32 + number * RECORD.itemsize
    if len(data) < at:
        raise MapError(f"{path}: has {len(data)} bytes, its head alone needs {at}; the file is truncated")
    records = np.frombuffer(data, dtype=RECORD, count=number, offset=32)
    counts = _take(path, data, at, number * ranks).reshape(number, ranks)
    at += counts.nbytes
    decompositions = []
    for record, count in zip(records, counts):
        name, ndims, runs = record["name"].decode(errors="replace"), int(record["ndims"]), int(record["runs"])
        if not 1 <= ndims <= MOST_DIMS or (record["dims"] < 1).any():
            raise MapError(
                f"{path}: {name}: {ndims} dims {record['dims'].tolist()}; allowed: 1 to {MOST_DIMS} dims of "
                "1 or more"
            )
        pairs = _take(path, data, at, 2 * runs).reshape(-1, 2)
        at += pairs.nbytes
        d = Decomposition(name, tuple(int(v) for v in record["dims"][:ndims]), count, pairs)
        d.check(str(path))
        decompositions.append(d)
    if at != len(data):
        raise MapError(f"{path}: has {len(data)} bytes, but its head describes {at}")
    return MapSet(tuple(decompositions), str(path))


def _take(path: str | Path, data: bytes, at: int, count: int) -> np.ndarray:
    if count < 0 or len(data) < at + 8 * count:
        raise MapError(
            f"{path}: has {len(data)} bytes, its head describes at least {at + 8 * count}; the file is "
            "truncated or its head is corrupt"
        )
    return np.frombuffer(data, dtype=np.int64, count=count, offset=at)
