"""Arrays of records in subfiles: their layout, and programs without MPI that read them."""

import math
import os

import netCDF4
import numpy as np
import pytest

import collio
from collio.library.arrays import alone, creation, subfile_set
from collio.library.arrays.formats import Spec
from collio.library.arrays.layouts import Layout, RecordPart
from test_array_subfiles import resolved

RECORD_ARRAYS = {
    "T": ((None, 7, 4), "f8", ("time", "y", "x")),
    "q": ((None, 3, 7), "i2", ("time", "n", "y")),
    "mask": ((7, 4), "i1", ("y", "x")),
    "time": ((None,), "f8", ("time",)),
}


def values_of_records(name, records):
    """Of a whole array of RECORD_ARRAYS."""
    shape = tuple(records if length is None else length for length in RECORD_ARRAYS[name][0])
    return (np.arange(math.prod(shape)) % 120).reshape(shape).astype(RECORD_ARRAYS[name][1])


def made_with_records(path, records, arrays=RECORD_ARRAYS, count=3):
    """A master and subfiles cut along y, their data written by netCDF4. Arrays of one dimension stay in the
    master."""
    specs = {name: Spec.of(name, *spec) for name, spec in arrays.items()}
    master = creation.make_master(str(path), specs, subfile_set.Wish(count, "y", 2))
    for i in range(count):
        creation.make_subfile(str(path), master, i)
        with netCDF4.Dataset(f"{path}.subfile_{i}.nc", "r+") as file:
            for name, array in master.arrays.items():
                piece = range(array.cut.begins[i], array.cut.begins[i + 1])
                file[name][...] = np.take(values_of_records(name, records), piece, array.along)
    with netCDF4.Dataset(path, "r+") as file:
        for name in master.whole:
            file[name][...] = values_of_records(name, records)
    return str(path)


