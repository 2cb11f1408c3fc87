"""Requests: collective calls that go on while the program computes."""

from __future__ import annotations

import ctypes
from typing import Any

from . import native
from .agreement import Announcement
from .errors import Error


class Request:
    """A commit, a fetch, or a direct call that goes on in the background: with MPI_THREAD_MULTIPLE in a
    thread, else in calls of collio.

    It holds the arrays of the call until the call is done; they must not change before. A request that nobody
    waits for is completed by File.close(), which raises its error.
    """

    def __init__(
        self, what: str, handle: ctypes.c_void_p, announced: Announcement | None, arrays: list[Any]
    ) -> None:
        self._what = what
        self._handle = handle
        self._announced = announced
        self._arrays = arrays
        self._bytes = 0
        self._error: Error | None = None
        self._told = False

    def __repr__(self) -> str:
        return f"<collio.Request: {self._what}, {'done' if not self._handle else 'going on'}>"

    def wait(self) -> int:
        """Returns when the call is done: the bytes of this rank that were moved, fewer than asked for where a
        file ends early.

        Raises Error, the same code on all ranks. May be called again. Ranks may wait for different requests
        at a time.
        """
        self.complete()
        if self._error:
            self._told = True
            raise self._error
        return self._bytes

    def done(self) -> bool:
        """Whether the call is done, with or without an error; moves it on. Not collective."""
        if self._handle and self.step() and (self._announced is None or self._announced.done()):
            self.complete()
        return not self._handle

    @property
    def unheard(self) -> Error | None:
        """The error of a call that is done, which no wait() has raised yet."""
        return None if self._told else self._error

    @property
    def failed(self) -> bool:
        """Of a call that is done."""
        return self._error is not None

    def step(self) -> bool:
        """Whether the engine's part is done; moves it on. Not collective."""
        finished = ctypes.c_int(0)
        if self._handle:
            native.call("test", self._handle, ctypes.byref(finished))
        return not self._handle or bool(finished.value)

    def complete(self) -> None:
        """wait() without raising."""
        if not self._handle:
            return
        if self._announced:
            self._announced.wait()
        moved = ctypes.c_int64(0)
        try:
            native.call("wait", ctypes.byref(self._handle), ctypes.byref(moved))
        except Error as error:
            self._error = error
        self._handle = ctypes.c_void_p()
        self._bytes = moved.value
        if self._announced:
            self._error = self._announced.error(self._what) or self._error
        self._arrays = []
