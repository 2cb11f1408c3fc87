"""Where hints come from: the config file, then COLLIO_FAULTS, then COLLIO_HINTS, then `--set`; later wins.

A config file holds lines `key = value`; `#` starts a comment. Lines below a line `[PATTERN]` hold for the
files that it matches, as the rules of COLLIO_SET_FOR do, which come after them. The first of these that
exists is read: $COLLIO_CONFIG, ./collio.conf, ~/.config/collio/config.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from collio import hints


class ConfigError(ValueError):
    """A config file that cannot be used; the message names file and line."""


class Rule(NamedTuple):
    """Hints for the files that a pattern matches, and where the rule came from."""

    pattern: str
    hints: dict[str, str]
    origin: str


class Settings:
    """The hints in force for a job, where each came from, and what to tell the user."""

    def __init__(self) -> None:
        self.hints: dict[str, str] = {}
        self.origins: dict[str, str] = {}
        self.warnings: list[str] = []
        self.rules: list[Rule] = []

    def put(self, key: str, value: str, origin: str) -> None:
        """Sets one hint after checking it. Raises HintError."""
        self.hints[key], warning = hints.check_hint(key, value)
        self.origins[key] = origin
        self._warn(warning)

    def put_rule(self, rule: Rule) -> None:
        """Adds hints for files by path after checking them. Raises HintError."""
        if not rule.hints:
            return
        checked = {key: hints.check_hint(key, value) for key, value in rule.hints.items()}
        for _, warning in checked.values():
            self._warn(warning)
        self.rules.append(
            Rule(rule.pattern, {key: value for key, (value, _) in checked.items()}, rule.origin)
        )
        self.path_hints()

    def path_hints(self) -> str:
        """COLLIO_SET_FOR for the ranks. Raises HintError."""
        return hints.encode_path_hints([(rule.pattern, rule.hints) for rule in self.rules])

    def _warn(self, warning: str | None) -> None:
        if warning and warning not in self.warnings:
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


def read_config(path: Path) -> dict[str, dict[str, str]]:
    """Hints of a config file by pattern, "" for those of every file, unchecked. Raises ConfigError."""
    found: dict[str, dict[str, str]] = {"": {}}
    section = found[""]
    for number, line in enumerate(_text(path).split("\n"), start=1):
        text = line.split("#", 1)[0].strip()
        if not text:
            continue
        if text[0] == "[" and text[-1] == "]" and "=" not in text:
            pattern = text[1:-1].strip()
            if not pattern:
                raise ConfigError(f"{path}:{number}: {text!r} has no pattern between the brackets")
            section = found.setdefault(pattern, {})
            continue
        try:
            key, value = hints.split_assignment(text)
        except hints.HintError as error:
            raise ConfigError(f"{path}:{number}: {error}") from None
        section[key] = value
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: byte {error.start} is no UTF-8 text") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None


def gather_settings(assignments: Iterable[str], environ: Mapping[str, str] | None = None) -> Settings:
    """Config file, COLLIO_FAULTS, COLLIO_HINTS, COLLIO_SET_FOR and `--set key=value`, checked. Raises
    HintError or ConfigError."""
    environ = os.environ if environ is None else environ
    settings = Settings()
    path = config_path(environ)
    by_pattern = read_config(path) if path else {}
    sources = [(str(path), by_pattern.pop(""))] if path else []
    if environ.get("COLLIO_FAULTS"):
        sources.append(("COLLIO_FAULTS", {"collio_faults": environ["COLLIO_FAULTS"]}))
    sources.append(("COLLIO_HINTS", hints.decode_hints(environ.get("COLLIO_HINTS", ""))))
    sources.append(("--set", dict(hints.split_assignment(text) for text in assignments)))
    for origin, found in sources:
        for key, value in found.items():
            with _naming(origin):
                settings.put(key, value, origin)
    for pattern, found in by_pattern.items():
        with _naming(f"{path}: [{pattern}]"):
            settings.put_rule(Rule(pattern, found, str(path)))
    with _naming("COLLIO_SET_FOR"):
        for pattern, found in hints.decode_path_hints(environ.get("COLLIO_SET_FOR", "")):
            settings.put_rule(Rule(pattern, found, "COLLIO_SET_FOR"))
    return settings


@contextmanager
def _naming(origin: str) -> Iterator[None]:
    """Errors of hints name where the hint came from."""
    try:
        yield
    except hints.HintError as error:
        raise hints.HintError(f"{origin}: {error}") from None
