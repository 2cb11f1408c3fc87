"""ParallelIO's Fortran library over libcollio_pio, and ParallelIO's tests of it, all unmodified.

PARALLELIO_SOURCES names a folder with ParallelIO's sources. Their tests come with a generator of their own, in Perl.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from collio.builds import Build
from test_pio import flags, jobs  # noqa: F401

# In the order of their modules. Those that a generator makes are .F90.in there.
MODULES = ("pio_kinds", "pio_types", "pio_support", "pio_nf", "pionfatt_mod", "pionfput_mod", "pionfget_mod", "piolib_mod", "piodarray", "pio")
# Left out: pio_fail fails by intent, pio_filter_tests is of netCDF-4, and three are of asynchronous I/O or not in ParallelIO's own list.
TESTS = ("ncdf_fail", "ncdf_get_put", "ncdf_inq", "ncdf_simple_tests", "pio_decomp_fillval", "pio_decomp_frame_tests", "pio_decomp_tests", "pio_decomp_tests_1d",
         "pio_decomp_tests_2d", "pio_decomp_tests_3d", "pio_decomphalo_tests_2d", "pio_file_fail", "pio_file_simple_tests", "pio_init_finalize",
         "pio_iosystem_tests", "pio_iosystem_tests2", "pio_iosystem_tests3", "pio_rearr", "pio_rearr_opts", "pio_rearr_opts2")


def said(words, folder):
    done = subprocess.run(list(map(str, words)), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """get(jobs): (sources, folder with the compiled library, words of the compiler)."""
    made = {}

    def get(jobs):
        sources = Path(os.environ.get("PARALLELIO_SOURCES") or pytest.skip("PARALLELIO_SOURCES names no sources"))
        compiler = [jobs.mpi.mpicc.replace("mpicc", "mpifort"), "-cpp", "-w", "-ffree-line-length-none", "-fallow-argument-mismatch", "-D_PNETCDF", "-D_NETCDF"]
        if not shutil.which(compiler[0]) or not shutil.which("perl"):
            pytest.skip("no Fortran compiler of the MPI library, or no Perl")
        if jobs.mpi.id not in made:
            folder = made[jobs.mpi.id] = tmp_path_factory.mktemp("piof")
            for header in ("config.h", "netcdf_meta.h"):  # what their builds find out
                (folder / header).write_text("")
            for name in MODULES:
                source = sources / "src/flib" / f"{name}.F90"
                if not source.exists():
                    text = said(["perl", sources / "scripts/genf90.pl", f"{source}.in"], folder)
                    source = folder / f"{name}.F90"
                    source.write_text(text)
                said([*compiler, f"-I{folder}", "-c", source], folder)
            said([*compiler, f"-I{folder}", "-c", sources / "tests/general/util/pio_tutil.F90"], folder)
        return sources, made[jobs.mpi.id], [*compiler, f"-I{made[jobs.mpi.id]}"]
    return get


def run(jobs, library, source, folder):
    """What the program says on 4 ranks."""
    _, objects, compiler = library(jobs)
    program = folder / source.stem
    said([*compiler, source, "-o", program, *sorted(objects.glob("*.o")), *flags(jobs), f"-L{Build.of(jobs.mpi).root / 'lib'}", "-lcollio"], folder)
    return jobs.natively([program])


def test_example(jobs, library, tmp_path):
    import netCDF4

    sources, _, _ = library(jobs)
    run(jobs, library, sources / "examples/f03/examplePio.F90", tmp_path)
    with netCDF4.Dataset(next(tmp_path.glob("*.nc"))) as file:
        assert next(iter(file.variables.values()))[:].tolist() == [42 + rank for rank in range(4) for _ in range(4)]


@pytest.mark.parametrize("name", TESTS)
def test_of_parallelio(jobs, library, tmp_path, name):
    sources, _, _ = library(jobs)
    general, source = sources / "tests/general", tmp_path / f"{name}.F90"
    said(["perl", general / "util/pio_tf_f90gen.pl", "--annotate-source", f"--out={source}", general / f"{name}.F90.in"], tmp_path)
    output = run(jobs, library, source, tmp_path)
    assert "All tests  ------  PASSED" in output and "FAILED" not in output, output[-3000:]
