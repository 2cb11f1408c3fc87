"""Array subfiles without MPI: the rule by which arrays are cut, parts of them, xarray's engine, and
references for Zarr."""

import json
import math
import os
import random

import h5py
import netCDF4
import numpy as np
import pytest

import collio
from collio.library.arrays import alone, creation, subfile_set
from collio.library.arrays.cutting import Cut, begins
from collio.library.arrays.formats import Spec


def made(path, array, wish, dimensions=("z", "y", "x")):
    """A master and its subfiles, their data written by netCDF4."""
    arrays = {
        "T": Spec.of("T", array.shape, array.dtype, dimensions[: array.ndim]),
        "flat": Spec.of("flat", (3,), "i4", ("w",)),
    }
    master = creation.make_master(str(path), arrays, wish)
    cut = master.arrays["T"].cut
    for i in range(wish.count):
        creation.make_subfile(str(path), master, i)
        with netCDF4.Dataset(f"{path}.subfile_{i}.nc", "r+") as file:
            file["T"][...] = np.take(array, range(cut.begins[i], cut.begins[i + 1]), cut.along)
    with netCDF4.Dataset(path, "r+") as file:
        file["flat"][...] = [1, 2, 3]
        file.title = "a run"
    return path


@pytest.fixture
def numbers():
    return np.arange(7 * 12 * 5, dtype="f8").reshape(7, 12, 5)


def test_pieces_are_those_of_pnetcdf():
    """Its arithmetic is in floating point: min and max of each subfile as ncmpio_subfile_partition() finds
    them."""
    for length in range(1, 60):
        for count in range(1, length + 1):
            x = length / count
            first = [int(x * i) + (0 if i == 0 or (x * i).is_integer() else 1) for i in range(count)]
            last = [
                min(int(x * (i + 1)) - (1 if (x * (i + 1)).is_integer() else 0), length - 1)
                for i in range(count)
            ]
            ours = begins(length, count)
            assert (list(ours[:-1]), [one - 1 for one in ours[1:]]) == (first, last) and min(
                np.diff(ours)
            ) >= 1


def test_parts_of_boxes_and_maps_are_what_numpy_cuts():
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    dice = np.random.default_rng(seed)
    for _ in range(60):
        shape = tuple(int(n) for n in dice.integers(1, 7, dice.integers(1, 4)))
        along = int(dice.integers(len(shape)))
        cut = Cut(shape, along, begins(shape[along], int(dice.integers(1, shape[along] + 1))))
        array = np.arange(math.prod(shape)).reshape(shape)
        pieces = [np.take(array, range(*pair), along) for pair in zip(cut.begins, cut.begins[1:])]
        assert [piece.shape for piece in pieces] == [cut.piece_shape(i) for i in range(len(pieces))]
        start = [int(dice.integers(n + 1)) for n in shape]
        count = [int(dice.integers(n - at + 1)) for n, at in zip(shape, start)]
        block = np.full(count, -1)
        for part in cut.of_box(start, count):
            block[part.block] = pieces[part.piece][
                tuple(slice(at, at + n) for at, n in zip(part.start, part.count))
            ]
        np.testing.assert_array_equal(block, array[tuple(slice(at, at + n) for at, n in zip(start, count))])
        indices = dice.integers(-1, array.size, 15).astype("i4")
        row = np.full(15, -1)
        for part in cut.of_map(indices):
            row[part.chosen] = pieces[part.piece].reshape(-1)[part.indices]
        np.testing.assert_array_equal(row, indices)


