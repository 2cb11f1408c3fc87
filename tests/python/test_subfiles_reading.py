"""Files in subfiles read by Python programs without MPI: file objects, h5py, and xarray's engine "collio"."""

import os
import random
from importlib.util import find_spec

import netCDF4
import numpy
import pytest

import collio
from collio.subfiles import subfile_set
from collio.subfiles.manifest import ManifestError
from collio.subfiles.reading import SubfileReader

h5py = pytest.importorskip("h5py")
xarray = pytest.importorskip("xarray")


@pytest.fixture
def split(cli, tmp_path):
    """Puts a file into subfiles."""

    def split(path, count=5, unit=700):
        assert cli("split", path, "--subfiles", count, "--unit", unit).exit_code == 0
        return path

    return split


def test_reads_as_an_ordinary_file(split, tmp_path):
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    dice = random.Random(seed)
    data = dice.randbytes(100_003)
    (tmp_path / "plain").write_bytes(data)
    (tmp_path / "file").write_bytes(data)
    split(tmp_path / "file", count=dice.choice([1, 3, 100]))
    before = len(os.listdir("/proc/self/fd"))
    with collio.open_file(tmp_path / "plain") as plain, collio.open_file(tmp_path / "file") as file:
        assert (
            file.read() == data
            and file.seek(-10, os.SEEK_END) == len(data) - 10
            and file.read(100) == data[-10:]
            and file.read(1) == b""
        )
        for _ in range(300):
            at, count = dice.randrange(len(data) + 100), dice.choice([1, 699, 701, 5000])
            assert file.seek(at) == plain.seek(at) and file.read(count) == plain.read(count)
        assert len(os.listdir("/proc/self/fd")) <= before + 70
    assert len(os.listdir("/proc/self/fd")) == before


def test_holes_are_zeros_and_damage_is_an_error(split, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"x" * 10_000)
    split(path, count=3, unit=1000)
    found = subfile_set.find(path)
    with open(found.subfile(0), "r+b") as subfile:
        subfile.truncate(8_000)  # the file's last byte is another stripe of this subfile then
    with collio.open_file(path) as file:
        assert (
            len(data := file.read()) == found.length()
            and data[:10_000] == b"x" * 10_000
            and not data[10_000:].strip(b"\0")
        )
    found.subfile(1).unlink()
    with pytest.raises(ManifestError, match=f"missing: {found.subfile(1)}"):
        collio.open_file(path)
    with pytest.raises(ManifestError, match="not kept in subfiles"):
        SubfileReader(found.subfile(0))


def test_nobody_joins_what_is_open(cli, split, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"x" * 5000)
    with collio.open_file(split(path)):
        assert cli("join", path).exit_code != 0
    assert cli("join", path).exit_code == 0 and path.read_bytes() == b"x" * 5000


def test_h5py_reads_parts(split, tmp_path):
    path, values = tmp_path / "file.h5", numpy.arange(200_000).reshape(100, 2000)
    with h5py.File(path, "w") as file:
        file["values"] = values
    with h5py.File(collio.open_file(split(path)), "r") as file:
        assert (file["values"][10:20, ::7] == values[10:20, ::7]).all()


@pytest.mark.parametrize("form", ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA", "NETCDF4"])
@pytest.mark.parametrize("engine", [None, "collio"])
def test_xarray(split, tmp_path, form, engine):
    path, values = tmp_path / "file.nc", numpy.random.default_rng(3).random((50, 60))
    with netCDF4.Dataset(path, "w", format=form) as file:
        file.createDimension("y", 50)
        file.createDimension("x", 60)
        file.createVariable("t", "f8", ("y", "x"))[:] = values
        file.title = "a test"
    with xarray.open_dataset(path) as plain:
        expected = plain.load()
    with xarray.open_dataset(split(path), engine=engine) as found:
        assert found.identical(expected) and (found["t"].values == values).all()


@pytest.mark.skipif(not find_spec("h5netcdf"), reason="no h5netcdf")
def test_xarray_reads_no_more_than_it_needs(split, tmp_path, monkeypatch):
    path = tmp_path / "file.nc"
    with netCDF4.Dataset(path, "w", format="NETCDF4") as file:
        file.createDimension("x", 4_000_000)
        for name in "abcd":
            file.createVariable(name, "f8", ("x",))[:] = float(ord(name))
    split(path, unit="1MiB")
    counted = []
    real = SubfileReader.readinto
    monkeypatch.setattr(
        SubfileReader, "readinto", lambda self, buffer: counted.append(real(self, buffer)) or counted[-1]
    )
    with xarray.open_dataset(path) as found:
        assert found["c"][1_000_000].item() == ord("c")
    assert 0 < sum(counted) < 50_000_000, "of 128 MB"
