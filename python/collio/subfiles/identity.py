"""Whose the subfiles of a placeholder are: the same rules as src/storage/subfiles (docs/design/subfiles.md).

The manifest records the inode of the placeholder that owns the set. Another placeholder with the same first
lines is a copy of it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from collio.subfiles import subfile_set
from collio.subfiles.manifest import Manifest
from collio.subfiles.subfile_set import SubfileSet

AT_FDCWD, STATX_BTIME, STATX_BYTES, BORN_AT = -100, 0x800, 256, 80
MOST_PLACEHOLDER_BYTES = 4096


class Standing(Enum):
    """`unknown`: its subfiles lie in other folders, so another placeholder elsewhere may own them."""

    own = "own"
    copy = "copy"
    unknown = "unknown"
    moved = "moved"


@dataclass(frozen=True)
class Ownership:
    """`original`: the placeholder that owns the set, where this one is a copy."""

    standing: Standing
    original: Path | None = None

    @property
    def may_change(self) -> bool:
        return self.standing in (Standing.own, Standing.moved)


def born_at(path: Path) -> int:
    """When the file was made, in nanoseconds; 0: the file system does not say."""
    about = ctypes.create_string_buffer(STATX_BYTES)
    try:
        failed = ctypes.CDLL(None, use_errno=True).statx(AT_FDCWD, os.fsencode(path), 0, STATX_BTIME, about)
    except AttributeError:  # glibc before 2.28
        return 0
    if failed or not struct.unpack_from("I", about)[0] & STATX_BTIME:
        return 0
    seconds, nanoseconds = struct.unpack_from("qI", about, BORN_AT)
    return int(seconds) * 10**9 + int(nanoseconds)


def owns(path: Path, manifest: Manifest) -> bool:
    if path.stat().st_ino != manifest.inode:
        return False
    born = born_at(path)
    return born == manifest.born or 0 in (born, manifest.born)


def ownership(found: SubfileSet) -> Ownership:
    """Raises OSError."""
    if owns(found.path, found.manifest):
        return Ownership(Standing.own)
    with os.scandir(found.path.parent) as entries:
        same = [
            Path(entry.path)
            for entry in entries
            if entry.inode() == found.manifest.inode and entry.is_file(follow_symlinks=False)
        ]
    for path in same:
        if path != found.path and _begins_with(path, found.placeholder.head()) and owns(path, found.manifest):
            return Ownership(Standing.copy, path)
    elsewhere = any(folder.startswith(b"/") for folder in found.manifest.folders)
    return Ownership(Standing.unknown if elsewhere else Standing.moved)


def why_not(found: SubfileSet, owned: Ownership) -> str:
    """Why nothing may be changed through this placeholder, and what to do."""
    path = found.path
    if owned.standing is Standing.copy:
        return (
            f"it is a copy of the placeholder {owned.original}, whose bytes would change. For a copy with "
            f"bytes remove {path}, then: "
            f"collio cp {owned.original} {path}"
        )
    folder = next(os.fsdecode(folder) for folder in found.manifest.folders if folder.startswith(b"/"))
    return (
        f"it may be a copy of a placeholder in another folder: its subfiles lie in {folder}. If {path} "
        f"is the only one: collio fsck --repair {path}"
    )


def _begins_with(path: Path, head: bytes) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(len(head)) == head
    except OSError:
        return False


def placeholders(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Small regular files of a folder, with their first bytes. Raises OSError."""
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                if (
                    entry.is_file(follow_symlinks=False)
                    and 0 < entry.stat(follow_symlinks=False).st_size <= MOST_PLACEHOLDER_BYTES
                ):
                    yield Path(entry.path), Path(entry.path).read_bytes()
            except OSError:  # unreadable, or gone meanwhile
                continue


def others(found: SubfileSet) -> list[Path]:
    """Further placeholders of the set in its folder. Raises OSError."""
    head = found.placeholder.head()
    return [
        path
        for path, begin in placeholders(found.path.parent)
        if path != found.path and begin.startswith(head)
    ]


def remove_unless_shared(found: SubfileSet) -> str:
    """The set whose placeholder is gone. Returns what stays and why; "": nothing does. Raises OSError."""
    if kept := others(found):
        return f"the subfiles stay: {kept[0]} is a copy of their placeholder and has them now"
    if foreign := found.remove():
        return (
            f"{found.folder} stays, as other files lie in it: "
            f"{', '.join(sorted(path.name for path in foreign))}"
        )
    return ""


def adopt(found: SubfileSet) -> None:
    """The placeholder owns the set from now on, unless a copy of it does meanwhile. Copies have the first
    subfile together. Raises ManifestError and OSError."""
    first = found.subfile(0)
    with contextlib.ExitStack() as locks:
        for path in (first, found.path) if first.exists() else (found.path,):
            locks.enter_context(subfile_set.locked(path, subfile_set.SET_BYTE, wait=True))
        now = subfile_set.find(found.path)
        if now is None:
            raise OSError(f"{found.path} was changed by a program meanwhile")
        if (original := ownership(now).original) is not None:
            raise OSError(f"{original}, a copy of {found.path}, was made the owner of its subfiles meanwhile")
        now.manifest.inode, now.manifest.born = found.path.stat().st_ino, born_at(found.path)
        subfile_set.replace_text(now.manifest_path, now.manifest.text())
