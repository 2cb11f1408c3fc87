"""The reference documents say what the code has: the tables of hints, the functions of collio.h, the MPI
functions that are taken over."""

import re
import shutil
import subprocess
import sys

import pytest

import source_tree
from collio.library import native

DOCS = source_tree.ROOT / "docs"


GENERATORS = {
    "generate_hints": "docs/hints.md",
    "generate_report": "docs/report-fields.md",
    "generate_library": "docs/reference/library.md",
    "generate_calls": "python/collio/library/native.py",
    "generate_patterns": "python/collio/bench/patterns/rows.py",
    "generate_conformance": "docs/conformance.md",
    "generate_evidence": "python/collio/advise/evidence.csv",
}
"""And a file that each makes."""


def check_generated(root, generator):
    command = [sys.executable, str(root / "tools" / generator), "--check"]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@pytest.mark.parametrize("generator", GENERATORS)
def test_what_is_made_of_tables_is_up_to_date(generator):
    done = check_generated(source_tree.ROOT, generator)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("generator", GENERATORS)
def test_a_stale_file_is_named_with_its_remedy(generator, tmp_path):
    for folder in ("tools", "src", "include", "docs", "python", "bench/patterns", "bench/results"):
        shutil.copytree(
            source_tree.ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__")
        )
    stale = tmp_path / GENERATORS[generator]
    stale.write_text(
        stale.read_text()
        .replace("| ", "|  ")
        .replace("Default:", "Usually:")
        .replace("_int, _text", "_text, _int")
        .replace("ranks * ", "ranks + ")
        .replace(",write,", ",read,")
    )
    done = check_generated(tmp_path, generator)
    assert done.returncode == 1
    assert GENERATORS[generator] in done.stdout and "make generate" in done.stdout, done.stdout


def test_fortran_module_has_the_numbers_of_the_header():
    include = source_tree.ROOT / "include/collio"
    expected, value = {}, -1
    for name, given in re.findall(
        r"^  (COLLIO_\w+)(?: = (\d+))?,?(?: +/\*.*)?$", (include / "collio.h").read_text(), re.MULTILINE
    ):
        expected[name] = value = int(given) if given else value + 1
    assert {"COLLIO_OK", "COLLIO_ERR_NO_SPACE", "COLLIO_TRUNCATE"} <= set(expected)
    found = re.findall(r"\b(COLLIO_[A-Z_]+) = (\d+)", (include / "collio.f90").read_text())
    assert {name: int(number) for name, number in found} == expected


def test_structures_of_other_languages_are_those_of_the_header():
    include, kinds = source_tree.ROOT / "include/collio", {"int": "c_int", "int64_t": "c_int64_t"}
    header = {
        name: [
            (field, kinds.get(kind, "c_ptr")) for kind, field in re.findall(r"^  (.+) (\w+);", fields, re.M)
        ]
        for fields, name in re.findall(
            r"^typedef struct \w+ \{\n(.*?)^\} collio_(\w+);", (include / "collio.h").read_text(), re.M | re.S
        )
    }
    assert set(header) == {"layout", "shape", "part", "pieces"}
    module = (include / "collio.f90").read_text()
    for name, ours in {"shape": "lengths", "part": "part", "pieces": "collio_pieces"}.items():
        text = re.search(rf"^  type, bind\(C\) :: {ours}\n(.*?)^  end type", module, re.M | re.S)[1]
        found = [
            (field, kind)
            for kind, names in re.findall(r"^    (?:integer|type)\((\w+)\) :: ([^!\n]*)", text, re.M)
            for field in re.findall(r"(\w+) = ", names)
        ]
        assert found == header[name], ours
    kinds = {native._int: "c_int", native._i64: "c_int64_t"}
    for name, fields in header.items():
        structure = getattr(native, name.capitalize())
        assert [(field, kinds.get(kind, "c_ptr")) for field, kind in structure._fields_] == fields, name


def test_faults_document_names_every_word():
    told = set(re.findall(r"`(\w+)", (DOCS / "faults.md").read_text()))
    words = set(
        re.findall(
            r"^COLLIO_FAULT_(?:POINT|ERROR)\((\w+)",
            (source_tree.ROOT / "src/policy/hints/faults.def").read_text(),
            re.MULTILINE,
        )
    )
    assert {"write", "ENOSPC"} <= words
    assert not words - told


def test_conformance_document_names_every_function():
    """docs/conformance.md names every function of calls.def and data_calls.def, written out or as `write_all`
    after `MPI_File_`."""
    tables = "".join(
        (source_tree.ROOT / "src/mpiio/shim" / name).read_text() for name in ("calls.def", "data_calls.def")
    )
    names = set(re.findall(r"^COLLIO_[A-Z_]+\(File_(\w+?),", tables, re.MULTILINE))
    assert {"open", "write_all", "iread_shared"} <= names
    told = {
        word.removeprefix("MPI_File_")
        for word in re.findall(r"`(\w+)`", (DOCS / "conformance.md").read_text())
    }
    assert not names - told
