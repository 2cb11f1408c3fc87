"""An open file of arrays: what ranks put, commit and read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import numpy as np

from .. import agreement, memory
from .. import file as files
from ..arguments import whole_number
from ..decomposition import Decomposition, box
from ..decomposition import map as map_of
from ..memory import Array
from ..request import Request
from ..variable import Variable
from . import classic_header, creation
from .formats import Place
from .ranks import from_first_rank, on_all_ranks
from .subfile_set import Contents


@dataclass
class _Part:
    """What this rank has of an array, or of one of its pieces. `of_block`: the index of these elements in the
    block of a box, or in the row of a map."""

    variable: Variable
    of_block: Any = ...


class ArrayFile:
    """An open file of arrays; made by open(). A context manager as File is.

    `arrays`: by name, with `shape`, `dtype` and `offset`; of an array of records the shape of one. `file`:
    the File under it. A file with subfiles is one File; its bytes are those of one subfile after the other,
    at distances. `records`: how many the file says it has; a waited commit and close() update it.
    """

    def __init__(self, file: files.File, contents: Contents) -> None:
        self.file = file
        self.arrays = contents.places
        self.records = contents.records.count if contents.records else 0
        self._records, self._layout = contents.records, contents.layout
        self._records_put = 0  # since the last commit
        self._records_written = 0
        self._begun: list[tuple[Request, int]] = []
        self._boxes: dict[Any, Decomposition] = {}
        self._parts: dict[Any, tuple[Decomposition, list[_Part]]] = {}

    def put(
        self,
        name: str,
        block: Array,
        start: Sequence[int] | None = None,
        decomposition: Decomposition | None = None,
        record: int | None = None,
    ) -> None:
        """This rank's part of an array, to be written by the next commit; start and decomposition as in
        write(). The block must not change before.

        record: of an array of records, from 0. A put behind the last record makes the file longer; records
        that nobody wrote are zeros.

        Raises KeyError, TypeError for another dtype, ValueError. Not collective.
        """
        place = self._place(name)
        if not isinstance(block, np.ndarray) or block.dtype.newbyteorder("=") != place.dtype.newbyteorder(
            "="
        ):
            raise TypeError(
                f"array {name!r} has the dtype {place.dtype}, the block "
                f"{getattr(block, 'dtype', type(block).__name__)}"
            )
        if decomposition is None:
            if block.size == 0:
                return
            decomposition = self._box(name, start, block.shape)
        record = _record_of(name, record)
        if (record is None) == bool(place.record_bytes):
            raise ValueError(
                f"array {name!r} has {'records' if record is None else 'no records'}, record is {record}"
            )
        if self._layout and record is not None and record >= self._layout.most_records:
            raise ValueError(
                f"array {name!r}: record is {record}; allowed in these subfiles: 0 to "
                f"{self._layout.most_records - 1}"
            )
        parts = self._parts_of(name, decomposition)
        if place.cut is not None:
            memory.checked(f"put of {name!r}", block, block.dtype, decomposition.elements)
            block = block.reshape(decomposition.box[1] if decomposition.box else -1)
        if not self.file.opened.putting:
            self._records_put = 0  # the others were cancelled
        for part in parts:
            part.variable.put(block[part.of_block].astype(place.dtype, copy=False), record or 0)
        self._records_put = max(self._records_put, 0 if record is None else record + 1)

    def commit(self, wait: bool = True) -> Request | None:
        """Writes what ranks have put; as File.commit(). Collective."""
        records, self._records_put = self._records_put if self.file.opened.putting else 0, 0
        if not wait:
            self._count_written()
            self._begun.append((self.file.commit(wait=False), records))
            return self._begun[-1][0]
        self.file.commit()
        self._records_written = max(self._records_written, records)
        self._tell_records()
        return None

    def read(
        self,
        name: str,
        start: Sequence[int] | None = None,
        count: Sequence[int] | None = None,
        decomposition: Decomposition | None = None,
        record: int | None = None,
    ) -> Array:
        """This rank's part of an array; as read() of the module. Collective."""
        place = self._place(name)
        if decomposition is None:
            first = (0,) * len(place.shape) if start is None else tuple(start)
            wanted = (
                tuple(length - at for length, at in zip(place.shape, first))
                if count is None
                else tuple(count)
            )
            decomposition = self._box(name, first, wanted)
        else:
            wanted = (decomposition.elements,)
        records = self._records_to_read(name, _record_of(name, record))
        blocks = np.zeros(
            (len(records), *(decomposition.box[1] if decomposition.box else (decomposition.elements,))),
            dtype=place.dtype,
        )
        apart = []
        for block, number in zip(blocks, records):
            for part in self._parts_of(name, decomposition):
                into = block[part.of_block]
                part.variable.get(into, number)
                if not np.may_share_memory(into, block):
                    apart.append((block, part.of_block, into))
        self.file.fetch()
        for block, chosen, values in apart:
            block[chosen] = values
        all_records = (len(records),) if place.record_bytes and record is None else ()
        return blocks.reshape((*all_records, *wanted)).astype(place.dtype.newbyteorder("="), copy=False)

    def close(self) -> None:
        """As File.close(). Collective."""
        try:
            if self._records is not None and not self.file.closed and self.file.mode != "r":
                self.file.opened.announce(agreement.RECORDS, "close")
                self._tell_records()
        finally:
            self.file.close()

    def __enter__(self) -> ArrayFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
        else:
            self.file.__exit__(kind, error, trace)

    def _records_to_read(self, name: str, record: int | None) -> range:
        """Any one number for an array without records. Raises ValueError."""
        if not self.arrays[name].record_bytes:
            if record is not None:
                raise ValueError(f"array {name!r} has no records, record is {record}")
            return range(1)
        if record is None:
            return range(self.records)
        if not 0 <= record < self.records:
            there = f"0 to {self.records - 1}" if self.records else "None, as the file has no records yet"
            raise ValueError(f"array {name!r}: record is {record}; allowed: {there}")
        return range(record, record + 1)

    def _count_written(self) -> None:
        """The records of commits that are done, where these did not fail."""
        going = []
        for request, records in self._begun:
            if not request.done():
                going.append((request, records))
            elif not request.failed:
                self._records_written = max(self._records_written, records)
        self._begun = going

    def _tell_records(self) -> None:
        """Writes the number of records behind their data, when commits under way are done: into subfiles, of
        which each rank takes every P-th, and then, by rank 0, into the master or the whole file. All ranks
        have just met in another call. Collective."""
        for request, _ in self._begun:
            request.complete()
        self._count_written()
        if self._records is None:
            return
        told, comm, path = self._records, self.file.comm, self.file.path
        records = int(comm.allreduce(self._records_written, op=max))
        if records <= self.records:
            return
        if records >= 1 << 8 * told.bytes - 1:
            raise ValueError(
                f"{path}: the file has {records} records; allowed in its format: "
                f"{(1 << 8 * told.bytes - 1) - 1}"
            )
        if self._layout:
            on_all_ranks(comm, lambda: self._tell_subfiles(records), path)
        from_first_rank(comm, lambda: self._tell(told.at, records), path)
        self.records = records

    def _tell_subfiles(self, records: int) -> None:
        """This rank's share of the subfiles, and of rooms for records. Not collective."""
        layout = self._layout
        assert layout is not None
        for number in range(self.file.comm.rank, layout.count, self.file.comm.size):
            if not layout.parts[number].bytes:
                continue
            creation.make_room_for_records(self.file.path, layout, number, records)
            if number < layout.count - 1:
                self._tell(layout.at(number, classic_header.RECORDS_AT), records)

    def _tell(self, at: int, records: int) -> None:
        assert self._records is not None
        self.file.write_alone(
            [(at, self._records.bytes)], bytearray(records.to_bytes(self._records.bytes, "big"))
        )

    def _shape(self, name: str) -> tuple[int, ...]:
        """That of decompositions. A record may be a single element."""
        return self.arrays[name].shape or (1,)

    def _place(self, name: str) -> Place:
        if name not in self.arrays:
            raise KeyError(
                f"{self.file.path} has no contiguous array {name!r}; it has "
                f"{', '.join(map(repr, self.arrays)) or 'none'}"
            )
        return self.arrays[name]

    def _box(self, name: str, start: Sequence[int] | None, count: Sequence[int]) -> Decomposition:
        """The decomposition of a block; the same object for the same block."""
        shape = self._shape(name)
        key = (name, tuple(() if start is None else start) or (0,) * len(shape), tuple(count) or (1,))
        if key not in self._boxes:
            self._boxes[key] = box(shape, key[1], key[2])
        return self._boxes[key]

    def _parts_of(self, name: str, decomposition: Decomposition) -> list[_Part]:
        """What the decomposition has of an array: one part, or one for each piece that it meets. The same
        objects for the same decomposition."""
        if decomposition.shape != self._shape(name):
            raise ValueError(
                f"array {name!r} has the shape {self._shape(name)}, the decomposition {decomposition.shape}"
            )
        key = (name, id(decomposition))  # the decomposition is kept, so no other gets its id
        if key not in self._parts:
            self._parts[key] = (decomposition, list(self._cut(name, self.arrays[name], decomposition)))
        return self._parts[key][1]

    def _cut(self, name: str, place: Place, decomposition: Decomposition) -> Iterator[_Part]:
        def variable(decomposition: Decomposition, offset: int) -> Variable:
            return self.file.variable(
                f"{name} {len(self.file.variables)}", place.dtype, decomposition, offset, place.record_bytes
            )

        if place.cut is None:
            yield _Part(variable(decomposition, place.offset))
        elif decomposition.box is not None:
            for one in place.cut.of_box(*decomposition.box):
                yield _Part(
                    variable(
                        box(place.cut.piece_shape(one.piece), one.start, one.count), place.offsets[one.piece]
                    ),
                    one.block,
                )
        else:
            for part in place.cut.of_map(decomposition.indices()):
                yield _Part(
                    variable(
                        map_of(place.cut.piece_shape(part.piece), part.indices), place.offsets[part.piece]
                    ),
                    part.chosen,
                )


def _record_of(name: str, record: int | None) -> int | None:
    """Raises TypeError for one that is no integer."""
    return None if record is None else whole_number(f"array {name!r}: record", record, "integers from 0 on")
