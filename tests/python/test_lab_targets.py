"""The lab's storage targets: bytes pass through unchanged, at the rate they are given, and fail as they are told."""

import contextlib
import errno
import fcntl
import mmap
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from collio import mpi_libraries
from collio.builds import Build
from collio.lab import targets
from collio.lab.targets import TargetError, TargetSpec, start_target

MB = 1_000_000
MIB = 1 << 20
RATE = 20 * MB
BURST_S = 0.010
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


@pytest.fixture
def memory():
    """A folder in memory, where the machine has one."""
    shared = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(dir=shared if os.access(shared, os.W_OK) else None))
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


# --- bytes and names ------------------------------------------------------------------------------


def test_bytes_pass_through_unchanged(target):
    one = target()
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    dice, expected = random.Random(seed), bytearray()
    with opened(one.mountpoint / "file") as fd:
        for _ in range(150):
            offset, size = dice.randrange(4 * MIB), dice.choice([1, 511, 4096, 100_003, 2_500_000])
            if dice.random() < 0.1:
                os.ftruncate(fd, offset)
                expected = (expected + bytes(max(0, offset - len(expected))))[:offset]
            elif dice.random() < 0.3:
                assert os.pread(fd, size, offset) == expected[offset:offset + size]
            else:
                data = dice.randbytes(size)
                assert os.pwrite(fd, data, offset) == size
                expected += bytes(max(0, offset + size - len(expected)))
                expected[offset:offset + size] = data
            assert os.fstat(fd).st_size == len(expected)
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


# --- failures -------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", ["EIO", "ENOSPC", "EDQUOT", "EROFS", "EACCES"])
def test_writes_fail_as_told(target, error):
    root = target().mountpoint
    with opened(root / "file") as fd:
        os.write(fd, b"before")
        targets.fail(root, "write", error)
        assert error_of(os.pwrite, fd, b"during", 6) == error
        assert os.pread(fd, 100, 0) == b"before"
        targets.heal(root)
        assert os.pwrite(fd, b"after", 6) == 5
    assert targets.status(root).failures == 1


def test_failures_begin_after_some_requests(target):
    root = target().mountpoint
    with opened(root / "file") as fd:
        targets.fail(root, ["read", "write"], "EIO", after=3)
        assert targets.status(root).failing == "read,write EIO after 3"
        os.pwrite(fd, b"one", 0)
        os.pread(fd, 3, 0)
        os.pwrite(fd, b"two", 0)
        assert targets.status(root).failing == "read,write EIO"
        assert error_of(os.pwrite, fd, b"bad", 0) == "EIO"
        assert error_of(os.pread, fd, 3, 0) == "EIO"
        os.fsync(fd)
        targets.fail(root, "sync,open", "EROFS")
        assert error_of(os.fsync, fd) == "EROFS"
        assert os.pread(fd, 3, 0) == b"two"
        assert error_of(os.open, root / "other", os.O_CREAT | os.O_WRONLY) == "EROFS"
    targets.heal(root)


def test_short_writes_take_half(target):
    root = target().mountpoint
    targets.short(root)
    with opened(root / "file") as fd:
        assert [os.pwrite(fd, bytes(size), 0) for size in (1000, 7, 1)] == [500, 3, 1]
        targets.heal(root)
        assert os.pwrite(fd, bytes(1000), 0) == 1000


def test_stuck_requests_wait_until_released(target):
    root = target().mountpoint
    with opened(root / "file") as fd, ThreadPoolExecutor(1) as pool:
        targets.stuck(root)
        write = pool.submit(os.pwrite, fd, b"late", 0)
        wait_until(lambda: targets.status(root).waiting == 1)
        time.sleep(0.1)
        assert not write.done() and os.listdir(root) == ["file"]
        targets.stuck(root, False)
        assert write.result(timeout=1) == 4


def test_stuck_process_can_be_killed(target):
    root = target().mountpoint
    targets.stuck(root)
    with subprocess.Popen([sys.executable, "-c", f"open({str(root / 'file')!r}, 'w')"]) as process:
        wait_until(lambda: targets.status(root).waiting == 1)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=2) == -signal.SIGTERM
    wait_until(lambda: targets.status(root).waiting == 0)


# --- space ----------------------------------------------------------------------------------------


