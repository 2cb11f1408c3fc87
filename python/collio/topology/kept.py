"""Machines that were measured or written out, kept in the user's cache."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Where measured and expanded machines are kept: $XDG_CACHE_HOME/collio/machines, else in ~/.cache."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "collio" / "machines"


def keep(text: str, name: str) -> Path:
    """Writes a file of the cache, whole or not at all. Raises OSError."""
    path = cache_folder() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_text(text)
    part.replace(path)
    return path
