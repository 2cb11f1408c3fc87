"""Variables: arrays in a file, of which each rank puts and gets its part."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np

from . import memory, native
from .arguments import whole_number
from .decomposition import Decomposition
from .open_file import OpenFile

MOST_ELEMENT_BYTES = 1 << 20


class Place(NamedTuple):
    """Where an array is in a file, in bytes: its first byte, and from one record to the next, 0 for no
    records."""

    offset: int
    record_stride: int


class Variable:
    """An array in a file; made by File.variable(). It belongs to the file.

    `name`, `dtype`, `decomposition`; `offset`: the array's first byte in the file; `record_stride`: bytes
    from one record to the next, 0 for no records.
    """

    def __init__(
        self, file: OpenFile, name: str, dtype: Any, decomposition: Decomposition, place: Place
    ) -> None:
        self.file = file
        self.name = name
        self.dtype = np.dtype(dtype)
        self.decomposition = decomposition
        self.offset, self.record_stride = place
        if self.dtype.hasobject:
            raise TypeError(
                f"{name}: the dtype {self.dtype} holds Python objects; allowed: numbers, text, and "
                "structures of these"
            )
        if not 1 <= self.dtype.itemsize <= MOST_ELEMENT_BYTES:
            raise ValueError(
                f"{name}: an element of {self.dtype} has {self.dtype.itemsize} bytes; allowed: 1 to "
                f"{MOST_ELEMENT_BYTES}"
            )
        self.handle = ctypes.c_void_p()
        native.call(
            "define",
            file.handle,
            decomposition.handle,
            self.dtype.itemsize,
            *native.int64s(place),
            ctypes.byref(self.handle),
        )

    def __repr__(self) -> str:
        return (
            f"<collio.Variable {self.name!r}: {self.dtype}, {self.decomposition.elements} of "
            f"{self.decomposition.shape}>"
        )

    def put(self, array: Any, record: int = 0) -> None:
        """Data for a record, to be written by the next commit.

        array: a NumPy array of the variable's dtype, of any shape and strides, with as many elements as the
        decomposition has; its elements in C order are the rank's. It is not copied: it must not change until
        the commit is done. collio keeps it alive.

        Raises TypeError for another dtype; ValueError for another number of elements, or where the
        decomposition has an element twice; Error for a file opened for reading. The next commit raises on all
        ranks where this rank puts bytes of the file twice. Not collective. O(dimensions).
        """
        what = f"{self.name}.put()"
        array = memory.checked(what, array, self.dtype, self.decomposition.elements)
        self._hand_over("put", array, self._record(what, record))
        self.file.putting.append(array)

    def get(self, array: Any, record: int = 0) -> None:
        """Asks for a record, which the next fetch reads into `array`, as put() describes it. Past the end of
        the file it stays as it was.

        Raises TypeError, ValueError (also for a read-only array), Error. Not collective. O(dimensions).
        """
        what = f"{self.name}.get()"
        array = memory.writable(what, memory.checked(what, array, self.dtype, self.decomposition.elements))
        self._hand_over("get", array, self._record(what, record))
        self.file.getting.append(array)

    def _hand_over(self, name: str, array: memory.Array, record: int) -> None:
        self.file.check_open()
        native.call(name, self.handle, record, memory.address(array), memory.layout(array))

    def _record(self, what: str, record: int) -> int:
        record = whole_number(f"{what}: record", record, "0 to 2**62 - 1")
        if record < 0 or record >= 1 << 62:
            raise ValueError(f"{what}: record is {record}; allowed: 0 to 2**62 - 1")
        if record > 0 and self.record_stride == 0:
            raise ValueError(f"{what}: record is {record}; allowed: 0, as the variable has no record_stride")
        return record
