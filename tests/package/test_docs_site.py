"""`make docs`: the site builds without a warning (links and anchors among them), shows what GitHub shows, and
asks no other host."""

import os
import re
import subprocess
import sys

import pytest
from markdown_it import MarkdownIt

import source_tree

ROOT = source_tree.ROOT
PAGES = [path for path in source_tree.repository_files() if path.suffix == ".md"]
ELEMENTS = ("li", "table", "tr", "pre", "h2", "h3", "img")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = build(ROOT / "mkdocs.yml", folder)
    assert done.returncode == 0, done.stdout
    return folder


def build(settings, folder):
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--config-file", str(settings), "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )


def page_of(site, path):
    """The site's file for a Markdown file."""
    name = source_tree.relative(path).removeprefix("docs/").removesuffix(".md") + ".html"
    return site / re.sub(r"(^|/)README\.html$", r"\1index.html", name)


def count(html, element):
    return len(re.findall(rf"<{element}[ >]", html))


@pytest.mark.parametrize("path", PAGES, ids=source_tree.relative)
def test_page_has_the_elements_that_github_shows(site, path):
    """Python-Markdown wants empty lines and indents where GitHub does not: a list without them would be a
    paragraph."""
    expected = MarkdownIt("commonmark").enable("table").render(path.read_text())
    article = re.search(r"<article.*?</article>", page_of(site, path).read_text(), re.DOTALL).group()
    assert {name: count(article, name) for name in ELEMENTS} == {
        name: count(expected, name) for name in ELEMENTS
    }


def test_no_page_asks_another_host(site):
    loads = re.compile(
        r"""<(?:script|link|img|iframe|source)\b[^>]*?\b(?:src|href)=["']?(?:https?:)?//|url\(["']?(?:https?:)?//|@import"""
    )
    asking = {
        f"{path.relative_to(site)}: {found}"
        for path in site.rglob("*")
        if path.suffix in (".html", ".css", ".svg")
        for found in loads.findall(path.read_text())
    }
    assert not asking


def test_every_command_has_a_section(site):
    from collio.cli import COMMANDS, SUBFILES

    text = (site / "commands.html").read_text()
    assert all(
        f'id="collio-{name}"' in text for name in [*COMMANDS, *(f"subfiles-{name}" for name in SUBFILES)]
    )


@pytest.mark.parametrize(
    "link", ["[a](hints.md#no-such-heading)", "[a](no-such-page.md)", "[a](../src/no-such-file.cpp)"]
)
def test_broken_link_fails_the_build(tmp_path, link):
    """Strictness is lost without a sound (`--quiet` turns it off), so it is tried on a copy of two pages."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/hints.md").write_text("# Hints\n")
    (tmp_path / "docs/start.md").write_text(f"# Start\n\n{link}\n")
    settings = (ROOT / "mkdocs.yml").read_text().split("nav:\n  -")[0]
    settings = re.sub(r"^(hooks|extra_css|  - offline).*\n", "", settings, flags=re.MULTILINE)
    (tmp_path / "mkdocs.yml").write_text(settings)
    done = build(tmp_path / "mkdocs.yml", tmp_path / "site")
    assert done.returncode != 0 and "Aborted with 1 warning" in done.stdout, done.stdout
