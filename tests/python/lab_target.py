"""For the tests of the lab's storage targets: a target to start, and small helpers."""

import contextlib
import errno
import os
import shutil
import tempfile
import time
from pathlib import Path

import pytest

from collio import mpi_libraries
from collio.builds import Build
from collio.lab import targets
from collio.lab.targets import TargetError, TargetSpec, start_target

MB = 1_000_000
MIB = 1 << 20
RATE = 20 * MB
ENDS_WITHIN_S = 5


@pytest.fixture(scope="session")
def program():
    """The built program, on a machine that lets us mount."""
    built = [Build.of(mpi).program(targets.PROGRAM) for mpi in mpi_libraries.find_mpi_libraries()]
    found = next((path for path in built if path.exists()), None)
    if found is None:
        pytest.skip(f"{targets.PROGRAM} is not built (no libfuse 3)")
    with tempfile.TemporaryDirectory() as folder:
        try:
            start_target(found, TargetSpec("probe", backing=folder), Path(folder, "mount")).stop()
        except TargetError as error:
            pytest.skip(f"FUSE cannot be mounted here: {error}")
    return found


ROOM = 512 * MIB


@pytest.fixture
def memory():
    """A folder in memory, where the machine has room there for it and for an MPI library."""
    shared = Path("/dev/shm")
    roomy = os.access(shared, os.W_OK) and shutil.disk_usage(shared).free >= ROOM
    folder = Path(tempfile.mkdtemp(dir=shared if roomy else None))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def target(program, memory, tmp_path):
    """Starts one target; afterwards nothing is left of it."""
    with contextlib.ExitStack() as running:

        def start(**limits):
            spec = TargetSpec("target0", **limits)
            return running.enter_context(start_target(program, spec, tmp_path / "target0", memory))

        yield start
    assert not is_mounted(tmp_path / "target0")


def is_mounted(path):
    return any(line.split()[4] == str(path) for line in Path("/proc/self/mountinfo").read_text().splitlines())


def wait_until(condition, within_s=ENDS_WITHIN_S):
    end = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < end, "did not happen"
        time.sleep(0.005)


@contextlib.contextmanager
def opened(path, flags=os.O_RDWR | os.O_CREAT):
    fd = os.open(path, flags, 0o644)
    try:
        yield fd
    finally:
        os.close(fd)


def error_of(call, *arguments):
    with pytest.raises(OSError) as caught:
        call(*arguments)
    return errno.errorcode[caught.value.errno]


def access_at_random(fd, dice, expected, place):
    """Writes, reads or cuts a file at place, (offset, size). `expected`, its bytes, changes with it."""
    offset, size = place
    if dice.random() < 0.1:
        os.ftruncate(fd, offset)
        expected += bytes(max(0, offset - len(expected)))
        del expected[offset:]
    elif dice.random() < 0.3:
        assert os.pread(fd, size, offset) == expected[offset : offset + size]
    else:
        data = dice.randbytes(size)
        assert os.pwrite(fd, data, offset) == size
        expected += bytes(max(0, offset + size - len(expected)))
        expected[offset : offset + size] = data
    assert os.fstat(fd).st_size == len(expected)
