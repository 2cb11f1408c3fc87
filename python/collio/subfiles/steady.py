"""Sees whether a file is written while it is copied, so that no byte is lost when the copy takes its
place."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from collio.subfiles.subfile_set import SubfileSet

AT_FDCWD, RENAME_EXCHANGE = -100, 2
TICK_SECONDS = 0.02
"""Two writes so close together may leave one time of change."""


class ChangedError(OSError):
    """A file that is open for writing, or was written while it was copied."""


class Steady:
    """An ordinary file that is copied. A lease, where the file system has them, makes a program that opens it
    to write wait until this notices."""

    def __init__(self, path: Path) -> None:
        """Raises OSError: ChangedError where a program has the file open to write."""
        self.path = path
        self.file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            self._leased = self._lease()
            self.status = os.fstat(self.file)
            if not self._leased and time.time() - self.status.st_mtime < TICK_SECONDS:
                time.sleep(TICK_SECONDS)
                self.status = os.fstat(self.file)
        except BaseException:
            os.close(self.file)
            raise

    def _lease(self) -> bool:
        try:
            # nobody is stopped by it; the default signal ends the process
            fcntl.fcntl(self.file, fcntl.F_SETSIG, signal.SIGURG)
            fcntl.fcntl(self.file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except OSError as error:
            if error.errno == errno.EAGAIN:
                raise ChangedError(
                    f"{self.path} is open for writing in a program: try again when that has closed it"
                ) from None
            return False  # the file is another user's, or the file system has no leases
        return True

    def check(self) -> None:
        """Raises ChangedError."""
        now = os.fstat(self.file)
        self._check(now, same=now.st_ctime_ns == self.status.st_ctime_ns)
        if self.path.stat().st_ino != self.status.st_ino:
            raise ChangedError(f"{self.path} was replaced by another file meanwhile")

    def _check(self, now: os.stat_result, same: bool) -> None:
        if self._leased and fcntl.fcntl(self.file, fcntl.F_GETLEASE) != fcntl.F_RDLCK:
            raise ChangedError(
                f"{self.path} was opened for writing in a program meanwhile: try again when that has closed "
                "it"
            )
        if not same or (now.st_size, now.st_mtime_ns) != (self.status.st_size, self.status.st_mtime_ns):
            raise ChangedError(f"{self.path} was changed by a program meanwhile")

    def replace_by(self, temporary: Path) -> None:
        """As os.replace(), unless the file has changed: then nothing has. Raises OSError."""
        self.check()
        if not _exchange(temporary, self.path):
            temporary.replace(self.path)
            return
        try:
            self._check(os.fstat(self.file), same=True)  # renaming changes ctime
        except ChangedError:
            _exchange(temporary, self.path)
            raise
        temporary.unlink()

    def close(self) -> None:
        os.close(self.file)


@contextmanager
def steady(path: Path) -> Iterator[Steady]:
    """Raises OSError."""
    with contextlib.closing(Steady(path)) as file:
        yield file


@contextmanager
def steady_set(found: SubfileSet) -> Iterator[None]:
    """Raises ChangedError at the end if the manifest or a subfile has changed. Locks exclude programs of this
    node only."""
    before = _marks(found)
    yield
    if _marks(found) != before:
        raise ChangedError(f"{found.path} was changed by a program meanwhile")


def _marks(found: SubfileSet) -> list[tuple[int, ...]]:
    every = [path.stat() for path in (found.manifest_path, *found.subfiles()) if path.exists()]
    return [(status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns) for status in every]


def _exchange(one: Path, other: Path) -> bool:
    """Exchanges two names at once; False: the file system or the C library cannot."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except AttributeError:
        return False
    return bool(rename(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE) == 0)
