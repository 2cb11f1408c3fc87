"""Files in subfiles that another program wrote (tests/golden/make_subfiles.py), read by the tools and by
`collio view`."""

import shutil
from pathlib import Path

import pytest

from collio import builds
from collio.subfiles import subfile_set

GOLDEN = Path(__file__).parents[1] / "golden" / "subfiles"
SETS = sorted(path.with_suffix("") for path in GOLDEN.glob("*.bytes"))


@pytest.fixture
def place(tmp_path):
    """Writing to them must not change the repository."""
    shutil.copytree(GOLDEN, tmp_path / "golden")
    return tmp_path / "golden"


def test_there_are_some():
    assert len(SETS) == 5


@pytest.mark.parametrize("path", SETS, ids=lambda path: path.name)
def test_texts_are_what_their_values_give(path):
    found = subfile_set.find(path)
    assert found.placeholder.text() == path.read_bytes()
    assert found.manifest.text() == found.manifest_path.read_bytes()
    assert found.length() == found.manifest.file_bytes and not found.problems()


@pytest.mark.parametrize("name", [path.name for path in SETS])
def test_tools_join_them(cli, place, name):
    options = [] if subfile_set.find(place / name).manifest.complete else ["--unfinished"]
    assert cli("subfiles", "join", place / name, *options).exit_code == 0
    assert (place / name).read_bytes() == (GOLDEN / f"{name}.bytes").read_bytes()


@pytest.mark.skipif(not builds.find_library(builds.VIEW_PRELOAD), reason="the view is not built")
@pytest.mark.parametrize("path", SETS, ids=lambda path: path.name)
def test_view_shows_their_bytes(collio_process, path):
    shown = collio_process("view", "--", "cat", path)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout == path.with_name(f"{path.name}.bytes").read_text()
