"""netCDF in parallel, over HDF5 and over PnetCDF, and PnetCDF, under the MPI that the system's packages were
built with."""

from jobs import assert_same_bytes, write_and_read_both_ways
from libraries import family_of_library, package_flags


def jobs_and_program(jobs_of_family, compiled, source, package, library, *more):
    flags = [*package_flags(package), *more]
    jobs = jobs_of_family(family_of_library(library))
    return jobs, [compiled(source, [jobs.mpi.mpicc], flags)]


def test_netcdf4(jobs_of_family, compiled):
    write_and_read_both_ways(
        *jobs_and_program(jobs_of_family, compiled, "c/netcdf_fields.c", "netcdf-mpi", "netcdf_mpi")
    )


def test_classic_netcdf(jobs_of_family, compiled, tmp_path):
    source, classic = "c/netcdf_fields.c", "-DFORMAT=NC_64BIT_DATA"
    jobs, program = jobs_and_program(
        jobs_of_family, compiled, source, "netcdf-pnetcdf", "netcdf_pnetcdf", classic
    )
    ours, native = tmp_path / "ours", tmp_path / "native"
    files = jobs.with_collio(program, "write", ours)
    assert {"ncmpi_put", "ncmpi_get"} <= {call["operation"] for file in files for call in file["calls"]}
    jobs.natively(program, "write", native)
    assert_same_bytes(ours, native)


def test_pnetcdf(jobs_of_family, compiled):
    jobs, program = jobs_and_program(jobs_of_family, compiled, "c/pnetcdf_fields.c", "pnetcdf", "pnetcdf")
    assert_same_bytes(*write_and_read_both_ways(jobs, program, "ncmpi_put", "ncmpi_get"))


def test_pnetcdf_over_mpi_io(jobs_of_family, compiled, monkeypatch):
    monkeypatch.setenv("COLLIO_HINTS", "collio_pnetcdf=disable")
    jobs, program = jobs_and_program(jobs_of_family, compiled, "c/pnetcdf_fields.c", "pnetcdf", "pnetcdf")
    assert_same_bytes(*write_and_read_both_ways(jobs, program))
