"""A log of Darshan, as the forecast needs it.

Darshan wraps a job's POSIX, STDIO and MPI-IO calls and leaves counters and seconds for each file: one record
where all ranks opened it, else one a rank. MPI-IO's seconds beyond those of POSIX on the same file were spent
on exchange and waiting, which collio can shorten.

A damaged log can crash Darshan's library or keep it busy for ever, so a child process reads each log.
"""

from __future__ import annotations

import importlib
import math
import multiprocessing
import os
import resource
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Callable, TypeVar

from collio.advise import forecast
from collio.advise.forecast import Observed, Obstacle, Phase
from collio.report.causes import COLLECTIVE
from collio.wording import counted, format_bytes, format_seconds

MODULES = {"MPI-IO": "MPIIO", "POSIX": "POSIX", "STDIO": "STDIO"}
"""The prefix of each module's counters."""
LARGE = 64 << 10
"""Bytes of an access: less takes as long as the access itself, more as its bytes."""
MEASURED = ("tmpfs", "ramfs", "ext4", "xfs", "btrfs", "overlay")
"""File systems like those of the benchmarks."""
STEPS = ("READ", "WRITE", "META")
MOST_SECONDS = 60
"""To read a log: a damaged one can keep the library busy for ever."""
TIMES = tuple(f"F_{name}_TIME" for name in (*STEPS, "SLOWEST_RANK", "FASTEST_RANK"))
Found = TypeVar("Found")


class LogError(ValueError):
    """A file that is no log, or cannot be read; the message names it."""


@dataclass
class Use:
    """Of one file through one module, over ranks. `seconds`: sums over ranks, by step; `slowest`, `fastest`:
    the sums of one rank."""

    ranks: set[int] = field(default_factory=set)
    counts: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(STEPS, 0.0))
    slowest: float = 0.0
    fastest: float = float("inf")

    def add(self, record: Record) -> None:
        self.ranks.add(record.rank)
        for name, count in record.counts.items():
            self.counts[name] = self.counts.get(name, 0) + count
        own = {step: record.seconds.get(f"F_{step}_TIME", 0.0) for step in STEPS}
        for step in STEPS:
            self.seconds[step] += own[step]
        shared = record.rank < 0
        self.slowest = max(
            self.slowest, record.seconds.get("F_SLOWEST_RANK_TIME", 0.0) if shared else sum(own.values())
        )
        self.fastest = min(
            self.fastest, record.seconds.get("F_FASTEST_RANK_TIME", 0.0) if shared else sum(own.values())
        )

    def part(self, step: str) -> float:
        """The share of a step in all seconds."""
        return self.seconds[step] / (sum(self.seconds.values()) or 1.0)

    def count(self, *names: str) -> int:
        return sum(self.counts.get(name, 0) for name in names)

    @property
    def shared(self) -> bool:
        return -1 in self.ranks or len(self.ranks) > 1

    @property
    def bytes(self) -> int:
        return self.count("BYTES_READ", "BYTES_WRITTEN")


@dataclass(frozen=True)
class Record:
    """What Darshan left of a file, a module and a rank (-1: of all). Names without the module's prefix."""

    name: str
    rank: int
    counts: dict[str, int]
    seconds: dict[str, float]


@dataclass(frozen=True)
class Job:
    """A log's head."""

    command: str
    ranks: int
    seconds: float
    mounts: tuple[tuple[str, str], ...]
    incomplete: tuple[str, ...]


def read(path: Path) -> Observed:
    """Raises LogError."""
    return _in_child(lambda backend: _observed(*_load(backend, path)), path)


def load(path: Path) -> tuple[Job, dict[str, dict[str, Use]]]:
    """The head, and {file: {module: its use}}. Raises LogError."""
    return _in_child(lambda backend: _load(backend, path), path)


def _in_child(reader: Callable[[Any], Found], path: Path) -> Found:
    """What `reader` finds with Darshan's library. Raises LogError, also where the library crashes."""
    try:
        backend = importlib.import_module("darshan.backend.cffi_backend")
    except ImportError:
        raise LogError(
            f"{path}: reading logs of Darshan takes its Python package: pip install 'collio[advise]'"
        ) from None
    context = multiprocessing.get_context("fork")  # others would import the library again for each log
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_send, args=(receiver, sender, reader, backend, path), daemon=True)
    child.start()
    sender.close()
    try:
        if not receiver.poll(MOST_SECONDS):
            raise LogError(f"{path}: Darshan's library has not read it within {MOST_SECONDS} s")
        found: Found | LogError = receiver.recv()
    except (EOFError, OSError):  # half an answer
        found = LogError(f"{path}: damaged: Darshan's library crashes on it")
    finally:
        child.kill()
        child.join()
        receiver.close()
    if isinstance(found, LogError):
        raise found
    return found


