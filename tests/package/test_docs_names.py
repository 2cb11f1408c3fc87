"""What the documents name exists: files, functions, hints, variables of the environment, options of
commands."""

import functools
import re

import pytest

import source_tree

ROOT = source_tree.ROOT
# The changelog tells of names that may be gone.
DOCUMENTS = [
    path for path in source_tree.repository_files() if path.suffix == ".md" and path.name != "CHANGELOG.md"
]
FOREIGN = ("MPI_", "opal_")  # functions of the MPI libraries
CODE = (".cpp", ".hpp", ".c", ".h", ".f90", ".def", ".py", ".cmake", ".txt", "")
ENDINGS = "cpp|hpp|c|h|def|py|cmake|md|json|toml|svg|txt"


def names_in(path):
    """Inline code of a document, outside of links' targets."""
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
    return set(re.findall(r"`([^`\n]+)`", text))


@functools.cache
def source():
    return "\n".join(
        path.read_text(errors="replace")
        for path in source_tree.repository_files()
        if path.suffix in CODE and not path.is_relative_to(ROOT / "bench/results")
    )


def is_somewhere(name, document):
    return any((folder / name).exists() for folder in (ROOT, ROOT / "src", ROOT / "bench", document.parent))


@pytest.mark.parametrize("path", DOCUMENTS, ids=source_tree.relative)
def test_files_exist(path):
    files = {
        name
        for name in names_in(path)
        if re.fullmatch(
            rf"[\w.-]+(/[\w.-]+)+\.(?:{ENDINGS})|(?:src|tools|tests|cmake|packaging|lab)/[\w./-]+", name
        )
    }
    missing = sorted(
        name
        for name in files
        if not name.startswith(("build/", "lib/", "share/", "bin/")) and not is_somewhere(name, path)
    )
    assert not missing, f"no such file: {missing}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=source_tree.relative)
def test_functions_exist(path):
    functions = {match[1] for name in names_in(path) if (match := re.fullmatch(r"(?:\w+::)*(\w+)\(\)", name))}
    missing = sorted(
        name for name in functions if not re.search(rf"\b{name}\(", source()) and not name.startswith(FOREIGN)
    )
    assert not missing, f"no such function: {missing}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=source_tree.relative)
def test_hints_and_variables_exist(path):
    words = {
        word
        for name in names_in(path)
        for word in re.findall(r"\b(?:collio_[a-z_]+[a-z]|COLLIO_[A-Z_]+[A-Z])\b", name)
    }
    missing = sorted(word for word in words if not re.search(rf"\b{word}\b", source()))
    assert not missing, f"no such hint, variable or program: {missing}"


@pytest.mark.parametrize(
    "page, folders",
    [
        ("CONTRIBUTING.md", ["", "src", "tests"]),
        ("docs/architecture.md", ["src", "src/transport", "src/engine", "python/collio"]),
    ],
)
def test_lists_of_folders_are_whole(page, folders):
    """The map names every folder of the tree: a new floor or room gets its row."""
    told = {word.strip("/").rsplit("/", 1)[-1] for name in names_in(ROOT / page) for word in name.split(", ")}
    files = source_tree.repository_files()
    for folder in folders:
        there = {
            path.relative_to(ROOT / folder).parts[0]
            for path in files
            if path.is_relative_to(ROOT / folder) and len(path.relative_to(ROOT / folder).parts) > 1
        }
        missing = sorted(name for name in there if not name.startswith(".") and name not in told)
        assert not missing, f"{page} does not name {missing} of {folder or 'the root'}"


def test_glossary_is_short():
    rows = re.findall(r"^\| (?!word |---)[^|]+\|", (ROOT / "docs/glossary.md").read_text(), re.MULTILINE)
    assert 20 <= len(rows) <= 40, len(rows)


MOST_WORDS, MOST_WORDS_OF_A_DESIGN = 50_000, 900


def test_pages_are_short():
    """All pages together, and each design page without the tables that a tool makes."""
    total = sum(
        len(path.read_text().split()) for path in source_tree.repository_files() if path.suffix == ".md"
    )
    assert total < MOST_WORDS, f"{total} words; at most {MOST_WORDS}"
    designs = {
        path.name: len(
            re.sub(r"<!-- \w+: made by.*?<!-- end -->", "", path.read_text(), flags=re.DOTALL).split()
        )
        for path in (ROOT / "docs/design").glob("*.md")
    }
    assert not {name: words for name, words in designs.items() if words > MOST_WORDS_OF_A_DESIGN}
