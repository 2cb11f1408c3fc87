"""Where the compiled parts are, under paths that LD_PRELOAD cannot hold."""

import pytest

from collio.builds import INTERPOSER, Build, preloadable
from collio.run import launch, launch_line


@pytest.fixture
def odd(tmp_path, monkeypatch):
    """A build in a folder whose name has a space, and another with a colon."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("a b", "a:b"):
        (tmp_path / name / "lib").mkdir(parents=True)
        (tmp_path / name / "lib" / INTERPOSER).write_text(name)
    return tmp_path


@pytest.mark.parametrize("name", ["a b", "a:b"])
def test_a_link_stands_for_a_folder_with_a_space_or_colon(odd, name):
    found = Build(odd / name).interposer
    assert found == Build(odd / name).interposer and found.read_text() == name
    assert not set(" :") & set(str(found)) and found.is_relative_to(odd / "cache")


def test_other_folders_stay(tmp_path):
    assert preloadable(tmp_path) == tmp_path
    assert preloadable(tmp_path / "not there") == tmp_path / "not there"


def test_no_link_where_the_cache_has_a_space_or_is_no_folder(odd, monkeypatch):
    for cache in (odd / "cache of mine", odd / "a b/lib" / INTERPOSER):
        monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
        assert preloadable(odd / "a b") == odd / "a b"


def test_a_path_that_cannot_be_preloaded_is_refused():
    line = launch_line.read_launch_line(["true"])
    with pytest.raises(launch.LaunchError, match="LD_PRELOAD cannot name /a b/lib.so: its path has spaces"):
        launch.prepare(line, "none", "/a b/lib.so", {}, {})
