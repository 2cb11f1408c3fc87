"""Copies, moves and removes files. What is kept in subfiles is copied, moved and removed with its
subfiles."""

from __future__ import annotations

import contextlib
import errno
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from collio.flushing import flush_folder
from collio.subfiles import attributes, identity, leftovers, sets
from collio.subfiles.manifest import ManifestError, Placeholder
from collio.subfiles.steady import steady
from collio.subfiles.subfile_set import (
    USE_BYTE,
    SubfileSet,
    find,
    free_folder,
    locked,
    placeholder_of,
    replace_text,
    write_flushed,
)


class RefusedError(Exception):
    """What was asked for would lose data, or cannot be done."""


@contextmanager
def unused(path: Path, shared: bool = False) -> Iterator[None]:
    """Nobody else has the file open, or for `shared` nobody joins it. Raises RefusedError and OSError."""
    try:
        with locked(path, USE_BYTE, shared):
            yield
    except BlockingIOError:
        raise RefusedError(f"{path} is open in a program: try again when that has closed it") from None


@contextmanager
def held(found: SubfileSet) -> Iterator[None]:
    """Nobody else has the file open, and its name still leads to this set. Raises RefusedError, ManifestError
    and OSError."""
    with unused(found.path):
        if find(found.path) != found:
            raise RefusedError(f"{found.path} was changed by a program meanwhile: try again")
        yield


def refuse_links(path: Path) -> None:
    """Raises RefusedError where the file has further names: they would keep a placeholder without subfiles,
    or the old bytes."""
    if (names := path.stat().st_nlink) > 1:
        raise RefusedError(
            f"{path} has {names} names (hard links), and only this one would change. Remove the others, or "
            "work on a copy: collio cp"
        )


def refuse_damage(found: SubfileSet) -> None:
    if problems := found.problems():
        raise RefusedError(
            "\n  ".join(
                [f"{found.path} is damaged:", *problems, f"collio fsck {found.path} says what can be done"]
            )
        )


def check_target(source: Path, target: Path) -> Path:
    """Where the bytes go: links are followed. Raises RefusedError."""
    if source.is_dir() and not source.is_symlink():
        raise RefusedError(f"{source} is a folder; name the files in it")
    if not os.path.lexists(source):
        raise RefusedError(f"{source} does not exist")
    target = target.resolve()
    if target.is_dir():
        raise RefusedError(f"{target} is a folder")
    if target.exists():
        if not target.is_file():
            raise RefusedError(f"{target} is no regular file")
        if source.exists() and source.samefile(target):
            raise RefusedError(f"{source} and {target} are the same file")
        if not os.access(target, os.W_OK):
            raise RefusedError(f"{target} is there and may not be written")
    if not target.parent.is_dir():
        raise RefusedError(f"the folder {target.parent} does not exist")
    return target


def copy(source: Path, target: Path) -> str:
    """As `cp -p`, with a set of its own for a file in subfiles. Returns a remark, or "". Raises RefusedError,
    ManifestError and OSError."""
    target = check_target(source, target)
    leftovers.clean(target)
    found = find(source)
    if found is None:
        if not source.is_file():
            raise RefusedError(f"{source} is no regular file")
        return _give_name(sets.copy_file(source.resolve(), target), target, "copying")
    refuse_damage(found)
    with unused(found.path, shared=True):
        made = sets.copy_set(found, target)
    return _give_name(made.path, target, "copying")


def move(source: Path, target: Path) -> str:
    """As `mv`, with the subfiles. Returns a remark, or "". Raises RefusedError, ManifestError and OSError."""
    target = check_target(source, target)
    leftovers.clean(target)
    if _finish_interrupted(source, target):
        return ""
    found = None if source.is_symlink() else find(source)
    if found is None:
        return _move_ordinary(source, target)
    with held(found):
        if found.path.parent == target.parent:
            return _give_name(found.path, target)
        if _goes_alone(found):
            try:
                return _move_folder(found, target)
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
        refuse_links(found.path)
        refuse_damage(found)
        remark = _give_name(sets.copy_set(found, target).path, target, "copying")
        return remark or remove_set(found)


def remove(path: Path) -> str:
    """A file, and its subfiles if no other placeholder has them. Returns a remark, or "". Raises
    RefusedError, ManifestError and OSError."""
    if path.is_dir() and not path.is_symlink():
        raise RefusedError(f"{path} is a folder")
    try:
        found = None if path.is_symlink() or not path.is_file() else find(path)
    except ManifestError as error:
        raise RefusedError(f"its subfiles are unknown: {error}. {without_subfiles(path)}") from None
    if found is None:
        path.unlink()
        return ""
    owned = identity.ownership(found)
    if owned.may_change and found.path.stat().st_nlink == 1:
        with held(found):
            return remove_set(found)
    return remove_set(found)


def without_subfiles(path: Path) -> str:
    """What helps where a file's subfiles are unknown."""
    return f"rm {shlex.quote(str(path))} removes this name alone; {_search(path)} then lists what is left"


def _search(path: Path) -> str:
    return f"collio fsck --orphans {shlex.quote(str(path.absolute().parent))}"


