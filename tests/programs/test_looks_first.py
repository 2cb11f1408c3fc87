"""Files in subfiles, in jobs whose libraries look at them by POSIX calls."""

import pytest

from collio.builds import Build
from libraries import family_of_library, package_flags


@pytest.fixture
def job(jobs_of_family, compiled):
    """Jobs, and a program that reads a file by PnetCDF, netCDF and the C library."""
    flags = [*package_flags("netcdf-mpi"), *package_flags("pnetcdf")]
    family = family_of_library("pnetcdf")
    if family_of_library("netcdf_mpi") != family:
        pytest.skip("netCDF and PnetCDF are of two MPI libraries")
    jobs = jobs_of_family(family)
    return jobs, [compiled("c/looks_first.c", [jobs.mpi.mpicc], flags)]


@pytest.mark.parametrize("hints", ["collio_subfiles=3", "collio_subfiles=3;collio_join=close", ""])
def test_programs_that_look_first(job, hints):
    jobs, program = job
    file = jobs.folder / "out.nc"
    jobs.with_collio(program, "write", file, environment=dict(jobs.environment(), COLLIO_HINTS=hints))
    assert file.read_bytes().startswith(
        b"collio placeholder" if hints == "collio_subfiles=3" else b"CDF\2"
    ), jobs.output
    jobs.with_collio(program, "read", file)  # a job that is given no hint
    assert "collio view" not in jobs.output, jobs.output


def test_a_damaged_file_does_not_open(job):
    jobs, program = job
    file = jobs.folder / "out.nc"
    jobs.with_collio(
        program, "write", file, environment=dict(jobs.environment(), COLLIO_HINTS="collio_subfiles=3")
    )
    subfile = next(jobs.folder.glob("out.nc.collio/*.0001"))
    subfile.write_bytes(subfile.read_bytes()[:-1])
    with pytest.raises(AssertionError, match="is missing or too short"):
        jobs.with_collio(program, "read", file)


def test_nothing_more_is_preloaded_where_collio_is_off(job, monkeypatch):
    jobs, _ = job
    words = ["sh", "-c", "echo $LD_PRELOAD"]
    jobs.with_collio(words)
    assert jobs.output.count("libcollio_job_view.so") == 4 and Build.of(jobs.mpi).job_preloads in jobs.output
    monkeypatch.setenv("COLLIO_ENABLE", "0")
    jobs.with_collio(words)
    assert "libcollio_mpiio.so" in jobs.output and "libcollio_job_view.so" not in jobs.output
