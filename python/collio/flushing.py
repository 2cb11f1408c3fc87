"""What stays whatever happens to the machine."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def flush_folder(folder: str | Path) -> None:
    """The names in it stay. "" is the current folder. Some file systems flush no folders. Raises OSError."""
    opened = os.open(folder or ".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(opened)
