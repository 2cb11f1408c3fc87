"""Owner, modes, access control lists, extended attributes and times of files that are copied."""

from __future__ import annotations

import errno
import os
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ACL = "system.posix_acl_access"
NO_ATTRIBUTES = {errno.EOPNOTSUPP, errno.ENODATA, errno.ENOSYS}
REFUSED = {errno.EPERM, errno.EACCES, errno.EINVAL, errno.EOPNOTSUPP, errno.ENODATA, errno.EEXIST}


@contextmanager
def created(path: Path) -> Iterator[int]:
    """A new file that only its owner can open, to read and write. Raises OSError."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        yield file
    finally:
        os.close(file)


def keep_access(source: Path, target: int, kind: int = stat.S_IFREG, strict: bool = True) -> None:
    """Who may read and write the file `target`, as of `source`. `strict`: raises OSError where owner or group
    cannot be kept; else as `cp -p`."""
    status = source.stat()
    group_kept = _keep_owner(status, target, strict)
    folder = kind == stat.S_IFDIR
    if (acl := _access_list(source)) is not None:
        os.setxattr(target, ACL, _with_search(acl) if folder else acl)
    mode = folder_mode(status.st_mode) if folder else status.st_mode & 0o666
    if not group_kept:  # another group gets what all have
        mode &= ~0o070 | (mode & 0o007) << 3
    os.fchmod(target, mode)


def keep_all(source: Path, target: int, strict: bool = True) -> None:
    """As keep_access(), and further attributes, all bits of the mode, and times. Raises OSError."""
    status = source.stat()
    for name in _names(source):
        if name != ACL:
            try:
                os.setxattr(target, name, os.getxattr(source, name))
            except OSError as error:
                if error.errno not in REFUSED:
                    raise
    keep_access(source, target, strict=strict)
    now = os.fstat(target)
    if (now.st_uid, now.st_gid) == (status.st_uid, status.st_gid):
        os.fchmod(target, stat.S_IMODE(status.st_mode))
    else:
        os.fchmod(target, now.st_mode & 0o777 | status.st_mode & 0o111 & (now.st_mode & 0o444) >> 2)
    keep_times(status, target)


def keep_times(status: os.stat_result, target: int) -> None:
    os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))


def folder_mode(mode: int) -> int:
    """Of a folder whose files have this mode: those that may read them may search it."""
    return 0o700 | mode & 0o666 | (mode & 0o444) >> 2


def _keep_owner(status: os.stat_result, target: int, strict: bool) -> bool:
    """Whether the group is kept."""
    now = os.fstat(target)
    for user, group in ((status.st_uid, status.st_gid), (-1, status.st_gid)):
        if (now.st_uid if user < 0 else user, group) == (now.st_uid, now.st_gid):
            return True
        try:
            os.fchown(target, user, group)
            return True
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EINVAL):
                raise
            if strict:
                raise OSError(
                    error.errno,
                    f"the owner (user {status.st_uid}, group {status.st_gid}) cannot be kept: run this as "
                    "its owner",
                ) from None
    return False


def _names(source: Path) -> list[str]:
    try:
        return os.listxattr(source)
    except OSError as error:
        if error.errno in NO_ATTRIBUTES:
            return []
        raise


def _access_list(source: Path) -> bytes | None:
    try:
        return os.getxattr(source, ACL)
    except OSError as error:
        if error.errno in NO_ATTRIBUTES:
            return None
        raise


def _with_search(acl: bytes) -> bytes:
    """The list of a file as that of its folder: those that may read may search. Entries: tag, permissions,
    id, after a version of 4 bytes."""
    return acl[:4] + b"".join(
        struct.pack("<HHI", tag, allowed | (allowed & 4) >> 2, who)
        for tag, allowed, who in struct.iter_unpack("<HHI", acl[4:])
    )
