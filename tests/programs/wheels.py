"""Environments with Python wheels of MPI libraries: made once, kept in the build folder."""

import fcntl
import importlib.util
import subprocess
import sys

import pytest

from collio import mpi_libraries

PIP = ["--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "30"]


def environment_of_wheels(family):
    """bin/ of an environment with mpi4py's wheel and that of an MPI; skips where wheels are out of reach."""
    wheels = mpi_libraries.build_folder() / "venv-mpi4py"
    wheels.mkdir(parents=True, exist_ok=True)
    folder = wheels / family
    with open(wheels / f".{family}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / ".complete").exists():
            make_environment(folder, ["mpi4py", family])
    return folder / "bin"


def make_environment(folder, packages):
    """Skips if that cannot be: no package index in reach, or no wheels for this machine."""
    python = folder / "bin" / "python"
    if importlib.util.find_spec("pip") is None:
        pytest.skip("no pip to install wheels with")
    for step in (
        # Not every Python can give its environments a pip: this one's own installs into them.
        [sys.executable, "-m", "venv", "--clear", "--without-pip", folder],
        [
            sys.executable,
            "-m",
            "pip",
            "--python",
            python,
            "install",
            *PIP,
            "--only-binary",
            ":all:",
            *packages,
        ],
    ):
        done = subprocess.run(
            [str(word) for word in step],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode != 0:
            reason = (done.stdout.strip().splitlines() or ["no reason given"])[-1]
            pytest.skip(f"{' and '.join(packages)} cannot be installed as wheels: {reason}")
    (folder / ".complete").touch()
