"""Files of arrays in HDF5 and CDF-5, made and looked at by one rank: where each array lies in the file.

Arrays are contiguous and have their place from the start (HDF5: contiguous layout, early allocation; CDF-5:
fixed size, or records of fixed size), so that ranks can write them without the format's library. HDF5 files
need h5py, CDF-5 files netCDF4.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ..arguments import whole_number
from ..errors import Error
from . import classic_header
from .cutting import Cut
from .layouts import RecordPart

HDF5, CDF5 = "hdf5", "cdf5"
ENDINGS = {".h5": HDF5, ".hdf5": HDF5, ".he5": HDF5, ".nc": CDF5, ".cdf": CDF5, ".nc5": CDF5}
RECORD_DIMENSION = "record"
MOST_DIMENSIONS = 7
"""Of a record, or an array without records: those of a decomposition."""
_ABOUT_A_DIMENSION = "This is a netCDF dimension but not a netCDF variable. {:10d}"


@dataclass(frozen=True)
class Spec:
    """An array to be made. `shape`: the first length may be None, for records. `dimensions`: their names, all
    different; empty: made of the array's name."""

    shape: tuple[int | None, ...]
    dtype: np.dtype[Any]
    dimensions: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, shape: Any, dtype: Any, dimensions: Any = ()) -> Spec:
        """Raises TypeError, ValueError."""
        lengths = tuple(
            None
            if length is None
            else whole_number(f"a length of array {name!r}", length, "integers, and None for records")
            for length in shape
        )
        spec = cls(lengths, np.dtype(dtype), tuple(dimensions))
        if (
            not spec.shape
            or None in spec.shape[1:]
            or min(spec.fixed, default=1) < 1
            or len(spec.fixed) > MOST_DIMENSIONS
        ):
            raise ValueError(
                f"array {name!r} has the shape {spec.shape}; allowed: 1 to {MOST_DIMENSIONS} dimensions of 1 "
                "element and more, "
                "and one in front of them that is None for records"
            )
        if spec.dimensions and len(set(spec.dimensions)) != len(spec.shape):
            raise ValueError(
                f"array {name!r} has the dimensions {spec.dimensions} for the shape {spec.shape}; allowed: "
                "one name each, all different"
            )
        return spec

    @property
    def fixed(self) -> tuple[int, ...]:
        """The shape without the dimension of records."""
        return tuple(length for length in self.shape if length is not None)


