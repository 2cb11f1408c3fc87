"""`collio bench` through PnetCDF: which library is taken, what its engines pass on, and every byte for
real."""

import json
import subprocess
from pathlib import Path

import pytest
import shared_memory
from long_tests import LONG

from collio.bench import engines, launcher, pnetcdf
from collio.builds import Build
from collio.mpi_libraries import ProgramMpi
from collio.run import launch
from lab_stage import some_mpi  # noqa: F401

DRIVERS = [("pnetcdf", "mpiio", False), ("pnetcdf-collio", "mpiio", True), ("pnetcdf-gio", "gio", False)]


@pytest.mark.parametrize("name, driver, preload", DRIVERS)
def test_engines_pass_the_driver_to_the_program(site, name, driver, preload):
    mpi = launch.named_mpi("mpich-9.9.1")
    engine = engines.parse_engine(f"{name}:cb_nodes=2", mpi)
    job = launcher.job_of(launcher.Setup(mpi, Build.of(mpi), 4, 30), engine, ["program"])
    passed = [job.words[at + 1] for at, word in enumerate(job.words) if word == "--hint"]
    assert engine.mode == "pnetcdf" and engine.preload is preload
    assert passed == [f"nc_driver={driver}"] + ([] if preload else ["cb_nodes=2"])
    assert ("cb_nodes=2" in job.environ.get("COLLIO_HINTS", "")) is preload


@pytest.mark.parametrize("place", ["lib", "lib64", "lib/x86_64-linux-gnu"])
def test_the_library_under_a_prefix(site, tmp_path, monkeypatch, place):
    mpi = launch.named_mpi("mpich-9.9.1")
    with pytest.raises(engines.BenchError, match="no libpnetcdf.so in lib, lib64"):
        pnetcdf.find_library(tmp_path, mpi)
    path = tmp_path / place / "libpnetcdf.so"
    path.parent.mkdir(parents=True)
    path.touch()
    for soname, allowed in ((mpi.soname, True), ("libother.so.1", False)):
        monkeypatch.setattr(
            pnetcdf,
            "mpi_of_program",
            lambda given, soname=soname: ProgramMpi(given, mpi.family, soname, None),
        )
        if allowed:
            assert pnetcdf.find_library(tmp_path, mpi) == path
        else:
            with pytest.raises(
                engines.BenchError, match=f"linked with libother.so.1; allowed for {mpi.id}: {mpi.soname}"
            ):
                pnetcdf.find_library(tmp_path, mpi)


@pytest.mark.parametrize(
    "words, said",
    [
        ([], "engine pnetcdf: --pnetcdf is missing"),
        (["--pnetcdf", "/nowhere"], "--pnetcdf /nowhere: no libpnetcdf.so"),
        (["--pnetcdf", "/", "--operation", "read"], "allowed with it are --operation write"),
        (["--pnetcdf", "/", "--collective", "split"], "--collective blocking"),
    ],
)
def test_what_cannot_be_run_is_named(site, cli, tmp_path, words, said):
    done = cli(
        "bench",
        "interleave",
        "--mpi",
        "mpich-9.9.1",
        "--dir",
        tmp_path,
        "--engines",
        "collio,pnetcdf",
        *words,
    )
    assert done.exit_code == 1 and said in done.output.replace("\n", " ")


@pytest.fixture
def real_pnetcdf(real_mpi):
    """Prefix of the system's PnetCDF, if it is one of this MPI."""
    if not Build.of(real_mpi).program("collio_bench").exists():
        pytest.skip("collio_bench is not built")
    try:
        pnetcdf.find_library(Path("/usr"), real_mpi)
    except engines.BenchError as error:
        pytest.skip(str(error))
    return Path("/usr")


PATTERNS = [
    ["interleave", "--pieces", 50, "--irregular", "--gap", 16],
    ["e3sm", "--ne", 1, "--levels", 3],
    ["btio", "--n", 9],
    ["s3d", "--nx", 8, "--ny", 4, "--nz", 3],
    ["mpas", "--level", 1],
    ["wrf", "--ny", 4, "--nx", 6],
]
CASES = [
    *((pattern, 3) for pattern in PATTERNS),
    *((pattern, 1) for pattern in PATTERNS[: None if LONG else 1]),
]


