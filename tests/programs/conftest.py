"""Fixtures: the MPI libraries that collio is built for, and jobs under them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

import longest_first

from collio import mpi_libraries
from collio.builds import Build
from jobs import Jobs

ROOT = Path(__file__).resolve().parents[2]
REAL = [mpi for mpi in mpi_libraries.find_mpi_libraries() if mpi.mpiexec]


def pytest_configure(config):
    longest_first.keep_order(config)


def pytest_collection_modifyitems(items):
    longest_first.sort(items)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch, tmp_path):
    """No COLLIO_* variable, preload or config file of the person who runs the tests."""
    for name in [name for name in os.environ if name.startswith("COLLIO_") and name != "COLLIO_BUILD"]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(params=REAL, ids=lambda mpi: mpi.id)
def jobs(request, tmp_path):
    """Jobs under each MPI of this machine."""
    return built_jobs(request.param, tmp_path)


@pytest.fixture
def jobs_of_family(tmp_path):
    """Jobs under the first MPI of a family: for what a distribution builds with one MPI only."""

    def choose(family):
        found = [mpi for mpi in REAL if mpi.family == family]
        if not found:
            pytest.skip(f"no {family} on this machine")
        # A distribution's own MPI comes first: its packages are built with that.
        found.sort(key=lambda mpi: not mpi.mpicc.startswith("/usr/bin/"))
        return built_jobs(found[0], tmp_path)

    return choose


def built_jobs(mpi, folder):
    if not Build.of(mpi).exists:
        pytest.skip(f"collio is not built for {mpi.id}")
    return Jobs(mpi, folder)


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """Compiles `sources` below this folder with a compiler command, once per session; gives the program's
    path."""
    from jobs import compile_program

    done = {}

    def get(name, command, flags=()):
        key = (name, *command, *flags)
        if key not in done:
            done[key] = compile_program(name, command, flags, tmp_path_factory.mktemp("program"))
        return done[key]

    return get


@pytest.fixture(scope="session")
def compiled_parts(tmp_path_factory):
    """Those of a package where tools/install or tools/wheel made them; else those of the trees of
    tools/build, which have no programs for a package."""
    package = mpi_libraries.build_folder() / "package"
    found = [
        folder
        for folder in (package / "parts", package / "stage/python/collio/native")
        if (folder / "lib/libcollio_mpiio.so").is_file()
    ]
    if found:
        return found[0]
    folder = tmp_path_factory.mktemp("parts")
    collect = (
        "import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path; from native_parts "
        "import collect_parts; collect_parts(Path(sys.argv[2]))"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", collect, ROOT / "tools", folder], stderr=subprocess.PIPE, text=True
    )
    return folder if done.returncode == 0 else pytest.skip(done.stderr.strip().splitlines()[-1])


@pytest.fixture(scope="session")
def prefix(tmp_path_factory, compiled_parts):
    """An installation, moved away from where it was made."""
    folder = tmp_path_factory.mktemp("install")
    made, moved = folder / "made-here", folder / "moved" / "there"
    done = subprocess.run(
        [sys.executable, ROOT / "tools/install", "--prefix", made, "--parts", compiled_parts],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )
    if "No matching distribution" in done.stdout:
        pytest.skip("Python packages cannot be installed: no package index in reach")
    assert done.returncode == 0, done.stdout
    moved.parent.mkdir()
    made.rename(moved)
    return moved
