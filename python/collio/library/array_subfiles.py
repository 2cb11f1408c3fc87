"""Array subfiles: one master file, and K files with a part of each array, all of them CDF-5, as PnetCDF makes
them.

The master has all dimensions, and for each array that is cut a scalar with attributes that tell where its
parts are. Subfile i is called MASTER.subfile_i.nc, which may be a link into another folder; its arrays have
dimensions called DIMENSION.ARRAY. Names, types and order of the attributes are those of PnetCDF's
src/drivers/ncmpio/ncmpio_subfile.c. Source of the method: Son et al., 2016, algorithm 2 (docs/papers.md).

Arrays of records are cut along another dimension than that of records. A subfile has one such dimension, of
all its arrays of records.

One rank makes and looks at the master, and every rank at its share of the subfiles. All files together are
one file to the engine, the master being the last (array_layout.py). None of these functions is collective.
"""

from __future__ import annotations

import os
import secrets
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from collio.flushing import flush_folder as flush_folder

from . import array_cut, array_formats, classic_header
from .arguments import whole_number
from .array_cut import Cut
from .array_formats import Model, Place, Records, Spec
from .array_layout import Layout, RecordPart
from .errors import Error, NotFoundError

MOST_ELEMENTS = 2**31 - 1
"""Along a dimension: PnetCDF's attributes are 32-bit integers."""
MOST_SUBFILES = 65534


@dataclass(frozen=True)
class Wish:
    """How a new file is cut: `count` subfiles; the dimension `par_dim`, by name or index; arrays of fewer
    than `min_ndims` dimensions stay in the master, and so do arrays that have the dimension of records alone.
    `folders`: to which subfiles are dealt in turn; none: the master's."""

    count: int
    par_dim: str | int | None = None
    min_ndims: int = 1
    folders: tuple[str, ...] = ()


@dataclass(frozen=True)
class CutArray:
    """An array in subfiles, as the master has it. `dtype`: in the files. `of_records`: its first dimension is
    that of records, and `cut` is of one record."""

    dtype: np.dtype[Any]
    dimensions: tuple[str, ...]
    cut: Cut
    of_records: bool = False

    @property
    def along(self) -> int:
        """Which of its dimensions is cut."""
        return self.cut.along + self.of_records

    def piece_shape(self, number: int) -> tuple[int, ...]:
        """In a subfile's header: 0 is the length of the dimension of records."""
        return (0,) * self.of_records + self.cut.piece_shape(number)


@dataclass(frozen=True)
class Master:
    """What a master file says. `whole`: its own arrays, which end at `size`, except their `records`; `part`:
    what it has of each of these. `folders`: of a new one, as in Wish. `identity`: in the names of subfiles
    there."""

    count: int
    arrays: dict[str, CutArray]
    whole: dict[str, Place]
    size: int
    records: Records
    part: RecordPart
    folders: tuple[str, ...] = ()
    identity: str = ""


@dataclass(frozen=True)
class Subfile:
    """Where the parts of the arrays lie in a subfile, its bytes before its records, how many records it has,
    and what of each."""

    offsets: dict[str, int]
    size: int
    records: int
    part: RecordPart


@dataclass(frozen=True)
class Contents:
    """All arrays of a file, and how many records it has. Offsets in a file with subfiles are as `layout` has
    them."""

    places: dict[str, Place]
    records: Records | None = None
    layout: Layout | None = None

    def hints(self) -> dict[str, object]:
        """What the engine is to know; no hint for programs."""
        return {"collio_array_subfiles": self.layout.text()} if self.layout else {}


