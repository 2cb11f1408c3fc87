"""An open file as its variables, its requests and the other ranks have it: its handle, its calls, and how it
ends."""

from __future__ import annotations

import ctypes
import sys
import traceback
from typing import Any

from . import agreement, native
from .errors import Error
from .memory import DirectCall
from .request import Request

KINDS = {
    "commit": agreement.COMMIT,
    "fetch": agreement.FETCH,
    "write_pieces": agreement.WRITE_PIECES,
    "read_pieces": agreement.READ_PIECES,
}
"""Calls that may go on while the program computes."""
PATIENCE_S = 1.0
"""How long a rank that leaves by an exception waits for the others before it prints the exception."""


class OpenFile:
    """What File and its variables share. A member of the agreement of its ranks, which keeps it until it is
    closed.

    `putting`, `getting`: arrays of puts and gets since the last commit and fetch.
    """

    def __init__(self, path: str, handle: ctypes.c_void_p, shared: agreement.Agreement, number: int) -> None:
        """`number`: the file's own in the agreement of its ranks."""
        self.path = path
        self.handle = handle
        self.putting: list[Any] = []
        self.getting: list[Any] = []
        self._agreement, self._number = shared, number
        self._requests: list[Request] = []
        self._declared = False
        self._puts = 0  # declared
        self._agreement.add(self._number, self)

    @property
    def comm(self) -> Any:
        """The communicator of its agreement."""
        return self._agreement.comm

    @property
    def closed(self) -> bool:
        """Whether the file is closed."""
        return not self.handle

    def check_open(self) -> None:
        """Raises ValueError where the file is closed."""
        if self.closed:
            raise ValueError(f"{self.path} is closed")

    def announce(self, kind: int, name: str) -> None:
        """Before a call that returns when it is done. Raises the error of all ranks where not all come.
        Collective."""
        self.check_open()
        announced = self._agreement.announce(self._number, kind)
        announced.wait()
        error = announced.error(f"{name} of {self.path}")
        if error:
            self.cancel()
            raise error

    def call(self, name: str, *arguments: Any) -> None:
        """A call of the library, which ends a declared step. Collective."""
        try:
            native.call(name, self.handle, *arguments)
        finally:
            if self._declared:
                self.putting.clear()

    def expect(self, puts: int) -> None:
        """Steps are declared from now on; `puts`: of this rank in each."""
        self._declared, self._puts = True, puts

    def transfer(
        self, name: str, wait: bool, arguments: tuple[Any, ...], arrays: list[Any]
    ) -> Request | None:
        """A call of KINDS; `arrays` live until it is done, and are none then. Collective."""
        if wait:
            self.announce(KINDS[name], name)
            try:
                self.call(name, *arguments, None)
            finally:
                arrays.clear()
            return None
        self.check_open()
        announced = self._agreement.announce(self._number, agreement.LATER[KINDS[name]])
        held = arrays[:]
        arrays.clear()
        what, handle = f"{name} of {self.path}", ctypes.c_void_p()
        try:
            self.call(name, *arguments, ctypes.byref(handle))
        except Error as raised:  # within an epoch: there is no request on any rank
            announced.wait()
            raise (announced.error(what) or raised) from None
        request = Request(what, handle, announced, held)
        self._requests = [other for other in self._requests if not other.done() or other.unheard] + [request]
        return request

    def cancel(self) -> None:
        """See File."""
        self.check_open()
        native.call("cancel", self.handle)
        self.getting = []
        if not self._declared:  # else groups of these arrays may be under way until the commit
            self.putting = []

    def close(self) -> None:
        """See File. Collective."""
        announced = self._agreement.announce(self._number, agreement.CLOSE)
        announced.wait()
        error = self._close()
        error = announced.error(f"close {self.path}") or error
        if error:
            raise error

    def leave(self, error: BaseException) -> None:
        """Cancels, takes part in what the other ranks do, and closes, as this rank leaves by an exception."""
        self.cancel()
        self._agreement.leave(self._number, self, lambda: self._remark(error), PATIENCE_S)

    # --- what its agreement asks of it ----------------------------------------------------------

    def join(self, kind: int) -> None:
        """See agreement.Member."""
        name = next(name for name, waiting in KINDS.items() if agreement.LATER[waiting] == kind)
        nothing = DirectCall(name, [], bytearray(), None, into=True)
        handle = ctypes.c_void_p()
        native.call("cancel", self.handle)
        try:
            native.call(
                name,
                self.handle,
                *(nothing.arguments if name.endswith("pieces") else ()),
                ctypes.byref(handle),
            )
        except Error:  # as on the other ranks
            return
        self._requests.append(Request(name, handle, None, []))

    def close_here(self) -> None:
        """See agreement.Member. Errors are not raised: an exception is on its way already."""
        self._close()

    def step(self) -> bool:
        """See agreement.Member."""
        if self.handle:
            native.call("wait_puts", self.handle, 0)
        return bool(self.handle)

    def give_up(self) -> None:
        """See agreement.Member."""
        if self.handle and len(self.putting) < self._puts:
            self.cancel()

    # --- inside ---------------------------------------------------------------------------------

    def _close(self) -> Error | None:
        """Closes the file; the first error of what was going on. Collective."""
        error: Error | None = None
        try:
            native.call("close", ctypes.byref(self.handle))
        except Error as raised:
            error = raised
        for request in self._requests:
            request.complete()
        self._agreement.remove(self._number)
        self.putting, self.getting = [], []
        return next((request.unheard for request in self._requests if request.unheard), error)

    def _remark(self, error: BaseException) -> None:
        """The exception that this rank leaves by, while the other ranks may wait for something else."""
        text = "".join(traceback.format_exception_only(type(error), error)).strip()
        place = (
            f"rank {self._agreement.comm.rank}: leaving {self.path}, and waiting for the other ranks to "
            "call collio"
        )
        print(f"collio: {place}, because of {text}", file=sys.stderr, flush=True)