@dataclass(frozen=True)
class Place:
    """An array in a file. `dtype` as it is in the file; `offset`: its first byte; `dimensions`: their names,
    none where unknown. Of an array in subfiles, `cut` into pieces, `offsets` has that of each piece; bytes
    are counted as subfile_set.Contents says. Of an array of records `shape` is that of one, and
    `record_bytes` the distance to the next one; 0: it has no records."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    offset: int
    dimensions: tuple[str, ...] = ()
    cut: Cut | None = None
    offsets: tuple[int, ...] = ()
    record_bytes: int = 0


@dataclass(frozen=True)
class Records:
    """How many records a file has, which `bytes` bytes of it tell from byte `at` on, big-endian."""

    count: int
    at: int
    bytes: int


@dataclass(frozen=True)
class Model:
    """A CDF-5 file to be made. `dimensions`: None is the length of records. `variables`: (dtype, dimensions,
    attributes) by name."""

    dimensions: dict[str, int | None]
    variables: dict[str, tuple[np.dtype[Any], tuple[str, ...], dict[str, Any]]]
    attributes: dict[str, Any]


def format_of_ending(path: str) -> str:
    """The format of a new file. Raises ValueError."""
    ending = os.path.splitext(path)[1].lower()
    if ending not in ENDINGS:
        raise ValueError(
            f"{path}: the ending {ending!r} names no format; allowed: {', '.join(ENDINGS)}, or format='hdf5' "
            "or 'cdf5'"
        )
    return ENDINGS[ending]


def check(kind: str, arrays: Mapping[str, Spec]) -> None:
    """What can be known to be wrong before a file is made, which takes the place of one that is there. Raises
    Error, ValueError."""
    checks: dict[str, Callable[[Mapping[str, Spec]], object]] = {HDF5: _check_hdf5, CDF5: _check_cdf5}
    if kind not in checks:
        raise ValueError(f"format is {kind!r}; allowed: {', '.join(map(repr, checks))}")
    checks[kind](arrays)


def create(path: str, kind: str, arrays: Mapping[str, Spec]) -> tuple[dict[str, Place], Records | None]:
    """Makes a file of arrays that were checked, in place of one that is there, and says where they lie.
    Raises Error, OSError, ValueError."""
    if kind == HDF5:
        _create_hdf5(path, arrays)
    else:
        write_cdf5(path, model_of(arrays))
    places, records = look_at_all(path)
    make_long_enough(path, places)
    return places, records


def end_of(places: Mapping[str, Place]) -> int:
    """The byte behind the last one of these arrays of fixed size, none of which is cut."""
    return max(
        (
            place.offset + prod(place.shape) * place.dtype.itemsize
            for place in places.values()
            if not place.record_bytes
        ),
        default=0,
    )


def make_long_enough(path: str, places: Mapping[str, Place]) -> None:
    """A file that has all bytes of its arrays. Raises OSError."""
    end = end_of(places)
    if os.path.getsize(path) < end:
        os.truncate(path, end)


def look(path: str) -> dict[str, Place]:
    """Where the contiguous arrays of a file lie, without those of records. Raises Error, OSError,
    ValueError."""
    return {name: place for name, place in look_at_all(path)[0].items() if not place.record_bytes}


def look_at_all(path: str) -> tuple[dict[str, Place], Records | None]:
    """The same with those of records, and how many records there are; None: there is no such number. Raises
    Error, OSError, ValueError."""
    with open(path, "rb") as stream:
        if stream.read(3) != b"CDF":
            return _look_hdf5(path), None
        content = classic_header.read(stream, path)
    return places_of_all(content), records_of(content)


def records_of(content: classic_header.Content) -> Records:
    return Records(content.records, classic_header.RECORDS_AT, content.count_bytes)


def places_of_all(content: classic_header.Content) -> dict[str, Place]:
    """The arrays of fixed size and those of records."""
    return {**places_of(content), **_places_of_records(content)}


def places_of(content: classic_header.Content) -> dict[str, Place]:
    """The arrays of fixed size with one dimension and more."""
    return {
        name: Place(one.shape, one.dtype, one.offset, _dimensions(content, one))
        for name, one in content.variables.items()
        if one.shape and 0 not in one.shape
    }


def _places_of_records(content: classic_header.Content) -> dict[str, Place]:
    return {
        name: Place(
            one.shape[1:], one.dtype, one.offset, _dimensions(content, one), record_bytes=content.record_bytes
        )
        for name, one in content.variables.items()
        if one.of_records and 0 not in one.shape[1:]
    }


def record_part_of(content: classic_header.Content) -> RecordPart:
    """What the file has of each record."""
    return RecordPart(
        min((one.offset for one in content.variables.values() if one.of_records), default=0),
        content.record_bytes,
    )


def end_of_data(content: classic_header.Content) -> int:
    """The byte behind the last one of the arrays, as many records as there are. Padding behind the last
    record does not count."""
    places = places_of_all(content).values()
    lasts = {True: content.records - 1, False: 0}
    return max(
        (
            place.offset
            + lasts[place.record_bytes > 0] * place.record_bytes
            + prod(place.shape) * place.dtype.itemsize
            for place in places
            if lasts[place.record_bytes > 0] >= 0
        ),
        default=0,
    )


def _dimensions(content: classic_header.Content, one: classic_header.Found) -> tuple[str, ...]:
    return tuple(content.dimensions[number][0] for number in one.dimensions)


# --- HDF5 ---------------------------------------------------------------------------------------


def _check_hdf5(arrays: Mapping[str, Spec]) -> None:
    package("h5py", "HDF5 files")
    for name, spec in arrays.items():
        if None in spec.shape:
            raise ValueError(
                f"array {name!r} has the shape {spec.shape}; allowed in HDF5: fixed lengths; for records: "
                "CDF-5"
            )


def _create_hdf5(path: str, arrays: Mapping[str, Spec]) -> None:
    h5py = package("h5py", "HDF5 files")
    storage = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    storage.set_layout(h5py.h5d.CONTIGUOUS)
    storage.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    storage.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    links = h5py.h5p.create(h5py.h5p.LINK_CREATE)
    links.set_create_intermediate_group(True)
    with h5py.File(path, "w") as file:
        for name, spec in arrays.items():
            space = h5py.h5s.create_simple(spec.fixed)
            h5py.h5d.create(
                file.id, name.encode(), h5py.h5t.py_create(spec.dtype, logical=True), space, storage, links
            )
            attach_scales(file, name, spec.dimensions)


def attach_scales(file: Any, name: str, dimensions: tuple[str, ...]) -> None:
    """Names the dimensions of an array, as netCDF-4 does. Raises ValueError where one of them has another
    length in another array."""
    for i, dimension in enumerate(dimensions):
        if dimension == name:
            file[name].make_scale(name)
        else:
            file[name].dims[i].attach_scale(_scale(file, dimension, file[name].shape[i]))


def _scale(file: Any, name: str, length: int) -> Any:
    """A dimension as netCDF-4 keeps it in HDF5. Raises ValueError where it has another length already."""
    if name not in file:
        scale = file.create_dataset(name, (length,), ">f4")
        scale.make_scale(_ABOUT_A_DIMENSION.format(length))
    if file[name].shape != (length,):
        raise ValueError(
            f"the dimension {name!r} is to have {length} elements, but {file[name].shape} in another array"
        )
    return file[name]


def _look_hdf5(path: str) -> dict[str, Place]:
    h5py = package("h5py", "HDF5 files")
    places = {}

    def note(name: str, item: Any) -> None:
        if not isinstance(item, h5py.Dataset) or item.shape is None or item.is_virtual or item.external:
            return
        offset = item.id.get_offset()
        if item.chunks is None and offset is not None and not item.dtype.hasobject and item.shape:
            places[name] = Place(tuple(item.shape), item.dtype, int(offset))

    with h5py.File(path, "r") as file:
        file.visititems(note)
    return places


# --- CDF-5 --------------------------------------------------------------------------------------


def _check_cdf5(arrays: Mapping[str, Spec]) -> None:
    package("netCDF4", "CDF-5 files")
    model_of(arrays)


def model_of(arrays: Mapping[str, Spec]) -> Model:
    """The file of these arrays. Raises ValueError."""
    model = Model({}, {}, {})
    for name, spec in arrays.items():
        if spec.dtype.kind not in "iuf" or spec.dtype.itemsize > 8 or spec.dtype == np.float16:
            raise ValueError(
                f"array {name!r} has the dtype {spec.dtype}; allowed in CDF-5: integers, float32 and float64"
            )
        dimensions = spec.dimensions or tuple(
            RECORD_DIMENSION if length is None else f"{name}_{i}" for i, length in enumerate(spec.shape)
        )
        for dimension, length in zip(dimensions, spec.shape):
            if model.dimensions.setdefault(dimension, length) != length:
                raise ValueError(
                    f"the dimension {dimension!r} is to have {length} elements, but "
                    f"{model.dimensions[dimension]} in another array"
                )
        model.variables[name] = (spec.dtype, dimensions, {})
    if (endless := [name for name, length in model.dimensions.items() if length is None])[1:]:
        raise ValueError(
            f"the dimensions {', '.join(map(repr, endless))} have no length; allowed: one dimension of "
            "records"
        )
    return model


def write_cdf5(path: str, model: Model) -> None:
    """Makes a CDF-5 file, which may end before its last array does. Raises Error, OSError."""
    netcdf = package("netCDF4", "CDF-5 files")
    with netcdf.Dataset(path, "w", format="NETCDF3_64BIT_DATA") as file:
        file.set_fill_off()
        file.setncatts(model.attributes)
        for dimension, length in model.dimensions.items():
            file.createDimension(dimension, length)
        for name, (dtype, dimensions, attributes) in model.variables.items():
            file.createVariable(name, dtype.newbyteorder("="), dimensions).setncatts(attributes)


def package(name: str, what: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Error(
            f"{what} need the Python package {name}, which cannot be imported ({error}); `pip install {name}`"
        ) from error
