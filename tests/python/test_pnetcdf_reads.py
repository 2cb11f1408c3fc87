"""Array subfiles with records, written by the engine and read by PnetCDF, where that was built with the same
MPI."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from collio import mpi_libraries
from ranks import run_python

HERE = Path(__file__).parent


@pytest.fixture
def reader(real_mpi, tmp_path):
    """Gives a variable as PnetCDF reads it from each file."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler or not real_mpi.mpicc:
        pytest.skip("no C compiler")
    library = subprocess.run(
        [compiler, "-print-file-name=libpnetcdf.so"], stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    if not Path(library).is_file() or mpi_libraries.mpi_of_program(library).family != real_mpi.family:
        pytest.skip(f"no PnetCDF for {real_mpi.id}")
    program = tmp_path / "values"
    subprocess.run(
        [real_mpi.mpicc, "-o", program, HERE / "programs" / "pnetcdf_values.c", "-lpnetcdf"],
        check=True,
        timeout=120,
    )

    def read(name, *paths):
        words = [real_mpi.mpiexec, "-n", "2", program, name, *paths]
        done = subprocess.run(
            [str(word) for word in words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout
        halves = [line.split(":") for line in done.stdout.splitlines() if ":" in line]
        return [
            np.array(values.split(), "f8").reshape([int(length) for length in shape.split()])
            for shape, values in halves
        ]

    return read


def test_pnetcdf_reads_records_of_subfiles(real_mpi, reader, tmp_path):
    path = tmp_path / "m.nc"
    code, output = run_python(real_mpi, 2, tmp_path, HERE / "library" / "writes_records.py", path)
    assert code == 0, output
    wanted = np.arange(20.0).reshape(4, 5) + 100 * np.arange(2).reshape(2, 1, 1)
    for name in ("T", "n"):
        parts = reader(name, *(f"{path}.subfile_{i}.nc" for i in range(3)))
        assert [part.shape for part in parts] == [(2, 2, 5), (2, 1, 5), (2, 1, 5)]
        np.testing.assert_array_equal(np.concatenate(parts, axis=1), wanted)
    np.testing.assert_array_equal(reader("time", path)[0], [0, 1])