def wish_of(
    hints: Mapping[str, object], subfiles: int | None, par_dim: str | int | None, min_ndims: int
) -> Wish | None:
    """By the arguments; without `subfiles` by PnetCDF's hints; folders by collio's. Raises TypeError,
    ValueError."""
    if subfiles is None:
        wanted = str(hints.get("nc_num_subfiles", 0))
        if not wanted.isdecimal():
            raise ValueError(f"hint nc_num_subfiles is {wanted!r}; allowed: 0 to {MOST_SUBFILES}")
        # PnetCDF's one subfile is none
        if str(hints.get("pnetcdf_subfiling", "enable")) == "disable" or int(wanted) < 2:
            return None
        subfiles = int(wanted)
    count = whole_number("subfiles", subfiles, f"1 to {MOST_SUBFILES}")
    if not 1 <= count <= MOST_SUBFILES:
        raise ValueError(f"subfiles is {count}; allowed: 1 to {MOST_SUBFILES}")
    if whole_number("min_ndims", min_ndims, "1 and more") < 1:
        raise ValueError(f"min_ndims is {min_ndims}; allowed: 1 and more")
    if par_dim is not None and not isinstance(par_dim, str):
        par_dim = whole_number("par_dim", par_dim, "the name of a dimension, or its number")
    folders = str(hints.get("collio_subfile_dirs", "auto"))
    return Wish(count, par_dim, min_ndims, () if folders == "auto" else tuple(folders.split(":")))


# --- making -------------------------------------------------------------------------------------


def make_master(path: str, arrays: Mapping[str, Spec], wish: Wish) -> Master:
    """Makes the master, removes subfiles of one that was there, and says what it says. Raises Error, OSError,
    ValueError."""
    model = array_formats.model_of(arrays)
    numbers = {name: i for i, name in enumerate(model.dimensions)}
    cuts = {name: cut for name, spec in arrays.items() if (cut := _cut(name, spec, model, wish))}
    _check_names(wish, model, cuts)
    for folder in wish.folders:
        if not os.path.isabs(folder) or not os.path.isdir(folder):
            raise ValueError(
                f"hint collio_subfile_dirs has {folder!r}; allowed: absolute paths of folders that are there"
            )
    model.attributes[array_cut.NUM_SUBFILES] = np.int32(wish.count)
    for name, cut in cuts.items():
        attributes: dict[str, Any] = (
            {array_cut.PAR_DIM_ID: np.int32(numbers[str(wish.par_dim)])}
            if wish.par_dim in cut.dimensions
            else {}
        )
        attributes[array_cut.PAR_DIM_INDEX] = np.int32(cut.along)
        attributes[array_cut.NDIMS_ORG] = np.int32(len(cut.dimensions))
        attributes[array_cut.DIMIDS_ORG] = np.array([numbers[one] for one in cut.dimensions], np.int32)
        attributes[array_cut.NUM_SUBFILES] = np.int32(wish.count)
        for i in range(wish.count):
            attributes.update(_ranges(cut, i))
        model.variables[name] = (cut.dtype, (), attributes)
    remove_subfiles(path)
    array_formats.write_cdf5(path, model)
    array_formats.make_long_enough(path, array_formats.look(path))
    made = look_at_master(path)
    assert made is not None
    return replace(made, folders=wish.folders, identity=secrets.token_hex(6))


def make_subfile(path: str, master: Master, number: int) -> None:
    """Makes a subfile, in place of one that is there. Raises Error, OSError."""
    model = Model({}, {}, {})
    records = {
        f"{array.dimensions[0]}.{name}": None for name, array in master.arrays.items() if array.of_records
    }
    records = dict(list(records.items())[:1])  # a file has one
    for name, array in master.arrays.items():
        fixed = zip(
            (f"{one}.{name}" for one in array.dimensions[array.of_records :]), array.cut.piece_shape(number)
        )
        dimensions: dict[str, int | None] = {**(records if array.of_records else {}), **dict(fixed)}
        model.dimensions.update(dimensions)
        model.variables[name] = (
            array.dtype,
            tuple(dimensions),
            {**_ranges(array, number), array_cut.SUBFILE_INDEX: np.int32(number)},
        )
    subfile = array_cut.subfile_path(path, number)
    if os.path.lexists(subfile):
        os.unlink(subfile)
    if master.folders:
        folder = master.folders[number % len(master.folders)]
        os.symlink(
            os.path.join(
                folder, f"{os.path.basename(path)}.{master.identity}{array_cut.subfile_path('', number)}"
            ),
            subfile,
        )
    array_formats.write_cdf5(os.path.realpath(subfile), model)
    with open(subfile, "rb") as stream:
        end = _end_before_records(classic_header.read(stream, subfile))
    os.truncate(subfile, end + -end % 4)  # netCDF fills a page
    if master.folders:
        flush_folder(os.path.dirname(os.path.realpath(subfile)))


