"""Decompositions: which elements of an array a rank has."""

from __future__ import annotations

import ctypes
import os
import weakref
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from . import agreement, native
from .errors import Error


class Decomposition:
    """Elements of an array that this rank has; made by box() and map(). It serves any file and any number of
    variables.

    `shape`: elements of the whole array by dimension, the last one fastest. `elements`: elements of this
    rank, -1 entries of a map included. `box`: start and count, where box() made it.
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        elements: int,
        handle: ctypes.c_void_p,
        box: tuple[tuple[int, ...], tuple[int, ...]] | None = None,
    ) -> None:
        self.shape = shape
        self.elements = elements
        self.handle = handle
        self.box = box
        weakref.finalize(self, _free, handle)

    def __repr__(self) -> str:
        return f"<collio.Decomposition: {self.elements} elements of an array {self.shape}>"

    def indices(self) -> Any:
        """The map that makes the same decomposition: int64 (elements,), -1 where an element is not in the
        array. Not collective. O(elements)."""
        found = np.empty(self.elements, dtype=np.int64)
        native.call("indices", self.handle, found.ctypes.data_as(ctypes.POINTER(ctypes.c_int64)))
        return found

    def save(self, comm: Any, path: str | os.PathLike[str]) -> None:
        """Saves it, with those of the other ranks of a communicator, as one file that replaces `path`; load()
        reads it.

        All ranks' are of arrays of one shape. Raises Error, on all ranks. Collective. A box takes 65 to 161
        bytes in the file, a map of rows about as much, and a map without a rule 2 to 8 bytes an element.
        """
        name = os.fspath(path)
        agreement.agreement_on(agreement.communicator(comm)).before_open(None, name)
        native.call("save_f", comm if isinstance(comm, int) else comm.py2f(), os.fsencode(name), self.handle)


def box(shape: Sequence[int], start: Sequence[int], count: Sequence[int]) -> Decomposition:
    """The elements start[d] <= i[d] < start[d] + count[d] of an array; a count may be 0.

    shape, start, count: 1 to 7 integers, in elements, the last dimension fastest. Raises ValueError. Not
    collective. O(dimensions).
    """
    shape, start, count = _whole("shape", shape), _whole("start", start), _whole("count", count)
    if not len(shape) == len(start) == len(count):
        raise ValueError(
            f"shape has {len(shape)} dimensions, start {len(start)}, count {len(count)}; all three must have "
            "the same number"
        )
    handle = ctypes.c_void_p()
    native.call(
        "box",
        len(shape),
        native.int64s(shape),
        native.int64s(start),
        native.int64s(count),
        ctypes.byref(handle),
    )
    return Decomposition(shape, prod(count), handle, (start, count))


def map(shape: Sequence[int], indices: Any) -> Decomposition:
    """Single elements: element i of the rank's data is element indices[i] of the array, counted from 0 with
    the last dimension fastest.

    indices: an array of integers of any shape, taken in C order; -1 where the rank's element is not in the
    array. An index may come twice for reading, not for writing. Raises TypeError, ValueError. Not collective.
    O(elements), with a sort where they do not ascend.
    """
    shape = _whole("shape", shape)
    array = np.asarray(indices)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"indices have the dtype {array.dtype}; allowed: integers")
    if array.dtype == np.uint64 and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise ValueError(f"an index is {array.max()}; allowed: -1 to {prod(shape) - 1}")
    array = np.ascontiguousarray(array, dtype=np.int64)
    handle = ctypes.c_void_p()
    data = array.ctypes.data_as(ctypes.POINTER(ctypes.c_int64))
    native.call("map", len(shape), native.int64s(shape), array.size, data, ctypes.byref(handle))
    return Decomposition(shape, array.size, handle)


DEALS = {None: 0, "shares": 1, "maps": 2}


def load(
    comm: Any, path: str | os.PathLike[str], shape: Sequence[int] | None = None, deal: str | None = None
) -> Decomposition:
    """A decomposition that was saved: as many ranks as have saved it get their own, with all elements in the
    same order.

    shape: what the array must be; None for any. deal: what other numbers of ranks get. None: an error that
    names both numbers. "shares": rank r of n gets elements E*r/n to E*(r+1)/n of the list of all E saved,
    rank 0's first. "maps": rank r of n gets maps R*r/n to R*(r+1)/n of the R saved, one after the other.

    Raises FileNotFoundError; ValueError for another number of ranks or another shape; Error with the code
    BAD_FILE where the file is no saved decomposition, of another version, cut short or damaged. On all ranks.
    Collective.
    """
    shared = agreement.agreement_on(agreement.communicator(comm))
    name = os.fspath(path)
    refused: Exception | None = None
    wanted: Any = None
    try:
        if deal not in DEALS:
            raise ValueError(f"deal is {deal!r}; allowed: {', '.join(repr(one) for one in DEALS)}")
        if shape is not None:
            lengths = _whole("shape", shape)
            wanted = ctypes.byref(native.Shape(len(lengths), native.int64s(lengths)))
        native.library()
    except (ValueError, TypeError, Error) as error:
        refused = error
    shared.before_open(refused, name)
    handle = ctypes.c_void_p()
    native.call(
        "load_f",
        comm if isinstance(comm, int) else comm.py2f(),
        os.fsencode(name),
        wanted,
        DEALS[deal],
        ctypes.byref(handle),
    )
    dims, elements, found = ctypes.c_int(0), ctypes.c_int64(0), (ctypes.c_int64 * 7)()
    native.call("inquire", handle, ctypes.byref(dims), found, ctypes.byref(elements))
    return Decomposition(tuple(found[: dims.value]), elements.value, handle)


def _whole(name: str, numbers: Sequence[int]) -> tuple[int, ...]:
    """The numbers as Python's integers. Raises TypeError."""
    if isinstance(numbers, (int, np.integer)):
        numbers = (int(numbers),)
    try:
        return tuple(number.__index__() for number in numbers)
    except (TypeError, AttributeError):
        raise TypeError(f"{name} is {numbers!r}; allowed: integers, one for each dimension") from None


def _free(handle: ctypes.c_void_p) -> None:
    native.library().collio_free(ctypes.byref(handle))
