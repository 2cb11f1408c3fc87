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


def mpi_include_flags():
    """Where the first MPI's mpi.h is, as the build of that MPI found it."""
    for library in find_mpi_libraries():
        shown = subprocess.run([library.mpicc, "-show"], stdout=subprocess.PIPE, text=True).stdout.split()
        return [word for word in shown if word.startswith("-I")] + ["-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]
    return []


def errors_of(path, c_language=False):
    """What the compiler says about a file that includes only this header."""
    compiler, standard = (C_COMPILER, "-std=c11") if c_language else (COMPILER, "-std=c++20")
    root = source_tree.ROOT
    command = [
        compiler, standard, "-x", "c" if c_language else "c++", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
        f"-I{root}/src", f"-I{root}/include", *MPI_FLAGS, "-"]
    done = subprocess.run(command, input=f'#include "{path}"\n', stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return "" if done.returncode == 0 else done.stdout or "the compiler failed"


MPI_FLAGS = mpi_include_flags()


def first_in_its_source(header):
    """True when the source file of the same name has this header as its first include."""
    source = header.with_suffix(".cpp")
    if not source.exists():
        return False
    includes = [line for line in source.read_text().splitlines() if line.startswith("#include")]
    return bool(includes) and includes[0] == f'#include "{header.relative_to(source_tree.ROOT / "src")}"'


def test_private_headers_compile_alone():
    headers = [header for header in source_tree.files("src", suffixes=(".hpp", ".h")) if not first_in_its_source(header)]
    assert headers
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = dict(zip(headers, pool.map(errors_of, headers)))
    broken = {source_tree.relative(path): text for path, text in said.items() if text}
    assert not broken, "\n".join(broken.values())


@pytest.mark.parametrize("path", source_tree.files("include", suffixes=(".hpp", ".h")), ids=source_tree.relative)
def test_public_header_compiles_alone(path):
    assert not errors_of(path)
    if path.suffix == ".h":
        assert not errors_of(path, c_language=True)
