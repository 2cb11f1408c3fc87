"""The lab's storage targets: they fail on command, keep their capacity, tell their counters, and leave
nothing."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from collio.lab import targets
from collio.lab.targets import TargetError, TargetSpec, start_target
from lab_target import (  # noqa: F401
    ENDS_WITHIN_S,
    MIB,
    RATE,
    error_of,
    is_mounted,
    memory,
    opened,
    program,
    target,
    wait_until,
)

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
    assert (now.rate_bytes_per_s, now.capacity_bytes, now.delay_us, now.failing) == (
        RATE,
        64 * MIB,
        7,
        "none",
    )
    assert not (now.stuck or now.short or now.full)
    assert (now.bytes_written, now.bytes_read, now.bytes_stored) == (2 * MIB, 2 * MIB - 100, 2 * MIB)
    assert now.writes >= 2 and now.reads >= 2 and now.failures == 0 and now.waiting == 0
    assert now.seconds_waited == pytest.approx((4 * MIB - 100) / RATE, abs=0.05)


@pytest.mark.parametrize(
    "setting, value",
    [
        ("rate", "fast"),
        ("rate", "0"),
        ("rate", "-5"),
        ("rate", "99999999999999999999"),
        ("rate", ""),
        ("capacity", "1.5"),
        ("delay_us", "none"),
        ("fail", "write"),
        ("fail", "write EWRONG"),
        ("fail", "fly EIO"),
        ("fail", "write EIO after"),
        ("fail", "write EIO after -1"),
        ("fail", "write EIO after 1 2"),
        ("stuck", "2"),
        ("short", "yes"),
        ("fill", "x" * 500),
    ],
)
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
    script = "\n".join(
        [
            "import sys",
            "from collio.lab.targets import TargetSpec, start_target",
            "with start_target(sys.argv[1], TargetSpec('t'), sys.argv[2], sys.argv[3]):",
            "    print('up', flush=True)",
            "    sys.stdin.read()",
        ]
    )
    words = [
        "unshare",
        "--mount",
        "--propagation",
        "private",
        sys.executable,
        "-c",
        script,
        program,
        tmp_path / "t",
        memory,
    ]
    if (
        shutil.which("unshare") is None
        or subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0
    ):
        pytest.skip("no mount namespaces here")
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as inside:
        assert inside.stdout.readline() == "up\n" and not is_mounted(tmp_path / "t")
        mount = Path(f"/proc/{inside.pid}/root") / (tmp_path / "t").relative_to("/")
        targets.set_rate(mount, RATE)
        (mount / "file").write_bytes(bytes(1000))
        assert (targets.status(mount).rate_bytes_per_s, targets.status(mount).bytes_written) == (RATE, 1000)
        inside.stdin.close()
        assert inside.wait(timeout=ENDS_WITHIN_S) == 0
