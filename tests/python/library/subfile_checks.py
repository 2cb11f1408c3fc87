"""Array subfiles: a master and its subfiles as netCDF4 reads them, beside a plain file, and what is said of
damaged ones."""

import itertools
import os
import shutil

import netCDF4
import numpy as np
from array_checks import on_first_rank
from common_checks import numbers, raises, rows_of, same

import collio

SHAPE = (7, 12, 5)
PREFIX = "_PnetCDF_SubFiling."


def part_of(comm, array):
    first, count = rows_of(comm, array.shape[0])
    return array[first : first + count], (first,) + (0,) * (array.ndim - 1)


def write(comm, path, array, **how):
    block, start = part_of(comm, array)
    collio.array.write(
        comm, path, "T", block, shape=array.shape, start=start, dimensions=("z", "y", "x"), **how
    )


def write_plain(path, array):
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_DATA") as file:
        for name, length in zip("zyx", array.shape):
            file.createDimension(name, length)
        file.createVariable("T", array.dtype, ("z", "y", "x"))[...] = array


def values_of(path):
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        return file["T"][...]


def attributes_of(item):
    """Names and values in their order; all are 32-bit integers."""
    found = {name: np.asarray(item.getncattr(name)) for name in item.ncattrs()}
    assert all(value.dtype == np.int32 for value in found.values()), found
    return {name: value.tolist() for name, value in found.items()}


def check_the_files_are_those_of_pnetcdf(comm, folder):
    """As test/subfile/README of PnetCDF shows them for two subfiles, and along another dimension."""
    array, path = numbers(SHAPE, "f4"), folder / "m.nc"
    write(comm, path, array, subfiles=2)

    def look():
        with netCDF4.Dataset(path) as file:
            assert file.data_model == "NETCDF3_64BIT_DATA" and {
                name: len(one) for name, one in file.dimensions.items()
            } == {"z": 7, "y": 12, "x": 5}
            assert attributes_of(file) == {PREFIX + "num_subfiles": 2} and file["T"].dimensions == ()
            wanted = {"par_dim_index": 0, "ndims_org": 3, "dimids_org": [0, 1, 2], "num_subfiles": 2}
            wanted.update(
                {"range(z).subfile.0": [0, 3], "range(y).subfile.0": [0, 11], "range(x).subfile.0": [0, 4]}
            )
            wanted.update(
                {"range(z).subfile.1": [4, 6], "range(y).subfile.1": [0, 11], "range(x).subfile.1": [0, 4]}
            )
            assert list(attributes_of(file["T"]).items()) == [
                (PREFIX + name, value) for name, value in wanted.items()
            ]
        with netCDF4.Dataset(f"{path}.subfile_1.nc") as file:
            assert (
                file.data_model == "NETCDF3_64BIT_DATA"
                and not file.ncattrs()
                and file["T"].dimensions == ("z.T", "y.T", "x.T")
            )
            wanted = {
                "range(z).subfile.1": [4, 6],
                "range(y).subfile.1": [0, 11],
                "range(x).subfile.1": [0, 4],
                "subfile_index": 1,
            }
            assert list(attributes_of(file["T"]).items()) == [
                (PREFIX + name, value) for name, value in wanted.items()
            ]
        assert sorted(os.listdir(folder)) == ["m.nc", "m.nc.subfile_0.nc", "m.nc.subfile_1.nc"]

    on_first_rank(comm, look)


def check_each_subfile_has_its_part(comm, folder):
    """Values as the plain file has them, for any number of subfiles, dimension and type."""
    for dtype, count, along in (("f8", 7, None), ("i1", 5, "y"), ("i8", 2, 2), ("f4", 1, None)):
        array, path = numbers(SHAPE).astype(dtype), folder / f"{dtype}.nc"
        write(comm, path, array, subfiles=count, par_dim=along)
        on_first_rank(comm, lambda: write_plain(folder / "plain.nc", array))

        def look():
            parts = [values_of(f"{path}.subfile_{i}.nc") for i in range(count)]
            same(
                np.concatenate(parts, axis={None: 0, "y": 1}.get(along, along)),
                values_of(folder / "plain.nc"),
            )

        on_first_rank(comm, look)
        same(collio.array.read(comm, path, "T"), array)


