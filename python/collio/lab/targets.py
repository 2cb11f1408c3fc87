"""The lab's storage targets: starts and stops them, and says while they run how fast they are and what goes
wrong.

A target is a process (lab/target/, program collio_lab_target) that mounts a folder with a rate and a
capacity. Its settings are extended attributes of the mount's root, so they can be changed from anywhere the
mount can be seen. docs/design/lab-targets.md has the whole story.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeVar, Union

PROGRAM = "collio_lab_target"
"""Its name in a build's bin folder: Build.program(PROGRAM)."""

MEMORY = "memory"
READY_WITHIN_S = 10.0
ENDS_WITHIN_S = 5.0
Place = Union[str, "os.PathLike[str]"]
_Mount = TypeVar("_Mount", bound="Mount")


class TargetError(RuntimeError):
    """A target that cannot be started, found or set; the message says which and why."""


@dataclass(frozen=True)
class TargetSpec:
    """One target as a machine file has it. None: no limit."""

    name: str
    rate_bytes_per_s: float | None = None
    capacity_bytes: int | None = None
    backing: str = MEMORY


@dataclass
class Mount:
    """A running file system of the lab. It ends with the process that started it, even if that is killed."""

    mountpoint: Path
    backing: Path
    process: subprocess.Popen[bytes]

    def stop(self) -> None:
        """Ends the process and takes its mount away; files that are still open there give ENOTCONN. The bytes
        stay in the backing folder. Raises TargetError if the mount stays."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(ENDS_WITHIN_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        _close_input(self.process)
        remove_mount(self.mountpoint)

    def __enter__(self: _Mount) -> _Mount:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.stop()


@dataclass
class Target(Mount):
    """A running target: a folder with a rate and a capacity."""

    spec: TargetSpec


# --- starting and ending --------------------------------------------------------------------------


def start_target(program: Place, spec: TargetSpec, mountpoint: Place, folder: Place | None = None) -> Target:
    """Starts a target and waits until it is mounted.

    Its files lie in the folder <parent>/<spec.name>, which is made; the parent is spec.backing, or `folder`
    (a tmpfs, as a rule) where spec.backing is "memory". `mountpoint` is made, too. Raises TargetError.
    """
    parent = folder if spec.backing == MEMORY else spec.backing
    if parent is None:
        raise TargetError(f'target {spec.name}: backing "{MEMORY}" needs a folder in memory (a tmpfs)')
    options = [
        word
        for option, value in (("--rate", spec.rate_bytes_per_s), ("--capacity", spec.capacity_bytes))
        if value is not None
        for word in (option, str(whole(f"target {spec.name}: {option[2:]}", value)))
    ]
    backing = Path(parent).absolute() / spec.name
    mountpoint, process = start_program(
        f"target {spec.name}", [str(Path(program).absolute()), *options], mountpoint, backing
    )
    return Target(mountpoint, backing, process, spec)


def start_program(
    name: str, words: list[str], mountpoint: Place, backing: Path
) -> tuple[Path, subprocess.Popen[bytes]]:
    """Starts a file system of the lab over a folder and waits until it is mounted. Makes folder and mount
    point. `name` is for messages. Raises TargetError."""
    _require(Path(words[0]))
    mountpoint = Path(os.path.realpath(mountpoint))
    if _is_mounted(str(mountpoint)):
        raise TargetError(
            f"{name}: {mountpoint}: something is mounted there already (if a dead target: umount it)"
        )
    try:
        backing.mkdir(parents=True, exist_ok=True)
        mountpoint.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TargetError(f"{name}: {error.filename}: {error.strerror}") from None
    with tempfile.TemporaryFile() as complaints:
        process = _start(
            [*words, "--foreground", "--until-eof", "--backing", str(backing), "--mount", str(mountpoint)],
            complaints,
        )
        try:
            _wait_until_mounted(process, mountpoint, complaints)
        except BaseException:
            process.kill()
            process.wait()
            _close_input(process)
            remove_mount(mountpoint)
            raise
    return mountpoint, process


def _close_input(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None, "_start() made it a pipe"
    process.stdin.close()


def remove_mount(mountpoint: Place) -> None:
    """Takes away what is mounted there, dead or alive, at once; nothing if nothing is. Raises TargetError."""
    path = os.path.realpath(mountpoint)
    ways = [["umount", "-l", path], ["fusermount3", "-u", "-z", path]]
    said = ""
    for way in ways if os.geteuid() == 0 else reversed(ways):
        if not _is_mounted(path):
            return
        if shutil.which(way[0]):
            said = subprocess.run(way, capture_output=True, text=True).stderr.strip()
    if _is_mounted(path):
        raise TargetError(f"{path}: cannot be unmounted: {said or 'no umount and no fusermount3 here'}")


def _require(program: Path) -> None:
    if not os.access(program, os.X_OK):
        raise TargetError(
            f"{program}: not there; it is built where libfuse 3 is found (package libfuse3-dev)"
        )
    try:
        os.close(os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC))
    except FileNotFoundError:
        raise TargetError(
            "/dev/fuse: not there; storage targets need it (modprobe fuse; containers: --device /dev/fuse)"
        ) from None
    except OSError as error:
        raise TargetError(f"/dev/fuse: {error.strerror}; storage targets need to read and write it") from None


def _start(command: list[str], complaints: BinaryIO) -> subprocess.Popen[bytes]:
    # Its input ends when this process does, however it ends: then the target goes, too. The terminal's Ctrl-C
    # is for the job; targets outlive it.
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=complaints,
            start_new_session=True,
            cwd="/",
        )
    except OSError as error:
        raise TargetError(f"{command[0]}: {error.strerror}") from None


def _wait_until_mounted(process: subprocess.Popen[bytes], mountpoint: Path, complaints: BinaryIO) -> None:
    end = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < end:
        if process.poll() is not None:
            complaints.seek(0)
            said = "; ".join(complaints.read().decode(errors="replace").split("\n")).strip("; ")
            raise TargetError(f"{mountpoint}: cannot be mounted: {said or f'exit code {process.returncode}'}")
        with contextlib.suppress(OSError):
            os.getxattr(mountpoint, "user.collio.counters")
            return
        time.sleep(0.005)
    raise TargetError(f"{mountpoint}: not mounted within {READY_WITHIN_S:g} s")


def _is_mounted(path: str) -> bool:
    escaped = path.replace("\\", "\\134").replace(" ", "\\040").replace("\t", "\\011").replace("\n", "\\012")
    with open("/proc/self/mountinfo") as mounts:
        return any(line.split(" ")[4] == escaped for line in mounts)


# --- settings -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TargetStatus:
    """A target's settings and what it has done. None: no limit. `failing` is "none", or as fail() was
    told."""

    rate_bytes_per_s: int | None
    capacity_bytes: int | None
    delay_us: int
    failing: str
    stuck: bool
    short: bool
    full: bool
    reads: int
    writes: int
    bytes_read: int
    bytes_written: int
    failures: int
    seconds_waited: float
    waiting: int
    bytes_stored: int


def set_rate(mount: Place, rate_bytes_per_s: float | None) -> None:
    """The rate of reads and writes together, for requests that wait already as well."""
    _set(mount, "rate", "none" if rate_bytes_per_s is None else whole("rate", rate_bytes_per_s))


def set_capacity(mount: Place, capacity_bytes: int | None) -> None:
    """How much may be stored; what is stored already stays."""
    _set(mount, "capacity", "none" if capacity_bytes is None else capacity_bytes)


def set_delay(mount: Place, delay_us: int) -> None:
    """Microseconds before each data request; requests wait side by side."""
    _set(mount, "delay_us", delay_us)


def fail(mount: Place, operations: str | Iterable[str] = "write", error: str = "EIO", after: int = 0) -> None:
    """Data requests of these kinds (read, write, open, sync) fail with this errno, the first `after`
    excepted."""
    kinds = operations if isinstance(operations, str) else ",".join(operations)
    _set(mount, "fail", f"{kinds} {error} after {after}" if after else f"{kinds} {error}")


def fill(mount: Place, full: bool = True) -> None:
    """Nothing more fits, whatever the capacity."""
    _set(mount, "fill", int(full))


def short(mount: Place, on: bool = True) -> None:
    """Each write takes only the first half of its bytes."""
    _set(mount, "short", int(on))


def stuck(mount: Place, on: bool = True) -> None:
    """Data requests wait until this is taken back."""
    _set(mount, "stuck", int(on))


def heal(mount: Place) -> None:
    """No failure, nothing stuck, short, full or delayed any more; rate and capacity stay as they are."""
    for setting, value in (("fail", "none"), ("short", 0), ("fill", 0), ("delay_us", 0), ("stuck", 0)):
        _set(mount, setting, value)


def status(mount: Place) -> TargetStatus:
    """All settings and counters, now."""
    counters = dict(line.split("=") for line in _get(mount, "counters").split())
    waited_s = float(counters.pop("seconds_waited"))
    return TargetStatus(
        rate_bytes_per_s=_limit(_get(mount, "rate")),
        capacity_bytes=_limit(_get(mount, "capacity")),
        delay_us=int(_get(mount, "delay_us")),
        failing=_get(mount, "fail"),
        stuck=_get(mount, "stuck") == "1",
        short=_get(mount, "short") == "1",
        full=_get(mount, "fill") == "1",
        seconds_waited=waited_s,
        **{name: int(value) for name, value in counters.items()},
    )


ALLOWED = {
    "rate": "a whole number of bytes per second from 1 on, or none",
    "capacity": "a whole number of bytes from 0 on, or none",
    "delay_us": "0 to 3600000000",
    "fail": "read, write, open or sync (several with commas between), an errno like EIO or ENOSPC, and a "
    "count from 0 on",
}


def _set(mount: Place, setting: str, value: object) -> None:
    try:
        os.setxattr(mount, f"user.collio.{setting}", str(value).encode())
    except OSError as error:
        if error.errno == errno.EINVAL and setting in ALLOWED:
            raise TargetError(f"{setting}: {value}; allowed: {ALLOWED[setting]}") from None
        raise _not_a_target(mount, error) from None


def _get(mount: Place, setting: str) -> str:
    try:
        return os.getxattr(mount, f"user.collio.{setting}").decode()
    except OSError as error:
        raise _not_a_target(mount, error) from None


def _not_a_target(mount: Place, error: OSError) -> TargetError:
    if error.errno in (errno.ENOTCONN, errno.ECONNABORTED):
        return TargetError(f"{mount}: the target has died; its mount is still there (umount)")
    if error.errno in (errno.ENOTSUP, errno.ENODATA):
        return TargetError(f"{mount}: not the root of a storage target's mount")
    return TargetError(f"{mount}: {error.strerror}")


def _limit(text: str) -> int | None:
    return None if text == "none" else int(text)


def whole(what: str, value: float) -> int:
    """Bytes as a whole number; a rate below 1 byte/s is none that could be kept."""
    if round(value) < 1:
        raise TargetError(f"{what}: {value}; allowed: from 1 byte on")
    return round(value)
