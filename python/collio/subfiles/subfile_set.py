"""The subfiles of one file: where they are, and what is wrong with them."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import glob
import os
import secrets
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from collio.flushing import flush_folder
from collio.subfiles import attributes
from collio.subfiles.manifest import (
    MARK,
    MOST_HEAD_BYTES,
    Manifest,
    ManifestError,
    Placeholder,
    checksum,
    parse,
    parse_placeholder,
)

SET_BYTE, USE_BYTE = 1 << 61 | 16, 1 << 61 | 17
"""Locked while a set is made or its manifest changed; while it is in use (SetLock and SetUse in
src/storage/subfiles)."""
MOST_BASE_BYTES, MOST_CUT_BASE_BYTES = 231, 214
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
        for path, length, share in zip(
            self.subfiles(), self.lengths(), self.manifest.layout.shares(self.manifest.file_bytes)
        ):
            if length is None:
                found.append(f"missing: {path} ({share:,} bytes)")
            elif length < share:
                found.append(f"too short: {path} has {length:,} bytes; the manifest says at least {share:,}")
        return found

    def length(self) -> int:
        """Bytes of the file, by its subfiles; those that are missing do not count."""
        return max(
            self.manifest.layout.length_by(number, length or 0)
            for number, length in enumerate(self.lengths())
        )

    def remove(self) -> list[Path]:
        """The subfiles, the manifest, what killed programs left, and the folder if that is all there is in
        it. Returns what else lies there. Raises OSError."""
        for path in self.subfiles():
            path.unlink(missing_ok=True)
        # the manifest leads to what a loss of power brings back
        for folder in {path.parent for path in self.subfiles()} - {self.folder}:
            with contextlib.suppress(FileNotFoundError):
                flush_folder(folder)
        for pattern in ("manifest*", "shared-pointer.*"):
            for path in self.folder.glob(pattern):
                path.unlink(missing_ok=True)
        try:
            self.folder.rmdir()
        except OSError as error:
            if error.errno != errno.ENOTEMPTY:
                raise
            return list(self.folder.iterdir())
        return []


def remove_empty(folder: Path) -> None:
    """The folder of a set that has no manifest yet. Raises OSError."""
    for path in folder.glob("manifest.new.*"):
        path.unlink()
    if folder.exists():
        folder.rmdir()


def base_of(name: bytes) -> bytes:
    """What the names of a file's subfiles and folder begin with: the file's name, shortened where theirs
    would be too long."""
    if len(name) <= MOST_BASE_BYTES:
        return name
    end = MOST_CUT_BASE_BYTES
    while end > 0 and name[end] & 0xC0 == 0x80:  # in the middle of a character
        end -= 1
    return name[:end] + b"~%016x" % checksum(name)


def free_folder(path: Path, identity: int) -> str:
    """The name of a new set's folder beside the file."""
    folder = os.fsdecode(base_of(os.fsencode(path.name)) + b".collio")
    return folder if not os.path.lexists(path.with_name(folder)) else f"{folder}-{identity:016x}"


def placeholder_of(path: Path) -> Placeholder | None:
    """None: an ordinary file. Raises ManifestError and OSError."""
    with open(path, "rb") as file:
        return parse_placeholder(file.read(MOST_HEAD_BYTES), str(path))


def find(path: Path) -> SubfileSet | None:
    """The set of a file; None: it is an ordinary one. Raises ManifestError and OSError."""
    path = path.resolve()
    with open(path, "rb") as file:
        begin = file.read(MOST_HEAD_BYTES)
    placeholder = parse_placeholder(begin, str(path))
    if placeholder is None:
        if begin and MARK.startswith(begin) and any(path.parent.glob(f"{glob.escape(path.name)}.collio*")):
            raise ManifestError(
                f"{path} is a placeholder of collio's subfiles that was cut after {len(begin)} bytes"
            )
        return None
    manifest_path = path.parent / os.fsdecode(placeholder.folder) / "manifest"
    if not manifest_path.exists():
        raise ManifestError(
            f"{path} is kept in subfiles, and their manifest is missing: {manifest_path}; move the folder "
            "with the file, or repeat a `collio mv` that was interrupted"
        )
    manifest = parse(manifest_path.read_bytes(), str(manifest_path))
    if manifest.identity != placeholder.identity:
        raise ManifestError(f"{manifest_path} belongs to another file than {path}")
    return SubfileSet(path, placeholder, manifest)


def replace_text(path: Path, text: bytes) -> None:
    """Replaces a file as a whole, with its owner and mode. Raises OSError."""
    temporary = path.with_name(f"{path.name}.new.{secrets.randbits(64):016x}")
    try:
        with attributes.created(temporary) as file:
            write_flushed(file, text)
            if path.exists():
                attributes.keep_access(path, file, strict=False)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    flush_folder(path.parent)


def write_flushed(file: int, text: bytes) -> None:
    """Raises OSError."""
    with open(file, "wb", closefd=False) as stream:
        stream.write(text)
    os.fsync(file)


@contextmanager
def locked(path: Path, byte: int, shared: bool = False, wait: bool = False) -> Iterator[None]:
    """Holds a lock of src/storage/subfiles on the file, where the file system has locks. Raises OSError:
    BlockingIOError where others hold it."""
    try:
        file = open(path, "rb" if shared else "r+b")  # noqa: SIM115  closed below
    except PermissionError as error:
        raise PermissionError(
            error.errno,
            f"{path} may not be opened to {'read' if shared else 'write'}, which its lock needs: chmod u+rw "
            f"{path}",
        ) from None
    with file:
        lock = struct.pack("hhqqi4x", fcntl.F_RDLCK if shared else fcntl.F_WRLCK, os.SEEK_SET, byte, 1, 0)
        try:
            fcntl.fcntl(file, fcntl.F_OFD_SETLKW if wait else fcntl.F_OFD_SETLK, lock)
        except OSError as error:
            if error.errno not in NO_LOCKS:
                raise
        yield


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Holds the lock that all who open the file share. Raises OSError: BlockingIOError where others hold
    it."""
    with locked(path, USE_BYTE):
        yield
