"""What is built needs no name of a newer C library than a wheel may, but those that cmake/older_glibc knows
an older form of."""

import re
import shutil
import subprocess

import pytest

import source_tree
from collio.mpi_libraries import find_mpi_libraries, include_folder

NEWEST = (2, 28)
# of a package
PROGRAMS = (
    "collio_bench",
    "collio_doctor",
    "collio_plan",
    "collio_probe",
    "collio_simulate",
    "e3sm_checkpoint",
)
BUILT = [
    pytest.param(path, id=f"{library.id}-{path.name}")
    for library in find_mpi_libraries()
    for pattern in ("lib/*.so", "bin/*")
    for path in sorted(library.build_tree.glob(pattern))
    if pattern == "lib/*.so" or path.name in PROGRAMS
]


@pytest.mark.skipif(not shutil.which("nm"), reason="no nm on PATH")
@pytest.mark.parametrize("path", BUILT)
def test_newer_names_are_known(path):
    known = set(
        re.findall(
            r"\w+",
            "".join(file.read_text() for file in (source_tree.ROOT / "cmake" / "older_glibc").glob("*.c")),
        )
    )
    listed = subprocess.run(
        ["nm", "-D", "--undefined-only", str(path)], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    needed = re.findall(r"(\w+)@GLIBC_(\d+)\.(\d+)", listed)
    assert not {name for name, major, minor in needed if (int(major), int(minor)) > NEWEST} - known


@pytest.mark.skipif(
    not shutil.which("cmake") or not shutil.which("ninja"), reason="no cmake and ninja on PATH"
)
def test_a_package_has_what_shows_subfiles(tmp_path):
    """libcollio_view.so is linked beside stand-ins for stat(2), and has its own, which programs see."""
    headers = next(
        (folder for library in find_mpi_libraries() if (folder := include_folder(library.mpicc))), None
    ) or pytest.skip("no mpi.h here")
    for words in (
        [
            "cmake",
            "-S",
            source_tree.ROOT,
            "-B",
            tmp_path,
            "-G",
            "Ninja",
            f"-DCOLLIO_MPI_HEADERS={headers}",
            "-DCOLLIO_UNIT_TESTS=OFF",
        ],
        ["ninja", "-C", tmp_path, "collio_view"],
    ):
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, done.stdout[-3000:]
    shown = subprocess.run(
        ["nm", "-D", "--defined-only", tmp_path / "lib/libcollio_view.so"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    assert {"stat", "lstat", "fstat", "stat64", "lstat64", "fstat64", "open", "read"} <= set(
        re.findall(r" [TW] (\w+)", shown)
    )
    if (
        "collio_mount"
        in subprocess.run(
            ["ninja", "-C", tmp_path, "-t", "targets", "all"], stdout=subprocess.PIPE, text=True, check=True
        ).stdout
    ):
        subprocess.run(["ninja", "-C", tmp_path, "collio_mount"], stdout=subprocess.DEVNULL, check=True)
        assert subprocess.run([tmp_path / "bin/collio_mount"], stderr=subprocess.DEVNULL).returncode == 2
