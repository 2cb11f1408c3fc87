"""Programs of a package name no MPI library: they run with the one that is preloaded."""

import json
import shutil
import subprocess

import pytest

from collio import mpi_libraries


def run(words, environment=None):
    done = subprocess.run(
        [str(word) for word in words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


@pytest.mark.skipif(
    not (shutil.which("cmake") and shutil.which("ninja")), reason="no cmake or no ninja on PATH"
)
def test_program_without_an_mpi_library(jobs, tmp_path):
    headers = mpi_libraries.include_folder(jobs.mpi.mpicc)
    settings = {
        "CMAKE_BUILD_TYPE": "Release",
        "COLLIO_MPI_HEADERS": headers,
        "COLLIO_UNIT_TESTS": "OFF",
        "COLLIO_PLANNER": "OFF",
        "COLLIO_UNITY": "ON",
    }
    tree = tmp_path / "tree"
    run(
        [
            "cmake",
            "-S",
            mpi_libraries.repository(),
            "-B",
            tree,
            "-G",
            "Ninja",
            *(f"-D{name}={value}" for name, value in settings.items()),
        ]
    )
    run(["ninja", "-C", tree, "collio_doctor", "collio_view"])
    program = tree / "bin" / "collio_doctor"
    assert "libmpi" not in run(["ldd", program])
    output = run(
        [jobs.mpi.mpiexec, "-n", "1", "env", f"LD_PRELOAD={jobs.mpi.library}", program, tmp_path],
        jobs.environment(),
    )
    line = json.loads(output[output.index("{") : output.rindex("}") + 1])
    assert jobs.mpi.version in line["mpi_version"] and line["problem"] == ""
