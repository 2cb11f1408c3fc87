"""The tutorial: its commands do what the page says, and its notebook has the same ones."""

import copy
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ranks

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tutorial.md").read_text()
NOTEBOOK = json.loads((ROOT / "docs" / "tutorial.ipynb").read_text())
MPIEXEC = re.compile(r"\bmpiexec\b")


def commands():
    """Of the page, in order: blocks without a language."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, re.M | re.S)
    return [line for language, block in blocks if not language for line in block.splitlines()]


@pytest.fixture
def folder(real_mpi, tmp_path, monkeypatch):
    """A folder with the program, and an environment with collio, this Python, and mpi4py for the MPI."""
    for name, value in ranks.environment(real_mpi, 4, tmp_path).items():
        monkeypatch.setenv(name, value)
    shutil.copy(ROOT / "examples/python/slow_checkpoint.py", tmp_path)
    monkeypatch.setenv("PATH", f"{ROOT}/build/bin:{Path(sys.executable).parent}:{os.environ['PATH']}")
    return tmp_path


def test_every_command_of_the_page(real_mpi, folder):
    pytest.importorskip("mpi4py")
    printed = {}
    for command in commands():
        words = MPIEXEC.sub(str(real_mpi.mpiexec), command)
        done = subprocess.run(words, shell=True, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        printed[command] = " ".join(done.stdout.split())
    assert "60,000 calls a rank, 64 B each" in printed["collio report slow.json"]
    assert "make collective calls" in printed["collio report slow.json"]
    assert "Timeline of the last collective call" in printed["collio report fast.json --pictures"]
    assert (folder / "fast.html").stat().st_size > 400_000
    (file,) = json.loads((folder / "drill.json").read_text())["files"]
    longest = max(sum(line["file"][1::2]) for line in file["pictures"]["timeline"])
    assert longest >= 200_000  # microseconds: the drill's delay


def cells(kind):
    return ["".join(cell["source"]) for cell in NOTEBOOK["cells"] if cell["cell_type"] == kind]


def test_the_notebook_has_the_commands_of_the_page_and_no_outputs():
    asked = [line[1:] for cell in cells("code") for line in cell.splitlines() if line.startswith("!")]
    assert asked == commands()
    assert not any(cell.get("outputs") for cell in NOTEBOOK["cells"])


def test_the_notebook_runs(real_mpi, folder, monkeypatch):
    nbclient, nbformat = (pytest.importorskip(name) for name in ("nbclient", "nbformat"))
    pytest.importorskip("ipykernel")
    pytest.importorskip("mpi4py")
    own = copy.deepcopy(NOTEBOOK)
    for cell in own["cells"]:
        cell["source"] = MPIEXEC.sub(str(real_mpi.mpiexec), "".join(cell["source"]))
    notebook = nbformat.from_dict(own)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": folder}}).execute()
    shown = json.dumps(notebook.cells)
    assert "60,000 calls a rank, 64 B each" in shown and "Timeline of the last collective call" in shown
