"""The reference documents say what the code has: the tables of hints, the MPI functions that are taken over."""

import re
import subprocess
import sys

import source_tree
from collio import fault_words

DOCS = source_tree.ROOT / "docs"


def test_what_is_made_of_tables_is_up_to_date():
    """Python's tables of hints and faults, and the tables in the documents, are what tools/generate_hints gives."""
    done = subprocess.run([sys.executable, str(source_tree.ROOT / "tools/generate_hints"), "--check"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout


def test_faults_document_names_every_word():
    told = set(re.findall(r"`(\w+)", (DOCS / "faults.md").read_text()))
    assert not {*fault_words.POINTS, *fault_words.ERRORS} - told


def test_conformance_document_names_every_function():
    """docs/conformance.md names every function of calls.def, written out or as `write_all` after `MPI_File_`."""
    names = set(re.findall(r"^COLLIO_[A-Z]+\(File_(\w+?)(?:_c)?,", (source_tree.ROOT / "src/mpiio/calls.def").read_text(), re.MULTILINE))
    assert {"open", "write_all", "iread_shared"} <= names
    told = {word.removeprefix("MPI_File_") for word in re.findall(r"`(\w+)`", (DOCS / "conformance.md").read_text())}
    assert not names - told