def remove_subfiles(path: str) -> None:
    """Removes the subfiles of the master that is there, if it is one. Raises OSError."""
    try:
        master = look_at_master(path)
    except (OSError, ValueError):
        return
    for i in range(master.count if master else 0):
        subfile = array_cut.subfile_path(path, i)
        there = os.path.realpath(subfile)
        if (
            os.path.islink(subfile)
            and there.endswith(array_cut.subfile_path("", i))
            and os.path.exists(there)
        ):
            os.unlink(there)
        if os.path.lexists(subfile):
            os.unlink(subfile)


def _cut(name: str, spec: Spec, model: Model, wish: Wish) -> CutArray | None:
    """How an array is cut; None: it stays in the master. Raises ValueError."""
    dtype, dimensions, _ = model.variables[name]
    of_records = None in spec.shape
    if len(spec.shape) < max(wish.min_ndims, 1 + of_records):
        return None
    along = (
        wish.par_dim
        if isinstance(wish.par_dim, int)
        else dimensions.index(wish.par_dim)
        if wish.par_dim in dimensions
        else int(of_records)
    )
    if not of_records <= along < len(spec.shape):
        raise ValueError(
            f"par_dim is {wish.par_dim!r}, and array {name!r} has {len(spec.shape)} "
            f"dimensions{', the first one of records' * of_records}; allowed: "
            f"{int(of_records)} to {len(spec.shape) - 1}, or min_ndims above it"
        )
    shape = spec.fixed
    length = shape[along - of_records]
    if wish.count > length:
        raise ValueError(
            f"subfiles is {wish.count}, and array {name!r} has {length} elements along "
            f"{dimensions[along]!r}; allowed: 1 to {length} subfiles, "
            f"another par_dim, or min_ndims above {len(spec.shape)} to keep it in the master"
        )
    if max(shape) > MOST_ELEMENTS:
        raise ValueError(
            f"array {name!r} has the shape {shape}; allowed in subfiles: {MOST_ELEMENTS} elements along a "
            "dimension"
        )
    return CutArray(
        dtype, dimensions, Cut(shape, along - of_records, array_cut.begins(length, wish.count)), of_records
    )


def _check_names(wish: Wish, model: Model, cuts: Mapping[str, CutArray]) -> None:
    """Raises ValueError for a wish that cuts nothing, or along a dimension that is not there."""
    if isinstance(wish.par_dim, str) and wish.par_dim not in model.dimensions:
        raise ValueError(f"par_dim is {wish.par_dim!r}; allowed: {', '.join(map(repr, model.dimensions))}")
    if not cuts:
        raise ValueError(
            f"subfiles is {wish.count}, and no array has min_ndims={wish.min_ndims} dimensions: nothing is "
            "cut"
        )


def _ranges(array: CutArray, number: int) -> dict[str, Any]:
    """The attributes with the part that a subfile has of each dimension; of records PnetCDF says that there
    is one."""
    found = {}
    for i, length in enumerate((1,) * array.of_records + array.cut.shape):
        first, behind = (
            (array.cut.begins[number], array.cut.begins[number + 1]) if i == array.along else (0, length)
        )
        found[array_cut.range_name(array.dimensions[i], number)] = np.array([first, behind - 1], np.int32)
    return found


# --- looking ------------------------------------------------------------------------------------


