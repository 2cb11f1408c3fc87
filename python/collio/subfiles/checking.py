"""What `collio fsck` says of a file."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from collio.subfiles import attributes, identity, moving, orphans, repair
from collio.subfiles.identity import Standing
from collio.subfiles.subfile_set import SubfileSet
from collio.wording import counted


def described(found: SubfileSet) -> Iterator[str]:
    manifest = found.manifest
    yield (
        f"{found.path}: {counted(manifest.count, 'subfile')}, stripes of {manifest.unit:,} bytes, "
        f"manifest {found.manifest_path}"
    )
    if manifest.deals:
        last = manifest.deals[-1]
        yield (
            f"re-dealt {counted(len(manifest.deals), 'time')}; from byte {last.first * manifest.unit:,} on, "
            f"stripes go to {counted(len(last.members), 'subfile')}: " + ", ".join(map(str, last.members))
        )
    if manifest.complete:
        yield f"closed with {manifest.file_bytes:,} bytes"
    else:
        yield (
            f"complete when last closed or flushed: {manifest.file_bytes:,} bytes; there are "
            f"{found.length():,} now"
        )
    yield f"flushed to disk by MPI_File_sync: {manifest.synced_bytes:,} bytes"
    if identity.ownership(found).standing is Standing.moved:
        yield (
            f"{found.path} was moved from another file system, restored or copied with its folder: the "
            "next program that writes it makes it the owner of its subfiles"
        )


def problems(found: SubfileSet) -> Iterator[str]:
    """What is wrong, with the command that helps."""
    owned = identity.ownership(found)
    if owned.original:
        yield (
            f"{found.path} is a copy of the placeholder {owned.original}: its bytes are those of "
            f"{owned.original}. "
            f"collio cp {owned.original} NEW copies a file with its bytes"
        )
    elif not owned.may_change:
        yield identity.why_not(found, owned)
    missing = found.problems()
    yield from missing
    if missing:
        yield from _what_is_left(found)
    if not found.manifest.complete:
        yield "a program is writing the file, or ended before it closed it"
    if foreign := repair.foreign_bytes(found):
        yield foreign
    elif repair.is_interrupted_join(found):
        yield (
            "a join was interrupted, or is under way; the bytes are in the subfiles. collio fsck "
            f"--repair {found.path} makes the placeholder again"
        )
    if not owned.original:
        yield from _access(found)


def _what_is_left(found: SubfileSet) -> Iterator[str]:
    try:
        length = repair.whole_bytes(found)
    except moving.RefusedError as error:
        yield str(error)
    else:
        yield (
            f"the first {length:,} bytes are there: collio fsck --repair {found.path} cuts the file "
            f"there, collio join --salvage {found.path} joins them"
        )


def _access(found: SubfileSet) -> Iterator[str]:
    """Where others may read or write more, or less, than the placeholder says."""
    file, folder = found.path.stat(), found.folder.stat()
    wanted, wanted_folder = file.st_mode & 0o666, attributes.folder_mode(file.st_mode)
    loose, tight, owners = set(), set(), set()
    for path in (found.manifest_path, *found.subfiles()):
        if not path.exists():
            continue
        status = path.stat()
        own_folder = path.parent == found.folder
        if (status.st_uid, status.st_gid) != (file.st_uid, file.st_gid):
            owners.add(_pattern(found, path))
        reached = _classes(folder.st_mode) if own_folder else 0o066
        if status.st_mode & 0o066 & reached & ~wanted:
            loose.add(
                str(found.folder)
                if own_folder and folder.st_mode & 0o077 & ~wanted_folder
                else _pattern(found, path)
            )
        if wanted & ~status.st_mode:
            tight.add(_pattern(found, path))
    if folder.st_mode & 0o022 & ~wanted_folder:
        loose.add(str(found.folder))
    if wanted_folder & ~folder.st_mode:
        tight.add(str(found.folder))
    for places, what in ((loose, "more"), (tight, "fewer")):
        for place in sorted(places):
            mode = wanted_folder if place == str(found.folder) else wanted
            yield (
                f"{what} users than {found.path} allows ({wanted:04o}) may use its data: chmod {mode:04o} "
                f"{place}"
            )
    for place in sorted(owners):
        yield f"owner or group differ from those of {found.path}: chown {file.st_uid}:{file.st_gid} {place}"


def _classes(folder_mode: int) -> int:
    """Permission bits of those that may search the folder."""
    return (0o060 if folder_mode & 0o010 else 0) | (0o006 if folder_mode & 0o001 else 0)


def _pattern(found: SubfileSet, path: Path) -> str:
    """For the shell: all subfiles in the same folder."""
    if path == found.manifest_path:
        return shlex.quote(str(path))
    return shlex.quote(str(path).rpartition(".")[0]) + ".*"


def _left_of_removal(found: SubfileSet) -> str:
    """What a removal that was interrupted has left of a set without a placeholder, and the command that
    removes it; "": its subfiles are there."""
    there = sum(length is not None for length in found.lengths())
    if there == found.manifest.count:
        return ""
    return (
        f"{found.path} is {'empty' if found.path.exists() else 'gone'}, and {found.folder} leads to "
        f"{there:,} of its {counted(found.manifest.count, 'subfile')}: "
        f"it was being removed, or subfiles are lost. {orphans.removal_of(found)} removes what is left"
    )


def of_no_set(path: Path) -> tuple[list[str], bool]:
    """Lines about a name without a placeholder, and whether something is wrong."""
    there = path.exists()
    size = path.stat().st_size if there else 0
    lines = [f"{path}: an ordinary file of {size:,} bytes" if there else f"{path} does not exist"]
    lost = False
    for folder, manifest in repair.unused_sets(path.absolute()):
        if size == 0 and (left := _left_of_removal(repair.set_of(folder, manifest, path.absolute()))):
            lost = True
            lines.append(left)
        elif size == 0 and manifest.file_bytes > 0:
            lost = True
            emptied = there and path.stat().st_mtime_ns >= (folder / "manifest").stat().st_mtime_ns
            why = "a program emptied it" if emptied else "its placeholder was lost"
            lines.append(
                f"{path} is {'empty' if there else 'gone'}, but {folder} has {manifest.file_bytes:,} bytes "
                f"of it: {why}. collio fsck --repair {folder} recovers them"
            )
        else:
            lines.append(
                f"{folder} holds subfiles of a file that had this name; it is not used. collio fsck --repair "
                f"{folder} makes a file of it; "
                f"collio fsck --orphans {path.absolute().parent} says how to remove it"
            )
    for folder in repair.folders_of(path.absolute()):
        if not (folder / "manifest").exists():
            lines += [
                f"{orphan.path}: {orphan.what}. {orphan.command} removes it"
                for orphan in orphans.without_manifest(folder)
            ]
    return lines, lost or not there
