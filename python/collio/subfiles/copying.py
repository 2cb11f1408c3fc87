"""Between one file and its subfiles: stripe by stripe, by the kernel where it can."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from collio.subfiles.manifest import Manifest, ManifestError, Placeholder
from collio.subfiles.subfile_set import SubfileSet, flush_folder, replace_text

NO_KERNEL_COPY = {errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM}
MEMORY_BYTES = 1 << 20
MOST_THREADS = 8


def copy_range(source: int, source_offset: int, target: int, target_offset: int, count: int) -> None:
    """Raises OSError: also where the source ends early."""
    while count > 0:
        try:
            moved = os.copy_file_range(source, target, count, source_offset, target_offset)
        except OSError as error:
            if error.errno not in NO_KERNEL_COPY:
                raise
            moved = os.pwrite(target, os.pread(source, min(count, MEMORY_BYTES), source_offset), target_offset)
        if moved == 0:
            raise OSError(errno.EIO, "a file ended while it was copied")
        source_offset, target_offset, count = source_offset + moved, target_offset + moved, count - moved


def join(found: SubfileSet) -> int:
    """One file again, in place of the placeholder: its bytes. The subfiles are gone then; on error all is as before. Raises OSError."""
    file_bytes, joined = found.length(), found.path.with_name(f"{found.path.name}.joining.{os.getpid()}")
    try:
        with open(joined, "wb") as target:
            os.ftruncate(target.fileno(), file_bytes)
            parts = [list(found.manifest.layout.stripes(number, file_bytes)) for number in range(found.manifest.count)]
            _at_once(_copy_in, [(path, target.fileno(), part) for path, part in zip(found.subfiles(), parts)])
            os.fsync(target.fileno())
        shutil.copymode(found.path, joined)
        joined.replace(found.path)
    except BaseException:
        joined.unlink(missing_ok=True)
        raise
    flush_folder(found.path.parent)  # else a crash may leave the placeholder without its subfiles
    found.remove()
    return file_bytes


def split(path: Path, count: int, unit: int, folders: list[Path]) -> SubfileSet:
    """Subfiles of an ordinary file; its name is a placeholder then. On error all is as before. Raises ManifestError and OSError."""
    path = path.resolve()
    status = path.stat()
    manifest = Manifest(secrets.randbits(64), True, os.fsencode(path.name), 0, unit, count, file_bytes=status.st_size)
    if folders:
        manifest.folders = [os.fsencode(folder.resolve()) for folder in folders]
    made = SubfileSet(path, Placeholder(manifest.identity, os.fsencode(f"{path.name}.collio")), manifest)
    if made.folder.exists():
        raise ManifestError(f"{made.folder} is there already: it may hold the subfiles of another file; move it away first (collio fsck {path})")
    placeholder = path.with_name(f"{path.name}.placeholder.{os.getpid()}")
    made.folder.mkdir()
    try:
        parts = [list(manifest.layout.stripes(number, status.st_size)) for number in range(count)]
        _at_once(_copy_out, [(path, subfile, part, status.st_mode & 0o777) for subfile, part in zip(made.subfiles(), parts)])
        with open(placeholder, "wb") as target:
            target.write(made.placeholder.text())
            target.flush()
            os.fsync(target.fileno())
        shutil.copymode(path, placeholder)
        manifest.inode, manifest.synced_bytes = placeholder.stat().st_ino, status.st_size
        replace_text(made.manifest_path, manifest.text())
        for folder in {subfile.parent for subfile in made.subfiles()} | {path.parent}:
            flush_folder(folder)
        placeholder.replace(path)
    except BaseException:
        placeholder.unlink(missing_ok=True)
        made.remove()
        raise
    flush_folder(path.parent)
    return made


def _at_once(copy: Callable[..., None], works: list[tuple[Any, ...]]) -> None:
    """A thread for each subfile, up to MOST_THREADS: subfiles lie on different targets."""
    with ThreadPoolExecutor(MOST_THREADS) as threads:
        copies = [threads.submit(copy, *work) for work in works]
    for one in copies:
        one.result()


def _copy_in(subfile: Path, target: int, parts: list[tuple[int, int, int]]) -> None:
    with open(subfile, "rb") as source:
        here = os.fstat(source.fileno()).st_size
        for inside, low, count in parts:
            copy_range(source.fileno(), inside, target, low, min(count, max(0, here - inside)))


def _copy_out(path: Path, subfile: Path, parts: list[tuple[int, int, int]], mode: int) -> None:
    with open(path, "rb") as source, open(subfile, "xb") as target:
        for inside, low, count in parts:
            copy_range(source.fileno(), low, target.fileno(), inside, count)
        os.fsync(target.fileno())
        os.fchmod(target.fileno(), mode)
