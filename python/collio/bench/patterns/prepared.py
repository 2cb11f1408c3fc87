"""What a pattern hands to the benchmark."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable

from collio.plain_json import JsonObject

if TYPE_CHECKING:  # NumPy, which most patterns do without
    from collio.e3sm import MapSet


@dataclass(frozen=True)
class ReadyPattern:
    """A pattern ready to run: the measuring program's arguments, and bytes of a time step in the file at
    most."""

    arguments: list[str]
    file_bytes: int
    parameters: JsonObject = field(default_factory=JsonObject)


@dataclass(frozen=True)
class Pattern:
    """`options`: click's, for this pattern alone. `prepare` takes the values of all options, the number of
    ranks, and a folder for files."""

    help: str
    options: list[Callable[[Any], Any]]
    prepare: Callable[[JsonObject, int, Path], ReadyPattern]


def with_map(pattern: str, maps: MapSet, options: JsonObject, scratch: Path) -> ReadyPattern:
    """A pattern of variables on a map (collio.e3sm.MapSet), with the options they have in common."""
    from collio import e3sm

    binary = scratch / f"{pattern}.map"
    e3sm.write_binary(maps, str(binary))
    arguments = ["--pattern", pattern, "--map-binary", str(binary), "--element-size", options["element_size"]]
    arguments += ["--variables", options["variables"]]
    if options.get("decomposition"):
        arguments += ["--decomposition", options["decomposition"]]
    if options["call_each"]:
        arguments.append("--call-each")
    counts = [int(word) if word.isdecimal() else 0 for word in options["variables"].split(",")]
    largest = max(maps[name].elements for name in maps.names)
    described = {name: {"dims": list(maps[name].dims), "pieces": maps[name].pieces} for name in maps.names}
    return ReadyPattern(
        arguments, sum(counts) * largest * int(options["element_size"]), {"decompositions": described}
    )
