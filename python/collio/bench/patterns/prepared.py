"""What a pattern hands to the benchmark."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Prepared:
    """A pattern ready to run: the measuring program's arguments, and bytes of the file at most."""

    arguments: list[str]
    file_bytes: int
    parameters: dict = field(default_factory=dict)
