"""Reader of the headers of netCDF's classic formats (CDF-1, CDF-2, CDF-5): dimensions, attributes, and where
the variables lie.

The libraries that read these formats do not tell Python the offset. The grammar is in the netCDF
documentation, "File Format Specifications": a magic number, the number of records, and lists of dimensions,
attributes and variables, all big-endian, padded to 4 bytes.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import prod
from typing import Any, BinaryIO

import numpy as np

TYPES = {
    1: "i1",
    2: "S1",
    3: ">i2",
    4: ">i4",
    5: ">f4",
    6: ">f8",
    7: "u1",
    8: ">u2",
    9: ">u4",
    10: ">i8",
    11: ">u8",
}
RECORDS_AT = 4
_DIMENSIONS, _VARIABLES, _ATTRIBUTES = 10, 11, 12
Attributes = dict[str, "np.ndarray[Any, Any]"]


@dataclass(frozen=True)
class Found:
    """A variable: its dtype in the file, its first byte, the numbers of its dimensions, its attributes as
    they are in the file."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    offset: int
    dimensions: tuple[int, ...]
    attributes: Attributes

    @property
    def of_records(self) -> bool:
        """Whether its first dimension is that of records."""
        return bool(self.shape) and self.shape[0] == 0


@dataclass(frozen=True)
class Content:
    """A whole header. `dimensions`: (name, length), 0 for that of records. `variables`: all of them, by name.
    `records`: how many there are; their number is at byte RECORDS_AT of the file, in `count_bytes` bytes.
    `record_bytes`: of all variables together."""

    dimensions: list[tuple[str, int]]
    attributes: Attributes
    variables: dict[str, Found]
    records: int
    count_bytes: int
    record_bytes: int


class _Header:
    """A stream of a header's numbers and names. Raises ValueError where it ends early or has another form."""

    def __init__(self, stream: BinaryIO, path: str) -> None:
        self._stream, self._path = stream, path
        self.size = os.fstat(stream.fileno()).st_size
        magic = self.take(4)
        if magic[:3] != b"CDF" or magic[3] not in (1, 2, 5):
            self.wrong(f"the first bytes are {magic!r}")
        self.count_bytes = 8 if magic[3] == 5 else 4
        self._offset_bytes = 4 if magic[3] == 1 else 8

    def wrong(self, what: str) -> None:
        raise ValueError(f"{self._path}: not a readable file of netCDF's classic formats: {what}")

    def take(self, count: int) -> bytes:
        found = self._stream.read(count) if count <= self.size else b""
        if len(found) != count:
            self.wrong("the header ends early")
        return found

    def padded(self, count: int) -> bytes:
        return self.take(count + -count % 4)[:count]

    def number(self, size: int = 4) -> int:
        return int.from_bytes(self.take(size), "big")

    def count(self) -> int:
        return self.number(self.count_bytes)

    def offset(self) -> int:
        return self.number(self._offset_bytes)

    def name(self) -> str:
        return self.padded(self.count()).decode(errors="replace")

    def kind(self) -> np.dtype[Any]:
        number = self.number()
        if number not in TYPES:
            self.wrong(f"type {number}")
        return np.dtype(TYPES[number])

    def list_length(self, tag: int) -> int:
        found, length = self.number(), self.count()
        if found not in (0, tag) or (found == 0 and length) or length > self.size:
            self.wrong(f"a list with the tag {found} and {length} items")
        return length

    def attributes(self) -> Attributes:
        found = {}
        for _ in range(self.list_length(_ATTRIBUTES)):
            name = self.name()
            kind = self.kind()
            found[name] = np.frombuffer(self.padded(self.count() * kind.itemsize), kind)
        return found

    def variable(self, dimensions: list[tuple[str, int]]) -> tuple[str, Found]:
        name = self.name()
        numbers = [self.count() for _ in range(self.count())]
        if any(number >= len(dimensions) for number in numbers):
            self.wrong(f"variable {name!r} has a dimension that is not there")
        attributes = self.attributes()
        kind = self.kind()
        self.count()  # its bytes
        return name, Found(
            tuple(dimensions[number][1] for number in numbers),
            kind,
            self.offset(),
            tuple(numbers),
            attributes,
        )


def read(stream: BinaryIO, path: str) -> Content:
    """A file's header. Raises ValueError for a header that is none; not collective."""
    stream.seek(0)
    header = _Header(stream, path)
    records = header.count()
    dimensions = []
    for _ in range(header.list_length(_DIMENSIONS)):
        name = header.name()
        dimensions.append((name, header.count()))
    attributes = header.attributes()
    variables = dict(header.variable(dimensions) for _ in range(header.list_length(_VARIABLES)))
    record_bytes = _record_bytes([one for one in variables.values() if one.of_records])
    if records == (1 << 8 * header.count_bytes) - 1:  # a stream that was never closed
        first = min((one.offset for one in variables.values() if one.of_records), default=0)
        records = max(0, header.size - first) // record_bytes if record_bytes else 0
    return Content(dimensions, attributes, variables, records, header.count_bytes, record_bytes)


def _record_bytes(variables: list[Found]) -> int:
    """From one record to the next. Every variable is padded to 4 bytes, unless it is the only one."""
    sizes = [prod(one.shape[1:]) * one.dtype.itemsize for one in variables]
    return sizes[0] if len(sizes) == 1 else sum(size + -size % 4 for size in sizes)
