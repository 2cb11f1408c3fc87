"""Which subfile has which stripe: the same arithmetic as src/storage/subfile_format/layout.c.

Stripes go to all subfiles in turn. From the first stripe of a deal on, they go in turn to the members of that
deal. A subfile has its stripes one behind the other, in the order of the file: the number of a stripe in its
subfile is its row.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Deal:
    """From stripe `first` on, stripes go in turn to the subfiles `members`, which ascend."""

    first: int
    members: tuple[int, ...]

    def index(self, subfile: int) -> int | None:
        """Which member the subfile is; None: it is no member."""
        at = bisect_left(self.members, subfile)
        return at if self.members[at : at + 1] == (subfile,) else None

    def rows(self, index: int, stripes: int) -> int:
        """Of the first `stripes` of this deal, how many go to the member at `index`."""
        return (stripes - index + len(self.members) - 1) // len(self.members)


class Layout:
    """Pure. `unit`: bytes of a stripe."""

    def __init__(self, unit: int, count: int, deals: Sequence[Deal] = ()) -> None:
        self.unit, self.count = unit, count
        self._deals = [Deal(0, tuple(range(count))), *deals]
        self._firsts = [deal.first for deal in self._deals]
        self._rows: list[list[int]] = []  # of each deal: rows that its members have of the deals before it
        rows = [0] * count
        for deal, stripes in self._dealt(self._firsts[-1] + 1):
            self._rows.append([rows[member] for member in deal.members])
            for index, member in enumerate(deal.members):
                rows[member] += deal.rows(index, stripes)

    def _dealt(self, stripes: int) -> Iterator[tuple[Deal, int]]:
        """The deals of the first `stripes` of a file, and how many stripes each has."""
        for deal, end in zip(self._deals, [*self._firsts[1:], stripes]):
            if deal.first < stripes:
                yield deal, min(end, stripes) - deal.first

    def place(self, stripe: int) -> tuple[int, int]:
        """(subfile, row). O(log deals)."""
        number = bisect_right(self._firsts, stripe) - 1
        deal = self._deals[number]
        turn, index = divmod(stripe - deal.first, len(deal.members))
        return deal.members[index], self._rows[number][index] + turn

    def stripes(self, subfile: int, file_bytes: int) -> Iterator[tuple[int, int, int]]:
        """(offset in the subfile, offset in the file, bytes) of a subfile's stripes."""
        row = 0
        for deal, stripes in self._dealt(-(-file_bytes // self.unit)):
            if (index := deal.index(subfile)) is not None:
                for stripe in range(deal.first + index, deal.first + stripes, len(deal.members)):
                    yield row * self.unit, stripe * self.unit, min(self.unit, file_bytes - stripe * self.unit)
                    row += 1

    def shares(self, file_bytes: int) -> list[int]:
        """Bytes of each subfile when the file has `file_bytes`."""
        whole, rest = divmod(file_bytes, self.unit)
        shares = [0] * self.count
        for deal, stripes in self._dealt(whole):
            for index, member in enumerate(deal.members):
                shares[member] += deal.rows(index, stripes) * self.unit
        shares[self.place(whole)[0]] += rest
        return shares

    def length_by(self, subfile: int, subfile_bytes: int) -> int:
        """Bytes of a file that ends with the last byte of this subfile. What the subfile has behind its last
        stripe does not count."""
        if subfile_bytes == 0:
            return 0
        row, inside = divmod(subfile_bytes - 1, self.unit)
        length = 0
        for deal, stripes in self._dealt(self._firsts[-1] + (row + 1) * self.count):
            if (index := deal.index(subfile)) is not None:
                rows = deal.rows(index, stripes)
                if row < rows:
                    return (deal.first + row * len(deal.members) + index) * self.unit + inside + 1
                if rows > 0:
                    length = (deal.first + (rows - 1) * len(deal.members) + index + 1) * self.unit
                row -= rows
        return length

    def lacking(self, subfile: int, subfile_bytes: int) -> int | None:
        """The first byte of the file that a subfile of this length lacks; None: it has all that it ever
        gets."""
        row, inside = divmod(subfile_bytes, self.unit)
        for deal, stripes in self._dealt(self._firsts[-1] + (row + 1) * self.count):
            if (index := deal.index(subfile)) is not None:
                rows = deal.rows(index, stripes)
                if row < rows:
                    return (deal.first + row * len(deal.members) + index) * self.unit + inside
                row -= rows
        return None