@pytest.mark.parametrize("along, count", [(0, 3), ("y", 4), (2, 5), (0, 1)])
def test_reads_parts_without_mpi(tmp_path, numbers, along, count):
    path = str(made(tmp_path / "m.nc", numbers, subfile_set.Wish(count, along, 2)))
    contents = alone.look(path)
    for key in (
        np.s_[:, :, :],
        np.s_[1:6, 2:11, 3],
        np.s_[::-2, 3:3, 1:],
        np.s_[6, -1, 4],
        np.s_[::3, 10:2:-4, ::-1],
        np.s_[-3, 4:, :2],
    ):
        np.testing.assert_array_equal(alone.read(path, contents, "T", key), numbers[key])
    np.testing.assert_array_equal(alone.read(path, contents, "flat", np.s_[1:,]), [2, 3])


def test_xarray_reads_lazily(tmp_path, numbers):
    xarray = pytest.importorskip("xarray")
    path = made(tmp_path / "m.nc", numbers, subfile_set.Wish(3, None, 2))
    with xarray.open_dataset(path, engine="collio") as data:
        assert (
            data["T"].dims == ("z", "y", "x")
            and data.attrs == {"title": "a run"}
            and not data["T"].attrs
            and not data["T"].variable._in_memory
        )
        os.rename(f"{path}.subfile_2.nc", tmp_path / "away")
        np.testing.assert_array_equal(data["T"][4, ::-1, [0, 3]], numbers[4, ::-1][:, [0, 3]])
        with pytest.raises(FileNotFoundError, match="subfile_2"):
            data["T"].sum().load()
        np.testing.assert_array_equal(data["flat"], [1, 2, 3])
    with pytest.raises(collio.NotFoundError, match="subfile_2"):
        xarray.open_dataset(path, engine="collio")


