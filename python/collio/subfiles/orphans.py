"""Data that no file leads to: sets without a placeholder, subfiles without a manifest, and what killed
processes left."""

from __future__ import annotations

import os
import re
import shlex
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from collio.subfiles import identity, leftovers, repair
from collio.subfiles.manifest import (
    MARK,
    MOST_HEAD_BYTES,
    Manifest,
    ManifestError,
    Placeholder,
    parse_placeholder,
)
from collio.subfiles.subfile_set import SubfileSet, remove_empty
from collio.wording import counted

SUBFILE = re.compile(r"(.+)\.([0-9a-f]{16})\.\d{4,}", re.DOTALL)
FOLDER = re.compile(r".+\.collio(-[0-9a-f]{16})?", re.DOTALL)
OLD_TEMPORARY = re.compile(r".+\.(joining|placeholder)\.\d+", re.DOTALL)
SETTLED_SECONDS = 60
"""What changed less than this time ago may be in the making."""


@dataclass
class Orphan:
    """`command`: removes it. `remove`: the same; None: only the user can know that nothing needs it, for the
    reason `why_not`."""

    path: Path
    what: str
    command: str
    remove: Callable[[], object] | None = None
    why_not: str = ""
    recover: str = ""


@dataclass
class _Folder:
    """A folder that is searched. `used`: folders of subfiles, with the identity, to which its placeholders
    lead. `unread`: files that may be placeholders."""

    path: Path
    used: set[tuple[bytes, int]]
    unread: list[Path]


def orphans(folders: Iterable[Path]) -> Iterator[Orphan]:
    """What lies in these folders, not in folders below them. Raises OSError."""
    searched = [_look_at(folder.resolve()) for folder in dict.fromkeys(folders)]
    known: set[int] = set()  # identities whose manifest is there
    for folder in searched:
        yield from map(
            _leftover,
            (
                one
                for one in list(leftovers.leftovers(folder.path))
                if one.host != leftovers.this_host() or one.is_dead()
            ),
        )
        yield from _old_temporaries(folder.path)
        for path in sorted(folder.path.iterdir()):
            if FOLDER.fullmatch(path.name) and path.is_dir() and not path.is_symlink():
                yield from _of_folder(folder, path, known)
    for folder in searched:
        yield from _lone_subfiles(folder.path, known)


def _look_at(folder: Path) -> _Folder:
    """Reads the first bytes of every file: an interrupted join may have made a placeholder long."""
    found = _Folder(folder, set(), [])
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_file(follow_symlinks=False):
                continue
            try:
                with open(entry.path, "rb") as file:
                    begin = file.read(MOST_HEAD_BYTES)
                placeholder = parse_placeholder(begin, entry.path) if begin.startswith(MARK) else None
            except (ManifestError, OSError):
                found.unread.append(Path(entry.path))
                continue
            if placeholder:
                found.used.add((placeholder.folder, placeholder.identity))
    return found


def _of_folder(folder: _Folder, path: Path, known: set[int]) -> Iterator[Orphan]:
    try:
        manifest = repair.manifest_of(path)
    except FileNotFoundError:
        if all(os.fsencode(path.name) != name for name, _ in folder.used):
            yield from without_manifest(path)
        return
    except (ManifestError, OSError) as error:
        if all(os.fsencode(path.name) != name for name, _ in folder.used):
            yield Orphan(
                path,
                f"no placeholder leads to it, and its manifest cannot be used ({error})",
                f"rm -r {shlex.quote(str(path))}",
                why_not="its subfiles are unknown",
            )
        return
    known.add(manifest.identity)
    if (os.fsencode(path.name), manifest.identity) not in folder.used:
        yield _set_without_placeholder(folder, path, manifest)


def _set_without_placeholder(folder: _Folder, path: Path, manifest: Manifest) -> Orphan:
    name = folder.path / os.fsdecode(manifest.base)
    found = SubfileSet(name, Placeholder(manifest.identity, os.fsencode(path.name)), manifest)
    there = [subfile for subfile in found.subfiles() if subfile.exists()]
    orphan = Orphan(
        path,
        f"{_size(there)} in {counted(len(there), 'subfile')} of {name}, which no placeholder leads to",
        removal_of(found),
        found.remove,
        recover=f"collio fsck --repair {shlex.quote(str(path))}",
    )
    if folder.unread:
        orphan.remove, orphan.why_not = None, f"{folder.unread[0]} cannot be read and may lead to it"
    elif (_changed_at([path, path / "manifest", *there])) > time.time() - SETTLED_SECONDS:
        orphan.remove, orphan.why_not = (
            None,
            f"it changed less than {SETTLED_SECONDS} s ago and may be in the making",
        )
    elif _was_lost(name, path, manifest):
        orphan.remove, orphan.why_not = (
            None,
            f"{name} is empty and was not emptied by a program: its placeholder was lost",
        )
    return orphan


