"""The subfiles of one file: where they are, and what is wrong with them."""

from __future__ import annotations

import errno
import fcntl
import glob
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from collio.subfiles.manifest import MARK, MOST_HEAD_BYTES, Manifest, ManifestError, Placeholder, parse, parse_placeholder

USE_BYTE = 1 << 61 | 17
NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}


@dataclass
class SubfileSet:
    """A file in subfiles. `path`: of the placeholder."""

    path: Path
    placeholder: Placeholder
    manifest: Manifest

    @property
    def folder(self) -> Path:
        return self.path.parent / os.fsdecode(self.placeholder.folder)

    @property
    def manifest_path(self) -> Path:
        return self.folder / "manifest"

    def subfile(self, number: int) -> Path:
        folders = self.manifest.folders
        name = f"{os.fsdecode(self.manifest.base)}.{self.manifest.identity:016x}.{number:04}"
        return self.folder / os.fsdecode(folders[number % len(folders)]) / name

    def subfiles(self) -> list[Path]:
        return [self.subfile(number) for number in range(self.manifest.count)]

    def lengths(self) -> list[int | None]:
        """Bytes of each subfile; None: it is not there."""
        return [path.stat().st_size if path.exists() else None for path in self.subfiles()]

    def problems(self) -> list[str]:
        """What is missing or too short, a line each."""
        found = []
        for path, length, share in zip(self.subfiles(), self.lengths(), self.manifest.layout.shares(self.manifest.file_bytes)):
            if length is None:
                found.append(f"missing: {path} ({share:,} bytes)")
            elif length < share:
                found.append(f"too short: {path} has {length:,} bytes; the manifest says at least {share:,}")
        return found

    def length(self) -> int:
        """Bytes of the file, by its subfiles; those that are missing do not count."""
        return max(self.manifest.layout.length_by(number, length or 0) for number, length in enumerate(self.lengths()))

    def remove(self) -> None:
        """The subfiles, the manifest, what killed programs left, and the folder if that is all there is in it. Raises OSError."""
        for path in self.subfiles():
            path.unlink(missing_ok=True)
        for pattern in ("manifest*", "shared-pointer.*"):
            for path in self.folder.glob(pattern):
                path.unlink()
        self.folder.rmdir()


def find(path: Path) -> SubfileSet | None:
    """The set of a file; None: it is an ordinary one. Raises ManifestError and OSError."""
    path = path.resolve()
    with open(path, "rb") as file:
        begin = file.read(MOST_HEAD_BYTES)
    placeholder = parse_placeholder(begin, str(path))
    if placeholder is None:
        if begin and MARK.startswith(begin) and any(path.parent.glob(f"{glob.escape(path.name)}.collio*")):
            raise ManifestError(f"{path} is a placeholder of collio's subfiles that was cut after {len(begin)} bytes")
        return None
    manifest_path = path.parent / os.fsdecode(placeholder.folder) / "manifest"
    if not manifest_path.exists():
        raise ManifestError(f"{path} is kept in subfiles, and their manifest is missing: {manifest_path}; move the folder with the file")
    manifest = parse(manifest_path.read_bytes(), str(manifest_path))
    if manifest.identity != placeholder.identity:
        raise ManifestError(f"{manifest_path} belongs to another file than {path}")
    return SubfileSet(path, placeholder, manifest)


def replace_text(path: Path, text: bytes) -> None:
    """Replaces a file as a whole. Raises OSError."""
    temporary = path.with_name(f"{path.name}.new.{os.getpid()}")
    with open(temporary, "wb") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    flush_folder(path.parent)


def flush_folder(folder: Path) -> None:
    """The names in it stay, whatever happens to the machine. Some file systems flush no folders. Raises OSError."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(opened)


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Holds the lock that all who open the file share (SetUse in src/storage/subfiles/look.hpp), where the file system has locks.

    Raises OSError: BlockingIOError where others hold it.
    """
    with open(path, "r+b") as file:
        try:
            fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, USE_BYTE, 1, 0))
        except OSError as error:
            if error.errno not in NO_LOCKS:
                raise
        yield
