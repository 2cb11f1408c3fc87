"""A lab leaves nothing behind: no process, mount, network, device or file, however it ends."""

import os
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional

import pytest

from collio.lab import namespaces
from lab_stage import AT_MOST_S, has_fuse, some_mpi, stage, wait_until  # noqa: F401

BUSY = """
hostname > "$1/up.$(hostname)"
while :; do dd if=/dev/zero of="$2/$(hostname)" bs=1M count=4 2>/dev/null || exit 9; done
"""
"""Says that it is there, and writes to the storage until it is ended."""


@dataclass(frozen=True)
class Lab:
    """A lab whose program is running on both nodes. `process` is the launcher."""

    process: subprocess.Popen

    @property
    def first_process(self):
        unshare = namespaces.first_process(self.process.pid)
        return namespaces.first_process(unshare)

    def wait(self):
        self.process.communicate(timeout=AT_MOST_S)
        return self.process.returncode


@pytest.fixture
def busy_lab(stage):
    """Starts labs that go on until they are ended, and waits for them to be up."""

    def start(mpi):
        folder = Path(tempfile.mkdtemp(dir=stage.folder))
        process = stage.start(
            "lab",
            "run",
            "-m",
            stage.machine,
            "--mpi",
            mpi.id,
            "--",
            "sh",
            "-c",
            BUSY,
            "sh",
            folder,
            stage.storage,
        )
        wait_until(lambda: len(list(folder.glob("up.node*"))) == 2, process)
        return Lab(process)

    return start


@dataclass(frozen=True)
class End:
    """How a lab ends, the launcher's exit code then (-n: it died of signal n; None: any but 0), and whether
    its entry stays."""

    name: str
    ending: Callable[[Lab], None]
    code: Optional[int]
    entry_stays: bool = False


SUDDEN = [
    End("ctrl-c", lambda lab: os.killpg(lab.process.pid, signal.SIGINT), 130),
    End("killed-launcher", lambda lab: os.kill(lab.process.pid, signal.SIGKILL), -9, entry_stays=True),
]
OTHERS = [
    End("interrupted-launcher", lambda lab: os.kill(lab.process.pid, signal.SIGINT), 130),
    End("terminated", lambda lab: os.kill(lab.process.pid, signal.SIGTERM), 143),
    End("killed-session", lambda lab: os.killpg(lab.process.pid, signal.SIGKILL), -9, entry_stays=True),
    # some `unshare` make a 1 of it
    End("killed-inside", lambda lab: os.kill(lab.first_process, signal.SIGKILL), None),
]


@pytest.mark.parametrize("code", [0, 3])
def test_nothing_is_left_after_the_program_ends(stage, real_mpi, code):
    before = stage.snapshot()
    program = f'touch "$0/file" /dev/shm/file && hostname && exit {code}'
    got, said = stage.run(
        "lab", "run", "-m", stage.machine, "--mpi", real_mpi.id, "--", "sh", "-c", program, stage.storage
    )
    assert got == code, said
    assert {"node0", "node1"} <= set(said.split())
    stage.assert_settles_as(before)


@pytest.mark.parametrize("end", SUDDEN, ids=lambda end: end.name)
def test_nothing_is_left_at_a_sudden_end(stage, real_mpi, busy_lab, end):
    check_end(stage, busy_lab, real_mpi, end)


@pytest.mark.parametrize("end", OTHERS, ids=lambda end: end.name)
def test_nothing_is_left_when_it_is_ended(stage, some_mpi, busy_lab, end):
    check_end(stage, busy_lab, some_mpi, end)


def check_end(stage, busy_lab, mpi, end):
    before = stage.snapshot()
    lab = busy_lab(mpi)
    assert len(stage.processes()) > 6
    end.ending(lab)
    code = lab.wait()
    assert code == end.code or (end.code is None and code != 0)
    if end.entry_stays:
        assert stage.run("lab", "clean") == (0, "removed: 0 (small)\nrunning: none\n")
    stage.assert_settles_as(before)


def test_nothing_is_left_of_a_lab_ended_while_it_is_built(stage):
    before = stage.snapshot()
    process = stage.start("lab", "run", "-m", "torus-3x3", "--mpi", "none", "--", "true")
    wait_until(lambda: any("collio.lab.build" in command for _, command in stage.processes()), process)
    process.terminate()
    process.communicate(timeout=AT_MOST_S)
    assert process.returncode == 143
    stage.assert_settles_as(before)


def test_second_interrupt_does_no_harm(stage, some_mpi, busy_lab):
    before = stage.snapshot()
    lab = busy_lab(some_mpi)
    os.killpg(lab.process.pid, signal.SIGINT)
    os.killpg(lab.process.pid, signal.SIGINT)
    _, errors = lab.process.communicate(timeout=AT_MOST_S)
    assert lab.process.returncode == 130 and "Traceback" not in errors
    stage.assert_settles_as(before)


def test_nothing_is_left_of_a_lab_whose_storage_is_stuck(stage, some_mpi, busy_lab):
    if not has_fuse():
        pytest.skip("no storage targets: they are not built, or there is no /dev/fuse")
    before = stage.snapshot()
    lab = busy_lab(some_mpi)
    code, said = stage.run("lab", "target", "stick", "0")
    assert code == 0 and "stuck" in said
    lab.process.terminate()
    assert lab.wait() == 143
    stage.assert_settles_as(before)


def test_two_labs_of_one_machine_run_side_by_side(stage, real_mpi, busy_lab):
    before = stage.snapshot()
    one, other = busy_lab(real_mpi), busy_lab(real_mpi)
    assert stage.run("lab", "clean") == (0, "removed: none\nrunning: 0 (small), 1 (small)\n")
    code, said = stage.run("lab", "target", "show", "0")
    assert code == 1 and "2 labs run: 0 (small), 1 (small); say which with --lab" in said
    one.process.terminate()
    assert one.wait() == 143
    assert other.process.poll() is None
    other.process.terminate()
    assert other.wait() == 143
    stage.assert_settles_as(before)
