"""Jobs, and programs that use the library, with what `make install` leaves in a prefix."""

import json
import shutil
from pathlib import Path

import pytest

from collio import __version__, mpi_libraries
from installed import said, tool
from jobs import RANKS, Jobs, assert_caught, start
from libraries import family_of_library, family_of_mpi4py, system_python

ROOT = Path(__file__).resolve().parents[2]
REAL = [mpi for mpi in mpi_libraries.find_mpi_libraries() if mpi.mpiexec]


@pytest.mark.parametrize("mpi", REAL, ids=lambda mpi: mpi.id)
def test_job_writes_and_reads(prefix, mpi, compiled, tmp_path):
    """Also with the library that a module file names, preloaded by hand."""
    if not (prefix / f"lib/collio/libcollio_engine_{mpi.family}.so").exists():
        pytest.skip(f"the compiled parts have no engine for {mpi.family}")
    jobs, data = Jobs(mpi, tmp_path), tmp_path / "data"
    program = compiled("c/turns.c", [mpi.mpicc])
    report = tmp_path / "report.json"
    launch = [mpi.mpiexec, "-n", RANKS, program]
    start(
        [prefix / "bin/collio", "run", "--report", report, "--", *launch, "write", data], jobs.environment()
    )
    assert_caught(json.loads(report.read_text())["files"], data, "write_all", "read_all")
    by_hand = dict(jobs.environment(), COLLIO_VERBOSE="1")
    preload = (
        said(
            "pkg-config", "--variable=preload", "collio", PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig")
        ).strip()
        if shutil.which("pkg-config")
        else str(prefix / "lib/collio/libcollio_mpiio.so")
    )
    handed_on = [
        mpi.mpiexec,
        *(["-x", "LD_PRELOAD"] if mpi.family == "openmpi" else []),
        "-n",
        RANKS,
        program,
    ]
    by_hand["LD_PRELOAD"] = ":".join(filter(None, [preload, by_hand.get("LD_PRELOAD")]))
    assert "collio:" in start([*handed_on, "read", data], by_hand)


@pytest.mark.parametrize("mpi", REAL, ids=lambda mpi: mpi.id)
def test_demo_with_the_programs_of_the_prefix(prefix, mpi, tmp_path):
    """They name no MPI library: it is preloaded, and their calls of MPI find it."""
    if not (prefix / f"lib/collio/python/collio/native/bin/{mpi.family}/e3sm_checkpoint").exists():
        pytest.skip(f"the compiled parts have no programs for {mpi.family}")
    output = start(
        [
            prefix / "bin/collio",
            "demo",
            "--ne",
            2,
            "--ranks",
            RANKS,
            "--repeat",
            1,
            "--mpi",
            mpi.id,
            "--dir",
            tmp_path,
        ],
        Jobs(mpi, tmp_path).environment(),
    )
    assert "files identical" in output


@pytest.mark.parametrize("mpi", REAL, ids=lambda mpi: mpi.id)
def test_bench_links_with_the_library_of_the_prefix(prefix, mpi):
    program = prefix / f"lib/collio/python/collio/native/bin/{mpi.family}/collio_bench"
    if not program.exists():
        pytest.skip(f"the compiled parts have no programs for {mpi.family}")
    assert f"libcollio.so => {prefix}/" in said(tool("ldd"), program)


EXAMPLES = {"c": "c/hello.c", "c++": "cpp/hello.cpp", "fortran": "fortran/hello.f90"}


def need_library(prefix, mpi):
    """And the engine for the MPI: compiled parts that were made before may be without."""
    for name in ("libcollio.so", f"libcollio_engine_{mpi.family}.so"):
        if not (prefix / "lib/collio" / name).exists():
            pytest.skip(f"the compiled parts have no {name}")


