"""Copies bytes of files: by the kernel where it can, holes as holes, several files at once."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from threading import Event
from typing import Any, NamedTuple

NO_KERNEL_COPY = {errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM}
MEMORY_BYTES = 1 << 20
MOST_BYTES_AT_ONCE = 16 << 20
"""After so many a copy looks whether it shall stop."""
MOST_THREADS = 8
FICLONE = 0x40049409
BEHIND_ALL = 1 << 63


class Copies(Event):
    """Set: the copies shall stop. `moved`: bytes that they have copied, nearly exactly."""

    moved = 0


class Stopped(Exception):
    """Another copy failed, or the user stopped all."""


class Data:
    """Where a file has data; elsewhere it has holes. For offsets that ascend."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._asked = self._low = self._high = 0  # a hole from _asked to _low, data from there to _high

    def within(self, low: int, high: int) -> Iterator[tuple[int, int]]:
        """(first byte, byte behind the last) of each run of data. Raises OSError."""
        while low < high:
            if not self._asked <= low < self._high:
                self._ask(low)
            if max(low, self._low) < min(high, self._high):
                yield max(low, self._low), min(high, self._high)
            low = self._high

    def _ask(self, low: int) -> None:
        self._asked = low
        try:
            self._low = os.lseek(self._file, low, os.SEEK_DATA)
            self._high = os.lseek(self._file, self._low, os.SEEK_HOLE)
        except OSError as error:
            if error.errno not in (errno.ENXIO, errno.EINVAL):
                raise
            # a hole up to the end; or the file system does not say
            self._low = BEHIND_ALL if error.errno == errno.ENXIO else low
            self._high = BEHIND_ALL


class Part(NamedTuple):
    """Bytes of a file, and where a copy has them."""

    source_offset: int
    target_offset: int
    bytes: int


def copy_range(source: int, target: int, part: Part, stop: Copies) -> None:
    """Raises OSError: also where the source ends early. Raises Stopped."""
    source_offset, target_offset, count = part
    while count > 0:
        if stop.is_set():
            raise Stopped
        try:
            moved = os.copy_file_range(
                source, target, min(count, MOST_BYTES_AT_ONCE), source_offset, target_offset
            )
        except OSError as error:
            if error.errno not in NO_KERNEL_COPY:
                raise
            moved = os.pwrite(
                target, os.pread(source, min(count, MEMORY_BYTES), source_offset), target_offset
            )
        if moved == 0:
            raise OSError(errno.EIO, "a file ended while it was copied")
        stop.moved += moved
        source_offset, target_offset, count = source_offset + moved, target_offset + moved, count - moved


def copy_data(source: int, target: int, parts: Iterable[Part], stop: Copies) -> None:
    """The target has holes or zeros there. Raises OSError and Stopped."""
    data = Data(source)
    for part in parts:
        if stop.is_set():
            raise Stopped
        for low, high in data.within(part.source_offset, part.source_offset + part.bytes):
            there = part.target_offset + low - part.source_offset
            copy_range(source, target, Part(low, there, high - low), stop)


def copy_whole(source: int, target: int, stop: Copies) -> None:
    """A new file with the bytes of another: shares its blocks where the file system can. Raises OSError and
    Stopped."""
    try:
        fcntl.ioctl(target, FICLONE, source)
    except OSError:
        count = os.fstat(source).st_size
        os.ftruncate(target, count)
        copy_data(source, target, [Part(0, 0, count)], stop)


def at_once(
    copy: Callable[..., None],
    works: list[tuple[Any, ...]],
    still_valid: Callable[[], None] = lambda: None,
    moved: Callable[[int], None] = lambda _: None,
) -> None:
    """A thread for each work, up to MOST_THREADS: subfiles lie on different targets. After an error all stop.
    `copy` gets Copies last.

    Ten times a second `still_valid` is called, which raises what ends the copies, and `moved` with the bytes
    that are copied.
    """
    stop = Copies()
    copies = []
    with ThreadPoolExecutor(MOST_THREADS) as threads:
        try:  # the interrupt key may be pressed while threads start
            for work in works:
                copies.append(threads.submit(copy, *work, stop))
            while wait(copies, timeout=0.1, return_when=FIRST_EXCEPTION).not_done and not _errors(copies):
                still_valid()
                moved(stop.moved)
        finally:
            stop.set()
            threads.shutdown(cancel_futures=True)
    for error in _errors(copies):
        raise error


def _errors(copies: list[Any]) -> list[BaseException]:
    ended = [one.exception() for one in copies if one.done() and not one.cancelled()]
    return [error for error in ended if error is not None and not isinstance(error, Stopped)]