def _send(
    receiver: Connection, sender: Connection, reader: Callable[[Any], Any], backend: Any, path: Path
) -> None:
    """In the child. A damaged log can make the library and Python raise anything."""
    receiver.close()  # or a parent that is killed leaves the child waiting
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for output in (1, 2):  # the library's own messages do not name the file
        os.dup2(nowhere, output)
    try:
        found = reader(backend)
    except LogError as error:
        found = error
    except Exception as error:
        found = LogError(f"{path}: damaged ({error})")
    sender.send(found)


def _observed(job: Job, uses: dict[str, dict[str, Use]]) -> Observed:
    phases, obstacles, kinds = [], [], set()
    for name, modules in uses.items():
        kinds.add(_file_system(name, job.mounts))
        if mpiio := modules.get("MPI-IO"):
            for step in ("WRITE", "READ"):
                if phase := _phase(mpiio, modules.get("POSIX"), step, _is_measured(name, job)):
                    phases.append(phase)
            independent = mpiio.count("INDEP_READS", "INDEP_WRITES")
            if mpiio.bytes and not any(map(_collective, (mpiio, mpiio), ("WRITE", "READ"))):
                obstacles.append(_independent(name, mpiio, independent))
        else:
            use = modules.get("POSIX") or modules["STDIO"]
            if use.bytes:
                obstacles.append(_past_mpiio(name, use, job))
    return Observed(
        job.command,
        job.ranks,
        job.seconds,
        _io_seconds(uses),
        False,
        tuple(phases),
        _one_each(obstacles),
        tuple(_remarks(job, kinds)),
    )


def _load(backend: Any, path: Path) -> tuple[Job, dict[str, dict[str, Use]]]:
    log = backend.log_open(str(path)) if path.is_file() else None
    if log is None or not log["handle"]:
        raise LogError(f"{path}: not a log of Darshan, or of a version that this package cannot read")
    try:
        head = backend.log_get_job(log)
        modules = backend.log_get_modules(log)
        job = Job(
            str(backend.log_get_exe(log)).strip(),
            int(head["nprocs"]),
            float(head.get("run_time") or head["end_time_sec"] - head["start_time_sec"]),
            tuple((str(point), str(kind)) for point, kind in backend.log_get_mounts(log)),
            tuple(name for name, one in modules.items() if one.get("partial_flag")),
        )
        if job.ranks < 1 or not math.isfinite(job.seconds):
            raise LogError(f"{path}: damaged: a job of {job.ranks} ranks, {job.seconds} seconds")
        uses: dict[str, dict[str, Use]] = {}
        for module in MODULES.keys() & modules.keys():
            empty = modules[module]["len"] > 0 and module not in job.incomplete
            for record in _records(backend, log, module):
                empty = False
                if record.name.startswith("<"):  # <STDOUT>
                    continue
                if not all(map(math.isfinite, record.seconds.values())):
                    raise LogError(f"{path}: damaged: a record of {module} has no valid time")
                uses.setdefault(record.name, {}).setdefault(module, Use()).add(record)
            if empty:
                raise LogError(f"{path}: damaged: no record of {module} can be read")
        return job, uses
    finally:
        backend.log_close(log)


def _records(backend: Any, log: Any, module: str) -> Iterator[Record]:
    names = backend.log_get_name_records(log)
    prefix = MODULES[module] + "_"
    counters, seconds = backend.counter_names(module), backend.fcounter_names(module)
    while (record := backend.log_get_record(log, module, "numpy")) is not None:
        times = {key[len(prefix) :]: float(s) for key, s in zip(seconds, record["fcounters"])}
        yield Record(
            names.get(record["id"], "?"),
            int(record["rank"]),
            {key[len(prefix) :]: max(0, int(n)) for key, n in zip(counters, record["counters"])},
            {key: times[key] for key in TIMES if key in times},
        )


def _collective(use: Use, step: str) -> int:
    return use.count(f"COLL_{step}S", f"SPLIT_{step}S")


