"""As test_power_loss.py: what a returned sync or close promised of arrays, and of decompositions in files,
survives a loss of power."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import collio
from collio.builds import Build
from collio.library.arrays import alone, formats
from lab_power import check_every_loss, power  # noqa: F401
from ranks import run_python

PROGRAMS = Path(__file__).parent / "programs"
STEPS, SHAPE = 3, (6, 500)


def run(mpi, folder, program, *words):
    code, output = run_python(mpi, 3, folder, PROGRAMS / program, *words)
    assert code == 0, output


def what_is_lost(path, records, folder):
    """ "" if these records and the array of fixed size are there; else what is missing. Reads copies in
    `folder`: the file system has no mmap(2)."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        for there in path.parent.glob(f"{path.name}*"):
            shutil.copyfile(there, folder / there.name)
        path = folder / path.name
        found = alone.look(str(path))
        there = alone.shape_of(found, "T")[0]
        if there < records:
            return f"{there} of {records} records are there"
        for record in range(records):
            if not (
                alone.read(str(path), found, "T", (record, slice(None), slice(None))) == record + 1
            ).all():
                return f"record {record} has other values"
        times = alone.read(str(path), found, "time", (slice(None),))[:records]
        if not np.array_equal(times, np.arange(1, records + 1)):
            return f"times are {times}"
        return (
            ""
            if (alone.read(str(path), found, "flat", (slice(None), slice(None))) == 9).all()
            else "the array of fixed size has other values"
        )
    except (OSError, ValueError, KeyError, collio.Error) as error:
        return repr(error)


@pytest.mark.filterwarnings("ignore:.*as after a loss of power")
@pytest.mark.parametrize(
    "subfiles, folders", [(0, ()), (3, ()), (3, ("t0", "t1"))], ids=["one file", "subfiles", "elsewhere"]
)
def test_synced_records_survive(power, real_mpi, tmp_path, monkeypatch, subfiles, folders):
    power.record()
    # each rank writes, and flushes, its own subfile
    monkeypatch.setenv("COLLIO_HINTS", "collio_path=independent")
    monkeypatch.setenv("COLLIO_FAULTS", "1-2:sync:delay=0.05")  # after the master
    for folder in folders:
        (power.point / folder).mkdir()
    path = power.point / "out.nc"
    run(
        real_mpi,
        tmp_path,
        "synced_arrays.py",
        path,
        power.point,
        subfiles,
        *([":".join(str(power.point / folder) for folder in folders)] if folders else []),
    )
    assert what_is_lost(path, STEPS, tmp_path / "copy") == ""
    assert check_every_loss(power, lambda mark: what_is_lost(path, min(STEPS, mark), tmp_path / "copy")) > 10


@pytest.fixture
def synced_pio(real_mpi, tmp_path):
    """The program, where libcollio_pio is built for this MPI: with PnetCDF, which a system has for one."""
    libraries = Build.of(real_mpi).root / "lib"
    if not (libraries / "libcollio_pio.so").is_file():
        pytest.skip(f"libcollio_pio is not built for {real_mpi.id}")
    program = tmp_path / "synced_pio"
    subprocess.run(
        [
            real_mpi.mpicc,
            "-o",
            program,
            PROGRAMS / "synced_pio.c",
            f"-I{PROGRAMS.parents[2] / 'pio/include'}",
            f"-L{libraries}",
            "-lcollio_pio",
            f"-Wl,-rpath,{libraries}",
            "-lpnetcdf",
        ],
        check=True,
    )
    return program


def wrong_records(path, records):
    """ "" if records have their values: at least `records` of them, and all that the file counts; else what
    is missing. The number comes after the data."""
    try:
        found = formats.look_at_all(str(path))
        there, place = found[1].count, found[0]["T"]
        with open(path, "rb") as file:
            for record in range(there):
                file.seek(place.offset + record * place.record_bytes)
                values = np.frombuffer(file.read(place.record_bytes), ">f8")
                if len(values) != place.shape[0] or not (values == record + 1).all():
                    return f"record {record} of {there} has other values"
        return "" if there >= records else f"there are {there} records"
    except (OSError, ValueError, collio.Error) as error:
        return repr(error) if records else ""


def test_synced_records_of_pio_survive(power, real_mpi, synced_pio):
    power.record()
    path = power.point / "out.nc"
    words = [
        real_mpi.mpiexec,
        "-n",
        "3",
        *(["--oversubscribe"] if real_mpi.family == "openmpi" else []),
        synced_pio,
        path,
        power.point,
    ]
    done = subprocess.run(
        [str(word) for word in words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stdout
    assert wrong_records(path, STEPS) == ""
    assert check_every_loss(power, lambda mark: wrong_records(path, min(STEPS, mark))) > 10
