"""The libraries can be loaded into any process: they name no MPI library and need none to be loaded."""

import os
import re
import subprocess

import pytest

import source_tree
from collio.builds import preloadable
from collio.elf import elf_names
from collio.mpi_libraries import family_of_soname, find_mpi_libraries

# Shared objects that every Linux system has; the C++ runtime is linked in.
ALLOWED = re.compile(r"(libc|libm|libdl|libpthread|librt|ld-linux[\w-]*|liburing)\.so(\.\d+)?$")
LIBRARIES = [
    pytest.param(path, id=f"{library.id}-{path.name}")
    for library in find_mpi_libraries()
    for pattern in ("libcollio_mpiio.so", "libcollio.so", "libcollio_engine_*.so")
    for path in sorted((library.build_tree / "lib").glob(pattern)) or [library.build_tree / "lib" / pattern]
]
ENGINES = [param for param in LIBRARIES if "engine" in param.values[0].name]
FRONTS = [param for param in LIBRARIES if param.values[0].name == "libcollio.so"]
INTERPOSERS = [param for param in LIBRARIES if param.values[0].name == "libcollio_mpiio.so"]


def dynamic_symbols(path, kind):
    """{name: type letter} of the dynamic symbols; kind is "--defined-only" or "--undefined-only"."""
    listed = subprocess.run(
        ["nm", "-D", "-P", kind, str(path)], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    return {line.split()[0].split("@")[0]: line.split()[1] for line in listed.splitlines()}


@pytest.mark.parametrize("path", LIBRARIES)
def test_needs_no_mpi(path):
    _, needed = elf_names(str(path))
    assert needed, f"{path} is no shared library"
    assert not [name for name in needed if family_of_soname(name) or "mpi" in name]
    assert not [name for name in needed if not ALLOWED.match(name)]


@pytest.mark.parametrize("path", LIBRARIES)
def test_binds_functions_when_called(path):
    said = subprocess.run(["readelf", "-d", str(path)], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "BIND_NOW" not in said and "Flags: NOW" not in said


@pytest.mark.parametrize("path", INTERPOSERS)
def test_interposer_loads_into_a_process_without_mpi(path):
    for bind_now in ("", "1"):
        environment = {
            **os.environ,
            "LD_PRELOAD": str(preloadable(path.parent) / path.name),
            "LD_BIND_NOW": bind_now,
        }
        done = subprocess.run(
            ["/bin/true"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("path", INTERPOSERS)
def test_interposer_exports_mpi_names_in_pairs_and_pnetcdf_names(path):
    exported = set(dynamic_symbols(path, "--defined-only"))
    assert not {name for name in exported if not re.match(r"P?MPI_|ncmpi_|collio_", name)}
    assert {name for name in exported if name.startswith("MPI_")} == {
        name[1:] for name in exported if name.startswith("PMPI_")
    }
    assert {"MPI_File_open", "MPI_File_write_at_all", "MPI_File_read_all_c"} <= exported


@pytest.mark.parametrize("path", ENGINES)
def test_engine_exports_what_the_fronts_ask_for(path):
    """Templates of the C++ library would be joined with the program's copies of another version."""
    assert set(dynamic_symbols(path, "--defined-only")) == {
        "collio_engine_start",
        "collio_library_start",
        "collio_pnetcdf_start",
    }


@pytest.mark.parametrize("path", FRONTS)
def test_library_exports_the_functions_of_its_header(path):
    header = (source_tree.ROOT / "include" / "collio" / "collio.h").read_text()
    declared = set(re.findall(r"^(?:int|const char\*) (collio_\w+)\(", header, re.MULTILINE))
    exported = set(dynamic_symbols(path, "--defined-only"))
    assert exported == declared | {name for name in exported if name.startswith("collio_fortran_")}


@pytest.mark.parametrize("path", ENGINES)
def test_engine_calls_the_profiling_names(path):
    """So that tools count the program's calls, not collio's (cmake/profiling_names.h)."""
    called = dynamic_symbols(path, "--undefined-only")
    assert not {name for name in called if name.startswith("MPI_")}
    assert "PMPI_Comm_dup" in called


@pytest.mark.parametrize("path", ENGINES)
def test_engine_needs_no_function_of_mpi_4(path):
    needed = {name for name, kind in dynamic_symbols(path, "--undefined-only").items() if kind == "U"}
    assert not {
        name for name in needed if name.startswith("PMPI_") and (name.endswith("_c") or "Session" in name)
    }


@pytest.mark.parametrize("path", ENGINES)
def test_engine_needs_no_function_that_the_standard_abi_lacks(path):
    """Its C header has no MPI_Fint: a source that calls MPI_*_f2c has MPI_*_fromint for that family, and
    cmake/profiling_names.h knows it."""
    profiling = (source_tree.ROOT / "cmake" / "profiling_names.h").read_text().split()
    lacking = {
        name
        for name in dynamic_symbols(path, "--undefined-only")
        if name.startswith("PMPI_") and name.endswith(("_f2c", "_c2f"))
    }
    assert not {
        name
        for name in lacking
        if name.replace("_f2c", "_fromint").replace("_c2f", "_toint") not in profiling
    }