def test_a_layout_has_every_byte_once():
    dice = np.random.default_rng(3)
    for _ in range(50):
        count = int(dice.integers(2, 6))
        parts = [RecordPart(int(dice.integers(100, 9000)), int(dice.integers(0, 9000))) for _ in range(count)]
        layout = Layout.of([int(dice.integers(part.begin, 20000)) for part in parts], parts)
        assert layout.unit % layout.row_unit == 0 and layout.text().split()[:3] == [
            str(count),
            str(layout.unit),
            str(layout.row_unit),
        ]
        for number, part in enumerate(parts):
            assert layout.file_of(layout.at(number, part.begin)) == (number, part.begin)
            for inside in {0, part.bytes // 2, part.bytes - 1} if part.bytes else ():
                assert layout.file_of(layout.at_record(number, part.begin + inside)) == (
                    number,
                    part.begin + inside,
                )
                row, stripe = divmod(
                    layout.at_record(number, part.begin + inside)
                    + 2 * layout.record_bytes
                    - count * layout.unit,
                    layout.record_bytes,
                )
                assert (row, stripe // layout.row_unit) == (2, number)
    assert Layout.of([10, 5000], [RecordPart(), RecordPart()]) == Layout(2, 8192)
    with pytest.raises(collio.Error, match=r"2\*\*63"):
        Layout.of([1 << 62, 0], [RecordPart(), RecordPart()])


def test_record_arrays_are_cut_as_pnetcdf_cuts_them(tmp_path):
    path = made_with_records(tmp_path / "m.nc", 2)
    prefix = "_PnetCDF_SubFiling."
    with netCDF4.Dataset(path) as file:
        assert file.dimensions["time"].isunlimited() and len(file.dimensions["time"]) == 2
        about = {name: np.asarray(file["T"].getncattr(name)).tolist() for name in file["T"].ncattrs()}
        assert file["T"].dimensions == () and file["time"].dimensions == ("time",)
        assert [about[prefix + name] for name in ("par_dim_index", "ndims_org", "num_subfiles")] == [1, 3, 3]
        assert about[prefix + "range(time).subfile.2"] == [0, 0] and about[prefix + "range(y).subfile.1"] == [
            3,
            4,
        ]
        assert file["q"].getncattr(prefix + "par_dim_index") == 2
    with netCDF4.Dataset(f"{path}.subfile_1.nc") as file:
        assert (
            file["T"].dimensions == ("time.T", "y.T", "x.T")
            and file["q"].dimensions == ("time.T", "n.q", "y.q")
            and file["mask"].dimensions == ("y.mask", "x.mask")
        )
        assert file.dimensions["time.T"].isunlimited() and len(file.dimensions["time.T"]) == 2


@pytest.mark.parametrize("names", [("T", "q", "mask", "time"), ("T",), ("mask", "time"), ("T", "q")])
def test_records_are_read_without_mpi(tmp_path, names):
    path = made_with_records(tmp_path / "m.nc", 4, {name: RECORD_ARRAYS[name] for name in names})
    contents, references = alone.look(path), collio.array.references(path)
    assert contents.records.count == 4 and set(contents.places) == set(names)
    for name in names:
        values = values_of_records(name, 4)
        assert alone.shape_of(contents, name) == values.shape
        for key in (
            (slice(None),) * values.ndim,
            (slice(3, 0, -2), *(slice(1, None),) * (values.ndim - 1)),
            (2,) * values.ndim,
        ):
            np.testing.assert_array_equal(alone.read(path, contents, name, key), values[key])
        np.testing.assert_array_equal(resolved(references, name), values)


def test_a_file_without_a_record(tmp_path):
    path = made_with_records(tmp_path / "m.nc", 0, {"T": RECORD_ARRAYS["T"]})
    assert alone.read(path, alone.look(path), "T", np.s_[:, 1:, :]).shape == (0, 6, 4)
    assert resolved(collio.array.references(path), "T").shape == (0, 7, 4)


def test_xarray_reads_records(tmp_path, monkeypatch):
    xarray = pytest.importorskip("xarray")
    path = made_with_records(tmp_path / "m.nc", 3)
    monkeypatch.chdir(tmp_path)
    with xarray.open_dataset("m.nc", engine="collio", decode_times=False) as data:
        monkeypatch.chdir("/")
        np.testing.assert_array_equal(data["T"], values_of_records("T", 3))
        assert data.encoding["unlimited_dims"] == {"time"}
    with xarray.open_dataset(path, engine="collio", decode_times=False) as data:
        assert data["T"].dims == ("time", "y", "x") and not data["T"].variable._in_memory
        np.testing.assert_array_equal(data["T"].isel(time=1), values_of_records("T", 3)[1])
        for name in ("q", "mask", "time"):
            np.testing.assert_array_equal(data[name], values_of_records(name, 3))


def test_references_to_records_of_one_file(tmp_path):
    with netCDF4.Dataset(tmp_path / "a.nc", "w", format="NETCDF3_64BIT_DATA") as file:
        for dimension, length in {"time": None, "y": 7, "x": 4, "n": 3}.items():
            file.createDimension(dimension, length)
        for name, (_, dtype, dimensions) in RECORD_ARRAYS.items():
            file.createVariable(name, dtype, dimensions)[...] = values_of_records(name, 5)
    found = collio.array.references(tmp_path / "a.nc")
    for name in RECORD_ARRAYS:
        np.testing.assert_array_equal(resolved(found, name), values_of_records(name, 5))


@pytest.mark.parametrize("records", [0, 3, 2500])
def test_hdf5_view_shows_records(tmp_path, records):
    """Those of a subfile with several arrays lie apart, and the list of a dataset is short."""
    path = made_with_records(tmp_path / "m.nc", records)
    collio.array.hdf5_view(path, tmp_path / "m.h5")
    with netCDF4.Dataset(tmp_path / "m.h5") as file:
        for name in RECORD_ARRAYS:
            np.testing.assert_array_equal(file[name][...], values_of_records(name, records))
        assert file["T"].dimensions == ("time", "y", "x") and file.dimensions["time"].size == records


def test_number_of_records(tmp_path):
    """PnetCDF's masters have none unless an array of records stays there; records that a subfile lacks do not
    count."""
    path = made_with_records(tmp_path / "m.nc", 3, {"T": RECORD_ARRAYS["T"]})
    assert alone.look(path).records.count == 3
    path = made_with_records(tmp_path / "n.nc", 3, {name: RECORD_ARRAYS[name] for name in ("T", "time")})
    with open(f"{path}.subfile_1.nc", "r+b") as file:
        file.seek(4)
        file.write((2).to_bytes(8, "big"))
    with pytest.warns(
        UserWarning,
        match="n.nc has 3 records, .*subfile_1.nc only 2, as after a loss of power; collio reads the first 2",
    ):
        assert alone.look(path).records.count == 2
    path = made_with_records(tmp_path / "o.nc", 3, {"T": RECORD_ARRAYS["T"]})
    os.truncate(f"{path}.subfile_2.nc", os.path.getsize(f"{path}.subfile_2.nc") - 8)
    with pytest.raises(collio.Error, match="subfile_2.nc: it has .* bytes; its header says"):
        alone.look(path)


@pytest.mark.parametrize(
    "dimensions, words",
    [
        (np.array([1, 0, 2], "i4"), r"shape \(7, 0, 4\), and only the first"),
        ("abc", "dimids_org is .*; allowed: integers"),
    ],
)
def test_damaged_dimensions_of_an_array(tmp_path, dimensions, words):
    path = made_with_records(tmp_path / "m.nc", 1, {"T": RECORD_ARRAYS["T"]})
    with netCDF4.Dataset(path, "r+") as file:
        file["T"].setncattr("_PnetCDF_SubFiling.dimids_org", dimensions)
    with pytest.raises(collio.Error, match=f"m.nc: array 'T': .*{words}"):
        subfile_set.look_at_master(path)


def test_wishes_for_records_that_cannot_be(tmp_path):
    arrays = {name: Spec.of(name, *RECORD_ARRAYS[name]) for name in ("T", "time")}
    for wish, words in (
        (
            subfile_set.Wish(2, "time"),
            "par_dim is 'time', and array 'T' has 3 dimensions, the first one of records; allowed: 1 to 2",
        ),
        (subfile_set.Wish(2, 0), "par_dim is 0, and array 'T'"),
        (subfile_set.Wish(2, 3), "par_dim is 3, and array 'T'"),
        (subfile_set.Wish(8), "subfiles is 8, and array 'T' has 7 elements along 'y'"),
        (subfile_set.Wish(2, None, 4), "nothing is cut"),
    ):
        with pytest.raises(ValueError, match=words):
            creation.make_master(str(tmp_path / "m.nc"), arrays, wish)
