"""Array subfiles: one master file, and K files with a part of each array, all of them CDF-5, as PnetCDF makes them.

The master has all dimensions, and for each array that is cut a scalar with attributes that tell where its parts are. Subfile i is called
MASTER.subfile_i.nc, which may be a link into another folder; its arrays have dimensions called DIMENSION.ARRAY. Names, types and order of the attributes are those of PnetCDF's
src/drivers/ncmpio/ncmpio_subfile.c. Source of the method: Kang et al., dynamic I/O path selection, 2016, algorithm 2.

One rank makes and looks at the master, and every rank at its share of the subfiles. All files together are one file to the engine (docs/design/
array-subfiles.md): subfile i has the bytes from i * unit on, and the master comes last. None of these functions is collective.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from . import array_cut, array_formats, classic_header
from .array_cut import Cut
from .array_formats import Model, Place, Records, Spec
from .errors import Error, NotFoundError

MOST_ELEMENTS = 2**31 - 1
"""Along a dimension: PnetCDF's attributes are 32-bit integers."""
MOST_SUBFILES = 65534
_ALIGNMENT = 4096


@dataclass(frozen=True)
class Wish:
    """How a new file is cut: `count` subfiles; the dimension `par_dim`, by name or index; arrays of fewer than `min_ndims` dimensions stay in the master.
    `folders`: to which subfiles are dealt in turn; none: the master's."""

    count: int
    par_dim: str | int | None = None
    min_ndims: int = 1
    folders: tuple[str, ...] = ()


@dataclass(frozen=True)
class CutArray:
    """An array in subfiles, as the master has it. `dtype`: in the files."""

    dtype: np.dtype[Any]
    dimensions: tuple[str, ...]
    cut: Cut


@dataclass(frozen=True)
class Master:
    """What a master file says. `whole`: its own arrays. `folders`: of a new one, as in Wish. `identity`: in the names of subfiles there."""

    count: int
    arrays: dict[str, CutArray]
    whole: dict[str, Place]
    folders: tuple[str, ...] = ()
    identity: str = ""


@dataclass(frozen=True)
class Subfile:
    """Where the parts of the arrays lie in a subfile, and its bytes up to the last one's end."""

    offsets: dict[str, int]
    size: int


@dataclass(frozen=True)
class Contents:
    """All arrays of a file. With `count` subfiles, byte b of number i is byte i * `unit` + b here, and those of the master follow as number `count`."""

    places: dict[str, Place]
    count: int = 0
    unit: int = 0
    records: Records | None = None

    def hints(self) -> dict[str, object]:
        """What the engine is to know; no hint for programs."""
        return {"collio_array_subfiles": f"{self.count + 1} {self.unit}"} if self.count else {}


def wish_of(hints: Mapping[str, object], subfiles: int | None, par_dim: str | int | None, min_ndims: int) -> Wish | None:
    """By the arguments; without `subfiles` by PnetCDF's hints; folders by collio's. Raises TypeError, ValueError."""
    if subfiles is None:
        wanted = str(hints.get("nc_num_subfiles", 0))
        if not wanted.isdecimal():
            raise ValueError(f"hint nc_num_subfiles is {wanted!r}; allowed: 0 to {MOST_SUBFILES}")
        if str(hints.get("pnetcdf_subfiling", "enable")) == "disable" or int(wanted) < 2:  # PnetCDF's one subfile is none
            return None
        subfiles = int(wanted)
    count = subfiles.__index__()
    if not 1 <= count <= MOST_SUBFILES:
        raise ValueError(f"subfiles is {count}; allowed: 1 to {MOST_SUBFILES}")
    if min_ndims < 1:
        raise ValueError(f"min_ndims is {min_ndims}; allowed: 1 and more")
    folders = str(hints.get("collio_subfile_dirs", "auto"))
    return Wish(count, par_dim, min_ndims, () if folders == "auto" else tuple(folders.split(":")))


# --- making -------------------------------------------------------------------------------------