def compile_words(mpi, language, prefix):
    """A compiler and what pkg-config tells it."""
    path = {"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    source = ROOT / "examples" / EXAMPLES[language]
    flags, libraries = (
        said(tool("pkg-config"), word, "collio", **path).split() for word in ("--cflags", "--libs")
    )
    if language == "fortran":
        module = said("pkg-config", "--variable=fortran", "collio", **path).strip()
        return [
            mpi.mpifort or pytest.skip(f"{mpi.id} has no Fortran compiler wrapper"),
            module,
            source,
            *libraries,
        ]
    return [
        mpi.mpicc if language == "c" else mpicxx(mpi),
        "-std=c11" if language == "c" else "-std=c++17",
        *flags,
        source,
        *libraries,
    ]


def mpicxx(mpi):
    """Open MPI 4 has bindings for C++, which mpicc does not link with."""
    compiler = Path(mpi.mpicc).with_name(Path(mpi.mpicc).name.replace("mpicc", "mpicxx"))
    return compiler if compiler.exists() else pytest.skip(f"{mpi.id} has no C++ compiler wrapper")


@pytest.mark.parametrize("mpi", REAL, ids=lambda mpi: mpi.id)
@pytest.mark.parametrize("language", EXAMPLES)
def test_program_compiled_with_pkg_config(prefix, mpi, language, tmp_path):
    need_library(prefix, mpi)
    program = tmp_path / "hello"
    said(*compile_words(mpi, language, prefix), "-o", program)
    assert " 0 " in Jobs(mpi, tmp_path).natively([program], tmp_path / "hello.raw")


@pytest.mark.parametrize("mpi", REAL, ids=lambda mpi: mpi.id)
def test_programs_compiled_with_cmake(prefix, mpi, tmp_path):
    need_library(prefix, mpi)
    cmake, examples = tool("cmake"), ROOT / "examples"
    fortran = "Fortran" if mpi.mpifort and shutil.which("gfortran") else ""
    (tmp_path / "CMakeLists.txt").write_text(f"""
        cmake_minimum_required(VERSION 3.22)
        project(hello LANGUAGES C CXX {fortran})
        find_package(MPI REQUIRED COMPONENTS C CXX {fortran})
        find_package(collio {__version__} REQUIRED)
        add_executable(hello_c "{examples}/c/hello.c")
        add_executable(hello_cpp "{examples}/cpp/hello.cpp")
        target_compile_features(hello_cpp PRIVATE cxx_std_17)
        target_link_libraries(hello_c PRIVATE collio::collio MPI::MPI_C)
        target_link_libraries(hello_cpp PRIVATE collio::collio MPI::MPI_CXX)
        if("{fortran}")
          add_executable(hello_fortran "{examples}/fortran/hello.f90")
          target_link_libraries(hello_fortran PRIVATE collio::fortran MPI::MPI_Fortran)
        endif()
    """)
    build = tmp_path / "build"
    said(
        cmake,
        "-S",
        tmp_path,
        "-B",
        build,
        f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DMPI_C_COMPILER={mpi.mpicc}",
        f"-DMPI_CXX_COMPILER={mpicxx(mpi)}",
        f"-DMPI_Fortran_COMPILER={mpi.mpifort or ''}",
    )
    said(cmake, "--build", build)
    for program in sorted(build.glob("hello_*")):
        assert " 0 " in Jobs(mpi, tmp_path).natively([program], tmp_path / "hello.raw")


def test_python_program_imports_the_library(prefix, jobs_of_family, tmp_path):
    """By PYTHONPATH, with the system's own mpi4py and NumPy."""
    python = system_python("mpi4py", "numpy")
    jobs = jobs_of_family(family_of_mpi4py())
    need_library(prefix, jobs.mpi)
    words = [jobs.mpi.mpiexec, "-n", RANKS, python, ROOT / "examples/python/hello.py", tmp_path / "hello.raw"]
    assert "[0 0 0 1 1 1 2 2 2 3 3 3]" in start(
        words, dict(jobs.environment(), PYTHONPATH=str(prefix / "lib/collio/import"))
    )


def test_program_of_pio(prefix, jobs_of_family, tmp_path):
    """Where libcollio_pio was built."""
    if not (prefix / "lib/collio/libcollio_pio.so").exists():
        pytest.skip("the prefix has no libcollio_pio")
    jobs, program = jobs_of_family(family_of_library("pnetcdf")), tmp_path / "steps"
    flags = said(
        tool("pkg-config"),
        "--cflags",
        "--libs",
        "collio_pio_scorpio",
        PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig"),
    ).split()
    assert flags.index("-lcollio_pio_scorpio") < flags.index("-lcollio_pio")
    said(jobs.mpi.mpicc, "-o", program, ROOT / "examples/c/pio_steps.c", *flags)
    assert " 0 values are wrong" in jobs.natively([program], tmp_path / "steps.nc")