def look_at_master(path: str) -> Master | None:
    """What a master says; None for a file that is none. Raises Error for one that contradicts itself,
    OSError, ValueError."""
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
                arrays[name] = _cut_array(path, content, variable, count)
            except Error as error:
                raise _damaged(path, f"array {name!r}: {error.text}") from error
    _check_size(path, array_formats.end_of_data(content))
    return Master(
        count,
        arrays,
        array_formats.places_of_all(content),
        _end_before_records(content),
        array_formats.records_of(content),
        array_formats.record_part_of(content),
    )


def _cut_array(
    path: str, content: classic_header.Content, variable: classic_header.Found, count: int
) -> CutArray:
    """Raises Error."""
    known = variable.attributes
    dimids = known.get(array_cut.DIMIDS_ORG, np.zeros(0, int))
    if dimids.dtype.kind not in "iu":
        raise Error(f"attribute {array_cut.DIMIDS_ORG} is {dimids.tolist()}; allowed: integers")
    numbers = tuple(dimids.tolist())
    along, own = _number(path, known, array_cut.PAR_DIM_INDEX), _number(path, known, array_cut.NUM_SUBFILES)
    if len(numbers) != _number(path, known, array_cut.NDIMS_ORG) or not all(
        0 <= number < len(content.dimensions) for number in numbers
    ):
        raise Error(
            f"{array_cut.DIMIDS_ORG} is {numbers}, and the file has {len(content.dimensions)} dimensions"
        )
    if not 0 <= along < len(numbers) or own != count:
        raise Error(f"it is cut along dimension {along} into {own} parts, and the file has {count} subfiles")
    dimensions = tuple(content.dimensions[number][0] for number in numbers)
    shape = tuple(content.dimensions[number][1] for number in numbers)
    of_records = shape[0] == 0
    if 0 in shape[1:]:
        raise Error(f"it has the shape {shape}, and only the first dimension may be that of records")
    if of_records and along == 0:
        raise Error(f"it is cut along {dimensions[0]!r}, its dimension of records")
    begins = [0]
    for i in range(count):
        first, last = _range(path, known, array_cut.range_name(dimensions[along], i))
        if first != begins[-1] or last < first:
            raise Error(
                f"subfile {i} has elements {first} to {last} along {dimensions[along]!r}, and the one before "
                f"ends before {begins[-1]}"
            )
        begins.append(last + 1)
    if begins[-1] != shape[along]:
        raise Error(
            f"its subfiles have {begins[-1]} elements along {dimensions[along]!r}, which has {shape[along]}"
        )
    return CutArray(
        variable.dtype, dimensions, Cut(shape[of_records:], along - of_records, tuple(begins)), of_records
    )


def look_at_subfile(path: str, master: Master, number: int) -> Subfile:
    """Where the parts are in a subfile. Raises Error, with its name, where it is missing or does not have
    what the master says."""
    subfile = array_cut.subfile_path(path, number)
    try:
        with open(subfile, "rb") as stream:
            content = classic_header.read(stream, subfile)
    except FileNotFoundError as error:
        raise NotFoundError(f"subfile {subfile} of {path} is missing", "NO_SUCH_FILE") from error
    except ValueError as error:
        raise _damaged(subfile, str(error)) from error
    offsets = {}
    for name, array in master.arrays.items():
        found, shape = content.variables.get(name), array.piece_shape(number)
        if found is None or found.shape != shape or found.dtype != array.dtype:
            has = f"{found.dtype} {found.shape}" if found else "nothing"
            raise _damaged(
                subfile, f"it has {has} of array {name!r}; its master {path} says {array.dtype} {shape}"
            )
        if (index := _number(subfile, found.attributes, array_cut.SUBFILE_INDEX)) != number:
            raise _damaged(subfile, f"it says that it is number {index}")
        for key, wanted in _ranges(array, number).items():
            # PnetCDF 1.14 has 0 for the last one
            if (says := _range(subfile, found.attributes, key)) not in (
                (wanted[0], wanted[1]),
                (wanted[0], 0),
            ):
                raise _damaged(
                    subfile,
                    f"array {name!r} has {key} = {says}; its master {path} says {tuple(wanted.tolist())}",
                )
        offsets[name] = found.offset
    if content.count_bytes != master.records.bytes:
        raise _damaged(
            subfile,
            f"its format has numbers of {content.count_bytes} bytes; that of its master {path} has "
            f"{master.records.bytes}",
        )
    _check_size(subfile, array_formats.end_of_data(content))
    return Subfile(
        offsets, _end_before_records(content), content.records, array_formats.record_part_of(content)
    )


