"""Makes array subfiles: the master and each of its subfiles (subfile_set.py)."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from collio.flushing import flush_folder

from ..arguments import whole_number
from . import classic_header, cutting, formats
from .cutting import Cut
from .formats import Model, Spec
from .layouts import Layout
from .subfile_set import MOST_SUBFILES, CutArray, Master, Wish, end_before_records, look_at_master, ranges

MOST_ELEMENTS = 2**31 - 1
"""Along a dimension: PnetCDF's attributes are 32-bit integers."""


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


def make_master(path: str, arrays: Mapping[str, Spec], wish: Wish) -> Master:
    """Makes the master, removes subfiles of one that was there, and says what it says. Raises Error, OSError,
    ValueError."""
    model = formats.model_of(arrays)
    numbers = {name: i for i, name in enumerate(model.dimensions)}
    cuts = {name: cut for name, spec in arrays.items() if (cut := _cut(name, spec, model, wish))}
    _check_names(wish, model, cuts)
    for folder in wish.folders:
        if not os.path.isabs(folder) or not os.path.isdir(folder):
            raise ValueError(
                f"hint collio_subfile_dirs has {folder!r}; allowed: absolute paths of folders that are there"
            )
    model.attributes[cutting.NUM_SUBFILES] = np.int32(wish.count)
    for name, cut in cuts.items():
        attributes: dict[str, Any] = (
            {cutting.PAR_DIM_ID: np.int32(numbers[str(wish.par_dim)])}
            if wish.par_dim in cut.dimensions
            else {}
        )
        attributes[cutting.PAR_DIM_INDEX] = np.int32(cut.along)
        attributes[cutting.NDIMS_ORG] = np.int32(len(cut.dimensions))
        attributes[cutting.DIMIDS_ORG] = np.array([numbers[one] for one in cut.dimensions], np.int32)
        attributes[cutting.NUM_SUBFILES] = np.int32(wish.count)
        for i in range(wish.count):
            attributes.update(ranges(cut, i))
        model.variables[name] = (cut.dtype, (), attributes)
    remove_subfiles(path)
    formats.write_cdf5(path, model)
    formats.make_long_enough(path, formats.look(path))
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
            {**ranges(array, number), cutting.SUBFILE_INDEX: np.int32(number)},
        )
    subfile = cutting.subfile_path(path, number)
    if os.path.lexists(subfile):
        os.unlink(subfile)
    if master.folders:
        folder = master.folders[number % len(master.folders)]
        os.symlink(
            os.path.join(
                folder, f"{os.path.basename(path)}.{master.identity}{cutting.subfile_path('', number)}"
            ),
            subfile,
        )
    formats.write_cdf5(os.path.realpath(subfile), model)
    with open(subfile, "rb") as stream:
        end = end_before_records(classic_header.read(stream, subfile))
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
        subfile = cutting.subfile_path(path, i)
        there = os.path.realpath(subfile)
        if os.path.islink(subfile) and there.endswith(cutting.subfile_path("", i)) and os.path.exists(there):
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
        dtype, dimensions, Cut(shape, along - of_records, cutting.begins(length, wish.count)), of_records
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


def make_room_for_records(path: str, layout: Layout, number: int, records: int) -> None:
    """Makes a subfile, or the master as number `layout.count` - 1, as long as its records are. It is never
    shortened, whoever writes to it. Raises OSError."""
    part = layout.parts[number]
    with open(path if number == layout.count - 1 else cutting.subfile_path(path, number), "r+b") as stream:
        os.posix_fallocate(stream.fileno(), part.begin + records * part.bytes - 1, 1)