def _phase(mpiio: Use, posix: Use | None, step: str, measured: bool) -> Phase | None:
    """Collective calls of a file. The rank that waited least took what the calls need; the others waited for
    it."""
    calls = _collective(mpiio, step)
    moved = mpiio.count("BYTES_WRITTEN" if step == "WRITE" else "BYTES_READ")
    least = mpiio.fastest if 0 < mpiio.fastest < float("inf") else mpiio.slowest
    seconds = least * mpiio.part(step) * calls / max(1, calls + mpiio.count(f"INDEP_{step}S"))
    if not calls or not moved or seconds <= 0:
        return None
    operation = step.lower()
    storage = _storage_seconds(posix, step, moved, measured)
    seconds = max(seconds, storage)
    factor, like = forecast.by_excess(operation, seconds / storage, moved / calls)
    took = (
        f"{format_bytes(moved)} in {counted(calls, f'collective {operation}')} took "
        f"{format_seconds(seconds)}, {forecast.digits(seconds / storage)} times what the file accesses need"
    )
    return Phase(moved, seconds, factor, f"{took}; like {like}: {factor}")


def _storage_seconds(posix: Use | None, step: str, moved: int, measured: bool) -> float:
    """What accesses of the file need in large blocks. Reads of a sieved write are not needed. Small accesses
    cost more than their bytes; what large ones cost is known of storage like that of the benchmarks."""
    large = moved / forecast.floor_rate(step.lower())
    if posix is None or not posix.seconds[step]:
        return large
    spent = posix.slowest * posix.part(step)
    through = posix.count("BYTES_WRITTEN" if step == "WRITE" else "BYTES_READ")
    small = through < LARGE * max(1, posix.count(f"{step}S"))
    return min(spent, large) if small and measured else spent * min(1.0, moved / max(1, through))


def _io_seconds(uses: dict[str, dict[str, Use]]) -> float:
    """Seconds of the slowest rank, in shared files and in files of its own. MPI-IO's include POSIX's."""
    shared, own = 0.0, dict.fromkeys((-1,), 0.0)
    for modules in uses.values():
        use = modules.get("MPI-IO") or modules.get("POSIX") or modules["STDIO"]
        if use.shared:
            shared += use.slowest
        else:
            (rank,) = use.ranks
            own[rank] = own.get(rank, 0.0) + use.slowest
    return shared + max(own.values())


def _independent(name: str, mpiio: Use, calls: int) -> Obstacle:
    if not mpiio.shared:
        return Obstacle(
            mpiio.bytes, "each rank opens its own files by MPI-IO; collio serves files that ranks share"
        )
    return Obstacle(
        mpiio.bytes,
        f"{_base(name)} gets {counted(calls, 'independent call')}; collio serves collective ones",
        COLLECTIVE,
    )


def _past_mpiio(name: str, use: Use, job: Job) -> Obstacle:
    together = "let ranks share one file by MPI_File_write_at_all and similar"
    if use.shared:
        return Obstacle(
            use.bytes,
            f"ranks share {_base(name)} by POSIX calls; collio serves collective calls of MPI-IO",
            together,
        )
    if use.ranks == {0}:
        return Obstacle(use.bytes, "rank 0 alone makes the I/O, by POSIX calls", together)
    return Obstacle(
        use.bytes, "each rank has files of its own; collio serves files that ranks share", together
    )


def _one_each(obstacles: list[Obstacle]) -> tuple[Obstacle, ...]:
    """Bytes of the same reason added up: files of all ranks are one obstacle."""
    sums: dict[tuple[str, str], int] = {}
    for one in obstacles:
        sums[one.why, one.remedy] = sums.get((one.why, one.remedy), 0) + one.bytes
    return tuple(Obstacle(count, why, remedy) for (why, remedy), count in sums.items())


def _remarks(job: Job, kinds: set[str]) -> Iterator[str]:
    if job.incomplete:
        yield f"Darshan ran out of memory for {', '.join(job.incomplete)}: the log is not complete"
    if others := sorted(kinds - {*MEASURED, ""}):
        yield f"no benchmark was made on {', '.join(others)}: the range is wider there"


def _file_system(name: str, mounts: tuple[tuple[str, str], ...]) -> str:
    inside = [(len(point), kind) for point, kind in mounts if name.startswith(point.rstrip("/") + "/")]
    return max(inside, default=(0, ""))[1]


def _is_measured(name: str, job: Job) -> bool:
    return _file_system(name, job.mounts) in MEASURED


def _base(name: str) -> str:
    return name.rpartition("/")[2]