def test_capacity_is_kept(target):
    one = target(capacity_bytes=4 * MIB)
    root, system = one.mountpoint, os.statvfs(one.mountpoint)
    assert system.f_blocks * system.f_frsize == 4 * MIB == system.f_bavail * system.f_frsize
    with opened(root / "file") as fd:
        assert os.pwrite(fd, bytes(MIB), 100 * MIB) == MIB  # holes take no room
        assert os.pwrite(fd, b"x" * 2 * MIB, 0) == 2 * MIB
        assert os.pwrite(fd, b"y" * MIB, 4 * MIB + 1234) == MIB - 1234 % 4096  # it would touch one block more
        assert error_of(os.pwrite, fd, bytes(MIB), 10 * MIB) == "ENOSPC"
        assert os.pwrite(fd, b"z" * 2 * MIB, 0) == 2 * MIB  # what is there may be overwritten
        assert os.statvfs(root).f_bavail == 0 and targets.status(root).bytes_stored <= 4 * MIB
        assert error_of(os.posix_fallocate, fd, 50 * MIB, MIB) == "ENOSPC"
        os.ftruncate(fd, 2 * MIB)
        with opened(root / "other") as other:
            assert os.pwrite(other, bytes(3 * MIB), 0) == 2 * MIB  # as much as fits
            assert os.fstat(other).st_size == 2 * MIB
    os.unlink(root / "file")
    wait_until(lambda: targets.status(root).bytes_stored == 2 * MIB)  # closing a file is not waited for
    assert (one.backing / "other").stat().st_size == 2 * MIB