def check_slices_that_cross(comm, folder):
    """Boxes and maps, read and written again, beside NumPy."""
    dice = np.random.default_rng(5)
    for case in range(4):
        shape = tuple(int(n) for n in dice.integers(1, 9, dice.integers(1, 4)))
        along = int(dice.integers(len(shape)))
        count, path, array = (
            int(dice.integers(1, shape[along] + 1)),
            folder / f"{case}.nc",
            numbers(shape, "i4"),
        )
        block, start = part_of(comm, array)
        arrays = {"T": (shape, "i4"), "same": (shape, "f8"), "few": ((2,) if len(shape) > 1 else shape, "i4")}
        with collio.array.open(
            comm, path, "w", arrays, subfiles=count, par_dim=along, min_ndims=len(shape)
        ) as file:
            file.put("T", block, start)
            file.put("same", block.astype("f8"), start)
            if comm.rank == 0:
                file.put("few", np.arange(arrays["few"][0][0], dtype="i4"))
            file.commit(wait=True)
        with collio.array.open(comm, path, "r+") as file:
            own = np.random.default_rng(comm.rank)
            lower = [int(own.integers(length)) for length in shape]
            extent = [int(own.integers(length - at + 1)) for length, at in zip(shape, lower)]
            same(
                file.read("T", lower, extent), array[tuple(slice(at, at + n) for at, n in zip(lower, extent))]
            )
            indices = own.integers(-1, array.size, 20)
            same(
                file.read("same", decomposition=collio.map(shape, indices)),
                np.where(indices < 0, 0, array.reshape(-1)[indices]),
            )
            mine = np.flatnonzero(np.arange(array.size) % comm.size == comm.rank)[::-1]
            file.put("T", -array.reshape(-1)[mine], decomposition=collio.map(shape, mine))
            file.commit(wait=False).wait()
            same(file.read("T"), -array)
            same(file.read("same"), array)
            same(file.read("few"), np.arange(arrays["few"][0][0]))


def check_a_file_in_place_of_another(comm, folder):
    path, array = folder / "m.nc", numbers(SHAPE)
    for how, wanted in (
        ({"subfiles": 4}, 4),
        ({"hints": {"nc_num_subfiles": 3, "pnetcdf_subfiling": "enable"}}, 3),
        ({}, 0),
    ):
        write(comm, path, array, **how)
        same(collio.array.read(comm, path, "T"), array)
        on_first_rank(comm, lambda: same(len(os.listdir(folder)), 1 + wanted))


def check_links_to_a_master(comm, folder):
    """Subfiles lie beside the master, whatever name it is written and read by."""
    path, link, array = folder / "m.nc", folder / "links" / "latest.nc", numbers(SHAPE)
    on_first_rank(comm, lambda: (link.parent.mkdir(), link.symlink_to(path)))
    for values in (array, -array):
        write(comm, link, values, subfiles=3)
        for name in (path, link):
            same(collio.array.read(comm, name, "T"), values)
    on_first_rank(
        comm, lambda: (same(os.listdir(link.parent), ["latest.nc"]), same(len(os.listdir(folder)), 1 + 3 + 1))
    )
    write(comm, link, array)
    on_first_rank(comm, lambda: same(sorted(os.listdir(folder)), ["links", "m.nc"]))


def check_a_file_that_cannot_be_leaves_the_old_one(comm, folder):
    path, array = folder / "m.nc", numbers(SHAPE)
    write(comm, path, array, subfiles=3)
    for arrays, how in (
        ({"T": (SHAPE, "c16")}, {}),
        ({"T": (SHAPE, "c16")}, {"subfiles": 2}),
        ({"T": (SHAPE, "f8")}, {"format": "zarr"}),
        ({"T": ((None, 3), "f8")}, {"format": "hdf5"}),
    ):
        with raises(ValueError, "allowed"):
            collio.array.open(comm, path, "w", arrays, **how)
        same(collio.array.read(comm, path, "T"), array)


def check_wishes_that_cannot_be(comm, folder):
    arrays = {"T": (SHAPE, "f4", ("z", "y", "x")), "flat": ((3,), "f4", ("w",))}
    for how, words in (
        ({"subfiles": 8, "min_ndims": 2}, ("8", "'T'", "7 elements", "'z'")),
        ({"subfiles": 4}, ("4", "'flat'", "3 elements")),
        ({"subfiles": 0}, ("0", "65534")),
        ({"subfiles": 2, "par_dim": "t"}, ("'t'", "'z'")),
        ({"subfiles": 2, "par_dim": 2}, ("2", "'flat'")),
        ({"subfiles": 2, "min_ndims": 4}, ("nothing is cut",)),
        ({"subfiles": 2, "format": "hdf5"}, ("'hdf5'", "'cdf5'")),
        ({"hints": {"nc_num_subfiles": "many"}}, ("many",)),
    ):
        with raises(ValueError, *words):
            collio.array.open(comm, folder / "m.nc", "w", arrays, **how)
    for how, words in (
        ({"subfiles": "2"}, ("subfiles is '2'", "65534")),
        ({"subfiles": 2, "par_dim": 1.0}, ("par_dim is 1.0", "name of a dimension")),
        ({"subfiles": 2, "min_ndims": None}, ("min_ndims is None",)),
    ):
        with raises(TypeError, *words):
            collio.array.open(comm, folder / "m.nc", "w", arrays, **how)
    with raises(TypeError, "a length of array 'T' is 7.0", "integers"):
        collio.array.open(comm, folder / "m.nc", "w", {"T": ((7.0, 2), "f4")}, subfiles=2)
    with collio.array.open(
        comm, folder / "m.nc", "w", {"T": arrays["T"]}, subfiles=2, par_dim=np.int64(1)
    ) as file:
        assert file.arrays["T"].cut.along == 1
    with collio.array.open(comm, folder / "m.nc", "w", arrays, subfiles=2) as file:
        with raises(ValueError):
            file.put("T", np.zeros(SHAPE, "f4"), start=(1, 0, 0))
        with raises(ValueError, "419"):
            file.put("T", np.zeros(419, "f4"), decomposition=collio.map(SHAPE, range(420)))
        with raises(collio.Error, "array subfiles"):
            file.file.truncate(100)