def remove_set(found: SubfileSet) -> str:
    """The placeholder, and the set with its last one. Nobody has it open. Raises OSError."""
    owned, names = identity.ownership(found), found.path.stat().st_nlink
    found.path.unlink()
    flush_folder(found.path.parent)
    if names > 1:
        return f"{found.path}: this name alone is removed, as the file has others (hard links)"
    if owned.original:
        return f"{found.path}: the name alone is removed: it was a copy of the placeholder {owned.original}"
    if not owned.may_change:
        return (
            f"{found.path}: the name alone is removed: {found.folder} stays, as a placeholder in another "
            "folder may own the subfiles"
        )
    return identity.remove_unless_shared(found)


def _goes_alone(found: SubfileSet) -> bool:
    """Whether its folder may go where the placeholder goes: nobody else needs it here."""
    return (
        identity.ownership(found).may_change
        and found.path.stat().st_nlink == 1
        and not identity.others(found)
        and all(folder == b"." or folder.startswith(b"/") for folder in found.manifest.folders)
    )


def _move_ordinary(source: Path, target: Path) -> str:
    try:
        return _give_name(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV or source.is_symlink():
            raise
    refuse_links(source)
    with steady(source) as file:
        temporary = sets.copy_file(source, target)
        try:
            file.check()
        except BaseException:
            temporary.unlink()
            raise
        remark = _give_name(temporary, target, "copying")
        source.unlink()
    return remark


def _move_folder(found: SubfileSet, target: Path) -> str:
    """To another folder of the same file system. Whatever ends the process: the name leads to the bytes
    before the folder is renamed, `target` after it.

    Returns a remark, or "". Raises OSError: EXDEV where it is another file system; all is as before then.
    """
    with contextlib.ExitStack() as locks:
        if old := _own_set(target):
            locks.enter_context(held(old))
        aside = leftovers.temporary(target, leftovers.REPLACED) if target.exists() else None
        if aside:
            target.rename(aside)
        try:
            _move_below(found, target)
        except BaseException:
            if aside:
                aside.replace(target)
            else:
                target.unlink(missing_ok=True)
            raise
    found.path.unlink()
    flush_folder(found.path.parent)
    if aside is None:
        return ""
    old = _own_set(aside)
    aside.unlink()
    flush_folder(aside.parent)
    return identity.remove_unless_shared(old) if old else ""


def _move_below(found: SubfileSet, target: Path) -> None:
    """A flushed placeholder in the free name `target`, then the folder it leads to. Raises OSError: the
    folder is where it was then."""
    placeholder = Placeholder(
        found.manifest.identity, os.fsencode(free_folder(target, found.manifest.identity))
    )
    moved = SubfileSet(target, placeholder, found.manifest)
    text = found.manifest_path.read_bytes()
    with sets.temporary_file(target, "moving") as (temporary, file):
        write_flushed(file, placeholder.text())
        attributes.keep_all(found.path, file)
        os.fsync(file)
        temporary.rename(target)
    flush_folder(target.parent)
    found.folder.rename(moved.folder)
    try:
        flush_folder(target.parent)
        identity.adopt(moved)
    except BaseException:
        moved.folder.rename(found.folder)
        replace_text(found.manifest_path, text)
        raise


def _finish_interrupted(source: Path, target: Path) -> bool:
    """After a move between folders that a loss of power, or a kill, interrupted: removes the name whose
    subfiles are at the other one.

    Returns whether the bytes are at `target` already. Raises ManifestError and OSError.
    """
    if (
        source.is_symlink()
        or not source.is_file()
        or not target.exists()
        or source.parent.samefile(target.parent)
    ):
        return False
    old, new = placeholder_of(source), placeholder_of(target)
    if old is None or new is None or old.identity != new.identity:
        return False
    there, moved = (
        (path.parent / os.fsdecode(placeholder.folder) / "manifest").exists()
        for path, placeholder in ((source, old), (target, new))
    )
    if there == moved:
        return False
    lost = target if there else source
    lost.unlink()
    flush_folder(lost.parent)
    return moved


def _own_set(path: Path) -> SubfileSet | None:
    """The set that goes with this name. Raises ManifestError and OSError."""
    found = find(path) if path.exists() else None
    return found if found and identity.ownership(found).may_change and path.stat().st_nlink == 1 else None


def _give_name(path: Path, target: Path, kind: str = "") -> str:
    """Renames, and removes the set that the name had; a damaged one stays. `kind`: of a temporary file, which
    is removed on error.

    Returns a remark, or "". Raises OSError and RefusedError.
    """
    old, damage = None, ""
    try:
        try:
            old = _own_set(target)
        except ManifestError as error:
            damage = (
                f"subfiles of the file that {target} was before stay: {error}. {_search(target)} lists them"
            )
        with held(old) if old else unused(target) if damage else contextlib.nullcontext():
            path.replace(target)
            flush_folder(target.parent)
            return identity.remove_unless_shared(old) if old else damage
    except BaseException:
        if kind and path.exists():
            leftovers.remove(path, kind)
        raise
