"""A machine in whichever format as the file the engine reads."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from collio.machine_file import MachineFileError, preset_names
from collio.topology.kept import keep
from collio.topology.load import detect, load, read_text


@dataclass(frozen=True)
class Expanded:
    """The file for COLLIO_MACHINE, and what was done; "" where the file is such a graph itself, which the
    engine checks."""

    path: Path
    told: str


def expanded(name_or_path: str) -> Expanded:
    """Of a machine file, a preset, or a topology file. What has to be written goes to the user's cache, under
    a name that is its content's, where other nodes can read it as well if they share the user's home. Raises
    MachineFileError."""
    if name_or_path not in preset_names() and detect(read_text(name_or_path), name_or_path) == "graph":
        return Expanded(Path(name_or_path).absolute(), "")
    found = load(name_or_path)
    if found.format == "hwloc":
        raise MachineFileError(
            f"{name_or_path}: is one node from inside; allowed are networks: machine, graph, slurm, "
            "ibnetdiscover"
        )
    text = found.graph.to_json()
    try:
        path = keep(text, f"expanded-{hashlib.sha256(text.encode()).hexdigest()[:16]}.json")
    except OSError as error:
        raise MachineFileError(
            f"{name_or_path}: cannot write its graph to {error.filename} ({error.strerror}); $XDG_CACHE_HOME "
            "says where"
        ) from None
    note = f" ({found.graph.note})" if found.format != "machine" and found.graph.note else ""
    return Expanded(path, f"machine {name_or_path} is written out to {path}{note}")
