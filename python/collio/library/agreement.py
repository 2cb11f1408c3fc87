"""What ranks tell each other before each collective call, so that an exception on one rank does not hang the
others.

A rank that leaves a `with` block by an exception makes no further calls, and the others would wait for it.
Therefore each collective call of the Python library is announced by a reduction of four integers over a
communicator of collio's. A rank that leaves takes part in the others' announcements until they are at the end
too: it learns which call they make, joins those that the engine has begun already, and the others learn that
a rank has left.

* A call that returns when it is done waits for its announcement first. If a rank has left, no rank makes the
  call.
* A call with a request goes on at once, and its announcement is looked at when the program waits for it. A
  rank that leaves makes the same call with no data. So announcements add no waiting to overlapped commits.

Files opened on one communicator share its announcements. Their collective calls must come in the same order
on all ranks.
"""

from __future__ import annotations

import os
import time
from typing import Any, Callable, ClassVar, NamedTuple, Protocol

import numpy as np

from .errors import Error, PeerError

OPEN, CLOSE, SYNC, TRUNCATE, DECLARE, RECORDS, COMMIT, FETCH, WRITE_PIECES, READ_PIECES = range(10)
LATER = {kind: kind + 10 for kind in (COMMIT, FETCH, WRITE_PIECES, READ_PIECES)}
"""The same calls with a request: they go on before their announcement is complete."""
_KINDS = 20
_NOTHING = -1
_LEAST = -(1 << 62)
POLLS_BEFORE_SLEEP, SLEEP_S = 2000, 5e-5


class Member(Protocol):
    """A file, as its agreement sees it."""

    @property
    def closed(self) -> bool: ...
    def join(self, kind: int) -> None:
        """Makes one of the LATER calls with no data."""

    def close_here(self) -> None:
        """Closes the file without an announcement."""

    def step(self) -> bool:
        """Moves calls of all files on that go on in the background; whether it could."""

    def give_up(self) -> None:
        """Cancels a declared step that this rank has not put whole."""


class Numbers(NamedTuple):
    """What a rank announces. All ranks receive the greatest of each number."""

    left: int
    """The rank that left + 1, or 0."""
    call: int
    least_call: int
    """The call's negative: with `call` it shows whether all are the same."""
    closing: int
    """The file that a leaving rank closes."""

    @classmethod
    def of_call(cls, code: int) -> Numbers:
        return cls(0, code, -code, _NOTHING)

    @classmethod
    def of_leaving(cls, rank: int, closing: int = _NOTHING) -> Numbers:
        return cls(rank + 1, _NOTHING, _LEAST, closing)


class Announcement:
    """One reduction."""

    def __init__(self, agreement: Agreement, numbers: Numbers) -> None:
        from mpi4py import MPI

        self._agreement = agreement
        self._mine = np.array(numbers, dtype=np.int64)
        self._all = self._mine.copy()
        # A communicator of one rank needs no message.
        self._request: Any = (
            agreement.comm.Iallreduce(self._mine, self._all, op=MPI.MAX) if agreement.comm.size > 1 else None
        )

    def done(self) -> bool:
        """Whether all ranks have announced. Not collective."""
        if self._request is not None and self._request.Test():
            self._request = None
        return self._request is None

    def wait(self, patience_s: float = 0, remark: Callable[[], None] | None = None) -> None:
        """Returns when all ranks have announced; calls `remark` once where that takes longer than patience_s.
        Moves background calls on meanwhile."""
        polls, begun = 0, time.monotonic()
        while not self.done():
            polls += 1
            self._agreement.step()
            if polls < POLLS_BEFORE_SLEEP:
                os.sched_yield()
            else:
                time.sleep(SLEEP_S)
            if remark and time.monotonic() - begun > patience_s:
                remark()
                remark = None

    @property
    def _greatest(self) -> Numbers:
        return Numbers(*map(int, self._all))

    @property
    def call(self) -> tuple[int, int] | None:
        """(file, call) that the others make; None where every rank leaves."""
        code = self._greatest.call
        return divmod(code, _KINDS) if code != _NOTHING else None

    @property
    def closing(self) -> int:
        """The file that leaving ranks close next."""
        return self._greatest.closing

    def error(self, what: str) -> Error | None:
        """The error that all ranks raise; None where all ranks make the same call. To be asked when done."""
        found = self._greatest
        if found.left > 0:
            return PeerError(f"{what}: rank {found.left - 1} has left the file by an exception")
        if found.call != -found.least_call:
            return Error(f"{what}: ranks make different collective calls", "NOT_SAME")
        return None


