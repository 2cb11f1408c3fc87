"""Temporary files of `collio join`, `split`, `cp` and `mv`: their names, and how those of killed processes
are found and removed."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from collio.subfiles import subfile_set
from collio.subfiles.manifest import ManifestError

MOST_NAME_BYTES = 150
"""Of the file's name in that of its temporary file."""
WITH_A_SET = ("splitting", "copying")
"""Kinds whose temporary file is the placeholder of a set that is being made."""
REPLACED = "replacing"
"""The kind of a file that another one takes the place of, until that is there."""
FORM = re.compile(r"(.*)\.(joining|splitting|copying|moving|replacing)\.([\w-]+)\.(\d+)-(\d+)", re.DOTALL)


@dataclass(frozen=True)
class Leftover:
    """A temporary file. `start`: of its process, in ticks since the boot; numbers of processes come again."""

    path: Path
    name: str
    kind: str
    host: str
    process: int
    start: int

    def is_dead(self) -> bool:
        """Whether its process ran here and has ended. Of other hosts nothing is known."""
        if self.host != this_host():
            return False
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
        return _start_of(self.process) not in (None, self.start)

    def is_needed(self) -> bool:
        """Whether it holds bytes: a file that was to be replaced, or the placeholder of one that was being
        moved and has no other now. Raises OSError."""
        if self.kind == REPLACED:
            return True
        try:
            return self.kind == "moving" and subfile_set.find(self.path) is not None
        except ManifestError:  # killed before the subfiles were moved
            return False

    def remove(self) -> None:
        """Raises OSError."""
        remove(self.path, self.kind)


def remove(path: Path, kind: str) -> None:
    """A temporary file, and the set that it is the placeholder of. Raises OSError."""
    if kind in WITH_A_SET:
        try:
            found = subfile_set.find(path)
            if found:
                found.remove()
        except ManifestError:  # killed before it wrote a manifest
            placeholder = subfile_set.placeholder_of(path)
            if placeholder:
                subfile_set.remove_empty(path.parent / os.fsdecode(placeholder.folder))
    path.unlink(missing_ok=True)


def this_host() -> str:
    return re.sub(r"[^\w-]", "_", socket.gethostname().split(".")[0], flags=re.ASCII)[:64] or "localhost"


def _start_of(process: int) -> int | None:
    try:
        return int(Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[19])
    except (OSError, IndexError):
        return None


def _begin(path: Path) -> str:
    return os.fsencode(path.name)[:MOST_NAME_BYTES].decode("utf-8", "ignore")


def temporary(path: Path, kind: str) -> Path:
    """Beside `path`, for this process."""
    return path.with_name(f"{_begin(path)}.{kind}.{this_host()}.{os.getpid()}-{_start_of(os.getpid()) or 0}")


def leftovers(folder: Path) -> Iterator[Leftover]:
    """Raises OSError."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if (found := FORM.fullmatch(entry.name)) and entry.is_file(follow_symlinks=False):
                yield Leftover(Path(entry.path), found[1], found[2], found[3], int(found[4]), int(found[5]))


def clean(path: Path) -> None:
    """Removes what killed processes left of `path`. Raises OSError."""
    for one in list(leftovers(path.parent)):
        if one.name == _begin(path) and one.is_dead() and not one.is_needed():
            one.remove()
