"""The Fortran libraries of ParallelIO and SCORPIO over libcollio_pio, and their tests of them, all
unmodified.

PARALLELIO_SOURCES and SCORPIO_SOURCES name folders with their sources. Their tests come with a generator of
their own, in Perl.
"""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from collio.builds import Build
from test_pio import flags, jobs  # noqa: F401

BEHIND_IFDEF = {"ncint_mod"}  # netCDF's functions over PIO
OFFSET_KINDS = ("@PIO_OFFSET_F_KIND@", "@PIO_OFFSET_F2C_TYPE_KIND@")  # what SCORPIO's build finds out


@dataclass(frozen=True)
class Upstream:
    variable: str  # of the environment: names the sources
    generator: str  # makes .F90 of .F90.in
    example: str
    libraries: tuple  # before -lcollio_pio
    tests: tuple


# Left out: pio_fail fails by intent, pio_filter_tests is of netCDF-4, pio_decomp_tests_2d_halo is not in
# ParallelIO's own list, and pio_decomp_tests_2d_async uses a variable that it does not declare.
PARALLELIO = Upstream(
    "PARALLELIO_SOURCES",
    "scripts/genf90.pl",
    "examplePio.F90",
    (),
    (
        "ncdf_fail",
        "ncdf_get_put",
        "ncdf_inq",
        "ncdf_simple_tests",
        "pio_decomp_fillval",
        "pio_decomp_frame_tests",
        "pio_decomp_tests",
        "pio_decomp_tests_1d",
        "pio_decomp_tests_2d",
        "pio_decomp_tests_3d",
        "pio_decomphalo_tests_2d",
        "pio_file_fail",
        "pio_file_simple_tests",
        "pio_init_finalize",
        "pio_iosystem_async_tests",
        "pio_iosystem_tests",
        "pio_iosystem_tests2",
        "pio_iosystem_tests3",
        "pio_rearr",
        "pio_rearr_opts",
        "pio_rearr_opts2",
    ),
)
SCORPIO = Upstream(
    "SCORPIO_SOURCES",
    "src/genf90/genf90.pl",
    "examplePio.f90",
    ("-lcollio_pio_scorpio",),
    (
        "pio_async_copy_tests",
        "pio_async_decomp_tests",
        "pio_async_decomp_tests_1d",
        "pio_async_file_tests",
        "pio_async_init_finalize",
        "ncdf_eh_one_test",
        "ncdf_fail",
        "ncdf_get_put",
        "ncdf_inq",
        "ncdf_simple_tests",
        "pio_buf_lim_tests",
        "pio_copy",
        "pio_decomp_extra_dims",
        "pio_decomp_fillval",
        "pio_decomp_fillval2",
        "pio_decomp_frame_tests",
        "pio_decomp_tests",
        "pio_decomp_tests2_1d",
        "pio_decomp_tests_1d",
        "pio_decomp_tests_2d",
        "pio_decomp_tests_3d",
        "pio_file_fail",
        "pio_file_simple_tests",
        "pio_init_finalize",
        "pio_iodesc_tests",
        "pio_iosystem_tests",
        "pio_iosystem_tests2",
        "pio_iosystem_tests3",
        "pio_rearr",
        "pio_rearr_opts",
        "pio_rearr_opts2",
        "pio_set_hint",
        "pio_sync_tests",
    ),
)
UPSTREAMS = {"parallelio": PARALLELIO, "scorpio": SCORPIO}


def said(words, folder):
    done = subprocess.run(
        list(map(str, words)),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


def modules(upstream, sources, folder):
    """Sources of the modules behind pio_tutil, in the order in which they compile. Those that are made, are
    made in `folder`."""
    found = {}
    for path in (*(sources / "src/flib").glob("*.F90*"), sources / "tests/general/util/pio_tutil.F90"):
        if path.suffix == ".in":
            if any(kind in path.read_text() for kind in OFFSET_KINDS):
                text = re.sub("|".join(OFFSET_KINDS), "MPI_OFFSET_KIND", path.read_text())
            else:
                text = said(["perl", sources / upstream.generator, path], folder)
            path = folder / path.stem
            path.write_text(text)
        text = path.read_text()
        found[re.search(r"^\s*module\s+(\w+)\s*$", text, re.I | re.M)[1].lower()] = (
            path,
            {name.lower() for name in re.findall(r"^\s*use\s+(\w+)", text, re.I | re.M)},
        )
    needed, more = set(), {"pio_tutil"}
    while more:
        needed |= more
        more = {used for name in more for used in found[name][1] if used in found} - needed - BEHIND_IFDEF
    order = TopologicalSorter({name: found[name][1] & needed for name in needed})
    return [found[name][0] for name in order.static_order()]


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """get(jobs, upstream): (sources, folder with the compiled library, words of the compiler)."""
    made = {}

    def get(jobs, upstream):
        sources = Path(
            os.environ.get(upstream.variable) or pytest.skip(f"{upstream.variable} names no sources")
        )
        compiler = [
            jobs.mpi.mpicc.replace("mpicc", "mpifort"),
            "-cpp",
            "-w",
            "-ffree-line-length-none",
            "-fallow-argument-mismatch",
            "-D_PNETCDF",
            "-D_NETCDF",
        ]
        if not shutil.which(compiler[0]) or not shutil.which("perl"):
            pytest.skip("no Fortran compiler of the MPI library, or no Perl")
        if upstream not in made:
            folder = made[upstream] = tmp_path_factory.mktemp("piof")
            for header in ("config.h", "netcdf_meta.h"):  # what their builds find out
                (folder / header).write_text("")
            for source in modules(upstream, sources, folder):
                said([*compiler, f"-I{folder}", "-I/usr/include", "-c", source], folder)
        return sources, made[upstream], [*compiler, f"-I{made[upstream]}"]

    return get


def run(jobs, library, upstream, source, folder):
    """What the program says on 4 ranks."""
    _, objects, compiler = library(jobs, upstream)
    program = folder / source.stem
    libraries = [f"-L{Build.of(jobs.mpi).root / 'lib'}", *upstream.libraries, *flags(jobs), "-lcollio"]
    said([*compiler, source, "-o", program, *sorted(objects.glob("*.o")), *libraries], folder)
    return jobs.natively([program])


@pytest.mark.parametrize("upstream", UPSTREAMS)
def test_example(jobs, library, tmp_path, upstream):
    import netCDF4

    upstream = UPSTREAMS[upstream]
    sources, _, _ = library(jobs, upstream)
    run(jobs, library, upstream, sources / "examples/f03" / upstream.example, tmp_path)
    with netCDF4.Dataset(next(tmp_path.glob("*.nc"))) as file:
        assert next(iter(file.variables.values()))[:].tolist() == [
            42 + rank for rank in range(4) for _ in range(4)
        ]


@pytest.mark.parametrize(
    "name, upstream", [(name, key) for key, upstream in UPSTREAMS.items() for name in upstream.tests]
)
def test_of_its_authors(jobs, library, tmp_path, name, upstream):
    upstream = UPSTREAMS[upstream]
    sources, _, _ = library(jobs, upstream)
    general, source = sources / "tests/general", tmp_path / f"{name}.F90"
    said(
        [
            "perl",
            general / "util/pio_tf_f90gen.pl",
            "--annotate-source",
            f"--out={source}",
            general / f"{name}.F90.in",
        ],
        tmp_path,
    )
    output = run(jobs, library, upstream, source, tmp_path)
    assert "All tests  ------  PASSED" in output and "FAILED" not in output, output[-3000:]