def make_master(path: str, arrays: Mapping[str, Spec], wish: Wish) -> Master:
    """Makes the master, removes subfiles of one that was there, and says what it says. Raises Error, OSError, ValueError."""
    for name, spec in arrays.items():
        if None in spec.shape:
            raise ValueError(f"array {name!r} has the shape {spec.shape}; allowed with subfiles: fixed lengths")
    model = array_formats.model_of(arrays)
    numbers = {name: i for i, name in enumerate(model.dimensions)}
    cuts = {name: cut for name, spec in arrays.items() if (cut := _cut(name, spec, model.variables[name][1], wish))}
    _check_names(wish, model, cuts)
    for folder in wish.folders:
        if not os.path.isabs(folder) or not os.path.isdir(folder):
            raise ValueError(f"hint collio_subfile_dirs has {folder!r}; allowed: absolute paths of folders that are there")
    model.attributes[array_cut.NUM_SUBFILES] = np.int32(wish.count)
    for name, cut in cuts.items():
        dtype, dimensions, _ = model.variables[name]
        attributes: dict[str, Any] = {array_cut.PAR_DIM_ID: np.int32(numbers[str(wish.par_dim)])} if wish.par_dim in dimensions else {}
        attributes[array_cut.PAR_DIM_INDEX] = np.int32(cut.along)
        attributes[array_cut.NDIMS_ORG] = np.int32(len(dimensions))
        attributes[array_cut.DIMIDS_ORG] = np.array([numbers[one] for one in dimensions], np.int32)
        attributes[array_cut.NUM_SUBFILES] = np.int32(wish.count)
        for i in range(wish.count):
            attributes.update(_ranges(dimensions, cut, i))
        model.variables[name] = (dtype, (), attributes)
    remove_subfiles(path)
    array_formats.write_cdf5(path, model)
    array_formats.make_long_enough(path, array_formats.look(path))
    made = look_at_master(path)
    assert made is not None
    return replace(made, folders=wish.folders, identity=secrets.token_hex(6))


def make_subfile(path: str, master: Master, number: int) -> None:
    """Makes a subfile, in place of one that is there. Raises Error, OSError."""
    model = Model({}, {}, {})
    for name, array in master.arrays.items():
        dimensions = tuple(f"{one}.{name}" for one in array.dimensions)
        model.dimensions.update(zip(dimensions, array.cut.piece_shape(number)))
        model.variables[name] = (array.dtype, dimensions, {**_ranges(array.dimensions, array.cut, number), array_cut.SUBFILE_INDEX: np.int32(number)})
    subfile = array_cut.subfile_path(path, number)
    if os.path.lexists(subfile):
        os.unlink(subfile)
    if master.folders:
        folder = master.folders[number % len(master.folders)]
        os.symlink(os.path.join(folder, f"{os.path.basename(path)}.{master.identity}{array_cut.subfile_path('', number)}"), subfile)
    array_formats.write_cdf5(os.path.realpath(subfile), model)
    end = array_formats.end_of(array_formats.look(subfile))
    os.truncate(subfile, end + -end % 4)  # netCDF fills a page


def remove_subfiles(path: str) -> None:
    """Removes the subfiles of the master that is there, if it is one. Raises OSError."""
    try:
        master = look_at_master(path)
    except (OSError, ValueError):
        return
    for i in range(master.count if master else 0):
        subfile = array_cut.subfile_path(path, i)
        there = os.path.realpath(subfile)
        if os.path.islink(subfile) and there.endswith(array_cut.subfile_path("", i)) and os.path.exists(there):
            os.unlink(there)
        if os.path.lexists(subfile):
            os.unlink(subfile)


