"""Arrays of a CDF file or of a master with its subfiles, for a program without MPI: parts of one, and
references for other readers.

The engine is not used: mmap(2) brings the pages that are touched.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any, Union

import numpy as np

from ..memory import Array
from . import classic_header, cutting, formats, subfile_set
from .cutting import Cut
from .formats import Place
from .subfile_set import Contents

Key = tuple[Union[int, slice], ...]
KERCHUNK_VERSION = 1


def look(path: str) -> Contents:
    """All arrays of a file; subfiles are checked. Raises Error, OSError, ValueError."""
    master = subfile_set.look_at_master(path)
    if master is None:
        return Contents(*formats.look_at_all(path))
    return subfile_set.contents(
        path, master, [subfile_set.look_at_subfile(path, master, i) for i in range(master.count)]
    )


def shape_of(contents: Contents, name: str) -> tuple[int, ...]:
    """Of an array; the first length of an array of records is their number."""
    return cut_of(contents, contents.places[name]).shape


def read(path: str, contents: Contents, name: str, key: Key) -> Array:
    """array[key], key being an integer or a slice for each dimension; in the byte order of the file. Raises
    Error, OSError. O(pieces) and the elements."""
    place = contents.places[name]
    cut = cut_of(contents, place)
    wanted = np.arange(cut.shape[cut.along])[key[cut.along]]
    in_row = np.atleast_1d(wanted)
    parts = []
    for piece in range(len(cut.begins) - 1):
        inside = in_row[(in_row >= cut.begins[piece]) & (in_row < cut.begins[piece + 1])] - cut.begins[piece]
        if inside.size:
            index: list[Any] = [_kept(one) for one in key]
            index[cut.along] = inside
            parts.append(_mapped(path, contents, place, piece)[tuple(index)])
    if len(in_row) > 1 and in_row[0] > in_row[-1]:
        parts.reverse()
    empty = np.zeros([len(np.arange(n)[_kept(one)]) for n, one in zip(cut.shape, key)], place.dtype)
    found: Array = np.concatenate(parts, axis=cut.along) if parts else empty
    return found[tuple(0 if isinstance(one, (int, np.integer)) else slice(None) for one in key)]


def references(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Kerchunk's references (version 1) to the arrays and scalars of a netCDF classic file, or of a master
    and its subfiles: fsspec's "reference" file system shows them to zarr and xarray as a store of Zarr
    version 2, with nothing of collio's.

    A chunk is what a subfile has of an array, or of one record of it. Zarr's chunks have one shape, so where
    a subfile has fewer elements than another, the chunk has as many along the dimension that is cut as divide
    all their numbers, and one along each dimension before it. Paths are absolute. Raises Error, OSError,
    ValueError.
    """
    name = os.path.realpath(os.fspath(path))
    with open(name, "rb") as stream:
        if stream.read(3) != b"CDF":
            raise ValueError(f"{name} is no file of netCDF's classic formats; allowed: CDF-1, CDF-2, CDF-5")
        header = classic_header.read(stream, name)
    contents = look(name)
    refs: dict[str, Any] = {".zgroup": {"zarr_format": 2}, ".zattrs": _attributes(header.attributes)}
    for array, place in contents.places.items():
        cut = cut_of(contents, place)
        chunk = _chunk_of(place)
        refs[f"{array}/.zarray"] = _array(cut.shape, chunk, place.dtype)
        refs[f"{array}/.zattrs"] = {
            **_attributes(header.variables[array].attributes),
            "_ARRAY_DIMENSIONS": list(place.dimensions),
        }
        for at in product(*(range(0, length, step) for length, step in zip(cut.shape, chunk))):
            key = ".".join(str(first // step) for first, step in zip(at, chunk))
            refs[f"{array}/{key}"] = list(_bytes_at(name, contents, place, at)) + [
                prod(chunk) * place.dtype.itemsize
            ]
    for scalar, found in header.variables.items():
        if not found.shape and scalar not in contents.places:
            refs[f"{scalar}/.zarray"] = _array((), (), found.dtype)
            refs[f"{scalar}/.zattrs"] = {**_attributes(found.attributes), "_ARRAY_DIMENSIONS": []}
            refs[f"{scalar}/0"] = [name, found.offset, found.dtype.itemsize]
    return {"version": KERCHUNK_VERSION, "refs": refs}


def _array(shape: Sequence[int], chunk: Sequence[int], dtype: np.dtype[Any]) -> dict[str, Any]:
    """What Zarr says of an array."""
    return {
        "zarr_format": 2,
        "shape": list(shape),
        "chunks": list(chunk),
        "dtype": dtype.str,
        "order": "C",
        "fill_value": None,
        "compressor": None,
        "filters": None,
    }


def _attributes(attributes: classic_header.Attributes) -> dict[str, Any]:
    """As Zarr has them, without those of subfiles."""
    found: dict[str, Any] = {}
    for name, value in attributes.items():
        if not name.startswith(cutting.PREFIX):
            found[name] = (
                value.tobytes().decode(errors="replace")
                if value.dtype.kind == "S"
                else value[0].item()
                if value.size == 1
                else value.tolist()
            )
    return found


def cut_of(contents: Contents, place: Place) -> Cut:
    """A whole array is one piece. Of an array of records the cut of all of them."""
    if not place.record_bytes:
        return place.cut or Cut(place.shape, 0, (0, place.shape[0]))
    records = contents.records.count if contents.records else 0
    if place.cut is None:
        return Cut((records, *place.shape), 0, (0, records))
    return Cut((records, *place.shape), place.cut.along + 1, place.cut.begins)


def _chunk_of(place: Place) -> tuple[int, ...]:
    """Elements of a chunk, which is contiguous in its file."""
    chunk = place.cut.chunk() if place.cut else place.shape
    return (1, *chunk) if place.record_bytes else chunk


def _kept(one: int | slice) -> slice:
    """The index that keeps the dimension."""
    return one if isinstance(one, slice) else slice(one, one + 1 or None)


def file_of(path: str, contents: Contents, place: Place, piece: int) -> tuple[str, int, int]:
    """The file that has a piece, the piece's first byte there, and the bytes from one record to the next."""
    offset = place.offsets[piece] if place.cut else place.offset
    if contents.layout is None:
        return path, offset, place.record_bytes
    number, inside = contents.layout.file_of(offset)
    step = contents.layout.parts[number].bytes if place.record_bytes else 0
    return (
        (path if number == contents.layout.count - 1 else cutting.subfile_path(path, number)),
        inside,
        step,
    )


def _bytes_at(path: str, contents: Contents, place: Place, at: tuple[int, ...]) -> tuple[str, int]:
    """File and byte of an element that is the first one of a chunk."""
    cut = cut_of(contents, place)
    piece = int(np.searchsorted(cut.begins, at[cut.along], side="right")) - 1 if place.cut else 0
    local = list(at)
    local[cut.along] -= cut.begins[piece]
    file, offset, step = file_of(path, contents, place, piece)
    strides = _strides(cut.piece_shape(piece), place, step)
    return file, offset + sum(index * stride for index, stride in zip(local, strides))


def _strides(shape: tuple[int, ...], place: Place, record_bytes: int) -> list[int]:
    """Bytes from one element to the next along each dimension of a piece of this shape."""
    strides = [prod(shape[i + 1 :]) * place.dtype.itemsize for i in range(len(shape))]
    return [record_bytes, *strides[1:]] if place.record_bytes else strides


def _mapped(path: str, contents: Contents, place: Place, piece: int) -> Array:
    file, offset, step = file_of(path, contents, place, piece)
    shape = cut_of(contents, place).piece_shape(piece)
    if 0 in shape:
        return np.zeros(shape, place.dtype)
    return np.ndarray(
        shape, place.dtype, np.memmap(file, np.uint8, "r"), offset, _strides(shape, place, step)
    )
