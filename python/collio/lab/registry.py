"""Which labs run: one entry each, made by the launcher, removed by it.

An entry is a symbolic link that points nowhere, collio-lab-USER-NUMBER; its target is the text. So it is made
in one step, and there is never half of one. A launcher that was killed leaves its entry, which then names a
process that is gone (or another one that got its number later, which the start time tells).
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from collio import plain_json

LONGEST_NAME = 200


class RegistryError(Exception):
    """No lab of that name runs, or none can be entered; the message says which do, or why."""


@dataclass(frozen=True)
class Entry:
    """One lab: its number, its machine's name, the `unshare` process that holds it, when that started (clock
    ticks)."""

    number: int
    machine: str
    unshare: int
    started: int

    @property
    def running(self) -> bool:
        return _started(self.unshare) == self.started

    def __str__(self) -> str:
        return f"{self.number} ({self.machine})"


def folder() -> Path:
    """Where a user's labs are entered: $XDG_RUNTIME_DIR, or where temporary files go."""
    own = os.environ.get("XDG_RUNTIME_DIR")
    # `su` leaves us with somebody else's
    return Path(own if own and os.access(own, os.W_OK) else tempfile.gettempdir())


def add(machine: str, unshare: int) -> Path:
    """Enters a lab under the lowest free number; the entry, to be unlinked when it ends. Raises
    RegistryError."""
    number = 0
    while True:
        entry = Entry(number, machine[:LONGEST_NAME], unshare, _started(unshare) or 0)
        path = _path(number)
        try:
            os.symlink(json.dumps(asdict(entry)), path)
            return path
        except FileExistsError:
            number += 1
        except OSError as error:
            raise RegistryError(f"{path}: {error.strerror}; running labs are entered there") from None


def labs() -> list[Entry]:
    """All that are entered, running or not, by number."""
    entries = map(_read, folder().glob(_path("*").name))
    return sorted((entry for entry in entries if entry), key=lambda entry: entry.number)


def find(number: int | None) -> Entry:
    """The running lab of a number, or the only one. Raises RegistryError."""
    running = [entry for entry in labs() if entry.running]
    chosen = [entry for entry in running if number in (None, entry.number)]
    if len(chosen) == 1:
        return chosen[0]
    if not running:
        raise RegistryError("no lab runs (of this user)")
    listed = ", ".join(map(str, running))
    raise RegistryError(
        f"{len(running)} labs run: {listed}; say which with --lab"
        if number is None
        else f"no lab {number} runs; running: {listed}"
    )


def remove_dead() -> list[Entry]:
    """Removes what killed launchers left; those entries."""
    dead = [entry for entry in labs() if not entry.running]
    for entry in dead:
        _path(entry.number).unlink(missing_ok=True)
    return dead


def _path(number: int | str) -> Path:
    return folder() / f"collio-lab-{os.getuid()}-{number}"


def _read(path: Path) -> Entry | None:
    try:
        if path.lstat().st_uid == os.getuid():
            return Entry(**plain_json.parse(os.readlink(path)))
    except (OSError, ValueError, TypeError):
        pass  # removed meanwhile, or none of ours
    return None


def _started(pid: int) -> int | None:
    try:
        with open(f"/proc/{pid}/stat") as file:
            text = file.read()
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()  # from the state on: the name before it may hold anything
    return None if fields[0] == "Z" else int(fields[19])