def test_capacity_is_kept_among_writers(target):
    root = target(capacity_bytes=3 * MIB).mountpoint

    def write(number):
        with contextlib.suppress(OSError):
            (root / str(number)).write_bytes(bytes(MIB + 1))
        return (root / str(number)).stat().st_size
    with ThreadPoolExecutor(6) as pool:
        stored = list(pool.map(write, range(6)))
    assert targets.status(root).bytes_stored == 3 * MIB
    assert sum(-(-size // 4096) * 4096 for size in stored) == 3 * MIB


def test_fill_leaves_no_room_until_healed(target):
    root = target(capacity_bytes=8 * MIB).mountpoint
    with opened(root / "file") as fd:
        os.pwrite(fd, bytes(8192), 0)
        targets.fill(root)
        assert os.pwrite(fd, b"x" * 8192, 0) == 8192
        assert error_of(os.pwrite, fd, b"more", 8192) == "ENOSPC"
        assert os.fstat(fd).st_size == 8192 and os.statvfs(root).f_bavail == 0
        targets.heal(root)
        assert os.pwrite(fd, b"more", 8192) == 4
        targets.set_capacity(root, None)
        assert os.pwrite(fd, bytes(9 * MIB), 0) == 9 * MIB
    assert os.statvfs(root).f_blocks * os.statvfs(root).f_frsize != 8 * MIB


# --- settings and life ----------------------------------------------------------------------------


def test_counters_and_settings_are_told(target):
    root = target(rate_bytes_per_s=RATE, capacity_bytes=64 * MIB).mountpoint
    with opened(root / "file") as fd:
        os.pwrite(fd, bytes(MIB), 0)
        os.pwrite(fd, bytes(MIB), MIB)
        os.pread(fd, 2 * MIB, 100)
        targets.set_delay(root, 7)
        now = targets.status(root)
    assert (now.rate_bytes_per_s, now.capacity_bytes, now.delay_us, now.failing) == (RATE, 64 * MIB, 7, "none")
    assert not (now.stuck or now.short or now.full)
    assert (now.bytes_written, now.bytes_read, now.bytes_stored) == (2 * MIB, 2 * MIB - 100, 2 * MIB)
    assert now.writes >= 2 and now.reads >= 2 and now.failures == 0 and now.waiting == 0
    assert now.seconds_waited == pytest.approx((4 * MIB - 100) / RATE, abs=0.05)


@pytest.mark.parametrize("setting, value", [
    ("rate", "fast"), ("rate", "0"), ("rate", "-5"), ("rate", "99999999999999999999"), ("rate", ""), ("capacity", "1.5"),
    ("delay_us", "none"), ("fail", "write"), ("fail", "write EWRONG"), ("fail", "fly EIO"), ("fail", "write EIO after"),
    ("fail", "write EIO after -1"), ("fail", "write EIO after 1 2"), ("stuck", "2"), ("short", "yes"), ("fill", "x" * 500),
])
def test_bad_values_change_nothing(target, setting, value):
    root = target().mountpoint
    before = os.getxattr(root, f"user.collio.{setting}")
    assert error_of(os.setxattr, root, f"user.collio.{setting}", value.encode()) == "EINVAL"
    assert os.getxattr(root, f"user.collio.{setting}") == before


def test_errors_say_what_is_allowed(target, tmp_path, memory, program):
    one = target()
    with pytest.raises(TargetError, match="write EWRONG; allowed: .*errno"):
        targets.fail(one.mountpoint, "write", "EWRONG")
    with pytest.raises(TargetError, match="rate: 0; allowed"):
        targets.set_rate(one.mountpoint, 0)
    with pytest.raises(TargetError, match="not the root of a storage target"):
        targets.status(tmp_path)
    with pytest.raises(TargetError, match="mounted there already"):
        start_target(program, TargetSpec("twice"), one.mountpoint, memory)
    with pytest.raises(TargetError, match="needs a folder in memory"):
        start_target(program, TargetSpec("nowhere"), tmp_path / "nowhere")
    with pytest.raises(TargetError, match="libfuse"):
        start_target(tmp_path / "missing", TargetSpec("none"), tmp_path / "none", memory)


def test_target_ends_when_unmounted_or_left_alone(target):
    one = target()
    (one.mountpoint / "file").write_bytes(b"kept")
    targets.remove_mount(one.mountpoint)
    assert one.process.wait(timeout=ENDS_WITHIN_S) == 0
    assert (one.backing / "file").read_bytes() == b"kept" and os.listdir(one.mountpoint) == []
    one.stop()
    two = target()
    assert (two.mountpoint / "file").read_bytes() == b"kept"
    two.process.stdin.close()  # as when the process that started it is killed
    assert two.process.wait(timeout=ENDS_WITHIN_S) == 0
    assert not is_mounted(two.mountpoint)


def test_stop_ends_what_is_stuck(target):
    one = target()
    targets.stuck(one.mountpoint)
    with ThreadPoolExecutor(1) as pool:
        write = pool.submit(os.open, one.mountpoint / "file", os.O_CREAT | os.O_WRONLY)
        wait_until(lambda: targets.status(one.mountpoint).waiting == 1)
        one.stop()
        assert isinstance(write.exception(timeout=ENDS_WITHIN_S), OSError)
    assert one.process.returncode == 0


def test_killed_target_leaves_a_dead_mount_that_can_be_removed(target):
    one = target()
    fd = os.open(one.mountpoint / "file", os.O_RDWR | os.O_CREAT)
    one.process.kill()
    one.process.wait()
    assert error_of(os.pwrite, fd, b"x", 0) == "ENOTCONN"
    assert error_of(os.close, fd) == "ENOTCONN"
    with pytest.raises(TargetError, match="has died"):
        targets.status(one.mountpoint)
    one.stop()
    assert not is_mounted(one.mountpoint)
    with target() as again:
        assert os.listdir(again.mountpoint) == ["file"]


def test_target_is_set_from_another_mount_namespace(program, memory, tmp_path):
    """The way the lab does it: the mount is in a namespace of its own, and seen through /proc."""
    script = "\n".join([
        "import sys", "from collio.lab.targets import TargetSpec, start_target",
        "with start_target(sys.argv[1], TargetSpec('t'), sys.argv[2], sys.argv[3]):", "    print('up', flush=True)", "    sys.stdin.read()"])
    words = ["unshare", "--mount", "--propagation", "private", sys.executable, "-c", script, program, tmp_path / "t", memory]
    if shutil.which("unshare") is None or subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0:
        pytest.skip("no mount namespaces here")
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as inside:
        assert inside.stdout.readline() == "up\n" and not is_mounted(tmp_path / "t")
        mount = Path(f"/proc/{inside.pid}/root") / (tmp_path / "t").relative_to("/")
        targets.set_rate(mount, RATE)
        (mount / "file").write_bytes(bytes(1000))
        assert (targets.status(mount).rate_bytes_per_s, targets.status(mount).bytes_written) == (RATE, 1000)
        inside.stdin.close()
        assert inside.wait(timeout=ENDS_WITHIN_S) == 0
