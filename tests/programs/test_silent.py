"""Jobs that collio takes no part in: `collio run` says why where ranks can tell, and says nothing of jobs
that do no I/O."""

import json
import re
import shutil
import subprocess
import sys

import pytest

from collio.builds import Build
from jobs import HERE, start
from libraries import hdf5_compiler


@pytest.fixture
def said(jobs, tmp_path):
    """Runs a program under `collio run`, with a report or without; gives all that was printed."""

    def run(*words, report=True, opens=False):
        options = ["--report", tmp_path / "report.json"] if report else []
        command = [sys.executable, "-m", "collio", "run", *options, "--", jobs.mpi.mpiexec, "-n", 2, *words]
        output = start(command, jobs.environment())
        assert output.count("MPI_File_open") <= 1 or opens
        assert not report or output.count("collio took over no file") == 1
        return " ".join(output.split())

    return run


@pytest.fixture
def linked_with(jobs, compiled, tmp_path):
    """A program whose library, a stand-in of this name, writes by itself. It has the version function of
    PnetCDF 1.15."""

    def link(name):
        library = tmp_path / name
        words = [
            jobs.mpi.mpicc,
            "-shared",
            "-fPIC",
            "-DAS_LIBRARY",
            "-o",
            library,
            HERE / "c" / "past_mpiio.c",
        ]
        subprocess.run(list(map(str, words)), check=True)
        return compiled(
            "c/past_mpiio.c",
            [jobs.mpi.mpicc],
            ("-DWITH_LIBRARY", "-Wl,--no-as-needed", library, f"-Wl,-rpath,{library.parent}"),
        )

    return link


def test_job_without_io(compiled, jobs, said):
    program = compiled("c/past_mpiio.c", [jobs.mpi.mpicc])
    assert "rank 0 made no call of MPI_File_open." in said(program)
    assert "MPI_File_open" not in said(program, report=False)


def test_ranks_that_write_by_other_calls(compiled, jobs, said, tmp_path):
    program = compiled("c/past_mpiio.c", [jobs.mpi.mpicc])
    assert re.search(
        r"but 2 ranks of the first 64 wrote 8(.\d+)? MiB by other calls",
        said(program, "write", tmp_path / "data"),
    )
    assert len(json.loads((tmp_path / "report.json").read_text())["at_exit"]) == 2
    assert "MPI_File_open" not in said(program, "write", tmp_path / "data", report=False)


def test_pnetcdf_by_its_own_driver(linked_with, said, tmp_path):
    program = linked_with("libpnetcdf.so.9")
    assert "likely PnetCDF 1.15 by its own driver (GIO); PNETCDF_HINTS=nc_driver=mpiio" in said(
        program, "write", tmp_path / "data"
    )
    assert "saw no MPI_File_open, but rank 0 wrote 4 MiB: likely PnetCDF 1.15" in said(
        program, "write", tmp_path / "data", report=False
    )
    assert "MPI_File_open" not in said(program, report=False)


def test_adios(linked_with, said, tmp_path):
    program = linked_with("libadios2_core_mpi.so.2.9")
    assert "likely ADIOS2, whose engines make no MPI-IO call" in said(program, "write", tmp_path / "data")
    assert "rank 0 wrote 4 MiB: likely ADIOS2" in said(program, "write", tmp_path / "data", report=False)
    assert "MPI_File_open" not in said(program, report=False)


def test_hdf5_with_files_of_each_rank(linked_with, said, tmp_path):
    program = linked_with("libhdf5.so.310")
    assert "likely HDF5 with files of each rank's own; H5Pset_fapl_mpio opens one for all ranks" in said(
        program, "write", tmp_path / "data"
    )
    assert "MPI_File_open" not in said(program, "write", tmp_path / "data", report=False)


def test_environment_that_is_not_handed_on(compiled, jobs, said):
    program = compiled("c/past_mpiio.c", [jobs.mpi.mpicc])
    assert "no rank left a line at its exit" in said("env", "-u", "LD_PRELOAD", program)


def test_mpi_that_escapes_the_preload(compiled, jobs, said):
    """The program has its MPI library, but never calls MPI_Init."""
    program = compiled("c/deep_bound.c", [jobs.mpi.mpicc], ("-ldl", f'-DMPI_LIBRARY="{jobs.mpi.library}"'))
    assert "saw no MPI_Init: likely the program loads MPI so that it escapes the preload" in said(program)


def test_files_that_the_library_keeps(compiled, jobs, said, tmp_path, monkeypatch):
    monkeypatch.setenv("COLLIO_HINTS", "collio_enable=disable")
    program = compiled("c/turns.c", [jobs.mpi.mpicc])
    assert "the MPI library kept the files that the program opened" in said(
        program, "write", tmp_path / "data", opens=True
    )


def test_engine_that_is_missing(compiled, jobs, said, tmp_path, monkeypatch):
    """Each rank opens a file of its own: one says that the engine is missing, the others do not repeat it."""
    there = Build.of(jobs.mpi).interposer
    (tmp_path / "build" / jobs.mpi.id / "lib").mkdir(parents=True)
    shutil.copy2(there, tmp_path / "build" / jobs.mpi.id / "lib")
    monkeypatch.setenv("COLLIO_BUILD", str(tmp_path / "build"))
    output = said(compiled("c/own_files.c", [jobs.mpi.mpicc]), tmp_path / "data", opens=True)
    assert (
        output.count("the engine cannot be loaded:") == 1
        and "the engine could not be loaded in the ranks" in output
    )


def test_hdf5_with_independent_transfers(compiled, jobs, tmp_path):
    program = compiled("c/hdf5_fields.c", hdf5_compiler(jobs.mpi), ("-DTRANSFER=H5FD_MPIO_INDEPENDENT",))
    jobs.with_collio([program], "write", tmp_path / "data")
    output = " ".join(jobs.output.split())
    assert (
        "had no collective data call" in output
        and "HDF5 and netCDF-4, if these are theirs, need H5Pset_dxpl_mpio" in output
    )