def removal_of(found: SubfileSet) -> str:
    """The command that removes a set without a placeholder."""
    elsewhere = {
        shlex.quote(str(subfile).rpartition(".")[0]) + ".*"
        for subfile in found.subfiles()
        if subfile.parent != found.folder and subfile.exists()
    }
    return " ".join(["rm -r", shlex.quote(str(found.folder)), *sorted(elsewhere)])


def _was_lost(name: Path, folder: Path, manifest: Manifest) -> bool:
    return (
        name.is_file()
        and name.stat().st_size == 0
        and manifest.file_bytes > 0
        and identity.owns(name, manifest)
        and name.stat().st_mtime_ns < (folder / "manifest").stat().st_mtime_ns
    )


def without_manifest(path: Path) -> Iterator[Orphan]:
    """A folder of subfiles that has none, if nothing else lies in it. Raises OSError."""
    inside = list(path.iterdir())
    if all(SUBFILE.fullmatch(one.name) or one.name.startswith("manifest.new.") for one in inside):
        orphan = Orphan(
            path, f"a folder without a manifest, with {_size(inside)}", f"rm -r {shlex.quote(str(path))}"
        )
        if any(SUBFILE.fullmatch(one.name) for one in inside):
            orphan.why_not = "it has subfiles whose manifest is gone"
        elif _changed_at([path]) > time.time() - SETTLED_SECONDS:
            orphan.why_not = f"it changed less than {SETTLED_SECONDS} s ago and may be in the making"
        else:
            orphan.remove = lambda: remove_empty(path)
        yield orphan


def _leftover(one: leftovers.Leftover) -> Orphan:
    path = shlex.quote(str(one.path))
    orphan = Orphan(
        one.path,
        f"{_size([one.path])}, left by a process that was killed while {one.kind} {one.name}",
        f"rm {path}",
        one.remove,
    )
    if not one.is_dead():
        orphan.what = f"{_size([one.path])}, of process {one.process} on {one.host}, {one.kind} {one.name}"
        orphan.remove, orphan.why_not = None, f"whether the process has ended is known on {one.host}"
    elif one.is_needed():
        orphan.remove, orphan.why_not = None, "it leads to the subfiles of the file that was being moved"
        if one.kind == leftovers.REPLACED:
            orphan.why_not = f"it has the bytes that {one.name} had before"
        orphan.recover, orphan.command = (
            f"mv {path} {shlex.quote(str(one.path.with_name(one.name)))}",
            f"collio rm {path}",
        )
    return orphan


def _old_temporaries(folder: Path) -> Iterator[Orphan]:
    for path in sorted(folder.iterdir()):
        if OLD_TEMPORARY.fullmatch(path.name) and path.is_file():
            yield Orphan(
                path,
                f"{_size([path])}, a temporary file of an older `collio join` or `collio split`",
                f"rm {shlex.quote(str(path))}",
                why_not="its name does not say where its process ran",
            )


def _lone_subfiles(folder: Path, known: set[int]) -> Iterator[Orphan]:
    groups = defaultdict(list)
    for path in folder.iterdir():
        if (found := SUBFILE.fullmatch(path.name)) and int(found[2], 16) not in known and path.is_file():
            groups[f"{found[1]}.{found[2]}"].append(path)
    for name, paths in sorted(groups.items()):
        yield Orphan(
            folder / f"{name}.*",
            f"{_size(paths)} in {counted(len(paths), 'subfile')} whose manifest is in none of these folders",
            f"rm {shlex.quote(str(folder / name))}.*",
            why_not="the manifest may lie elsewhere: name the folder of the file, too",
        )


def _size(paths: Iterable[Path]) -> str:
    return f"{sum(path.lstat().st_blocks * 512 for path in paths):,} bytes on disk"


def _changed_at(paths: Iterable[Path]) -> float:
    return max(path.stat().st_mtime for path in paths)
