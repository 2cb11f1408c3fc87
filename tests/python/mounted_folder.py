"""For the tests of `collio mount`: a folder that is mounted, and files in subfiles in it."""

import os
import random
import subprocess
import tempfile

import pytest

from collio import builds
from collio.run import mount as command
from lab_target import is_mounted, wait_until

BYTES = 2_345_678
UNIT = 1000


class Mounted:
    """DIR shown at POINT by a process in the foreground."""

    def __init__(self, folder, point, *options):
        self.folder, self.point = folder, point
        self.messages = tempfile.TemporaryFile(mode="w+")  # noqa: SIM115
        self.process = subprocess.Popen(
            [builds.find_program(command.PROGRAM), "--foreground", *options, folder, point],
            stderr=self.messages,
        )
        wait_until(lambda: is_mounted(point) or self.process.poll() is not None)

    def said(self):
        self.messages.seek(0)
        return self.messages.read()

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def end(self):
        self.process.terminate()
        assert self.process.wait(10) == 0, self.said()
        assert not is_mounted(self.point)


@pytest.fixture(scope="session")
def can_mount():
    if not builds.find_program(command.PROGRAM):
        pytest.skip(f"{command.PROGRAM} is not built (no libfuse 3)")
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as point:
        one = Mounted(folder, point)
        if one.process.poll() is not None:
            pytest.skip(f"FUSE cannot be mounted here: {one.said()}")
        one.end()


@pytest.fixture
def mounted(can_mount, tmp_path):
    (tmp_path / "dir").mkdir()
    (tmp_path / "point").mkdir()
    one = Mounted(tmp_path / "dir", tmp_path / "point")
    yield one
    one.end()


@pytest.fixture
def make(cli, mounted):
    """Makes a file in subfiles; its bytes."""

    def make(name="out.nc", data=None, subfiles=4, unit=UNIT, *options):
        data = random.Random(6).randbytes(BYTES) if data is None else data
        (mounted.folder / name).write_bytes(data)
        assert (
            cli("split", mounted.folder / name, "--subfiles", subfiles, "--unit", unit, *options).exit_code
            == 0
        )
        return data

    return make
