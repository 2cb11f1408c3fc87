"""Which labs run: one file each in a folder of the user's, written by the launcher, removed by it.

A launcher that was killed leaves its file; such a file names a process that is gone (or another one that got its
number later, which the start time tells).
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path


class RegistryError(Exception):
    """No lab of that name runs; the message says which do."""


@dataclass(frozen=True)
class Entry:
    """One lab: its number, its machine's name, the `unshare` process that holds it, when that started (clock ticks)."""

    number: int
    machine: str
    unshare: int
    started: int

    @property
    def running(self) -> bool:
        return _started(self.unshare) == self.started


def folder() -> Path:
    """The user's folder of running labs; made where absent, for this user only."""
    base = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    path = Path(base) / f"collio-labs-{os.getuid()}"
    path.mkdir(mode=0o700, exist_ok=True)
    if path.stat().st_uid != os.getuid():
        raise RegistryError(f"{path} belongs to another user")
    return path


def add(machine: str, unshare: int) -> Path:
    """Enters a lab under the lowest free number; the file to remove when it ends."""
    number = 0
    while True:
        path = folder() / f"{number}.json"
        entry = Entry(number, machine, unshare, _started(unshare) or 0)
        try:
            with open(path, "x") as file:
                json.dump(asdict(entry), file)
            return path
        except FileExistsError:
            number += 1


def labs() -> list[Entry]:
    """All that are entered, running or not, by number."""
    entries = []
    for path in folder().glob("*.json"):
        try:
            entries.append(Entry(**json.loads(path.read_text())))
        except (OSError, ValueError, TypeError):
            continue  # being written, or already removed
    return sorted(entries, key=lambda entry: entry.number)


def find(number: int | None) -> Entry:
    """The running lab of a number, or the only one. Raises RegistryError."""
    running = [entry for entry in labs() if entry.running]
    chosen = [entry for entry in running if number in (None, entry.number)]
    if len(chosen) == 1:
        return chosen[0]
    listed = ", ".join(f"{entry.number} ({entry.machine})" for entry in running) or "none"
    raise RegistryError(f"no lab {number} runs; running: {listed}" if number is not None else f"{len(running)} labs run: {listed}" + ("; say which with --lab" if running else ""))


def remove_dead() -> list[Entry]:
    """Removes what killed launchers left; those entries."""
    dead = [entry for entry in labs() if not entry.running]
    for entry in dead:
        (folder() / f"{entry.number}.json").unlink(missing_ok=True)
    return dead


def _started(pid: int) -> int | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()  # from the state on: the name before it may hold anything
    return None if fields[0] == "Z" else int(fields[19])
