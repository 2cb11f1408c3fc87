"""Commands that run a module of collio by this interpreter, also where collio is found by no PYTHONPATH.

A prefix of `make install` is such a place: `bin/collio` names its folder of Python packages to the
interpreter alone. In PYTHONPATH the folder would reach the Python programs of the job, and its numpy would
stand before theirs.
"""

from __future__ import annotations

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2]


def module_command(module: str, *arguments: str) -> list[str]:
    """Words that do what `python -m module arguments` does."""
    start = (
        f"import runpy, sys; sys.path.insert(0, {str(FOLDER)!r}); runpy.run_module({module!r}, "
        "run_name='__main__', alter_sys=True)"
    )
    isolated = ["-I"] if sys.flags.isolated else []
    return [sys.executable, *isolated, "-c", start, *arguments]
