"""Python code passes its linter, and the package its type checker, as pyproject.toml sets them up."""

import subprocess
import sys

import source_tree


def python_files():
    return map(source_tree.relative, source_tree.python_files())


def run_tool(*words):
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=source_tree.ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, f"{' '.join(words[:2])}:\n{done.stdout}"


def test_ruff():
    run_tool("ruff", "check", "--force-exclude", "--output-format", "concise", "--quiet", *python_files())


def test_layout():
    """To lay out a file: ruff format FILE."""
    run_tool("ruff", "format", "--check", "--force-exclude", "--quiet", *python_files())


def test_bootstrap_starts_where_collio_is_not_installed():
    """`common` lets the tools find collio, so it must be imported first; -S leaves installed packages out."""
    done = subprocess.run(
        [sys.executable, "-S", "tools/bootstrap"],
        cwd=source_tree.ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert "usage: tools/bootstrap" in done.stdout, done.stdout


def test_mypy():
    run_tool("mypy")
