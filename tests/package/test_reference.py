"""The reference documents say what the code has: the table of hints, the MPI functions that are taken over."""

import re

import source_tree

DOCS = source_tree.ROOT / "docs"


def test_hints_document_is_the_table():
    """docs/hints.md has the rows of policy/hints.cpp: key, default, allowed values, meaning."""
    source = (source_tree.ROOT / "src/policy/hints.cpp").read_text()
    rows = re.findall(r'^    \{"([^"]*)", "([^"]*)", "([^"]*)", "([^"]*)"\},$', source, re.MULTILINE)
    assert len(rows) >= 13
    told = [tuple(cell.strip() for cell in line.strip("|").split(" | "))
            for line in (DOCS / "hints.md").read_text().replace("`", "").splitlines() if line.startswith("| ")]
    assert [row[:4] for row in told if row[0] in {key for key, *_ in rows}] == rows


def test_conformance_document_names_every_function():
    """docs/conformance.md names every function of calls.def, written out or as `write_all` after `MPI_File_`."""
    names = set(re.findall(r"^COLLIO_[A-Z]+\(File_(\w+?)(?:_c)?,", (source_tree.ROOT / "src/mpiio/calls.def").read_text(), re.MULTILINE))
    assert {"open", "write_all", "iread_shared"} <= names
    told = {word.removeprefix("MPI_File_") for word in re.findall(r"`(\w+)`", (DOCS / "conformance.md").read_text())}
    assert not names - told