class Agreement:
    """The announcements on one communicator. `open_files`: of all communicators."""

    open_files: ClassVar[list[Member]] = []

    def __init__(self, comm: Any) -> None:
        self.comm = comm.Dup()
        self.members: dict[int, Member] = {}
        self._next = 0
        self._freed = False

    def announce(self, file: int, kind: int) -> Announcement:
        """Collective, but returns at once."""
        code = file * _KINDS + kind
        return Announcement(self, Numbers.of_call(code))

    def before_open(self, refused: Exception | None, path: str) -> int:
        """The number of a file to be opened. Raises `refused`, this rank's reason not to open it, or
        PeerError for another's. Collective."""
        if refused:
            Announcement(self, Numbers.of_leaving(self.comm.rank)).wait()
            raise refused
        announced = self.announce(self._next, OPEN)
        announced.wait()
        error = announced.error(f"cannot open {path}")
        if error:
            raise error
        self._next += 1
        return self._next - 1

    def leave(self, file: int, member: Member, remark: Callable[[], None], patience_s: float) -> None:
        """Takes part in what the other ranks do until the file is closed. Collective with whatever collective
        calls they make."""

        def late() -> None:
            for other in self.open_files:
                other.give_up()
            remark()

        while not member.closed:
            announced = Announcement(self, Numbers.of_leaving(self.comm.rank, file))
            announced.wait(patience_s, late)
            number, kind = announced.call or (announced.closing, CLOSE)
            other = self.members.get(number)
            if other is None or other.closed:
                continue
            if kind == CLOSE:
                other.close_here()
            elif kind in LATER.values():
                other.join(kind)

    def add(self, file: int, member: Member) -> None:
        """An open file: it and its arrays live until it is closed."""
        self.members[file] = member
        self.open_files.append(member)

    def remove(self, file: int) -> None:
        """A file that is closed. Collective after free()."""
        if member := self.members.pop(file, None):
            self.open_files.remove(member)
        if self._freed and not self.members:
            self.comm.Free()

    def free(self) -> None:
        """The program frees its communicator. Collective."""
        self._freed = True
        if not self.members:
            self.comm.Free()

    def step(self) -> None:
        """Moves background calls on. Not collective."""
        any(member.step() for member in list(self.open_files))


def meet(comm: Any) -> None:
    """Before a call that waits without moving background calls on, which a rank that is still on its way may
    wait for. Collective."""
    request = comm.Ibarrier()
    while not request.Test():
        any(member.step() for member in list(Agreement.open_files))
        os.sched_yield()


_keyval = None


def agreement_on(comm: Any) -> Agreement:
    """The agreement of a communicator: the same for every handle of it, and gone with it. Collective at the
    first call on it."""
    global _keyval
    from mpi4py import MPI

    if _keyval is None:
        _keyval = MPI.Comm.Create_keyval(delete_fn=lambda comm, keyval, agreement: agreement.free())
    kept: Agreement | None = comm.Get_attr(_keyval)
    if kept is None:
        meet(comm)
        kept = Agreement(comm)
        comm.Set_attr(_keyval, kept)
    return kept


def communicator(comm: Any) -> Any:
    """mpi4py's communicator of a communicator or of a Fortran handle. Raises TypeError, ValueError."""
    from mpi4py import MPI

    found = MPI.Comm.f2py(comm) if isinstance(comm, int) else comm
    if not isinstance(found, MPI.Comm):
        raise TypeError(
            f"comm is {comm!r}; allowed: a communicator of mpi4py, or the integer of a Fortran handle"
        )
    if found == MPI.COMM_NULL:
        raise ValueError("comm is MPI.COMM_NULL; allowed: a communicator that this rank belongs to")
    if found.Is_inter():
        raise ValueError("comm is an intercommunicator; allowed: an intracommunicator")
    return found