def _cut(name: str, spec: Spec, dimensions: Sequence[str], wish: Wish) -> Cut | None:
    """How an array is cut; None: it stays in the master. Raises ValueError."""
    shape = spec.fixed
    if len(shape) < wish.min_ndims:
        return None
    along = wish.par_dim if isinstance(wish.par_dim, int) else dimensions.index(wish.par_dim) if wish.par_dim in dimensions else 0
    if not 0 <= along < len(shape):
        raise ValueError(f"par_dim is {along}, and array {name!r} has {len(shape)} dimensions; allowed: 0 to {len(shape) - 1}, or min_ndims above it")
    length = shape[along]
    if wish.count > length:
        raise ValueError(f"subfiles is {wish.count}, and array {name!r} has {length} elements along {dimensions[along]!r}; allowed: 1 to {length} subfiles, "
                         f"another par_dim, or min_ndims above {len(shape)} to keep it in the master")
    if max(shape) > MOST_ELEMENTS:
        raise ValueError(f"array {name!r} has the shape {shape}; allowed in subfiles: {MOST_ELEMENTS} elements along a dimension")
    return Cut(shape, along, array_cut.begins(length, wish.count))


def _check_names(wish: Wish, model: Model, cuts: Mapping[str, Cut]) -> None:
    """Raises ValueError for a wish that cuts nothing, or along a dimension that is not there."""
    if isinstance(wish.par_dim, str) and wish.par_dim not in model.dimensions:
        raise ValueError(f"par_dim is {wish.par_dim!r}; allowed: {', '.join(map(repr, model.dimensions))}")
    if not cuts:
        raise ValueError(f"subfiles is {wish.count}, and no array has min_ndims={wish.min_ndims} dimensions: nothing is cut")


def _ranges(dimensions: Sequence[str], cut: Cut, number: int) -> dict[str, Any]:
    """The attributes with the part that a subfile has of each dimension."""
    found = {}
    for i, dimension in enumerate(dimensions):
        first, behind = (cut.begins[number], cut.begins[number + 1]) if i == cut.along else (0, cut.shape[i])
        found[array_cut.range_name(dimension, number)] = np.array([first, behind - 1], np.int32)
    return found


# --- looking ------------------------------------------------------------------------------------


def look_at_master(path: str) -> Master | None:
    """What a master says; None for a file that is none. Raises Error for one that contradicts itself, OSError, ValueError."""
    with open(path, "rb") as stream:
        if stream.read(3) != b"CDF":
            return None
        content = classic_header.read(stream, path)
    if array_cut.NUM_SUBFILES not in content.attributes:
        return None
    count = _number(path, content.attributes, array_cut.NUM_SUBFILES)
    if not 1 <= count <= MOST_SUBFILES:
        raise _damaged(path, f"{array_cut.NUM_SUBFILES} is {count}; allowed: 1 to {MOST_SUBFILES}")
    arrays = {}
    for name, variable in content.variables.items():
        if array_cut.NDIMS_ORG in variable.attributes:
            try:
                array = _cut_array(path, content, variable, count)
            except Error as error:
                raise _damaged(path, f"array {name!r}: {error.text}") from error
            if array:
                arrays[name] = array
    whole = array_formats.places_of(content)
    _check_size(path, array_formats.end_of(whole))
    return Master(count, arrays, whole)


def _cut_array(path: str, content: classic_header.Content, variable: classic_header.Found, count: int) -> CutArray | None:
    """None for an array of records. Raises Error."""
    known = variable.attributes
    numbers = tuple(int(number) for number in known.get(array_cut.DIMIDS_ORG, ()))
    along, own = _number(path, known, array_cut.PAR_DIM_INDEX), _number(path, known, array_cut.NUM_SUBFILES)
    if len(numbers) != _number(path, known, array_cut.NDIMS_ORG) or not all(0 <= number < len(content.dimensions) for number in numbers):
        raise Error(f"{array_cut.DIMIDS_ORG} is {numbers}, and the file has {len(content.dimensions)} dimensions")
    if not 0 <= along < len(numbers) or own != count:
        raise Error(f"it is cut along dimension {along} into {own} parts, and the file has {count} subfiles")
    dimensions = tuple(content.dimensions[number][0] for number in numbers)
    shape = tuple(content.dimensions[number][1] for number in numbers)
    if 0 in shape:
        return None
    begins = [0]
    for i in range(count):
        first, last = _range(path, known, array_cut.range_name(dimensions[along], i))
        if first != begins[-1] or last < first:
            raise Error(f"subfile {i} has elements {first} to {last} along {dimensions[along]!r}, and the one before ends before {begins[-1]}")
        begins.append(last + 1)
    if begins[-1] != shape[along]:
        raise Error(f"its subfiles have {begins[-1]} elements along {dimensions[along]!r}, which has {shape[along]}")
    return CutArray(variable.dtype, dimensions, Cut(shape, along, tuple(begins)))


