"""What can be saved: bytes before the first one that is missing, and sets whose placeholder is gone."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from collio.flushing import flush_folder
from collio.subfiles import attributes, identity, sets
from collio.subfiles.identity import Standing
from collio.subfiles.manifest import Manifest, ManifestError, Placeholder, parse
from collio.subfiles.moving import RefusedError, unused
from collio.subfiles.subfile_set import (
    SET_BYTE,
    SubfileSet,
    base_of,
    find,
    locked,
    replace_text,
    write_flushed,
)


def whole_bytes(found: SubfileSet) -> int:
    """Bytes before the first that a subfile lacks. Raises RefusedError where a flushed one is missing."""
    manifest = found.manifest
    lacking = [manifest.layout.lacking(number, length or 0) for number, length in enumerate(found.lengths())]
    length = min([manifest.file_bytes, *(first for first in lacking if first is not None)])
    if length < manifest.synced_bytes:
        raise RefusedError(
            f"byte {length:,} of {found.path} is missing, and {manifest.synced_bytes:,} bytes were flushed: "
            "this is no loss by a crash. Restore the subfiles that collio fsck lists"
        )
    return length


def cut_text(found: SubfileSet, length: int) -> str:
    manifest = found.manifest
    return (
        f"{found.path}: cut after {length:,} bytes; {manifest.file_bytes - length:,} bytes behind them "
        f"are gone ({manifest.synced_bytes:,} had been flushed)"
    )


def is_interrupted_join(found: SubfileSet) -> bool:
    """The placeholder has the length that a join gives it before it copies."""
    size = found.path.stat().st_size
    return size != len(found.placeholder.text()) and size == max(
        found.length(), len(found.placeholder.head())
    )


def foreign_bytes(found: SubfileSet) -> str:
    """What a program without collio wrote into the placeholder, and what to do; "": nothing."""
    text, size = found.placeholder.text(), found.path.stat().st_size
    with open(found.path, "rb") as file:
        begin = file.read(len(text))
    if is_interrupted_join(found) or (size <= len(text) and text.startswith(begin)):
        return ""
    what = (
        f"{size - len(text):,} bytes behind the placeholder's text"
        if size > len(text)
        else "bytes in the placeholder's text"
    )
    return (
        f"a program without collio wrote {what}: they are in no subfile, and readers do not see them. "
        f"truncate -s {len(found.placeholder.head())} {shlex.quote(str(found.path))} removes them"
    )


def repair(path: Path) -> Iterator[str]:
    """Lines that say what is done. Raises RefusedError, ManifestError and OSError."""
    path = path.resolve()
    if path.is_dir():
        yield _recover(path, None)
        return
    if not path.exists() or path.stat().st_size == 0:
        yield _recover(_lost_folder(path), path)
        return
    found = find(path)
    if found is None:
        raise RefusedError(f"{path} is an ordinary file: there is nothing to repair")
    owned = identity.ownership(found)
    if owned.standing is Standing.copy:
        raise RefusedError(identity.why_not(found, owned))
    with unused(found.path):
        yield from _repair_text(found)
        if owned.standing is not Standing.own:
            identity.adopt(found)
            yield f"{path} owns its subfiles now"
        yield from _repair_length(found)


def _repair_text(found: SubfileSet) -> Iterator[str]:
    if foreign := foreign_bytes(found):
        raise RefusedError(f"{found.path}: {foreign}")
    if not is_interrupted_join(found):
        return
    yield f"{found.path}: placeholder rewritten, as a join was interrupted"
    with open(found.path, "r+b") as file:
        file.truncate(len(found.placeholder.head()))
        file.seek(0)
        file.write(found.placeholder.text())
        file.flush()
        os.fsync(file.fileno())


def _repair_length(found: SubfileSet) -> Iterator[str]:
    if found.manifest.complete and not found.problems():
        return
    with locked(found.path, SET_BYTE, wait=True):
        now = find(found.path)
        if now is None:
            raise RefusedError(f"{found.path} was changed by a program meanwhile")
        length = whole_bytes(now) if now.problems() else now.length()
        if now.problems():
            yield cut_text(now, length)
        else:
            yield f"{now.path}: closed with {length:,} bytes"
        for path, share in zip(now.subfiles(), now.manifest.layout.shares(length)):
            _resize(path, share, now.path)
        manifest = now.manifest
        manifest.complete, manifest.file_bytes, manifest.synced_bytes = True, length, length
        replace_text(now.manifest_path, manifest.text())


def _resize(path: Path, share: int, like: Path) -> None:
    if not path.exists():
        with attributes.created(path) as made:
            attributes.keep_access(like, made, strict=False)
    with open(path, "r+b") as file:
        file.truncate(share)
        os.fsync(file.fileno())


def manifest_of(folder: Path) -> Manifest:
    """Raises ManifestError and OSError."""
    return parse((folder / "manifest").read_bytes(), str(folder / "manifest"))


def unused_sets(path: Path) -> list[tuple[Path, Manifest]]:
    """Folders of subfiles made for this name that no placeholder leads to. Raises OSError."""
    found = []
    for folder in folders_of(path):
        try:
            manifest = manifest_of(folder)
        except (ManifestError, OSError):
            continue
        if not identity.others(set_of(folder, manifest, folder)):
            found.append((folder, manifest))
    return found


def folders_of(path: Path) -> list[Path]:
    """Folders that a set of this name has, or had. Raises OSError."""
    base = os.fsdecode(base_of(os.fsencode(path.name)))
    return sorted(
        folder
        for folder in path.parent.iterdir()
        if folder.name == f"{base}.collio" or folder.name.startswith(f"{base}.collio-")
    )


def set_of(folder: Path, manifest: Manifest, path: Path) -> SubfileSet:
    return SubfileSet(path, Placeholder(manifest.identity, os.fsencode(folder.name)), manifest)


def _lost_folder(path: Path) -> Path:
    sets_there = unused_sets(path)
    own = [folder for folder, manifest in sets_there if path.exists() and identity.owns(path, manifest)] or [
        folder for folder, _ in sets_there
    ]
    if not own:
        raise RefusedError(
            f"{path} {'is empty' if path.exists() else 'does not exist'}, and no folder beside it has "
            "subfiles that belong to no other file"
        )
    if len(own) > 1:
        raise RefusedError(
            f"several folders may have the bytes of {path}: {', '.join(map(str, own))}. Choose one: collio "
            "fsck --repair FOLDER"
        )
    return own[0]


def _recover(folder: Path, name: Path | None) -> str:
    """A placeholder again, under `name` or the one that the file had, if that is free."""
    manifest = manifest_of(folder)
    path = name or folder.parent / os.fsdecode(manifest.base)
    if used := identity.others(set_of(folder, manifest, folder)):
        raise RefusedError(f"{folder} belongs to {used[0]}; collio fsck {used[0]} checks it")
    if path.exists() and path.stat().st_size > 0:
        path = path.with_name(f"{path.name}.recovered")
        if path.exists():
            raise RefusedError(f"{path} is there already: rename it first")
    found = set_of(folder, manifest, path)
    like = (
        path
        if path.exists()
        else next((subfile for subfile in found.subfiles() if subfile.exists()), found.manifest_path)
    )
    with sets.temporary_file(path, "moving") as (temporary, file):
        write_flushed(file, found.placeholder.text())
        attributes.keep_access(like, file, strict=False)
        os.fsync(file)
        temporary.replace(path)
    flush_folder(path.parent)
    identity.adopt(found)
    return f"{path}: placeholder made again; its subfiles hold {found.length():,} bytes"