def _end_before_records(content: classic_header.Content) -> int:
    return max(
        array_formats.end_of(array_formats.places_of(content)), array_formats.record_part_of(content).begin
    )


def contents(path: str, master: Master, subfiles: Sequence[Subfile]) -> Contents:
    """All arrays, as the engine reaches them. Warns where subfiles lack records. Raises Error where it
    cannot: more than 2**63 bytes."""
    layout = Layout.of(
        [*(one.size for one in subfiles), master.size], [*(one.part for one in subfiles), master.part]
    )
    places = {}
    for name, place in master.whole.items():
        at = layout.at_record if place.record_bytes else layout.at
        places[name] = replace(
            place,
            offset=at(master.count, place.offset),
            record_bytes=layout.record_bytes if place.record_bytes else 0,
        )
    for name, array in master.arrays.items():
        at = layout.at_record if array.of_records else layout.at
        offsets = tuple(at(i, one.offsets[name]) for i, one in enumerate(subfiles))
        record_bytes = layout.record_bytes if array.of_records else 0
        places[name] = Place(
            array.cut.shape, array.dtype, offsets[0], array.dimensions, array.cut, offsets, record_bytes
        )
    return Contents(places, _records(path, master, subfiles, layout), layout)


def _records(path: str, master: Master, subfiles: Sequence[Subfile], layout: Layout) -> Records:
    """Records that all files have, as a loss of power may take the last ones of some files. PnetCDF's master
    has no number if it has no array of records."""
    of_master = master.records
    counts = {
        array_cut.subfile_path(path, number): one.records
        for number, one in enumerate(subfiles)
        if one.part.bytes
    }
    if master.part.bytes or not counts:
        counts[path] = of_master.count
    least = min(counts, key=counts.__getitem__)
    if counts[least] < of_master.count:
        warnings.warn(
            f"{path} has {of_master.count} records, {least} only {counts[least]}, as after a loss of power; "
            f"collio reads the first {counts[least]}",
            stacklevel=2,
        )
    return Records(counts[least], layout.at(master.count, of_master.at), of_master.bytes)


def make_room_for_records(path: str, layout: Layout, number: int, records: int) -> None:
    """Makes a subfile, or the master as number `layout.count` - 1, as long as its records are. It is never
    shortened, whoever writes to it. Raises OSError."""
    part = layout.parts[number]
    with open(path if number == layout.count - 1 else array_cut.subfile_path(path, number), "r+b") as stream:
        os.posix_fallocate(stream.fileno(), part.begin + records * part.bytes - 1, 1)


def _number(path: str, attributes: classic_header.Attributes, name: str) -> int:
    found = attributes.get(name)
    if found is None or found.shape != (1,) or found.dtype.kind not in "iu":
        raise _damaged(
            path,
            f"attribute {name} is {'missing' if found is None else found.tolist()}; allowed: one integer",
        )
    return int(found[0])


def _range(path: str, attributes: classic_header.Attributes, name: str) -> tuple[int, int]:
    found = attributes.get(name)
    if found is None or found.shape != (2,) or found.dtype.kind not in "iu":
        raise _damaged(
            path,
            f"attribute {name} is {'missing' if found is None else found.tolist()}; allowed: two integers",
        )
    return int(found[0]), int(found[1])


def _check_size(path: str, end: int) -> None:
    if (size := os.path.getsize(path)) < end:
        raise _damaged(path, f"it has {size} bytes; its header says {end}")


def _damaged(path: str, why: str) -> Error:
    return Error(why if path in why else f"{path}: {why}", "BAD_FILE")
