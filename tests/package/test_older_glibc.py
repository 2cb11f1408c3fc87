"""What is built needs no name of a newer C library than a wheel may, but those that cmake/older_glibc knows an older form of."""

import re
import shutil
import subprocess

import pytest

import source_tree
from collio.mpi_libraries import find_mpi_libraries

NEWEST = (2, 28)
PROGRAMS = ("collio_bench", "collio_doctor", "collio_plan", "collio_probe", "collio_simulate", "e3sm_checkpoint")  # of a package
BUILT = [
    pytest.param(path, id=f"{library.id}-{path.name}") for library in find_mpi_libraries() for pattern in ("lib/*.so", "bin/*")
    for path in sorted(library.build_tree.glob(pattern)) if pattern == "lib/*.so" or path.name in PROGRAMS
]


@pytest.mark.skipif(not shutil.which("nm"), reason="no nm on PATH")
@pytest.mark.parametrize("path", BUILT)
def test_newer_names_are_known(path):
    known = set(re.findall(r"\w+", "".join(file.read_text() for file in (source_tree.ROOT / "cmake" / "older_glibc").glob("*.c"))))
    listed = subprocess.run(["nm", "-D", "--undefined-only", str(path)], stdout=subprocess.PIPE, text=True, check=True).stdout
    needed = re.findall(r"(\w+)@GLIBC_(\d+)\.(\d+)", listed)
    assert not {name for name, major, minor in needed if (int(major), int(minor)) > NEWEST} - known
