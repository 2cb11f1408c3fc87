"""An HDF5 file that shows the arrays of a master and its subfiles to any reader of HDF5. Only scalars are
copied into it.

What lies in a row in one file is HDF5's external raw storage: a list of (file, first byte, bytes). An array
that is cut along its first dimension is one such list. Other pieces are datasets in a group of their own, and
a virtual dataset puts them together.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from . import alone, classic_header, cutting, formats
from .formats import Place
from .subfile_set import Contents

PIECES = "_collio_pieces"
MOST_SEGMENTS = 1000
"""Of a dataset: HDF5 keeps the list in one message of 64 KiB."""

Segment = tuple[str, int, int]
"""File, first byte, bytes."""


def hdf5_view(path: str | os.PathLike[str], view: str | os.PathLike[str]) -> None:
    """Makes the HDF5 file `view`, in place of one that is there: the arrays of the CDF-5 file or master
    `path`, for h5py, netCDF4 and all that read HDF5. Arrays are not copied: they stay where they are, and the
    view has their paths, which are absolute. It has the records that there are now.

    Who reads a view opens the files that it names: do not take one from somebody whom you do not trust, and
    open it read-only, as a write goes to the subfiles. Not collective. Cost: O(pieces), and of arrays of
    records O(records * pieces). Raises Error, OSError, ValueError.
    """
    name, to = os.path.realpath(os.fspath(path)), os.path.realpath(os.fspath(view))
    with open(name, "rb") as stream:
        header = classic_header.read(stream, name)
    contents = alone.look(name)
    if to == name or any(
        to == os.path.realpath(cutting.subfile_path(name, i))
        for i in range(contents.layout.count if contents.layout else 0)
    ):
        raise ValueError(f"the view is {to}, which has the data; allowed: another file")
    part = f"{to}.part"
    try:
        with _h5py().File(part, "w") as file:
            _fill(file, name, header, contents)
        os.replace(part, to)
    finally:
        if os.path.exists(part):
            os.unlink(part)


def _h5py() -> Any:
    return formats.package("h5py", "HDF5 files")


def _fill(file: Any, path: str, header: classic_header.Content, contents: Contents) -> None:
    for array, place in contents.places.items():
        _show(file, array, path, contents, place)
    for scalar, found in header.variables.items():
        if not found.shape and scalar not in contents.places:
            file.create_dataset(
                scalar, data=np.fromfile(path, found.dtype, 1, offset=found.offset)[0], dtype=found.dtype
            )
    for array in file:
        if array != PIECES:
            _set_attributes(file[array], header.variables[array].attributes)
    _set_attributes(file, header.attributes)
    for array, place in contents.places.items():
        formats.attach_scales(file, array, place.dimensions)


def _set_attributes(item: Any, attributes: classic_header.Attributes) -> None:
    """As netCDF-4 keeps them, without those of subfiles."""
    for name, value in attributes.items():
        if not name.startswith(cutting.PREFIX):
            item.attrs[name] = value.tobytes().decode(errors="replace") if value.dtype.kind == "S" else value


def _show(file: Any, array: str, path: str, contents: Contents, place: Place) -> None:
    cut = alone.cut_of(contents, place)
    if 0 in cut.shape:
        file.create_dataset(array, cut.shape, place.dtype)
        return
    parts = list(_parts(path, contents, place))
    segments = [segment for _, _, each in parts for segment in each]
    if len(segments) <= MOST_SEGMENTS and (len(parts) == 1 or cut.along == 0):
        file.create_dataset(array, cut.shape, place.dtype, external=segments)
        return
    layout = _h5py().VirtualLayout(cut.shape, place.dtype)
    for number, (where, shape, each) in enumerate(parts):
        piece = f"{PIECES}/{array}/{number}"
        file.create_dataset(piece, shape, place.dtype, external=each)
        layout[where] = _h5py().VirtualSource(".", f"/{piece}", shape)
    file.create_virtual_dataset(array, layout)


def _parts(
    path: str, contents: Contents, place: Place
) -> Iterator[tuple[tuple[slice, ...], tuple[int, ...], list[Segment]]]:
    """Which elements of the array each piece has, the piece's shape, and where its bytes lie, in order. A
    piece has no more records than a list has room for."""
    cut = alone.cut_of(contents, place)
    for piece in range(len(cut.begins) - 1):
        shape = cut.piece_shape(piece)
        where = [slice(0, length) for length in cut.shape]
        where[cut.along] = slice(cut.begins[piece], cut.begins[piece + 1])
        file, first, step = alone.file_of(path, contents, place, piece)
        if 0 in shape:
            continue
        if not step:
            yield tuple(where), shape, [(file, first, prod(shape) * place.dtype.itemsize)]
            continue
        one = prod(shape[1:]) * place.dtype.itemsize
        for begin in range(0, shape[0], MOST_SEGMENTS):
            records = range(begin, min(begin + MOST_SEGMENTS, shape[0]))
            where[0] = slice(begin, records.stop)
            yield (
                tuple(where),
                (len(records), *shape[1:]),
                [(file, first + record * step, one) for record in records],
            )