@pytest.mark.parametrize(
    "pattern, steps", CASES, ids=lambda value: value[0] if isinstance(value, list) else ""
)
def test_every_byte_through_pnetcdf(real_mpi, real_pnetcdf, cli, tmp_path, pattern, steps):
    shared_memory.needed_by_openmpi(real_mpi)
    done = cli(
        "bench",
        *pattern,
        "--mpi",
        real_mpi.id,
        "--ranks",
        4,
        "--dir",
        tmp_path,
        "--repeat",
        1,
        "--steps",
        steps,
        "--json",
        "--timeout",
        100,
        "--pnetcdf",
        real_pnetcdf,
        "--engines",
        "collio,pnetcdf,pnetcdf-collio",
    )
    document = json.loads(done.stdout)
    assert done.exit_code == 0 and document["verified"], document["results"]
    assert {(row["engine"], row["operation"]) for row in document["results"]} == {
        (engine, operation)
        for engine in ("collio", "pnetcdf", "pnetcdf-collio")
        for operation in ("write", "read")
    }
    assert document["versions"]["pnetcdf"] and "pnetcdf" not in document["parameters"]


def test_a_driver_that_is_not_there_is_an_error(real_mpi, real_pnetcdf, cli, tmp_path):
    """Or the other driver would be measured under its name."""
    shared_memory.needed_by_openmpi(real_mpi)
    done = cli(
        "bench",
        "interleave",
        "--pieces",
        5,
        "--mpi",
        real_mpi.id,
        "--ranks",
        2,
        "--dir",
        tmp_path,
        "--repeat",
        1,
        "--json",
        "--pnetcdf",
        real_pnetcdf,
        "--engines",
        "pnetcdf,pnetcdf-gio",
    )
    document = json.loads(done.stdout)
    version = tuple(int(part) for part in document["versions"]["pnetcdf"].split()[0].split(".")[:2])
    failed = [row for row in document["results"] if row["engine"] == "pnetcdf-gio" and not row["verified"]]
    if version < (1, 15):
        assert (
            done.exit_code == 1
            and "nc_driver=gio" in failed[0]["error"]
            and "1.15 or newer" in failed[0]["error"]
        )
    else:
        assert all("nc_driver=gio" in row["error"] for row in failed)


@pytest.mark.parametrize(
    "words, said",
    [
        (["flash", "--blocks", "1"], "its buffer has gaps"),
        (["interleave", "--operation", "read"], "--operation write or write,read"),
        (["interleave", "--collective", "split"], "--collective blocking"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_the_program_names_what_it_cannot_do(some_mpi, tmp_path, words, said):
    program = Build.of(some_mpi).program("collio_bench")
    if not program.exists():
        pytest.skip("collio_bench is not built")
    arguments = [str(program), "--pattern", *words, "--file", str(tmp_path / "data"), "--mode", "pnetcdf"]
    for library, expected in (([], "--pnetcdf is missing"), (["--pnetcdf", "/nowhere/libpnetcdf.so"], said)):
        setup = launcher.Setup(some_mpi, Build.of(some_mpi), ranks=1, timeout_s=100)
        job = launcher.job_of(setup, engines.parse_engine("native", some_mpi), [*arguments, *library])
        done = subprocess.run(
            job.words, env=job.environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100
        )
        assert done.returncode == 2 and expected in done.stdout.decode()


def test_a_library_that_cannot_be_loaded_is_named(real_mpi, tmp_path):
    program = Build.of(real_mpi).program("collio_bench")
    if not program.exists():
        pytest.skip("collio_bench is not built")
    setup = launcher.Setup(real_mpi, Build.of(real_mpi), ranks=2, timeout_s=100)
    words = [
        str(program),
        "--pattern",
        "interleave",
        "--file",
        str(tmp_path / "data"),
        "--mode",
        "pnetcdf",
        "--pnetcdf",
        "/nowhere/libpnetcdf.so",
    ]
    outcome = launcher.measure(setup, engines.parse_engine("native", real_mpi), words)
    assert "/nowhere/libpnetcdf.so" in outcome.error
