"""Starts a lab. Commands that need one run twice: outside they start a lab and themselves in it, inside
current() is that lab."""

from __future__ import annotations

import os
from pathlib import Path

from collio.lab import namespaces, registry
from collio.machine_file import MachineFileError, load_machine


class LabError(Exception):
    """There can be no lab as asked; the message says why."""


def run_in_new_lab(machine: str, command: list[str], ranks: int | None = None) -> int:
    """Runs `collio COMMAND` as the first process of a new lab; its exit code. There, current() gives the lab.

    `ranks`: how many it is for, where it is not for all. Raises LabError.
    """
    try:
        description = load_machine(machine)
    except MachineFileError as error:
        raise LabError(str(error)) from None
    room = sum(node.ranks for node in description.nodes)
    if ranks and ranks > room:
        raise LabError(
            f"--ranks {ranks}: machine {description.name} has {room} ([nodes] count and ranks in its file)"
        )
    lacking = namespaces.missing()
    if lacking:
        raise LabError(f"no lab can be built here: {lacking}")
    entered: list[Path] = []
    try:
        return namespaces.enter(
            "collio.lab.build",
            [machine, *command],
            dict(os.environ),
            lambda pid: entered.append(registry.add(description.name, pid)),
        )
    except registry.RegistryError as error:
        raise LabError(str(error)) from None
    finally:
        for path in entered:
            path.unlink(missing_ok=True)
