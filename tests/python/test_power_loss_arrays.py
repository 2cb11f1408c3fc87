"""As test_power_loss.py: what a returned sync or close promised of arrays, and of decompositions in files, survives a loss of power."""

import shutil
from pathlib import Path

import numpy as np
import pytest

import collio
from collio.library import array_alone
from lab_power import check_every_loss, power  # noqa: F401
from ranks import run_python

PROGRAMS = Path(__file__).parent / "programs"
STEPS, SHAPE = 3, (6, 500)


def run(mpi, folder, program, *words):
    code, output = run_python(mpi, 3, folder, PROGRAMS / program, *words)
    assert code == 0, output


def what_is_lost(path, records, folder):
    """"" if these records and the array of fixed size are there; else what is missing. Reads copies in `folder`: the file system has no mmap(2)."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        for there in path.parent.glob(f"{path.name}*"):
            shutil.copyfile(there, folder / there.name)
        path = folder / path.name
        found = array_alone.look(str(path))
        there = array_alone.shape_of(found, "T")[0]
        if there < records:
            return f"{there} of {records} records are there"
        for record in range(records):
            if not (array_alone.read(str(path), found, "T", (record, slice(None), slice(None))) == record + 1).all():
                return f"record {record} has other values"
        times = array_alone.read(str(path), found, "time", (slice(None),))[:records]
        if not np.array_equal(times, np.arange(1, records + 1)):
            return f"times are {times}"
        return "" if (array_alone.read(str(path), found, "flat", (slice(None), slice(None))) == 9).all() else "the array of fixed size has other values"
    except (OSError, ValueError, KeyError, collio.Error) as error:
        return repr(error)


@pytest.mark.filterwarnings("ignore:.*as after a loss of power")
@pytest.mark.parametrize("subfiles, folders", [(0, ()), (3, ()), (3, ("t0", "t1"))], ids=["one file", "subfiles", "elsewhere"])
def test_synced_records_survive(power, real_mpi, tmp_path, monkeypatch, subfiles, folders):
    power.record()
    monkeypatch.setenv("COLLIO_HINTS", "collio_path=independent")  # each rank writes, and flushes, its own subfile
    monkeypatch.setenv("COLLIO_FAULTS", "1-2:sync:delay=0.05")  # after the master
    for folder in folders:
        (power.point / folder).mkdir()
    path = power.point / "out.nc"
    run(real_mpi, tmp_path, "synced_arrays.py", path, power.point, subfiles, *([":".join(str(power.point / folder) for folder in folders)] if folders else []))
    assert what_is_lost(path, STEPS, tmp_path / "copy") == ""
    assert check_every_loss(power, lambda mark: what_is_lost(path, min(STEPS, mark), tmp_path / "copy")) > 10