def look_at_subfile(path: str, master: Master, number: int) -> Subfile:
    """Where the parts are in a subfile. Raises Error, with its name, where it is missing or does not have what the master says."""
    subfile = array_cut.subfile_path(path, number)
    try:
        with open(subfile, "rb") as stream:
            content = classic_header.read(stream, subfile)
    except FileNotFoundError as error:
        raise NotFoundError(f"subfile {subfile} of {path} is missing", "NO_SUCH_FILE") from error
    except ValueError as error:
        raise _damaged(subfile, str(error)) from error
    offsets, end = {}, 0
    for name, array in master.arrays.items():
        found, shape = content.variables.get(name), array.cut.piece_shape(number)
        if found is None or found.shape != shape or found.dtype != array.dtype:
            has = f"{found.dtype} {found.shape}" if found else "nothing"
            raise _damaged(subfile, f"it has {has} of array {name!r}; its master {path} says {array.dtype} {shape}")
        if (index := _number(subfile, found.attributes, array_cut.SUBFILE_INDEX)) != number:
            raise _damaged(subfile, f"it says that it is number {index}")
        for key, wanted in _ranges(array.dimensions, array.cut, number).items():
            if (says := _range(subfile, found.attributes, key)) not in ((wanted[0], wanted[1]), (wanted[0], 0)):  # PnetCDF 1.14 has 0 for the last one
                raise _damaged(subfile, f"array {name!r} has {key} = {says}; its master {path} says {tuple(wanted.tolist())}")
        offsets[name] = found.offset
        end = max(end, found.offset + prod(shape) * found.dtype.itemsize)
    _check_size(subfile, end)
    return Subfile(offsets, end)


def contents(master: Master, subfiles: Sequence[Subfile]) -> Contents:
    """All arrays, as the engine reaches them. Raises Error where it cannot: more than 2**63 bytes."""
    ends = [one.size for one in subfiles] + [array_formats.end_of(master.whole)]
    unit = max(_ALIGNMENT, -(-max(ends) // _ALIGNMENT) * _ALIGNMENT)
    if unit * len(ends) >= 1 << 63:
        raise Error(f"{len(ends)} files of up to {unit} bytes are more than 2**63 bytes together")
    places = {name: replace(place, offset=master.count * unit + place.offset) for name, place in master.whole.items()}
    for name, array in master.arrays.items():
        offsets = tuple(i * unit + one.offsets[name] for i, one in enumerate(subfiles))
        places[name] = Place(array.cut.shape, array.dtype, offsets[0], array.dimensions, array.cut, offsets)
    return Contents(places, master.count, unit)


def _number(path: str, attributes: classic_header.Attributes, name: str) -> int:
    found = attributes.get(name)
    if found is None or found.shape != (1,) or found.dtype.kind not in "iu":
        raise _damaged(path, f"attribute {name} is {'missing' if found is None else found.tolist()}; allowed: one integer")
    return int(found[0])


def _range(path: str, attributes: classic_header.Attributes, name: str) -> tuple[int, int]:
    found = attributes.get(name)
    if found is None or found.shape != (2,) or found.dtype.kind not in "iu":
        raise _damaged(path, f"attribute {name} is {'missing' if found is None else found.tolist()}; allowed: two integers")
    return int(found[0]), int(found[1])


def _check_size(path: str, end: int) -> None:
    if (size := os.path.getsize(path)) < end:
        raise _damaged(path, f"it has {size} bytes; its header says {end}")


def _damaged(path: str, why: str) -> Error:
    return Error(why if path in why else f"{path}: {why}", "BAD_FILE")