def resolved(references, name):
    """The array as Zarr's specification (version 2) and kerchunk's (version 1) put it together."""
    refs = json.loads(json.dumps(references))["refs"]
    about = refs[f"{name}/.zarray"]
    assert (
        about["compressor"] is None
        and about["filters"] is None
        and about["order"] == "C"
        and about["zarr_format"] == 2
    )
    found = np.zeros(about["shape"], about["dtype"])
    for number in np.ndindex(*(-(-n // step) for n, step in zip(about["shape"], about["chunks"]))):
        path, offset, length = refs[f"{name}/{'.'.join(map(str, number)) or 0}"]
        assert length == math.prod(about["chunks"]) * found.itemsize
        with open(path, "rb") as file:
            file.seek(offset)
            chunk = np.frombuffer(file.read(length), about["dtype"]).reshape(about["chunks"])
        found[tuple(slice(i * step, (i + 1) * step) for i, step in zip(number, about["chunks"]))] = chunk
    return found


@pytest.mark.parametrize(
    "along, count, chunks",
    [
        (0, 7, [1, 12, 5]),
        (1, 4, [7, 3, 5]),
        (0, 3, [1, 12, 5]),
        (1, 5, [1, 1, 5]),
        (2, 3, [1, 1, 1]),
        (1, 1, [7, 12, 5]),
    ],
)
def test_references_are_chunks_of_subfiles(tmp_path, numbers, along, count, chunks):
    path = made(tmp_path / "m.nc", numbers, subfile_set.Wish(count, along, 2))
    found = collio.array.references(path)
    assert (
        found["version"] == 1
        and found["refs"][".zattrs"] == {"title": "a run"}
        and found["refs"]["T/.zattrs"] == {"_ARRAY_DIMENSIONS": ["z", "y", "x"]}
    )
    assert found["refs"]["T/.zarray"]["chunks"] == chunks
    np.testing.assert_array_equal(resolved(found, "T"), numbers)
    np.testing.assert_array_equal(resolved(found, "flat"), [1, 2, 3])
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "m.nc").symlink_to(path)
    assert collio.array.references(tmp_path / "links" / "m.nc") == found


def test_references_to_other_files(tmp_path):
    (tmp_path / "a.h5").write_bytes(b"\x89HDF")
    with pytest.raises(ValueError, match="CDF-5"):
        collio.array.references(tmp_path / "a.h5")
    with netCDF4.Dataset(tmp_path / "a.nc", "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("x", 4)
        file.createVariable("a", "i2", ("x",)).setncatts(
            {"units": "K", "range": np.array([1, 2], "i4"), "scale": 2.0}
        )
        file["a"].set_auto_maskandscale(False)
        file["a"][:] = [1, 2, 3, 4]
        file.createVariable("crs", "i4", ()).grid_mapping_name = "latitude_longitude"
        file["crs"][...] = 7
    found = collio.array.references(tmp_path / "a.nc")
    assert found["refs"]["a/.zattrs"] == {
        "units": "K",
        "range": [1, 2],
        "scale": 2.0,
        "_ARRAY_DIMENSIONS": ["x"],
    }
    np.testing.assert_array_equal(resolved(found, "a"), [1, 2, 3, 4])
    assert resolved(found, "crs") == 7 and found["refs"]["crs/.zattrs"] == {
        "grid_mapping_name": "latitude_longitude",
        "_ARRAY_DIMENSIONS": [],
    }


@pytest.mark.parametrize("along, count", [(0, 7), (0, 3), (1, 5), (2, 3), (1, 1)])
def test_hdf5_view_shows_subfiles(tmp_path, numbers, along, count):
    """To readers of HDF5 that know nothing of collio's."""
    path = made(tmp_path / "m.nc", numbers, subfile_set.Wish(count, along, 2))
    with netCDF4.Dataset(path, "r+") as file:
        file.createVariable("crs", "i4", ()).grid_mapping_name = "latitude_longitude"
        file["crs"][...] = 7
    collio.array.hdf5_view(path, tmp_path / "m.h5")
    with h5py.File(tmp_path / "m.h5") as file:
        np.testing.assert_array_equal(file["T"], numbers)
        assert file["T"].dtype == ">f8" and file["T"].is_virtual == (along > 0 and count > 1)
        assert [scale[0].name for scale in file["T"].dims] == ["/z", "/y", "/x"]
    with netCDF4.Dataset(tmp_path / "m.h5") as file:
        np.testing.assert_array_equal(file["T"][:, 3:, 1], numbers[:, 3:, 1])
        np.testing.assert_array_equal(file["flat"][:], [1, 2, 3])
        assert file["T"].dimensions == ("z", "y", "x") and file.title == "a run" and file["crs"][...] == 7
        assert file["crs"].grid_mapping_name == "latitude_longitude" and not file["T"].ncattrs()
    (tmp_path / "m.nc.subfile_0.nc").rename(tmp_path / "away")
    with h5py.File(tmp_path / "m.h5") as file, pytest.raises(OSError, match="external"):
        file["T"][...]


def test_hdf5_view_is_no_file_with_the_data(tmp_path, numbers):
    path = made(tmp_path / "m.nc", numbers, subfile_set.Wish(3, 0, 2))
    (tmp_path / "link").symlink_to(f"{path}.subfile_1.nc")
    for view in (path, tmp_path / "link"):
        with pytest.raises(ValueError, match="which has the data"):
            collio.array.hdf5_view(path, view)
    with pytest.raises(FileNotFoundError):
        collio.array.hdf5_view(path, tmp_path / "none" / "m.h5")
    np.testing.assert_array_equal(alone.read(str(path), alone.look(str(path)), "T", np.s_[:, :, :]), numbers)


def test_a_file_of_pnetcdf_1_14_is_read(tmp_path, numbers):
    """It has 0 for the last element of each range in a subfile, where its master has the right one."""
    path = str(made(tmp_path / "m.nc", numbers, subfile_set.Wish(2, None, 2)))
    with netCDF4.Dataset(f"{path}.subfile_1.nc", "r+") as file:
        for name in file["T"].ncattrs():
            if "range" in name:
                file["T"].setncattr(name, np.array([file["T"].getncattr(name)[0], 0], "i4"))
    np.testing.assert_array_equal(alone.read(path, alone.look(path), "T", np.s_[3:, :, :]), numbers[3:])
