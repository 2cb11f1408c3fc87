"""Files in subfiles as file objects, for Python programs that read one without MPI."""

from __future__ import annotations

import fcntl
import io
import os
import struct
from collections import OrderedDict
from pathlib import Path
from typing import BinaryIO

from collio.subfiles import subfile_set
from collio.subfiles.manifest import ManifestError

MOST_OPEN = 64
"""Subfiles that a reader has open at once."""
BUFFER_BYTES = 1 << 20


class SubfileReader(io.RawIOBase):
    """The bytes of a file in subfiles. Nobody joins the file while it is open. Not for several threads at
    once."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Raises ManifestError, FileNotFoundError and OSError: of a set that is damaged, too."""
        super().__init__()
        self.name = os.fspath(path)
        self._placeholder = open(path, "rb")  # noqa: SIM115  closed with this
        self._open: OrderedDict[int, int] = OrderedDict()
        try:
            self._wait_for_joins()
            self._set, self._bytes = self._measure()
            self._at = 0
        except BaseException:
            self._placeholder.close()
            raise

    def _wait_for_joins(self) -> None:
        """Holds the lock of all who have the file open, where the file system has locks."""
        try:
            fcntl.fcntl(
                self._placeholder,
                fcntl.F_OFD_SETLKW,
                struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, subfile_set.USE_BYTE, 1, 0),
            )
        except OSError as error:
            if error.errno not in subfile_set.NO_LOCKS:
                raise

    def _measure(self) -> tuple[subfile_set.SubfileSet, int]:
        """The set and the file's length. Looks again if a program that writes the file re-dealt it meanwhile:
        the lengths would mean other bytes."""
        found, before = self._find(), None
        while before is None or found.manifest.deals != before.manifest.deals:
            before, problems, length = found, found.problems(), found.length()
            found = self._find()
        if problems:
            raise ManifestError(f"{self.name}: {problems[0]}")
        return before, length

    def _find(self) -> subfile_set.SubfileSet:
        found = subfile_set.find(Path(self.name))
        if found is None:
            raise ManifestError(f"{self.name} is not kept in subfiles")
        return found

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._bytes}[whence]
        if at < 0:
            raise ValueError(f"position {at} is negative")
        self._at = at
        return at

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """As many bytes as one subfile has in a row."""
        into = memoryview(buffer).cast("B")
        layout = self._set.manifest.layout
        stripe, inside = divmod(self._at, layout.unit)
        wanted = min(len(into), layout.unit - inside, max(0, self._bytes - self._at))
        if wanted == 0:
            return 0
        subfile, row = layout.place(stripe)
        got = os.preadv(self._descriptor(subfile), [into[:wanted]], row * layout.unit + inside)
        if got == 0:  # a hole behind the subfile's end
            into[:wanted] = bytes(wanted)
            got = wanted
        self._at += got
        return got

    def _descriptor(self, number: int) -> int:
        if number in self._open:
            self._open.move_to_end(number)
        else:
            if len(self._open) == MOST_OPEN:
                os.close(self._open.popitem(last=False)[1])
            self._open[number] = os.open(self._set.subfile(number), os.O_RDONLY | os.O_CLOEXEC)
        return self._open[number]

    def close(self) -> None:
        if not self.closed:
            while self._open:
                os.close(self._open.popitem()[1])
            self._placeholder.close()
        super().close()


def open_file(path: str | os.PathLike[str]) -> BinaryIO:
    """A file to read, whether it is kept in subfiles or not. Raises ManifestError and OSError."""
    if subfile_set.find(Path(path)) is None:
        return open(path, "rb")
    return io.BufferedReader(SubfileReader(path), BUFFER_BYTES)
