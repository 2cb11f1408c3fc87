"""Arrays and buffers of the program as addresses, layouts and lists of pieces: nothing is copied."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import native

MOST_DIMENSIONS = 32  # of collio_layout
Array = np.ndarray[Any, Any]


def address(array: Array) -> int:
    """Where its first element is in memory."""
    place: int = array.__array_interface__["data"][0]
    return place


def layout(array: Array) -> Any:
    """Its collio_layout by reference; None where its elements lie one after the other. O(dimensions)."""
    if array.flags.c_contiguous or array.size == 0:
        return None
    return ctypes.byref(native.Layout(array.ndim, native.int64s(array.shape), native.int64s(array.strides)))


def checked(what: str, array: Any, dtype: np.dtype[Any], elements: int) -> Array:
    """The array, if it has the dtype and the number of elements that `what` has. Raises TypeError,
    ValueError."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{what}: data is a {type(array).__name__}; allowed: a NumPy array")
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(
            f"{what}: data is a masked array, whose mask a file cannot keep; give array.filled(value)"
        )
    if array.dtype != dtype:
        raise TypeError(
            f"{what}: data has the dtype {array.dtype}, the variable {dtype}; convert it by "
            f"array.astype({dtype.str!r})"
        )
    if array.size != elements:
        raise ValueError(
            f"{what}: data has {array.size} elements (shape {array.shape}), the decomposition {elements}"
        )
    if array.ndim > MOST_DIMENSIONS:
        raise ValueError(f"{what}: data has {array.ndim} dimensions; allowed: at most {MOST_DIMENSIONS}")
    return array


def writable(what: str, array: Array) -> Array:
    """The array, if data can be read into it. Raises ValueError."""
    if not array.flags.writeable:
        raise ValueError(f"{what}: the array is read-only; allowed: an array that data can be read into")
    return array


def buffer_bytes(what: str, buffer: Any, into: bool) -> Array:
    """A contiguous buffer as an array of bytes over the same memory. `into`: data is read into it. Raises
    TypeError, ValueError."""
    array = buffer if isinstance(buffer, np.ndarray) else np.frombuffer(buffer, dtype=np.uint8)
    if array.dtype.hasobject:
        raise TypeError(f"{what}: the buffer holds Python objects; allowed: numbers, text or bytes")
    if not array.flags.c_contiguous:
        raise ValueError(
            f"{what}: the buffer is not contiguous; allowed: contiguous memory, with memory_pieces for a "
            "part of it"
        )
    if into:
        writable(what, array)
    return array.reshape(-1).view(np.uint8)


class PieceList:
    """A list of pieces for the library. `arrays` must live as long as the call."""

    def __init__(self, name: str, pieces: Any) -> None:
        array = np.asarray(pieces)
        if array.size == 0:
            array = np.empty((0, 2), dtype=np.int64)
        if array.dtype.kind not in "iu":
            raise TypeError(f"{name} has the dtype {array.dtype}; allowed: integers")
        if array.ndim != 2 or array.shape[1] != 2:
            raise ValueError(
                f"{name} has the shape {array.shape}; allowed: (n, 2), the offset and length of each piece "
                "in bytes"
            )
        if array.size and (int(array.min()) < 0 or int(array.max()) >= 1 << 62):
            raise ValueError(
                f"{name}: an offset or length is {array.min() if int(array.min()) < 0 else array.max()}; "
                "allowed: 0 to 2**62 - 1"
            )
        self.offsets = np.ascontiguousarray(array[:, 0], dtype=np.int64)
        self.lengths = np.ascontiguousarray(array[:, 1], dtype=np.int64)
        self.bytes = int(self.lengths.sum())
        self.end = int((self.offsets + self.lengths).max()) if len(self.offsets) else 0
        pointer = ctypes.POINTER(ctypes.c_int64)
        self.native = native.Pieces(
            len(self.offsets), self.offsets.ctypes.data_as(pointer), self.lengths.ctypes.data_as(pointer)
        )


class DirectCall:
    """The arguments of a direct call: pieces of the file, and where they are in a buffer. Raises TypeError,
    ValueError."""

    def __init__(self, what: str, pieces: Any, buffer: Any, memory_pieces: Any, into: bool) -> None:
        self._file = PieceList("pieces", pieces)
        self._memory = None if memory_pieces is None else PieceList("memory_pieces", memory_pieces)
        self.buffer = buffer_bytes(what, buffer, into)
        if self._memory is None and self._file.bytes != self.buffer.nbytes:
            raise ValueError(
                f"{what}: the pieces have {self._file.bytes} bytes, the buffer {self.buffer.nbytes}"
            )
        if self._memory is not None and self._file.bytes != self._memory.bytes:
            raise ValueError(
                f"{what}: the pieces have {self._file.bytes} bytes, memory_pieces {self._memory.bytes}"
            )
        if self._memory is not None and self._memory.end > self.buffer.nbytes:
            raise ValueError(
                f"{what}: memory_pieces end at byte {self._memory.end}, the buffer at {self.buffer.nbytes}"
            )

    @property
    def arguments(self) -> tuple[Any, ...]:
        """For the library, after the file and before the request."""
        in_memory = ctypes.byref(self._memory.native) if self._memory is not None else None
        return ctypes.byref(self._file.native), address(self.buffer), in_memory
