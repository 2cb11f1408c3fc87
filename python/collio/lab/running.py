"""A running lab as other processes of its user see it: for `collio lab top` and `collio lab target`."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass

from collio.lab import namespaces, registry
from collio.machine_file import Graph
from collio.run.own_python import module_command


class NoLabError(Exception):
    """No lab as asked for can be reached; the message says why, and which run."""


@dataclass(frozen=True)
class Running:
    """A lab that is up. `pid` is its first process, numbered as outside."""

    entry: registry.Entry
    pid: int
    graph: Graph

    def run_module(self, module: str, *arguments: str) -> int:
        """Runs `python -m module` in the lab; its exit code, -9 where the lab ended meanwhile."""
        words = namespaces.join(self.pid, module_command(module, *arguments))
        return subprocess.run(words).returncode


def find(number: int | None) -> Running:
    """The running lab of that number, or the only one there is. Raises NoLabError."""
    try:
        entry = registry.find(number)
    except registry.RegistryError as error:
        raise NoLabError(str(error)) from None
    pid = namespaces.first_process(entry.unshare)
    try:
        text = namespaces.seen(pid, namespaces.GRAPH_FILE).read_text() if pid else None
    except PermissionError as error:
        raise NoLabError(f"lab {entry}: {error.strerror}") from None
    except OSError:
        text = None
    if text is None or pid is None:
        raise NoLabError(
            f"lab {entry} {'is still being built' if entry.running else 'does not run any more'}"
        )
    return Running(entry, pid, Graph.from_json(text))
