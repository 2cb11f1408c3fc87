"""Makes a set from a file, a file from a set, and a set from a set. Until the last step everything is as
before."""

from __future__ import annotations

import dataclasses
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from collio.flushing import flush_folder
from collio.subfiles import attributes, copying, identity, leftovers
from collio.subfiles.manifest import Manifest, Placeholder
from collio.subfiles.steady import steady, steady_set
from collio.subfiles.subfile_set import SubfileSet, base_of, free_folder, replace_text, write_flushed


@contextmanager
def temporary_file(path: Path, kind: str) -> Iterator[tuple[Path, int]]:
    """A file beside `path` that only its owner can open; removed on error. Raises OSError."""
    temporary = leftovers.temporary(path, kind)
    try:
        with attributes.created(temporary) as file:
            yield temporary, file
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def new_set(path: Path, kind: str, manifest: Manifest, like: Path) -> Iterator[SubfileSet]:
    """A set whose placeholder has a temporary name beside `path`, without subfiles; removed on error. At the
    end it is flushed, and has owner and modes of `like`.

    Whatever ends the process: the placeholder leads to all that there is. Raises OSError.
    """
    placeholder = Placeholder(manifest.identity, os.fsencode(free_folder(path, manifest.identity)))
    with temporary_file(path, kind) as (temporary, file):
        write_flushed(file, placeholder.text())
        made = SubfileSet(temporary, placeholder, manifest)
        manifest.inode, manifest.born = temporary.stat().st_ino, identity.born_at(temporary)
        made.folder.mkdir(0o700)
        try:
            _write_manifest(made, dataclasses.replace(manifest, complete=False, file_bytes=0, synced_bytes=0))
            yield made
            _write_manifest(made, manifest)
            _open_to_others(made, like, kind != "copying")
            attributes.keep_all(like, file, strict=kind != "copying")
            os.fsync(file)
        except BaseException:
            made.remove()
            raise


def _write_manifest(made: SubfileSet, manifest: Manifest) -> None:
    replace_text(made.manifest_path, manifest.text())


def _open_to_others(made: SubfileSet, like: Path, strict: bool) -> None:
    for path, kind in ((made.manifest_path, stat.S_IFREG), (made.folder, stat.S_IFDIR)):
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            attributes.keep_access(like, opened, kind, strict)
        finally:
            os.close(opened)
    for folder in {subfile.parent for subfile in made.subfiles()} | {made.folder, made.path.parent}:
        flush_folder(folder)


def split(path: Path, count: int, unit: int, folders: list[Path]) -> SubfileSet:
    """Subfiles of an ordinary file; its name is a placeholder then. On error all is as before. Raises
    OSError."""
    path = path.resolve()
    leftovers.clean(path)
    with steady(path) as source:
        file_bytes = source.status.st_size
        manifest = Manifest(
            secrets.randbits(64),
            True,
            base_of(os.fsencode(path.name)),
            0,
            unit,
            count,
            file_bytes=file_bytes,
            synced_bytes=file_bytes,
        )
        if folders:
            manifest.folders = [os.fsencode(folder.resolve()) for folder in folders]
        with new_set(path, "splitting", manifest, path) as made:
            layout = manifest.layout
            shares = layout.shares(file_bytes)
            copying.at_once(
                _copy_out,
                [
                    (path, subfile, layout.stripes(number, file_bytes), shares[number])
                    for number, subfile in enumerate(made.subfiles())
                ],
                source.check,
            )
        try:
            source.replace_by(made.path)
        except BaseException:
            made.remove()
            made.path.unlink(missing_ok=True)
            raise
    flush_folder(path.parent)
    return dataclasses.replace(made, path=path)


def _copy_out(
    path: Path, subfile: Path, stripes: Iterator[tuple[int, int, int]], share: int, stop: copying.Copies
) -> None:
    """`stripes`: as Layout.stripes() has them."""
    with open(path, "rb") as source, attributes.created(subfile) as target:
        os.ftruncate(target, share)
        parts = (copying.Part(low, inside, count) for inside, low, count in stripes)
        copying.copy_data(source.fileno(), target, parts, stop)
        os.fsync(target)
        attributes.keep_access(path, target)
        attributes.keep_times(os.fstat(source.fileno()), target)


def join(found: SubfileSet, file_bytes: int, moved: Callable[[int], None] = lambda _: None) -> str:
    """One file again, of this many bytes, in place of the placeholder. On error all is as before. Raises
    OSError. `moved` gets the bytes that are copied, now and then.

    Returns what stays of the set, and why; "": nothing does.
    """
    leftovers.clean(found.path)
    with temporary_file(found.path, "joining") as (temporary, target):
        with steady_set(found):
            os.ftruncate(target, file_bytes)
            copying.at_once(
                _copy_in,
                [
                    (path, target, found.manifest.layout.stripes(number, file_bytes))
                    for number, path in enumerate(found.subfiles())
                ],
                moved=moved,
            )
            written = max(
                (path.stat().st_mtime_ns for path in found.subfiles() if path.exists()),
                default=found.path.stat().st_mtime_ns,
            )
            attributes.keep_all(found.path, target)
            os.utime(target, ns=(written, written))
            os.fsync(target)
        temporary.replace(found.path)
    flush_folder(found.path.parent)  # else a crash may leave the placeholder without its subfiles
    try:
        return identity.remove_unless_shared(found)
    except OSError as error:
        return (
            f"subfiles stay, which nobody needs: {error}; collio fsck --orphans {found.path.parent} "
            "lists them"
        )


def _copy_in(
    subfile: Path, target: int, stripes: Iterator[tuple[int, int, int]], stop: copying.Copies
) -> None:
    """`stripes`: as Layout.stripes() has them."""
    try:
        source = open(subfile, "rb")  # noqa: SIM115  closed below
    except FileNotFoundError:  # its bytes are behind the end of the file: else the join was refused
        return
    with source:
        here = os.fstat(source.fileno()).st_size
        parts = (
            copying.Part(inside, low, min(count, here - inside))
            for inside, low, count in stripes
            if inside < here
        )
        copying.copy_data(source.fileno(), target, parts, stop)


def copy_set(found: SubfileSet, path: Path) -> SubfileSet:
    """A whole copy with its own identity; the name is given by the caller: it has a temporary one. Raises
    OSError."""
    folders = [
        folder if folder == b"." else os.fsencode(found.folder / os.fsdecode(folder))
        for folder in found.manifest.folders
    ]
    made_of = dataclasses.replace(
        found.manifest,
        identity=secrets.randbits(64),
        base=base_of(os.fsencode(path.name)),
        folders=folders,
        synced_bytes=found.manifest.file_bytes,
    )
    with new_set(path, "copying", made_of, found.path) as made, steady_set(found):
        copying.at_once(
            _copy_subfile, [(found.path, *paths) for paths in zip(found.subfiles(), made.subfiles())]
        )
    return made


def _copy_subfile(like: Path, subfile: Path, copy: Path, stop: copying.Copies) -> None:
    with open(subfile, "rb") as source, attributes.created(copy) as target:
        copying.copy_whole(source.fileno(), target, stop)
        os.fsync(target)
        attributes.keep_access(like, target, strict=False)
        attributes.keep_times(os.fstat(source.fileno()), target)


def copy_file(source: Path, path: Path) -> Path:
    """An ordinary file's copy, under a temporary name. Raises OSError."""
    with temporary_file(path, "copying") as (temporary, target), open(source, "rb") as opened:
        copying.at_once(copying.copy_whole, [(opened.fileno(), target)])
        os.fsync(target)
        attributes.keep_all(source, target, strict=False)
    return temporary
