"""Where hints come from: the config file, then COLLIO_FAULTS, then COLLIO_HINTS, then `--set`; later wins.

A config file holds lines `key = value`; `#` starts a comment. The first of these that exists is
read: $COLLIO_CONFIG, ./collio.conf, ~/.config/collio/config.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterable, Mapping

from collio import hints


class ConfigError(ValueError):
    """A config file that cannot be used; the message names file and line."""


@dataclass
class Settings:
    """The hints in force for a job, where each came from, and what to tell the user."""

    hints: dict[str, str] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def put(self, key: str, value: str, origin: str) -> None:
        """Sets one hint after checking it. Raises HintError."""
        self.hints[key], warning = hints.check_hint(key, value)
        self.origins[key] = origin
        if warning:
            self.warnings.append(warning)


def config_path(environ: Mapping[str, str] | None = None) -> Path | None:
    """The config file in force, or None. Raises ConfigError when $COLLIO_CONFIG names no file."""
    environ = os.environ if environ is None else environ
    named = environ.get("COLLIO_CONFIG")
    if named:
        if not Path(named).is_file():
            raise ConfigError(f"COLLIO_CONFIG={named}: no such file")
        return Path(named)
    base = Path(environ.get("XDG_CONFIG_HOME") or Path(environ.get("HOME", "~")).expanduser() / ".config")
    candidates = (Path("collio.conf"), base / "collio" / "config")
    return next((path for path in candidates if path.is_file()), None)


def read_config(path: Path) -> dict[str, str]:
    """Hints of a config file, unchecked. Raises ConfigError."""
    found = {}
    for number, line in enumerate(_text(path).split("\n"), start=1):
        text = line.split("#", 1)[0].strip()
        if not text:
            continue
        try:
            key, value = hints.split_assignment(text)
        except hints.HintError as error:
            raise ConfigError(f"{path}:{number}: {error}") from None
        found[key] = value
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: byte {error.start} is no UTF-8 text") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None


def gather_settings(assignments: Iterable[str], environ: Mapping[str, str] | None = None) -> Settings:
    """Config file, COLLIO_FAULTS, COLLIO_HINTS and `--set key=value`, checked. Raises HintError or ConfigError."""
    environ = os.environ if environ is None else environ
    settings = Settings()
    path = config_path(environ)
    sources = [(str(path), read_config(path))] if path else []
    if environ.get("COLLIO_FAULTS"):
        sources.append(("COLLIO_FAULTS", {"collio_faults": environ["COLLIO_FAULTS"]}))
    sources.append(("COLLIO_HINTS", hints.decode_hints(environ.get("COLLIO_HINTS", ""))))
    sources.append(("--set", dict(hints.split_assignment(text) for text in assignments)))
    for origin, found in sources:
        for key, value in found.items():
            try:
                settings.put(key, value, origin)
            except hints.HintError as error:
                raise hints.HintError(f"{origin}: {error}") from None
    return settings
