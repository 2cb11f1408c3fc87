"""Pages and commands state what the sources decide: defaults, presets, kinds of hints, calls that are taken
over, papers."""

import re

import pytest

import source_tree
from collio import hint_table
from collio.doctor import findings
from collio.machine_file.presets import large_preset_names, load_machine, preset_names

ROOT = source_tree.ROOT
POLICY = "\n".join(path.read_text() for path in source_tree.files("src/policy", suffixes=(".cpp",)))


def constant(name):
    """Of src/policy: `int a = 1, b = 2;` or alone."""
    found = set(re.findall(rf"\b{name} = (\d+)", POLICY))
    assert len(found) == 1, f"{name}: {found}"
    return int(found.pop())


def test_doctor_states_the_aggregators_that_are_chosen():
    assert (constant("fewest_cores_each"), constant("most_on_a_node")) == (
        findings.CORES_EACH,
        findings.MOST_ON_A_NODE,
    )
    (buffer,) = {int(row.default) for row in hint_table.ROWS if row.key == "cb_buffer_size"}
    text = findings.ASSUMED["shared"]
    assert (
        f"each {findings.CORES_EACH} cores" in text
        and f"at most {findings.MOST_ON_A_NODE}" in text
        and f"{buffer >> 20} MiB" in text
    )


@pytest.mark.parametrize("page", ["docs/hints.md", "docs/design/storage.md", "docs/architecture.md"])
def test_pages_state_the_aggregators_that_are_chosen(page):
    text = re.sub(r"\s+", " ", (ROOT / page).read_text())
    said = re.findall(r"one (?:aggregator )?for each (\S+) cores of a node", text)
    assert said and set(said) <= {str(constant("fewest_cores_each")), "eight"}
    assert not re.search(r"(?i)means one aggregator a node", text)


def test_kinds_of_hints_exist():
    kinds = (ROOT / "src/policy").rglob("hint_kinds.hpp").__next__().read_text()
    there = set(re.findall(r"^(?:struct|using) (\w+)", kinds, re.MULTILINE)) | set(
        re.findall(r"^class (\w+)", kinds, re.MULTILINE)
    )
    head = (ROOT / "src/policy").rglob("hints.def").__next__().read_text().split("#ifndef")[0]
    documented = set(re.findall(r"\b([A-Z]\w+)\((?:list|low, high|what is allowed)\)", head))
    assert {"Choice", "Bytes", "Hosts"} <= documented <= there
    assert {row.kind for row in hint_table.ROWS} <= documented


def test_every_preset_has_a_row():
    rows = re.findall(
        r"^\| `([\w-]+)` \| (\w+) \| (\d+) \| (\d+) \|",
        (ROOT / "docs/how-to/machine-files.md").read_text(),
        re.MULTILINE,
    )
    assert sorted(row[0] for row in rows) == sorted([*preset_names(), *large_preset_names()])
    for name, shape, nodes, ranks in rows:
        source = (ROOT / "python/collio/machine_file/presets").rglob(f"{name}.toml").__next__().read_text()
        assert f'shape = "{shape}"' in source, name
        assert [int(nodes)] == [
            int(count) for count in re.findall(r"^count = (\d+)", source, re.MULTILINE)[:1]
        ], name
        assert re.search(rf"^ranks = {ranks}$", source, re.MULTILINE), name
        assert load_machine(name)


def functions_by_answer(page):
    """{function: the bold words beside it} of a page's tables."""
    found = {}
    for line in page.read_text().splitlines():
        cells = line.split(" | ")
        if re.match(r"\| `(?:MPI_File_)?[a-z]", line) and len(cells) >= 2:
            for name in re.findall(r"`(?:MPI_File_)?([a-z]\w+)`", cells[0]):
                found[name] = re.findall(r"\*\*([^*]+)\*\*", cells[1])
    return found


def test_authors_of_libraries_read_what_conformance_says():
    short, whole = (
        functions_by_answer(ROOT / "docs/how-to/library-author.md"),
        functions_by_answer(ROOT / "docs/conformance.md"),
    )
    assert {"write_all", "write_ordered", "write_shared", "set_size", "preallocate", "sync"} <= set(short)
    differing = {
        name: (answer, whole[name])
        for name, answer in short.items()
        if name in whole and answer[:1] != whole[name][:1]
    }
    assert not differing, differing


# --- papers -------------------------------------------------------------------------------------

NAME = r"(?:del )?([A-Z][a-z]+)"
CITED = re.compile(
    rf"{NAME}(?:,? [A-Z][a-z]+,?)*(?: et al\.| (?:&|and) [A-Z][a-z]+)(?:'s "
    r"[a-z]+)?[,\s(]{0,3}(?:[^.;()|\n]{0,40}?)((?:19|20)\d\d)\b"
)
NAMED = re.compile(rf"{NAME} et al\.")


def cited():
    """(file, first author, year or empty) of every citation in pages and sources."""
    for path in source_tree.repository_files():
        if path.suffix not in (".md", ".py", ".cpp", ".hpp", ".def", ".toml") or path.name in (
            "papers.md",
            "test_facts.py",
            "CHANGELOG.md",
        ):
            continue
        text = re.sub(r"\n(?: *(?://|#) *)?", " ", path.read_text().replace("\n\n", " | "))
        text = re.sub(r'"[^"]*"', "", text) if path.suffix != ".py" else text  # titles have words in capitals
        for author, year in CITED.findall(text):
            yield source_tree.relative(path), author, year
        for author in NAMED.findall(text):
            yield source_tree.relative(path), author, ""


def test_papers_are_cited_as_listed():
    rows = re.findall(r"^\| (\w+) (\d{4}) \| (.*) \|$", (ROOT / "docs/papers.md").read_text(), re.MULTILINE)
    known = {(author, year) for author, year, _ in rows} | {(author, "") for author, _, _ in rows}
    # Where no form matches the first author, any of them will do.
    for _, year, text in rows:
        known |= {(name, year) for name in re.findall(r"[A-Z][a-z]+", text.split('"')[0])}
    found = set(cited())
    assert {"Kang", "Son", "Feki", "Tessier"} <= {author for _, author, _ in found}
    wrong = sorted(f"{path}: {author} {year}" for path, author, year in found if (author, year) not in known)
    assert not wrong, "\n".join(wrong)
