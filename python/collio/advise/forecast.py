"""What a job would gain: its collective calls compared with those of the benchmarks.

`evidence.csv` (tools/generate_evidence) has a row for each benchmark, operation and MPI library. A call that
was observed without collio is compared by how much longer it took than its accesses of the file: both are
times of one machine, so their ratio needs no rate of storage or network. A call observed under collio is
compared by the size of its pieces. The rows nearest to it give a range of factors, native time / collio time.
The part of the job that is I/O bounds what the job gains (Amdahl).
"""

from __future__ import annotations

import csv
import functools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

GAIN = 1.1
"""A job that would be less than this faster does not gain: runs scatter as much."""
MUCH = 1.3
"""I/O that would be less than this faster is made in large blocks already."""
LITTLE = 0.05
"""Of the job: I/O of a smaller share is not worth a change."""
NEAREST = 6
"""Rows that an estimate is made of: as many as a pattern has on one storage, with each MPI library."""


@dataclass(frozen=True)
class Row:
    """One benchmark. `mpi`: "mpich", "openmpi" or "openmpi-romio"; `one_piece`: each rank has one piece a
    call; `floor_s`: the same bytes, contiguous, by POSIX calls; 0 where it was not measured."""

    pattern: str
    storage: str
    mpi: str
    ranks: int
    operation: str
    one_piece: bool
    piece_bytes: float
    bytes: int
    native_s: float
    collio_s: float
    floor_s: float

    @property
    def call_bytes(self) -> float:
        """Of a rank."""
        return self.piece_bytes if self.one_piece else self.bytes / self.ranks

    @property
    def factor(self) -> float:
        return self.native_s / self.collio_s

    @property
    def beyond(self) -> float:
        """How many times as long as its accesses of the file the native call took."""
        return self.native_s / self.floor_s


@dataclass(frozen=True)
class Factor:
    """Native time / collio time: the lowest, the geometric mean and the highest of like cases."""

    low: float
    middle: float
    high: float

    def __str__(self) -> str:
        return f"about {digits(self.middle)}x ({digits(self.low)}x to {digits(self.high)}x)"


@dataclass(frozen=True)
class Phase:
    """All collective reads or writes of one file. `seconds`: without waiting for late ranks."""

    bytes: int
    seconds: float
    factor: Factor
    evidence: str


@dataclass(frozen=True)
class Obstacle:
    """I/O that collio does not make faster, and what would let it."""

    bytes: int
    why: str
    remedy: str = ""


@dataclass(frozen=True)
class Observed:
    """A job that ran. `under_collio`: its phases took collio's time, else the MPI library's. `job_s`: 0 where
    it is unknown."""

    command: str
    ranks: int
    job_s: float
    io_s: float
    under_collio: bool
    phases: tuple[Phase, ...]
    obstacles: tuple[Obstacle, ...]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Forecast:
    """`reason`: why the job would not gain; empty where it would."""

    io: Factor
    job: Factor
    share: float
    reason: str = ""
    remedy: str = ""

    @property
    def gains(self) -> bool:
        return not self.reason


def of(seen: Observed) -> Forecast:
    """Of a job."""
    if seen.under_collio:
        job_s = max(seen.job_s, seen.io_s)
        more = _seconds(seen, lambda phase, factor: phase.seconds * (factor - 1))
        io, job = (_grown(whole, more) for whole in (seen.io_s, job_s))
        share = (seen.io_s + more.middle) / max(1e-9, job_s + more.middle)
    else:
        job_s = max(seen.job_s, seen.io_s)
        less = _seconds(seen, lambda phase, factor: phase.seconds * (1 - 1 / factor))
        io, job = (_shrunk(whole, less) for whole in (seen.io_s, job_s))
        share = seen.io_s / max(1e-9, job_s)
    reason, remedy = ("", "") if job.middle >= GAIN else _why_not(seen, io, share)
    return Forecast(io, job, share, reason, remedy)


