"""The data functions of PnetCDF that collio serves: random programs make the same files and get the same
answers as without collio."""

import subprocess
import sys

import pytest

from libraries import family_of_library, package_flags

PROGRAMS = 60  # a job
# So that PnetCDF's own files have no byte that no rank wrote: ROMIO writes memory of its own into holes.
PLAIN = {"PNETCDF_HINTS": "romio_cb_write=disable;romio_ds_write=disable", "OMPI_MCA_io": "romio321"}


@pytest.fixture
def jobs(jobs_of_family):
    return jobs_of_family(family_of_library("pnetcdf"))


@pytest.fixture
def random_programs(jobs, compiled):
    return compiled("c/pnetcdf_random.c", [jobs.mpi.mpicc], package_flags("pnetcdf"))


def served(files):
    """Collective calls that collio moved in place of PnetCDF's."""
    return [call for file in files for call in file["calls"] if call["operation"].startswith("ncmpi_")]


def pnetcdf_calls(files):
    """What the report says of PnetCDF's calls on each file, several of a kind as one."""
    return [file["pnetcdf"] for file in files if "pnetcdf" in file]


def why_kept(files):
    """Of files that are all PnetCDF's."""
    assert files and not served(files)
    assert not any(calls["served"] for calls in pnetcdf_calls(files))
    return {calls["kept"] for calls in pnetcdf_calls(files)}


@pytest.mark.parametrize("first", [1001, 2001, 3001])
@pytest.mark.parametrize("nodes", ["", "2", "cyclic:2"])
def test_same_as_pnetcdf(jobs, random_programs, tmp_path, first, nodes):
    folders = [tmp_path / "plain", tmp_path / "served"]
    for folder in folders:
        folder.mkdir()
    words = [str(first), str(PROGRAMS)]
    jobs.natively([random_programs], folders[0], *words, environment={**jobs.environment(), **PLAIN})
    emulated = {"COLLIO_RANKS_PER_NODE": nodes} if nodes else {}
    files = jobs.with_collio(
        [random_programs], folders[1], *words, environment={**jobs.environment(), **emulated}
    )
    assert served(files)
    for way in ("served", "refused", "by_datatype"):
        assert sum(calls[way] for calls in pnetcdf_calls(files)) > 0, way
    names = sorted(path.name for path in folders[0].iterdir())
    assert names == sorted(path.name for path in folders[1].iterdir())
    for name in names:
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes(), name


def test_off_by_a_hint(jobs, random_programs, tmp_path):
    files = jobs.with_collio(
        [random_programs],
        tmp_path,
        "1",
        "2",
        environment={**jobs.environment(), "COLLIO_HINTS": "collio_pnetcdf=disable"},
    )
    assert why_kept(files) == {"collio_pnetcdf=disable"}


def test_left_to_pnetcdf_in_safe_mode(jobs, random_programs, tmp_path):
    files = jobs.with_collio(
        [random_programs], tmp_path, "1", "2", environment={**jobs.environment(), "PNETCDF_SAFE_MODE": "1"}
    )
    assert "collio: PnetCDF moves its data itself: PNETCDF_SAFE_MODE checks its own calls" in jobs.output
    assert why_kept(files) == {"PNETCDF_SAFE_MODE checks its own calls"}


def test_files_in_subfiles_are_written_by_mpi_io(jobs, random_programs, tmp_path):
    folders = [tmp_path / "plain", tmp_path / "in-subfiles"]
    for folder in folders:
        folder.mkdir()
    jobs.natively([random_programs], folders[0], "1001", "6", environment={**jobs.environment(), **PLAIN})
    hints = {"COLLIO_HINTS": "collio_subfiles=3"}
    files = jobs.with_collio(
        [random_programs], folders[1], "1001", "6", environment={**jobs.environment(), **hints}
    )
    assert why_kept(files) == {"MPI-IO writes its subfiles"}
    for path in folders[0].glob("*.nc"):
        subprocess.run([sys.executable, "-m", "collio", "join", folders[1] / path.name], check=True)
        assert path.read_bytes() == (folders[1] / path.name).read_bytes(), path.name


def test_numbers_out_of_range_leave_no_request(jobs, compiled, tmp_path):
    """PnetCDF's own function leaves one, so this has no native run."""
    program = compiled("c/pnetcdf_range.c", [jobs.mpi.mpicc], package_flags("pnetcdf"))
    jobs.with_collio([program], tmp_path / "a.nc")


def test_ranks_with_other_modes_than_rank_0(jobs, compiled, tmp_path):
    program = compiled("c/pnetcdf_modes.c", [jobs.mpi.mpicc], package_flags("pnetcdf"))
    jobs.natively([program], tmp_path / "native.nc")
    assert served(jobs.with_collio([program], tmp_path / "a.nc"))
    assert (tmp_path / "a.nc").read_bytes() == (tmp_path / "native.nc").read_bytes()


def test_independent_calls_beside_those_of_pnetcdf(jobs, compiled, tmp_path):
    """PnetCDF writes strided pieces by reading and writing what lies between them, over ROMIO."""
    program = compiled("c/pnetcdf_alone.c", [jobs.mpi.mpicc], package_flags("pnetcdf"))
    environment = {**jobs.environment(), "OMPI_MCA_io": "romio321"}
    jobs.natively([program], tmp_path / "native.nc", environment=environment)
    jobs.with_collio([program], tmp_path / "a.nc", environment=environment)
    assert (tmp_path / "a.nc").read_bytes() == (tmp_path / "native.nc").read_bytes()


@pytest.mark.parametrize("faults", ["all:write2+:ENOSPC", "0:write3:EIO", "1-2:write2+:short=100,ENOSPC"])
def test_failed_storage_is_an_error_on_all_ranks(jobs, compiled, tmp_path, faults):
    program = compiled("c/pnetcdf_steps.c", [jobs.mpi.mpicc], package_flags("pnetcdf"))
    environment = {**jobs.environment(), "COLLIO_FAULTS": faults}
    jobs.with_collio([program], "fail", tmp_path, environment=environment)
