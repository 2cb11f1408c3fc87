"""The lab's storage targets: bytes and names pass through unchanged, at the rate the target is given."""

import fcntl
import mmap
import os
import random
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from collio.lab import targets
from lab_target import MIB, RATE, access_at_random, error_of, memory, opened, program, target, wait_until  # noqa: F401

BURST_S = 0.010


# --- bytes and names ------------------------------------------------------------------------------


def test_bytes_pass_through_unchanged(target):
    one = target()
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    dice, expected = random.Random(seed), bytearray()
    with opened(one.mountpoint / "file") as fd:
        for _ in range(150):
            access_at_random(
                fd, dice, expected, (dice.randrange(4 * MIB), dice.choice([1, 511, 4096, 100_003, 2_500_000]))
            )
    assert (one.mountpoint / "file").read_bytes() == expected
    assert (one.backing / "file").read_bytes() == expected


def test_files_are_what_they_are_on_a_disk(target):
    root = target().mountpoint
    (root / "file").write_bytes(b"first")
    with opened(root / "file", os.O_WRONLY | os.O_APPEND) as fd:
        os.write(fd, b" second")
    os.rename(root / "file", root / "renamed")
    with opened(root / "renamed") as fd:
        os.rename(root / "renamed", root / "again")
        os.pwrite(fd, b"F", 0)
        os.unlink(root / "again")
        assert os.fstat(fd).st_nlink == 0
        assert os.pread(fd, 100, 0) == b"First second"
    assert os.listdir(root) == []
    with opened(root / "allocated") as fd:
        os.posix_fallocate(fd, 0, 100_000)
        assert os.fstat(fd).st_size == 100_000
        os.fsync(fd)
    os.symlink("allocated", root / "link")
    os.link(root / "allocated", root / "name")
    assert (root / "link").stat().st_nlink == 2
    os.chmod(root / "name", 0o600)
    os.utime(root / "name", ns=(1_000, 2_000_000_001))
    status = (root / "allocated").stat()
    assert (status.st_mode & 0o777, status.st_mtime_ns) == (0o600, 2_000_000_001)
    assert error_of(os.open, root / "name", os.O_CREAT | os.O_EXCL) == "EEXIST"
    assert error_of(os.open, root / "none", os.O_RDONLY) == "ENOENT"


def test_large_folder_is_listed_completely(target):
    root = target().mountpoint
    os.mkdir(root / "folder")
    names = {f"file-with-a-rather-long-name-{number}" for number in range(700)}
    for name in names:
        os.mknod(root / "folder" / name)
    assert set(os.listdir(root / "folder")) == names
    assert error_of(os.rmdir, root / "folder") == "ENOTEMPTY"
    shutil.rmtree(root / "folder")
    assert os.listdir(root) == []


def test_locks_hold_between_processes(target):
    path = target().mountpoint / "file"
    script = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'r+'), fcntl.LOCK_EX | fcntl.LOCK_NB)"
    with opened(path) as fd:
        fcntl.lockf(fd, fcntl.LOCK_EX)
        other = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True)
    assert "BlockingIOError" in other.stderr
    assert subprocess.run([sys.executable, "-c", script, path]).returncode == 0


def test_private_mapping_reads_the_file(target):
    path = target().mountpoint / "file"
    path.write_bytes(b"mapped" * 1000)
    with opened(path) as fd, mmap.mmap(fd, 6000, flags=mmap.MAP_PRIVATE) as view:
        assert view[:] == b"mapped" * 1000


# --- rate -----------------------------------------------------------------------------------------


def move(path, how, offset, size):
    """Writes or reads [offset, offset + size) of a file in calls of 256 KiB."""
    step = 1 << 18
    flags = os.O_RDONLY if how == "read" else os.O_RDWR | os.O_CREAT
    buffer = mmap.mmap(-1, step)  # aligned to pages, as O_DIRECT wants it
    with opened(path, flags | (os.O_DIRECT if how == "direct" else 0)) as fd:
        for at in range(offset, offset + size, step):
            moved = os.preadv(fd, [buffer], at) if how == "read" else os.pwritev(fd, [buffer], at)
            assert moved == step


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("how", ["buffered", "direct", "read"])
def test_rate_is_kept(target, how, workers):
    root = target().mountpoint
    share = 8 * MIB // workers
    move(root / "file", "buffered", 0, 8 * MIB)
    targets.set_rate(root, RATE)
    expected_s = 8 * MIB / RATE
    for _attempt in range(3):  # a busy machine may hold the workers up; nothing may make them faster
        began = time.monotonic()
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(lambda worker: move(root / "file", how, worker * share, share), range(workers)))
        elapsed_s = time.monotonic() - began
        assert elapsed_s > 0.95 * (expected_s - BURST_S)
        if elapsed_s < 1.1 * expected_s:
            return
    pytest.fail(f"{elapsed_s:.3f} s instead of {expected_s:.3f} s")


def test_change_of_rate_holds_for_waiting_requests(target):
    root = target(rate_bytes_per_s=MIB).mountpoint  # 8 s for what is written here
    with opened(root / "file") as fd:
        os.ftruncate(fd, 8 * MIB)  # Linux lets writers in together only where the file does not grow
    began = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        parts = [pool.submit(move, root / "file", "buffered", part * MIB, MIB) for part in range(8)]
        wait_until(lambda: targets.status(root).waiting == 8)
        changed = time.monotonic()
        targets.set_rate(root, RATE)
        for part in parts:
            part.result()
    elapsed_s = time.monotonic() - changed
    written_before = MIB * (changed - began)
    expected_s = (8 * MIB - written_before) / RATE
    assert 0.9 * expected_s - BURST_S < elapsed_s < 1.3 * expected_s + 0.05
    targets.set_rate(root, 1000)
    with ThreadPoolExecutor(1) as pool:
        last = pool.submit(move, root / "file", "buffered", 0, MIB)
        wait_until(lambda: targets.status(root).waiting == 1)
        targets.set_rate(root, None)
        last.result(timeout=0.5)


def test_requests_wait_out_a_delay_side_by_side(target):
    root = target().mountpoint
    with opened(root / "file") as fd, ThreadPoolExecutor(4) as pool:
        os.ftruncate(fd, 4 * 4096)
        targets.set_delay(root, 100_000)
        began = time.monotonic()
        list(pool.map(lambda part: os.pwrite(fd, bytes(4096), part * 4096), range(4)))
        elapsed_s = time.monotonic() - began
        targets.heal(root)
    assert elapsed_s >= 0.1
    if tuple(map(int, os.uname().release.split(".")[:2])) >= (6, 2):
        assert elapsed_s < 0.35
