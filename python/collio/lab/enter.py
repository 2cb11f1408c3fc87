"""From outside into a lab: the same command again, as the first process of a new one."""

from __future__ import annotations

import os
import sys

from collio.lab import registry, world
from collio.lab.inside import Lab, current
from collio.machine_file import MachineFileError, load_machine


class LabError(Exception):
    """There can be no lab as asked; the message says why."""


def lab_for(machine: str, ranks: int | None = None) -> Lab:
    """The lab this process is in. Outside of one, a lab is made, this very command runs in it, and this process
    ends with its exit code. `ranks`: how many it is for, where it is not for all. Raises LabError."""
    lab = current()
    if lab is not None:
        return lab
    try:
        description = load_machine(machine)
    except MachineFileError as error:
        raise LabError(str(error)) from None
    room = sum(node.ranks for node in description.nodes)
    if ranks and ranks > room:
        raise LabError(f"--ranks {ranks}: machine {description.name} has {room} ([nodes] count and ranks in its file)")
    lacking = world.missing()
    if lacking:
        raise LabError(f"no lab can be built here: {lacking}")
    entered = []
    try:
        code = world.enter("collio.lab.inside", [machine, *sys.argv[1:]], dict(os.environ),
                           lambda pid: entered.append(registry.add(description.name, pid)))
    except registry.RegistryError as error:
        raise LabError(str(error)) from None
    finally:
        for path in entered:
            path.unlink(missing_ok=True)
    sys.exit(code)
