"""The lab's striped file system: deals each file over several targets, and says which stripe lies where.

It is one mount (lab/striped/, program collio_lab_striped). Each of its targets is set and shown as any target
of the lab, by the functions of collio.lab.targets on the folder `control(mount, number)`. A file's layout is
an attribute. docs/design/lab-striped.md has the whole story.
"""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from pathlib import Path

from collio.lab import targets
from collio.lab.targets import Mount, Place, TargetError, TargetSpec

PROGRAM = "collio_lab_striped"
NAME = "striped"
"""Of the mount, and of the folder behind it."""


@dataclass(frozen=True)
class StripedSpec:
    """The file system as a machine file has it: unit and count of new files, and what a stripe costs that
    another node wrote last."""

    targets: tuple[TargetSpec, ...]
    unit_bytes: int = 1 << 20
    count: int = 1
    lock_s: float = 0.0
    nodes: str = "network"
    """What a node is: processes of one network namespace ("network"), or each process ("process")."""


@dataclass(frozen=True)
class StripedStatus:
    """What the file system has done."""

    targets: int
    reads: int
    writes: int
    bytes_read: int
    bytes_written: int
    failures: int
    lock_transfers: int
    lock_wait_seconds: float


@dataclass
class Striped(Mount):
    """A running striped file system."""

    spec: StripedSpec


def start_striped(program: Place, spec: StripedSpec, mountpoint: Place, folder: Place) -> Striped:
    """Starts the file system over the folder <folder>/striped and waits until it is mounted. Raises
    TargetError."""
    words = [
        str(Path(program).absolute()),
        "--targets",
        str(len(spec.targets)),
        "--unit",
        str(spec.unit_bytes),
        "--count",
        str(spec.count),
        "--node-by",
        spec.nodes,
    ]
    if spec.lock_s > 0:
        words += ["--lock-delay-us", str(targets.whole("lock", spec.lock_s * 1e6))]
    backing = Path(folder).absolute() / NAME
    mount, process = targets.start_program(NAME, words, mountpoint, backing)
    striped = Striped(mount, backing, process, spec)
    try:
        for number, target in enumerate(spec.targets):
            targets.set_rate(control(mount, number), target.rate_bytes_per_s)
            targets.set_capacity(control(mount, number), target.capacity_bytes)
    except TargetError:
        striped.stop()
        raise
    return striped


def control(mount: Place, number: int) -> Path:
    """The folder that stands for a target in the functions of collio.lab.targets."""
    return Path(mount) / ".targets" / str(number)


def layout(path: Place) -> dict[str, str]:
    """{"unit": "1048576", "targets": "0,1"}: of a file, or of a folder that has one (there "count" may stand
    for "targets"); {}: it has none. Raises TargetError."""
    try:
        return dict(word.split("=") for word in os.getxattr(path, "user.collio.layout").decode().split())
    except OSError as error:
        if error.errno == errno.ENODATA:
            return {}
        raise TargetError(f"{path}: {error.strerror}") from None


def set_layout(path: Place, text: str) -> None:
    """ "unit=BYTES", "count=N" or "targets=K,K,...": for an empty file, or for a folder's new files. Raises
    TargetError."""
    try:
        os.setxattr(path, "user.collio.layout", text.encode())
    except OSError as error:
        allowed = {
            errno.EINVAL: "; allowed: unit=BYTES (multiples of 4096) and count=N or targets=K,K,..., each "
            "once",
            errno.ENOTEMPTY: "; allowed while the file is empty",
        }
        raise TargetError(
            f"{path}: layout {text!r}{allowed.get(error.errno or 0, f': {error.strerror}')}"
        ) from None


def set_lock(mount: Place, seconds: float) -> None:
    """What a write to a stripe waits for that another node wrote last."""
    os.setxattr(mount, "user.collio.lock_delay_us", str(round(seconds * 1e6)).encode())


def status(mount: Place) -> StripedStatus:
    """Counters, now. Raises TargetError."""
    try:
        lines = os.getxattr(mount, "user.collio.counters").decode().split()
    except OSError as error:
        raise TargetError(f"{mount}: {error.strerror}") from None
    values = dict(line.split("=") for line in lines)
    waited_s = float(values.pop("lock_wait_seconds"))
    return StripedStatus(lock_wait_seconds=waited_s, **{name: int(value) for name, value in values.items()})
