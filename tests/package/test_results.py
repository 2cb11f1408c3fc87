"""bench/results holds what pages are made from: few lines, each array on one, every folder listed."""

import json

import pytest

import source_tree
from collio.plain_json import document_text

RESULTS = source_tree.ROOT / "bench/results"
MOST_LINES = 20_000
FILES = [path for path in source_tree.repository_files() if path.is_relative_to(RESULTS)]
DOCUMENTS = [
    path
    for path in FILES
    if path.suffix == ".json" and path.parent.name not in ("results", "faults", "wheel")
]


def test_results_are_short():
    lines = sum(path.read_text().count("\n") for path in FILES)
    assert 1000 < lines < MOST_LINES, (
        f"{lines} lines; at most {MOST_LINES}: keep what docs/benchmarks.md is made from"
    )


def test_every_folder_is_listed():
    page = (RESULTS / "README.md").read_text()
    assert DOCUMENTS
    assert not [
        path
        for path in FILES
        if path.parent != RESULTS and f"`{path.relative_to(RESULTS).parts[0]}/" not in page
    ]
    assert not [path for path in (RESULTS / "tables").glob("*.csv") if f"`{path.name}`" not in page]


def test_arrays_are_on_one_line():
    other = [
        source_tree.relative(path)
        for path in DOCUMENTS
        if path.read_text() != document_text(json.loads(path.read_text()))
    ]
    assert not other, f"not as collio.plain_json.document_text() writes them: {other}"


@pytest.mark.parametrize(
    "document, text",
    [
        ({"a": 1, "b": [1, 2]}, '{\n "a": 1,\n "b": [1, 2]\n}\n'),
        ({"rows": [{"x": [1, 2]}, {"x": []}]}, '{\n "rows": [\n  {"x": [1, 2]},\n  {"x": []}\n ]\n}\n'),
    ],
)
def test_a_document_as_text(document, text):
    assert document_text(document) == text and json.loads(text) == document
