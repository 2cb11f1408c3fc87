"""Every header compiles alone: it includes what it uses. Public headers do so in C and in C++.

A private header that its source file includes first has been compiled alone by the build."""

import concurrent.futures
import os
import shutil
import subprocess

import pytest

import source_tree
from collio.mpi_libraries import find_mpi_libraries

COMPILER = os.environ.get("CXX") or shutil.which("c++") or "g++"
C_COMPILER = os.environ.get("CC") or shutil.which("cc") or "gcc"


def include_flags(library):
    """Where the MPI's mpi.h is, as the build of that MPI found it."""
    shown = subprocess.run([library.mpicc, "-show"], stdout=subprocess.PIPE, text=True).stdout.split()
    return [word for word in shown if word.startswith("-I")] + ["-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]


def errors_of(path, standard="c++20", flags=None):
    """What the compiler says about a file that includes only this header. `flags`: None for those of the
    first MPI."""
    root = source_tree.ROOT
    command = [
        COMPILER if "++" in standard else C_COMPILER,
        f"-std={standard}",
        "-x",
        standard.rstrip("0123456789"),
        "-fsyntax-only",
        "-Wall",
        "-Wextra",
        "-Wshadow",
        "-Werror",
        f"-I{root}/src",
        f"-I{root}/include",
        *(MPI_FLAGS if flags is None else flags),
        "-",
    ]
    done = subprocess.run(
        command, input=f'#include "{path}"\n', stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return "" if done.returncode == 0 else done.stdout or "the compiler failed"


FLAGS_OF_MPIS = {library.id: include_flags(library) for library in find_mpi_libraries()}
FLAGS_OF_MPIS["no MPI"] = ["-DCOLLIO_WITHOUT_MPI_H"]
MPI_FLAGS = next(iter(FLAGS_OF_MPIS.values()))


def first_in_its_source(header):
    """True when the source file of the same name has this header as its first include."""
    source = header.with_suffix(".cpp")
    if not source.exists():
        return False
    includes = [line for line in source.read_text().splitlines() if line.startswith("#include")]
    return bool(includes) and includes[0] == f'#include "{header.relative_to(source_tree.ROOT / "src")}"'


def test_private_headers_compile_alone():
    headers = [
        header
        for header in source_tree.files("src", suffixes=(".hpp", ".h"))
        if not first_in_its_source(header)
    ]
    assert headers
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = dict(zip(headers, pool.map(errors_of, headers)))
    broken = {source_tree.relative(path): text for path, text in said.items() if text}
    assert not broken, "\n".join(broken.values())


PUBLIC = source_tree.files("include", suffixes=(".hpp", ".h"))


@pytest.mark.parametrize("flags", FLAGS_OF_MPIS.values(), ids=FLAGS_OF_MPIS)
@pytest.mark.parametrize("path", PUBLIC, ids=source_tree.relative)
def test_public_header_compiles_alone(path, flags):
    """With each MPI and without one, for programs of older standards."""
    assert not errors_of(path, "c++17", flags)
    if path.suffix == ".h":
        assert not errors_of(path, "c11", flags)
