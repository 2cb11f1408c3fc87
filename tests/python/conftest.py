"""Fixtures: a site with two made-up MPI libraries whose launchers are shell scripts, and the real ones."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

import longest_first

from collio import mpi_libraries
from collio.builds import Build
from fake_site import FakeSite

REAL = [mpi for mpi in mpi_libraries.find_mpi_libraries() if mpi.mpiexec]


def pytest_configure(config):
    longest_first.keep_order(config)


def pytest_collection_modifyitems(items):
    longest_first.sort(items)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch, tmp_path):
    """No COLLIO_* variable, preload or config file of the person who runs the tests."""
    of_others = ("ROMIO_HINTS", "MPICH_MPIIO_HINTS", "PNETCDF_HINTS")
    for name in [
        name
        for name in os.environ
        if (name.startswith("COLLIO_") and name != "COLLIO_BUILD") or name in of_others
    ]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def empty_library(tmp_path_factory):
    """A shared library that does nothing, to be preloaded."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    path = tmp_path_factory.mktemp("library") / "empty.so"
    source = path.with_suffix(".c")
    source.write_text("static int nothing; int collio_test_nothing(void) { return nothing; }\n")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(path), str(source)], check=True)
    return path


@pytest.fixture
def site(tmp_path, monkeypatch, empty_library):
    """Made-up MPIs mpich-9.9.1 and openmpi-9.9.2, first on PATH, each with a build of collio."""
    return FakeSite(tmp_path / "site", monkeypatch, empty_library)


@pytest.fixture
def cli():
    """Runs `collio ...` in this process."""
    from collio.cli import main

    return lambda *words: CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def collio_process():
    """Runs `collio ...` in a process of its own: for commands that replace or end it."""

    def start(*words, **keywords):
        command = [sys.executable, "-m", "collio", *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, **keywords)

    return start


@pytest.fixture(params=REAL, ids=lambda mpi: mpi.id)
def real_mpi(request, monkeypatch):
    """An MPI of this machine that collio is built for."""
    monkeypatch.setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
    monkeypatch.setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    monkeypatch.setenv("OMPI_MCA_rmaps_base_oversubscribe", "1")
    monkeypatch.setenv("OMPI_MCA_mpi_yield_when_idle", "1")
    if not Build.of(request.param).exists:
        pytest.skip(f"collio is not built for {request.param.id}")
    return request.param


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """Compiles programs/<name>.c with an MPI's own compiler, once."""
    done = {}

    def compile_program(mpi, name):
        if (mpi.id, name) not in done:
            binary = tmp_path_factory.mktemp(mpi.id) / name
            source = Path(__file__).parent / "programs" / f"{name}.c"
            subprocess.run([mpi.mpicc, "-o", str(binary), str(source)], check=True, timeout=120)
            done[mpi.id, name] = binary
        return done[mpi.id, name]

    return compile_program