def changed(path, change):
    with netCDF4.Dataset(path, "r+") as file:
        change(file)


def check_damage_is_named_on_all_ranks(comm, folder):
    write(comm, folder / "m.nc", numbers(SHAPE), subfiles=3)
    write(comm, folder / "other.nc", numbers(SHAPE), subfiles=3, par_dim="y")
    one, master = "m.nc.subfile_1.nc", "m.nc"
    damages = {
        "missing": (one, lambda path: path.unlink()),
        "900 bytes": (one, lambda path: os.truncate(path, 900)),
        "header": (one, lambda path: path.write_bytes(b"CDF")),
        "first bytes": (one, lambda path: path.write_bytes(b"junk" * 999)),
        "number 2": (one, lambda path: shutil.copy(folder / "m.nc.subfile_2.nc", path)),
        "(7, 4, 5)": (one, lambda path: shutil.copy(folder / "other.nc.subfile_1.nc", path)),
        "range(z).subfile.1": (
            one,
            lambda path: changed(
                path, lambda file: file["T"].setncattr(PREFIX + "range(z).subfile.1", np.array([2, 4], "i4"))
            ),
        ),
        "into 3 parts": (
            master,
            lambda path: changed(path, lambda file: file.setncattr(PREFIX + "num_subfiles", np.int32(2))),
        ),
        "elements 4 to 4": (
            master,
            lambda path: changed(
                path, lambda file: file["T"].setncattr(PREFIX + "range(z).subfile.1", np.array([4, 4], "i4"))
            ),
        ),
        "dimids_org": (
            master,
            lambda path: changed(
                path, lambda file: file["T"].setncattr(PREFIX + "dimids_org", np.array([0, 1, 9], "i4"))
            ),
        ),
    }
    for (word, (name, damage)), number in zip(damages.items(), itertools.count()):
        place = folder / str(number)
        on_first_rank(
            comm,
            lambda: (
                shutil.copytree(folder, place, ignore=lambda *_: list(map(str, range(99)))),
                damage(place / name),
            ),
        )
        with raises(collio.Error, str(place / name), word):
            collio.array.open(comm, place / "m.nc")
    with collio.array.open(comm, folder / "m.nc") as file:
        on_first_rank(comm, (folder / one).unlink)
        try:
            same(file.read("T"), numbers(SHAPE))  # an aggregator had it open
            missed = ""
        except collio.Error as error:
            missed = str(error)
        assert not any(comm.allgather(missed)) or one in missed, missed


def check_subfiles_in_folders(comm, folder):
    """One for each storage target: links beside the master, and nothing is left of a file that another
    replaces."""
    array, path, places = numbers(SHAPE, "f8"), folder / "m.nc", [folder / "a", folder / "b c"]
    on_first_rank(comm, lambda: [place.mkdir() for place in places])
    for hints in (
        {"collio_subfile_dirs": ":".join(map(str, places))},
        {"collio_subfile_dirs": str(places[0])},
        {},
    ):
        write(comm, path, array, subfiles=3, hints=hints)
        same(collio.array.read(comm, path, "T"), array)

        def look():
            dealt = [
                place for place in places if str(place) in hints.get("collio_subfile_dirs", "").split(":")
            ]
            for i in range(3):
                subfile = folder / f"m.nc.subfile_{i}.nc"
                assert subfile.is_symlink() == bool(dealt)
                assert subfile.resolve().parent == (dealt[i % len(dealt)] if dealt else folder)
            assert sum(len(list(place.iterdir())) for place in places) == (3 if dealt else 0)
            parts = np.concatenate([values_of(folder / f"m.nc.subfile_{i}.nc") for i in range(3)])
            same(parts, array)

        on_first_rank(comm, look)
    with raises(ValueError, "collio_subfile_dirs has", "allowed: absolute paths of folders that are there"):
        write(comm, path, array, subfiles=3, hints={"collio_subfile_dirs": f"{places[0]}:{folder}/none"})
    same(collio.array.read(comm, path, "T"), array)
