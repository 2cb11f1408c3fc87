"""The one error of machine files."""

from __future__ import annotations


class MachineFileError(ValueError):
    """A machine file that cannot be used; the message names the file, the key, the value and what is
    allowed."""