def _seconds(seen: Observed, of_phase: Callable[[Phase, float], float]) -> Factor:
    return Factor(
        *(
            sum(of_phase(phase, getattr(phase.factor, name)) for phase in seen.phases)
            for name in ("low", "middle", "high")
        )
    )


def _shrunk(whole: float, less: Factor) -> Factor:
    return Factor(*(whole / max(1e-9, whole - one) for one in (less.low, less.middle, less.high)))


def _grown(whole: float, more: Factor) -> Factor:
    return Factor(*((whole + one) / max(1e-9, whole) for one in (more.low, more.middle, more.high)))


def _why_not(seen: Observed, io: Factor, share: float) -> tuple[str, str]:
    """The reason, and what to do about it."""
    first = max(seen.obstacles, key=lambda one: one.bytes, default=None)
    if share < LITTLE and seen.io_s > 0:
        return f"I/O takes {100 * share:.1f} % of the job", ""
    if first and first.bytes > sum(phase.bytes for phase in seen.phases):
        return first.why, first.remedy
    if not seen.phases:
        return "it made no I/O that was recorded", ""
    if io.middle >= MUCH:
        return f"I/O would be {io} as fast, but takes {100 * share:.0f} % of the job", ""
    return "its collective calls take hardly longer than their file accesses: large contiguous blocks", ""


@functools.cache
def rows() -> tuple[Row, ...]:
    """All benchmarks."""
    with open(Path(__file__).with_name("evidence.csv"), encoding="utf-8", newline="") as stream:
        return tuple(
            Row(
                row["pattern"],
                row["storage"],
                row["mpi"],
                int(row["ranks"]),
                row["operation"],
                row["one_piece"] == "1",
                float(row["piece_bytes"]),
                int(row["bytes"]),
                float(row["native_s"]),
                float(row["collio_s"]),
                float(row["floor_s"]),
            )
            for row in csv.DictReader(stream)
        )


def floor_rate(operation: str) -> float:
    """Bytes a second that POSIX calls on large blocks reached, of all benchmarks."""
    return _mean([row.bytes / row.floor_s for row in rows() if row.floor_s and row.operation == operation])


def by_excess(operation: str, beyond: float, call_bytes: float) -> tuple[Factor, str]:
    """Of calls that took `beyond` times as long as their accesses of the file, with `call_bytes` a rank.
    Short calls are mostly waiting, and like short ones alone."""
    return _like(
        (row for row in rows() if row.floor_s),
        lambda row: (
            abs(math.log2(row.beyond / beyond))
            + abs(math.log2(row.call_bytes / call_bytes)) / 4
            + (row.operation != operation)
        ),
    )


@dataclass(frozen=True)
class Access:
    """What a call under collio moved."""

    operation: str
    mpi: str
    storage: str
    ranks: int
    one_piece: bool
    piece_bytes: float


def by_pieces(access: Access) -> tuple[Factor, str]:
    """Of a call whose pieces are known."""

    def distance(row: Row) -> float:
        return (
            abs(math.log2(row.piece_bytes / max(1.0, access.piece_bytes)))
            + abs(math.log2(row.ranks / access.ranks)) / 2
            + (row.operation != access.operation)
            + (row.storage != access.storage) / 2
            + 4 * (row.one_piece != access.one_piece)
        )

    return _like((row for row in rows() if row.mpi == access.mpi), distance)


def _like(among: Iterable[Row], distance: Callable[[Row], float]) -> tuple[Factor, str]:
    nearest = sorted(among, key=distance)[:NEAREST]
    factors = [row.factor for row in nearest]
    cases = dict.fromkeys(f"{row.pattern}, {row.ranks} ranks, {row.storage}" for row in nearest)
    return Factor(min(factors), _mean(factors), max(factors)), "; ".join(list(cases)[:3])


def _mean(values: list[float]) -> float:
    """Geometric."""
    return math.exp(sum(map(math.log, values)) / len(values))


def digits(factor: float) -> str:
    """Two: "1.0", "23"; more where they are whole."""
    return f"{factor:.1f}" if factor < 9.95 else f"{factor:.0f}"
