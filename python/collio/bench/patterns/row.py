"""What the table of patterns (rows.py) consists of, and what click and the driver get of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, NamedTuple

import click

from collio.bench.patterns.options import SIZE
from collio.bench.patterns.prepared import ReadyPattern
from collio.plain_json import JsonObject


class Number(NamedTuple):
    """`default`: None where the driver or the pattern's module finds one."""

    name: str
    default: int | None
    least: int | None
    most: int | None
    help: str

    def click(self) -> dict[str, Any]:
        return {"type": click.IntRange(self.least, self.most), "default": self.default, "show_default": True}


class Size(NamedTuple):
    name: str
    default: str
    help: str

    def click(self) -> dict[str, Any]:
        return {"type": SIZE, "default": self.default, "show_default": True}


class Choice(NamedTuple):
    """`words`: separated by |, the default first."""

    name: str
    words: str
    help: str

    def click(self) -> dict[str, Any]:
        words = self.words.split("|")
        return {"type": click.Choice(words), "default": words[0], "show_default": True}


class Flag(NamedTuple):
    name: str
    help: str

    def click(self) -> dict[str, Any]:
        return {"is_flag": True}


@dataclass(frozen=True)
class Row:
    """A pattern. `file_bytes` computes the bytes of a step from the number of ranks and the options. None:
    the pattern's module in this folder computes them and defines the options."""

    name: str
    help: str
    options: tuple[Number | Size | Choice | Flag, ...]
    file_bytes: Callable[..., int] | None

    def for_click(self) -> list[Callable[[Any], Any]]:
        return [click.option(f"--{one.name}", help=one.help or None, **one.click()) for one in self.options]

    def prepare(self, options: JsonObject, ranks: int, scratch: Path) -> ReadyPattern:
        """Options that are not set, or None, are not for the driver."""
        arguments, values = ["--pattern", self.name], {}
        for one in self.options:
            name = one.name.replace("-", "_")
            value = values[name] = options.get(name)
            if isinstance(one, Flag):
                arguments += [f"--{one.name}"] * bool(value)
            elif value is not None:
                arguments += [f"--{one.name}", str(value)]
        return ReadyPattern(arguments, self.file_bytes(ranks, **values) if self.file_bytes else 0)
