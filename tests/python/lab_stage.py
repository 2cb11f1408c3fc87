"""For the tests of labs: a stage to run them on, where what a lab leaves behind is seen, and what others do
is not.

The stage is a mount and a network namespace with a /tmp and a /dev/shm of their own. Processes are told by a
variable in their environment.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from collio import mpi_libraries
from collio.builds import Build
from collio.lab import namespaces, targets
from collio.mpi_libraries import repository

AT_MOST_S = 60
SETTLES_WITHIN_S = 20
MARK = "LAB_STAGE"
SET_UP = """
mount --make-rprivate / && mount --rbind /tmp /mnt || exit
mount -t tmpfs -o mode=1777 tmpfs /tmp && mount -t tmpfs -o mode=1777 tmpfs /dev/shm || exit
for keep; do mkdir -p "$keep" && mount --rbind "/mnt/${keep#/tmp/}" "$keep" || exit; done
echo up
exec cat
"""
MACHINE = """
format = "collio-machine/1"
name = "small"
[nodes]
count = 2
ranks = 1
[network]
shape = "switch"
link = "200Mbit/s"
"""
STORAGE = """
[storage]
targets = 2
rate = "20MB/s"
capacity = "64MiB"
"""


def has_fuse():
    """Whether storage targets work here: they are built, and there is a device to mount them with."""
    built = [mpi.build_tree / "bin" / targets.PROGRAM for mpi in mpi_libraries.find_mpi_libraries()]
    return any(path.exists() for path in built) and os.access("/dev/fuse", os.R_OK | os.W_OK)


class Stage:
    """Starts `collio` commands on the stage, and looks at what is there."""

    def __init__(self, folder):
        self.folder, self.mark = folder, uuid.uuid4().hex
        self.machine = folder / "machine.toml"
        self.machine.write_text(MACHINE + (STORAGE if has_fuse() else ""))
        self.storage = "/run/lab/target0" if has_fuse() else "/run/lab/memory"
        self.process = self._set_up()
        self.mounts_at_first = self._mounts()

    def _set_up(self):
        needed = {
            str(repository()),
            str(mpi_libraries.build_folder()),
            sys.prefix,
            sys.base_prefix,
            str(self.folder),
        }
        user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        process = subprocess.Popen(
            [
                "unshare",
                *user,
                "--mount",
                "--net",
                "sh",
                "-c",
                SET_UP,
                "sh",
                *(path for path in needed if path.startswith("/tmp/")),
            ],
            # ends with its input: when the tests do
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout.readline() == "up\n"
        return process

    def end(self):
        for pid, _ in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.kill()
        self.process.wait(AT_MOST_S)
        self.process.stdin.close()
        self.process.stdout.close()

    def start(self, *words, **keywords):
        """Starts `collio WORDS...`, leader of a session of its own; the process is the command itself."""
        user = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
        enter = [
            "nsenter",
            "--target",
            str(self.process.pid),
            *user,
            "--mount",
            "--net",
            f"--wd={self.folder}",
            "--",
        ]
        signals = ["env", "--default-signal=INT,TERM,HUP"]  # whoever runs the tests may ignore some
        environ = {
            name: value for name, value in os.environ.items() if name not in ("XDG_RUNTIME_DIR", "TMPDIR")
        }
        return subprocess.Popen(
            [*enter, *signals, sys.executable, "-m", "collio", *map(str, words)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**environ, MARK: self.mark},
            **keywords,
        )

    def run(self, *words):
        """Runs `collio WORDS...` to its end: exit code, and all it said."""
        process = self.start(*words)
        said = process.communicate(timeout=AT_MOST_S)
        return process.returncode, "".join(said)

    def processes(self):
        """(number, command) of all that was started on the stage, and what that started."""
        return marked(self.mark)

    def snapshot(self):
        """All that a lab could leave behind."""
        proc = Path("/proc") / str(self.process.pid)
        root = proc / "root"
        named = root / "run" / "netns"
        return {
            "processes": {command for _, command in self.processes()},
            # among the first are other tests' mounts, which end when they do
            "mounts": self._mounts() - self.mounts_at_first,
            "interfaces": {
                line.split(":")[0].strip() for line in (proc / "net" / "dev").read_text().splitlines()[2:]
            },
            "named networks": set(os.listdir(named)) if named.exists() else set(),
            "folder in /run": (root / "run" / "lab").exists(),
            **{place: set(os.listdir(root / place)) for place in ("tmp", "dev/shm")},
        }

    def _mounts(self):
        lines = (Path("/proc") / str(self.process.pid) / "mountinfo").read_text().splitlines()
        told = [(before.split(), after.split()) for before, after in (line.split(" - ") for line in lines)]
        return {(before[0], before[4], after[0]) for before, after in told}

    def assert_settles_as(self, before):
        """The kernel may take a moment to end what a killed process had."""
        end = time.monotonic() + SETTLES_WITHIN_S
        while (now := self.snapshot()) != before:
            assert time.monotonic() < end, {
                name: (before[name], now[name]) for name in now if now[name] != before[name]
            }
            time.sleep(0.05)


def marked(mark):
    """(number, command) of all processes that have the mark in their environment."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(
                        (int(entry.name), (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
                    )
            except OSError:
                continue
    return found


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    """A stage for the tests of a module, where labs work."""
    skip_without_labs()
    folder = tmp_path_factory.mktemp("stage")
    one = Stage(folder)
    yield one
    one.end()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def some_mpi():
    """One MPI that collio is built for, for tests that no MPI matters to."""
    for mpi in mpi_libraries.find_mpi_libraries():
        if mpi.mpiexec and Build.of(mpi).exists:
            return mpi
    pytest.skip("collio is built for no MPI")


def skip_without_labs():
    lacking = namespaces.missing()
    if lacking:
        pytest.skip(f"no lab can be built here: {lacking}")


def wait_until(condition, process, within_s=AT_MOST_S):
    """Waits for `condition()`; fails with what the process said when it ends before."""
    end = time.monotonic() + within_s
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "did not happen"
        time.sleep(0.02)
