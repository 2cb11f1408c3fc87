"""Time above MPI-IO: programs of HDF5 whose time has one planted cause, and what the report says first."""

import json
import re

import pytest

from collio.report import above, verdict
from libraries import family_of_library, hdf5_compiler, package_flags

CAUSES = {
    "selections": ("selections", "one call of H5Sselect_hyperslab"),
    "definitions": ("definitions", "H5Pset_coll_metadata_write"),
    "fill": ("fill values", "H5D_FILL_TIME_NEVER"),
    "independent": ("independent", "H5Pset_dxpl_mpio"),
    "conversion": ("not collective", "types are converted"),
    "late": ("late rank 1", "give rank 1 less to do"),
}


def document_of(jobs, compiled, cause):
    program = compiled("c/hdf5_causes.c", hdf5_compiler(jobs.mpi))
    jobs.with_collio([program], cause, jobs.folder / "data.h5")
    return json.loads((jobs.folder / f"report-{jobs.runs}.json").read_text())


@pytest.mark.parametrize("cause", CAUSES)
def test_the_planted_cause_comes_first(jobs, compiled, cause):
    """In one of three jobs: what else runs here at the time is a cause, too."""
    name, remedy = CAUSES[cause]
    for _ in range(3):
        document = document_of(jobs, compiled, cause)
        found = verdict.of(document)
        if found.causes[0].name == name:
            break
    assert found.causes[0].name == name, (found, above.functions(document))
    _, *remedies = found.sentences()
    assert any(remedy in one for one in remedies), remedies
    assert found.io_seconds <= document["seconds"]


def test_functions_are_told(jobs, compiled):
    document = document_of(jobs, compiled, "late")
    found = {one.name: one for one in above.functions(document)}
    write = found["H5Dwrite"]
    assert write.calls == 40 and write.seconds >= write.io >= 0 and write.independent_calls == 0
    assert any(line.startswith("H5Dwrite ") for line in above.lines(list(found.values())))
    assert len(document["at_exit"]) == 4


def test_a_rank_that_waits_in_a_library_is_named_with_the_function(jobs, compiled):
    program = compiled("c/hdf5_waits.c", hdf5_compiler(jobs.mpi))
    environment = jobs.environment() | {"COLLIO_PATIENCE": "1"}
    jobs.with_collio([program], jobs.folder / "data", jobs.folder / "pipe", environment=environment)
    named = re.search(r"rank 1 has not come to it \(none before, it is in H5Fopen, for [\d.]+ s", jobs.output)
    assert named, jobs.output


def test_functions_of_netcdf(jobs_of_family, compiled):
    """Over HDF5, whose functions count as parts of netCDF's."""
    flags = package_flags("netcdf-mpi")
    jobs = jobs_of_family(family_of_library("netcdf_mpi"))
    program = compiled("c/netcdf_fields.c", [jobs.mpi.mpicc], flags)
    jobs.with_collio([program], "write", jobs.folder / "fields.nc")
    document = json.loads((jobs.folder / f"report-{jobs.runs}.json").read_text())
    names = {one.name for one in above.functions(document)}
    assert any(name.startswith("nc_put_var") for name in names) and "nc_close" in names, names
    for rank in document["at_exit"]:
        for row in rank["functions"]:
            assert 0 <= row["own_seconds"] <= row["seconds"] and row["io_seconds"] <= row["seconds"]
