"""The Python library as a part of the package: what it imports when, how it finds libcollio.so, what it says
where something is missing."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import collio
from collio.library import native
from collio.library.errors import _CLASSES, CODES, error_of

PACKAGE = Path(collio.__file__).parent
HEADER = PACKAGE.parents[1] / "include/collio/collio.h"
MPICH = "MPICH Version:      4.0.2\nMPICH Release date: Thu Apr 7"
OPENMPI = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"


def in_python(code):
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.returncode == 0, done.stdout
    return done.stdout.split()


def test_import_collio_imports_little():
    loaded = set(
        in_python("import sys; before = set(sys.modules); import collio; print(*set(sys.modules) - before)")
    )
    assert {name for name in loaded if not name.startswith("importlib")} <= {"collio", "warnings"}, loaded


def test_names_of_the_library_do_not_load_mpi():
    loaded = in_python(
        "import sys, collio; collio.open, collio.File, collio.array, collio.Error; print(*sys.modules)"
    )
    assert "collio.library" in loaded and "collio.library.arrays.array" in loaded
    assert not {"mpi4py", "mpi4py.MPI", "h5py", "netCDF4"} & set(loaded)


def test_names_are_the_same_everywhere():
    from collio import library

    stub = ast.parse((PACKAGE / "__init__.pyi").read_text())
    in_stub = {alias.name for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert in_stub == {*library.__all__, "array"} == {*collio._OF_LIBRARY, "array"}
    assert set(dir(collio)) >= in_stub
    assert collio.File is library.File
    with pytest.raises(AttributeError, match="nothing"):
        collio.nothing  # noqa: B018


def test_import_star_keeps_builtins():
    names = {}
    exec("from collio import *", names)
    assert names["box"] is collio.box and names["array"] is collio.array and not {"open", "map"} & set(names)


@pytest.mark.parametrize("call", ["commit", "fetch", "write_pieces", "read_pieces"])
def test_calls_wait_by_default(call):
    assert inspect.signature(getattr(collio.File, call)).parameters["wait"].default is True
    assert inspect.signature(collio.array.ArrayFile.commit).parameters["wait"].default is True


def test_functions_are_those_of_the_header():
    text = HEADER.read_text()
    assert set(native._FUNCTIONS) == set(re.findall(r"^int collio_(\w+)\(", text, re.MULTILINE))
    codes = [
        line.split(",")[0].split("=")[0].strip()
        for line in text.splitlines()
        if line.startswith("  COLLIO_ERR_") or line.startswith("  COLLIO_OK")
    ]
    assert [code.replace("COLLIO_ERR_", "").replace("COLLIO_", "").split()[0] for code in codes] == list(
        CODES
    )
    for name, value in (("READ", 1), ("WRITE", 2), ("CREATE", 4), ("EXCLUSIVE", 8), ("TRUNCATE", 16)):
        assert getattr(native, name) == value and f"COLLIO_{name} = {value}" in text


@pytest.mark.parametrize("number", range(1, len(CODES)))
def test_errors_have_their_code(number):
    error = error_of(number, "what failed")
    assert (
        isinstance(error, (collio.Error, OSError))
        and error.code == CODES[number]
        and str(error) == f"what failed ({CODES[number]})"
    )
    assert type(error) is _CLASSES.get(error.code, collio.Error) and error.errno


def test_errors_of_a_newer_library():
    assert error_of(99, "").code == "OTHER"


@pytest.fixture
def trees(tmp_path):
    """Makes build trees: {id: family}."""

    def make(**families):
        for name, family in families.items():
            folder = tmp_path / name.replace("_", "-").replace("v", ".") / "lib"
            folder.mkdir(parents=True)
            (folder / "libcollio.so").touch()
            (folder / f"libcollio_engine_{family}.so").touch()
        return tmp_path

    return make


@pytest.mark.parametrize(
    "version, abi, wanted",
    [
        (MPICH, False, "mpich-4.0.2"),
        (OPENMPI, False, "openmpi-4.1.4"),
        (MPICH.replace("4.0.2", "4.3.1"), False, "mpich-4.0.2"),
        (OPENMPI.replace("4.1.4", "5.0.8"), False, "openmpi-4.1.4"),
        ("Intel(R) MPI Library 2021.13", False, "mpich-4.0.2"),
        (MPICH, True, None),
    ],
)
def test_the_tree_of_the_mpi(trees, version, abi, wanted):
    folder = trees(mpich_4v0v2="mpich", openmpi_4v1v4="openmpi", mpich_4v2v0="mpich")
    (folder / "openmpi-9" / "bin").mkdir(parents=True)
    assert native.library_of_trees(folder, version, abi) == (
        folder / wanted / "lib/libcollio.so" if wanted else None
    )


def test_a_tree_without_the_library_is_none(trees):
    folder = trees(mpich_4v0v2="mpich")
    (folder / "mpich-4.0.2/lib/libcollio.so").unlink()
    assert native.library_of_trees(folder, MPICH) is None


def test_a_package_has_one_folder(monkeypatch, tmp_path):
    monkeypatch.setattr(native, "is_packaged", lambda: True)
    monkeypatch.setattr(native, "PACKAGED", tmp_path)
    with pytest.raises(collio.Error, match="libcollio.so is missing"):
        native.find_library()
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/libcollio.so").touch()
    assert native.find_library() == tmp_path / "lib/libcollio.so"


@pytest.mark.parametrize(
    "code, words",
    [
        (
            "import sys; sys.modules['mpi4py'] = None; import collio; collio.box((4,), (0,), (1,))",
            ["mpi4py", "pip install mpi4py"],
        ),
        (
            "import sys; sys.modules['h5py'] = None\nfrom collio.library.arrays import formats as "
            "a\na.create('a.h5', 'hdf5', {})",
            ["h5py", "pip install h5py"],
        ),
        (
            "import sys; sys.modules['netCDF4'] = None\nfrom collio.library.arrays import formats as "
            "a\na.create('a.nc', 'cdf5', {})",
            ["netCDF4", "CDF-5"],
        ),
    ],
)
def test_what_is_missing_is_named(code, words):
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    last = done.stdout.strip().splitlines()[-1]
    assert done.returncode != 0 and all(word in last for word in words), done.stdout
