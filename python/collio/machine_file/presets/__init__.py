"""The machine files that come with collio, in this folder, and machines by name or path.

Those in large/ are real machines: too large for the lab, they are for the planner and the simulator.
"""

from __future__ import annotations

import difflib
from pathlib import Path

from collio.machine_file.errors import MachineFileError
from collio.machine_file.model import MachineFile
from collio.machine_file.reader import load

FOLDER = Path(__file__).parent


def preset_names() -> list[str]:
    """Of the lab's size, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def large_preset_names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("large/*.toml"))


def load_machine(name_or_path: str | Path) -> MachineFile:
    """A preset, or else a machine file: `./pair` is a file where `pair` is a preset. Raises
    MachineFileError."""
    text = str(name_or_path)
    names = [*preset_names(), *large_preset_names()]
    if text in names:
        return load(next(FOLDER.rglob(f"{text}.toml")))
    if not Path(text).exists():
        near = difflib.get_close_matches(text, names, n=1)
        suggestion = f"did you mean {near[0]}? " if near else ""
        raise MachineFileError(
            f"{text}: no such file, and no preset; {suggestion}presets are {', '.join(names)}"
        )
    return load(text)
