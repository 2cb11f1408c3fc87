"""Array subfiles: one master file, and K files with a part of each array, all of them CDF-5, as PnetCDF makes
them.

The master has all dimensions, and for each array that is cut a scalar with attributes that tell where its
parts are. Subfile i is called MASTER.subfile_i.nc, which may be a link into another folder; its arrays have
dimensions called DIMENSION.ARRAY. Names, types and order of the attributes are those of PnetCDF's
src/drivers/ncmpio/ncmpio_subfile.c. Source of the method: Son et al., 2016, algorithm 2 (docs/papers.md).

Arrays of records are cut along another dimension than that of records. A subfile has one such dimension, of
all its arrays of records.

One rank makes and looks at the master, and every rank at its share of the subfiles. All files together are
one file to the engine, the master being the last (layouts.py). None of these functions is collective.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import Error, NotFoundError
from . import classic_header, cutting, formats
from .cutting import Cut
from .formats import Place, Records
from .layouts import Layout, RecordPart

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


# --- making -------------------------------------------------------------------------------------


# --- looking ------------------------------------------------------------------------------------


def ranges(array: CutArray, number: int) -> dict[str, Any]:
    """The attributes with the part that a subfile has of each dimension; of records PnetCDF says that there
    is one."""
    found = {}
    for i, length in enumerate((1,) * array.of_records + array.cut.shape):
        first, behind = (
            (array.cut.begins[number], array.cut.begins[number + 1]) if i == array.along else (0, length)
        )
        found[cutting.range_name(array.dimensions[i], number)] = np.array([first, behind - 1], np.int32)
    return found


def look_at_master(path: str) -> Master | None:
    """What a master says; None for a file that is none. Raises Error for one that contradicts itself,
    OSError, ValueError."""
    with open(path, "rb") as stream:
        if stream.read(3) != b"CDF":
            return None
        content = classic_header.read(stream, path)
    if cutting.NUM_SUBFILES not in content.attributes:
        return None
    count = _number(path, content.attributes, cutting.NUM_SUBFILES)
    if not 1 <= count <= MOST_SUBFILES:
        raise _damaged(path, f"{cutting.NUM_SUBFILES} is {count}; allowed: 1 to {MOST_SUBFILES}")
    arrays = {}
    for name, variable in content.variables.items():
        if cutting.NDIMS_ORG in variable.attributes:
            try:
                arrays[name] = _cut_array(path, content, variable, count)
            except Error as error:
                raise _damaged(path, f"array {name!r}: {error.text}") from error
    _check_size(path, formats.end_of_data(content))
    return Master(
        count,
        arrays,
        formats.places_of_all(content),
        end_before_records(content),
        formats.records_of(content),
        formats.record_part_of(content),
    )


def _cut_array(
    path: str, content: classic_header.Content, variable: classic_header.Found, count: int
) -> CutArray:
    """Raises Error."""
    known = variable.attributes
    dimids = known.get(cutting.DIMIDS_ORG, np.zeros(0, int))
    if dimids.dtype.kind not in "iu":
        raise Error(f"attribute {cutting.DIMIDS_ORG} is {dimids.tolist()}; allowed: integers")
    numbers = tuple(dimids.tolist())
    along, own = _number(path, known, cutting.PAR_DIM_INDEX), _number(path, known, cutting.NUM_SUBFILES)
    if len(numbers) != _number(path, known, cutting.NDIMS_ORG) or not all(
        0 <= number < len(content.dimensions) for number in numbers
    ):
        raise Error(
            f"{cutting.DIMIDS_ORG} is {numbers}, and the file has {len(content.dimensions)} dimensions"
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
        first, last = _range(path, known, cutting.range_name(dimensions[along], i))
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
    subfile = cutting.subfile_path(path, number)
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
        if (index := _number(subfile, found.attributes, cutting.SUBFILE_INDEX)) != number:
            raise _damaged(subfile, f"it says that it is number {index}")
        for key, wanted in ranges(array, number).items():
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
    _check_size(subfile, formats.end_of_data(content))
    return Subfile(offsets, end_before_records(content), content.records, formats.record_part_of(content))


def end_before_records(content: classic_header.Content) -> int:
    return max(formats.end_of(formats.places_of(content)), formats.record_part_of(content).begin)


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
        cutting.subfile_path(path, number): one.records
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
