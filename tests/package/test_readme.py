"""What the documents tell people to type exists."""

import re
import subprocess
import sys

import pytest

import source_tree

ROOT = source_tree.ROOT
DOCUMENTS = [path for path in source_tree.repository_files() if path.suffix == ".md"]


def code_of(path):
    """All code of a document: fenced blocks and inline."""
    text = path.read_text()
    return "\n".join(re.findall(r"```.*?\n(.*?)```", text, re.DOTALL) + re.findall(r"`([^`\n]+)`", text))


@pytest.mark.parametrize("path", DOCUMENTS, ids=source_tree.relative)
def test_make_targets_exist(path):
    for target in set(re.findall(r"^(?:\$ )?make ([a-z]+)\b", code_of(path), re.MULTILINE)):
        done = subprocess.run(
            ["make", "-C", str(ROOT), "-n", target], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        assert done.returncode == 0, f"make {target}: {done.stdout.decode()}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=source_tree.relative)
def test_commands_exist(path):
    from collio.cli import main

    # A first word that is a known command, an option, or in capitals (a place to fill in).
    for word in set(re.findall(r"^(?:\$ )?(?:build/bin/)?collio ([a-z][\w-]*)", code_of(path), re.MULTILINE)):
        assert word in main.places, f"collio {word}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=source_tree.relative)
def test_linked_files_exist(path):
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if not re.match(r"\w+:", target):
            assert (path.parent / target).exists(), target


def test_first_screen_has_the_two_commands():
    first_screen = "\n".join((ROOT / "README.md").read_text().splitlines()[:40])
    for command in ("make demo", "make test", "collio run -- mpiexec -n 4 ./app"):
        assert command in first_screen


def test_benchmark_page_is_what_the_results_say():
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools/benchmark_page"), "--check"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert done.returncode == 0, done.stdout.decode()


def test_chart_is_told_in_words():
    """Where images are not shown, the text in their place has the chart's figures."""
    figures = re.findall(r">([\d.]+)x</text>", (ROOT / "docs/images/speed-up.svg").read_text())
    told = re.search(r"!\[([^]]*)\]\(docs/images/speed-up.svg\)", (ROOT / "README.md").read_text()).group(1)
    assert len(figures) == 8
    assert re.findall(r"(?<= )\d+(?:\.\d+)?(?=[,.](?: |$))", told) == figures
