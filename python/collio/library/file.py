"""Files that the ranks of a communicator open together: declared I/O and direct calls.

Collective calls are made by all ranks of the communicator, in the same order on all files of it. Each is
announced to the other ranks first (agreement.py), so that a rank that fails does not leave the others
waiting.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, overload

from . import agreement, decomposition, native
from .decomposition import Decomposition
from .errors import Error
from .memory import DirectCall
from .open_file import OpenFile
from .request import Request
from .variable import Place, Variable

_UPDATE = native.READ | native.WRITE
MODES = {
    "r": native.READ,
    "r+": _UPDATE,
    "w": _UPDATE | native.CREATE | native.TRUNCATE,
    "x": _UPDATE | native.CREATE | native.EXCLUSIVE,
    "a": _UPDATE | native.CREATE,
}


def open(
    comm: Any, path: str | os.PathLike[str], mode: str = "r", hints: Mapping[str, object] | None = None
) -> File:
    """Opens a file on all ranks of a communicator.

    comm: a communicator of mpi4py, or the integer of a Fortran handle. It may be freed when this returns.
    mode: "r" reads a file; "r+" reads and writes one; "w" makes an empty one; "x" makes one and fails where
    there is one; "a" reads and writes one, and makes it where there is none. The same on all ranks.
    hints: hints of collio by name, as {"cb_nodes": 4}. Those of the environment variable COLLIO_HINTS
    override them.

    Raises ValueError, TypeError, FileNotFoundError, FileExistsError, PermissionError and Error, on all ranks.
    Collective. A few small reductions, and one communicator for all files of `comm`.
    """
    shared = agreement.agreement_on(agreement.communicator(comm))
    name = os.fspath(path)
    refused: Exception | None = None
    modes, text = 0, ""
    try:
        modes, text = _mode(mode), _hints(hints or {})
        native.library()
    except (ValueError, TypeError, Error) as error:
        refused = error
    number = shared.before_open(refused, name)
    handle = ctypes.c_void_p()
    fortran = comm if isinstance(comm, int) else comm.py2f()
    native.call("open_f", fortran, os.fsencode(name), modes, text.encode() or None, ctypes.byref(handle))
    return File(name, mode, handle, shared, number)


class File:
    """A file that all ranks of a communicator have open; made by open(). Calls come from one thread at a
    time.

    As a context manager it closes itself at the end of the block, collectively. Where a rank leaves the block
    by an exception, what it put since its last commit is forgotten, the next collective call of the other
    ranks raises PeerError, and all ranks close the file: none hangs in a call of collio. A rank that waits
    elsewhere meanwhile, as in comm.Barrier(), is out of collio's reach. So a rank whose exception has waited
    for a second prints it. It also cancels the declared steps of other files that it has not put whole: the
    other ranks may be in wait_puts() of such a file.

    `path`, `mode`; `variables`: variables by name.
    """

    def __init__(
        self, path: str, mode: str, handle: ctypes.c_void_p, shared: agreement.Agreement, number: int
    ) -> None:
        """`number`: the file's own in the agreement of its ranks."""
        self.path = path
        self.mode = mode
        self.variables: dict[str, Variable] = {}
        self.opened = OpenFile(path, handle, shared, number)

    def __repr__(self) -> str:
        return f"<collio.File {self.path!r}, mode {self.mode!r}{', closed' if self.closed else ''}>"

    # --- declaring ------------------------------------------------------------------------------

    def decomposition(
        self, shape: Sequence[int], *, map: Any = None, box: tuple[Sequence[int], Sequence[int]] | None = None
    ) -> Decomposition:
        """The elements of an array that this rank has: box=(start, count) as collio.box(), or map=indices as
        collio.map(). Not collective."""
        if (map is None) == (box is None):
            raise TypeError("decomposition() takes either map or box")
        return decomposition.box(shape, *box) if box is not None else decomposition.map(shape, map)

    def variable(
        self, name: str, dtype: Any, decomposition: Decomposition, offset: int = 0, record_stride: int = 0
    ) -> Variable:
        """An array in the file.

        dtype: of its elements, as they are in the file; a structure is one element. offset: byte of the file
        where the array begins. record_stride: bytes from one record to the next, at least those of the array;
        0 for no records.

        Raises ValueError (also for a name that the file has), TypeError. Not collective. O(1).
        """
        self.opened.check_open()
        if name in self.variables:
            raise ValueError(f"{self.path} has a variable {name!r} already")
        self.variables[name] = Variable(self.opened, name, dtype, decomposition, Place(offset, record_stride))
        return self.variables[name]

    def declare(self, puts: Sequence[Variable | tuple[Variable, int]], in_memory: int | None = None) -> None:
        """Declares which puts this rank makes between two commits, in order. The first are written while the
        program makes the others.

        puts: variables, or (variable, record) with records counted from the step's first: [(a, 0), (b, 0),
        (a, 1)] may put records 6, 6 and 7. Ranks may declare different puts. [] on all ranks ends the
        declaration. in_memory: for how many puts the program has memory; None for all. It calls wait_puts(i +
        1) before it makes put i + in_memory.

        Puts form groups, each written in one collective call: puts whose bytes interleave in the file, and
        others until the group has cb_buffer_size bytes for each aggregator and a twelfth of the step, or half
        of in_memory puts. group_end() tells them.

        A put other than the declared one raises ValueError, and the commit raises it on all ranks. A commit
        before all puts are made raises it too, as do fetch(), sync(), truncate() and close(). Raises
        ValueError for a variable of another file, a negative record, and where more puts interleave than
        in_memory. Collective. O(puts log puts).
        """
        parts = [put if isinstance(put, tuple) else (put, 0) for put in puts]
        listed = (native.Part * len(parts))(
            *(
                native.Part(
                    variable.handle if variable.file is self.opened else None, native.int64s([record])[0]
                )
                for variable, record in parts
            )
        )
        self.opened.announce(agreement.DECLARE, "declare")
        self.opened.call("declare", len(parts), listed, 0 if in_memory is None else in_memory)
        self.opened.expect(len(parts))

    def group_end(self, put: int) -> int:
        """The number behind the last put in the group of declared put `put`, counted from 0. Raises
        ValueError. Not collective."""
        self.opened.check_open()
        end = ctypes.c_int64(0)
        native.call("group_end", self.opened.handle, *native.int64s([put]), ctypes.byref(end))
        return end.value

    def wait_puts(self, puts: int) -> None:
        """Returns when the arrays of this rank's first `puts` puts since the last commit may change.

        The other ranks must make their puts of the same groups. Raises ValueError if this rank has not made
        all puts of the group, or if the commit writes it; else the error of the group. Not collective.
        """
        self.opened.check_open()
        native.call("wait_puts", self.opened.handle, *native.int64s([puts]))
        self.opened.putting[:puts] = [None] * puts  # a step need not fit in memory

    # --- moving the data ------------------------------------------------------------------------

    @overload
    def commit(self, wait: Literal[True] = True) -> None: ...
    @overload
    def commit(self, wait: Literal[False]) -> Request: ...
    def commit(self, wait: bool = True) -> Request | None:
        """Writes what ranks have put since the last commit, as many puts as each has; none is fine.

        Returns None when the data is written. With wait=False it returns a request, and the commit goes on
        while the program computes. Raises Error, the same code on all ranks; from the request's wait() where
        there is one. Collective.
        """
        return self.opened.transfer("commit", wait, (), self.opened.putting)

    @overload
    def fetch(self, wait: Literal[True] = True) -> None: ...
    @overload
    def fetch(self, wait: Literal[False]) -> Request: ...
    def fetch(self, wait: bool = True) -> Request | None:
        """Reads what ranks have asked for since the last fetch. wait and errors as in commit().
        Collective."""
        return self.opened.transfer("fetch", wait, (), self.opened.getting)

    @overload
    def write_pieces(
        self, pieces: Any, buffer: Any, memory_pieces: Any = None, wait: Literal[True] = True
    ) -> None: ...
    @overload
    def write_pieces(
        self, pieces: Any, buffer: Any, memory_pieces: Any = None, *, wait: Literal[False]
    ) -> Request: ...
    def write_pieces(
        self, pieces: Any, buffer: Any, memory_pieces: Any = None, wait: bool = True
    ) -> Request | None:
        """Writes a buffer to pieces of the file, in any order.

        pieces: integers (n, 2), the offset and length of each piece in bytes. buffer: contiguous memory, an
        array or any buffer. memory_pieces: the same for the buffer, (m, 2), offsets from its first byte; None
        for all of it. Both lists have the same bytes.

        Raises TypeError, ValueError; Error as commit() does, also for pieces that overlap. Collective.
        O(pieces), with a sort where they do not ascend.
        """
        direct = DirectCall("write_pieces()", pieces, buffer, memory_pieces, into=False)
        return self.opened.transfer("write_pieces", wait, direct.arguments, [direct])

    @overload
    def read_pieces(
        self, pieces: Any, buffer: Any, memory_pieces: Any = None, wait: Literal[True] = True
    ) -> None: ...
    @overload
    def read_pieces(
        self, pieces: Any, buffer: Any, memory_pieces: Any = None, *, wait: Literal[False]
    ) -> Request: ...
    def read_pieces(
        self, pieces: Any, buffer: Any, memory_pieces: Any = None, wait: bool = True
    ) -> Request | None:
        """Reads pieces of the file, which may overlap, into a buffer that can be written; all else as
        write_pieces(). Collective."""
        direct = DirectCall("read_pieces()", pieces, buffer, memory_pieces, into=True)
        return self.opened.transfer("read_pieces", wait, direct.arguments, [direct])

    def write_alone(self, pieces: Any, buffer: Any, memory_pieces: Any = None) -> int:
        """write_pieces() by this rank alone; returns the bytes written. Not collective."""
        return self._alone(
            "write_alone", DirectCall("write_alone()", pieces, buffer, memory_pieces, into=False)
        )

    def read_alone(self, pieces: Any, buffer: Any, memory_pieces: Any = None) -> int:
        """read_pieces() by this rank alone; returns the bytes read, fewer where the file ends early. Not
        collective."""
        return self._alone("read_alone", DirectCall("read_alone()", pieces, buffer, memory_pieces, into=True))

    def cancel(self) -> None:
        """Forgets what this rank has put and asked for since its last commit and fetch. Not collective.

        In a declared epoch the groups that have begun are written, the rank makes no further puts before its
        commit, and the commit raises on all ranks.
        """
        self.opened.cancel()

    # --- the file -------------------------------------------------------------------------------

    @property
    def comm(self) -> Any:
        """A communicator of its ranks, of collio's own."""
        return self.opened.comm

    @property
    def size(self) -> int:
        """Bytes in the file now. Not collective."""
        self.opened.check_open()
        found = ctypes.c_int64(0)
        native.call("size", self.opened.handle, ctypes.byref(found))
        return found.value

    def sync(self) -> None:
        """Has the storage keep what was committed so far. Raises Error. Collective."""
        self.opened.announce(agreement.SYNC, "sync")
        self.opened.call("sync")

    def truncate(self, size: int) -> None:
        """Makes the file `size` bytes long, shorter or longer; all ranks give the same number. Completes what
        was committed. Raises Error. Collective."""
        size = native.int64s([size])[0]
        self.opened.announce(agreement.TRUNCATE, "truncate")
        self.opened.call("set_size", size)

    @property
    def closed(self) -> bool:
        """Whether the file is closed."""
        return self.opened.closed

    def close(self) -> None:
        """Completes what was committed and closes the file. A second call does nothing.

        Raises Error: PeerError where another rank has left by an exception; that of a request that nobody
        waited for; ARGUMENT where a rank put or asked for data without a commit or fetch behind it. The file
        is closed all the same. Collective.
        """
        if not self.closed:
            self.opened.close()

    def __enter__(self) -> File:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None or self.closed:
            self.close()
        else:
            self.opened.leave(error)

    def _alone(self, name: str, direct: DirectCall) -> int:
        self.opened.check_open()
        moved = ctypes.c_int64(0)
        native.call(name, self.opened.handle, *direct.arguments, ctypes.byref(moved))
        return moved.value


def _mode(mode: str) -> int:
    if mode not in MODES:
        raise ValueError(f"mode is {mode!r}; allowed: {', '.join(map(repr, MODES))}")
    return MODES[mode]


def _hints(hints: Mapping[str, object]) -> str:
    """Hints as collio.h takes them."""
    pairs = [(str(key), str(value)) for key, value in hints.items()]
    for key, value in pairs:
        if not key or "=" in key or ";" in key or ";" in value:
            raise ValueError(f"hint {key!r} is {value!r}; allowed: names without '=', and no ';'")
    return ";".join(f"{key}={value}" for key, value in pairs)
