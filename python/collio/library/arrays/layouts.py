"""Where the bytes of a master and its subfiles lie when all of these files are one to the engine. Pure.

Each file has one stripe of `unit` bytes for what comes before its records. Behind these stripes lie rows, one
for each record; in a row each file has a stripe of `row_unit` bytes with its bytes of the record.
src/storage/subfiles/array_layout.hpp reads text().
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import Error

ALIGNMENT = 4096
_MOST_BYTES = 1 << 63


@dataclass(frozen=True)
class RecordPart:
    """What a file has of each record: `bytes` bytes, those of record 0 from byte `begin` on. No bytes: it has
    no records."""

    begin: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class Layout:
    """`count` files; lengths in bytes. `parts`: of each file, where there are records; else none, and
    `row_unit` is 0."""

    count: int
    unit: int
    row_unit: int = 0
    parts: tuple[RecordPart, ...] = ()

    @classmethod
    def of(cls, ends: Sequence[int], parts: Sequence[RecordPart]) -> Layout:
        """The layout of files whose bytes before their records end there. Raises Error where they are more
        than 2**63 bytes together."""
        longest, most = _aligned(max(ends)), max(part.bytes for part in parts)
        row = _aligned(most) if most else 0
        # a stripe of a row has the same file at either place
        unit = -(-longest // row) * row if row else longest
        if (unit + row) * len(ends) >= _MOST_BYTES:
            raise Error(
                f"{len(ends)} files of up to {unit} bytes, and {row} of each record, are more than 2**63 "
                "bytes together"
            )
        return cls(len(ends), unit, row, tuple(parts) if row else ())

    @property
    def record_bytes(self) -> int:
        """From one record of an array to the next one."""
        return self.count * self.row_unit

    @property
    def most_records(self) -> int:
        return (_MOST_BYTES - self.count * self.unit) // self.record_bytes if self.row_unit else 0

    def at(self, number: int, offset: int) -> int:
        """Of a byte of a file that comes before its records."""
        return number * self.unit + offset

    def at_record(self, number: int, offset: int) -> int:
        """Of a byte of a file's record 0."""
        return self.count * self.unit + number * self.row_unit + offset - self.parts[number].begin

    def file_of(self, at: int) -> tuple[int, int]:
        """The inverse of at() and at_record(): number of the file, and byte in it."""
        behind = at - self.count * self.unit
        if behind < 0:
            return divmod(at, self.unit)
        number, inside = divmod(behind, self.row_unit)
        return number, self.parts[number].begin + inside

    def text(self) -> str:
        """As the engine is told it."""
        rows = (
            [self.row_unit, *(number for part in self.parts for number in (part.begin, part.bytes))]
            if self.row_unit
            else []
        )
        return " ".join(map(str, (self.count, self.unit, *rows)))


def _aligned(length: int) -> int:
    return max(ALIGNMENT, -(-length // ALIGNMENT) * ALIGNMENT)
