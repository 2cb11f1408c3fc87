"""What bound a job's I/O, and what would help: a report's first sentences.

Every cause is measured: its seconds are those that calls would be shorter by, at most, if it were gone. Wait
is dealt to what was waited for: a rank that comes last to each call, cores that ranks share, the file.

Seconds are means over ranks, estimated: a file counts with its share of the ranks, because others may
be at other files meanwhile. A report lacks the job's ranks; those of its largest communicator stand for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from collio import hints
from collio.report import phrases, totals
from collio.report.records import CallRecord, Document, FileRecord
from collio.wording import counted, format_bytes, format_seconds

MOST_CAUSES = 3
LITTLE = 0.05
"""Of the job, or of its I/O: not worth a remedy."""
MEMORY = ("tmpfs", "ramfs")
MANY = 10
"""Independent calls for each collective one and rank: more than a library needs for its headers."""
COLLECTIVE = (
    "make collective calls: MPI_File_write_all and similar; H5Pset_dxpl_mpio for HDF5, nc_var_par_access for "
    "netCDF, ncmpi_put_vara_all and similar for PnetCDF"
)


@dataclass(frozen=True)
class Cause:
    """`name`: the same for the same cause in several files. `remedy`: a command, hint or change of the
    program. It is empty for work that has to be done, and where nothing helps."""

    name: str
    seconds: float
    what: str
    remedy: str = ""


@dataclass(frozen=True)
class Verdict:
    """`job_seconds` and with it the share: 0 where the report does not have them. `uncounted`: calls without
    seconds, "12 independent calls are not in these seconds"; `advice`: what would help these."""

    io_seconds: float
    job_seconds: float
    causes: tuple[Cause, ...]
    uncounted: str = ""
    advice: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        return min(1.0, self.io_seconds / self.job_seconds) if self.job_seconds else 1.0

    def sentences(self) -> list[str]:
        """The share of I/O and what bound it, then a line a remedy."""
        took = f"I/O took {format_seconds(self.io_seconds)}"
        if self.job_seconds:
            took += f" of {format_seconds(self.job_seconds)} ({100 * self.share:.0f} %)"
        rest = f" {self.uncounted}." if self.uncounted else ""
        first = next(iter(self.causes), None)
        if first is None or self.io_seconds <= 0:
            return [f"{took}.{rest or ' Nothing to do.'}", *self.advice]
        largest = "" if first.seconds > self.io_seconds / 4 else "no cause stands out, the first is "
        bound = f"{took}, {format_seconds(first.seconds)} of it: {largest}{first.what}."
        if self.share < LITTLE:
            return [bound + (rest or " Nothing to do: the rest of the job takes longer."), *self.advice]
        remedies = [
            f"{cause.remedy} (at most {format_seconds(cause.seconds)} less)"
            for cause in self.causes
            if cause.remedy and cause.seconds >= LITTLE * self.io_seconds
        ]
        return [bound + (rest or ("" if remedies else " Nothing to do.")), *self.advice, *remedies]


def of(document: Document) -> Verdict:
    """Over all files of a report."""
    files, job = document["files"], float(document.get("seconds", 0.0))
    ranks = max((file.get("comm_size", 1) for file in files), default=1)
    io = sum(_share(file, ranks) * _io_seconds(file) for file in files)
    within = min(1.0, job / io) if job and io else 1.0
    causes = _added_up(_causes(files, ranks))[:MOST_CAUSES]
    return Verdict(
        within * io,
        job,
        tuple(replace(cause, seconds=within * cause.seconds) for cause in causes),
        *_uncounted(files),
    )


def _added_up(causes: Iterable[Cause]) -> list[Cause]:
    """Largest first. A remedy's seconds are those it helps against."""
    found: dict[tuple[str, str], Cause] = {}
    for cause in causes:
        key = (cause.name, cause.remedy)
        if same := found.get(key):
            cause = replace(max(same, cause, key=_seconds), seconds=same.seconds + cause.seconds)
        found[key] = cause
    return sorted(found.values(), key=_seconds, reverse=True)


def _seconds(cause: Cause) -> float:
    return cause.seconds


def _causes(files: list[FileRecord], ranks: int) -> Iterator[Cause]:
    """Of opens, views, and each call."""
    yield _opening(files, ranks)
    yield _views(files, ranks)
    for file in files:
        share = _share(file, ranks)
        whose = "" if share == 1 else f" of {_base_name(file)}"
        if link := _link(file):
            yield replace(link, seconds=share * link.seconds)
        for call in file.get("calls", ()):
            took, total = _took(call), totals.total(call).max
            for cause in _causes_of_call(file, call, whose):
                yield replace(cause, seconds=share * took * min(1.0, cause.seconds / total) if total else 0.0)


def _causes_of_call(file: FileRecord, call: CallRecord, whose: str) -> Iterator[Cause]:
    """`whose`: the communicator of ranks that are named, " of restart.nc"; empty: the largest."""
    found = (
        _late_rank(file, call, whose),
        _cores(file, call),
        _access(file, call, whose),
        _small_buffer(file, call),
        _describing(call),
        _moving(call),
    )
    yield from filter(None, found)


def _share(file: FileRecord, ranks: int) -> float:
    return file.get("comm_size", ranks) / max(1, ranks)


def _base_name(file: FileRecord) -> str:
    return str(file.get("file", "?")).rpartition("/")[2]


def _io_seconds(file: FileRecord) -> float:
    """Of the rank that each call took longest on."""
    without_data = sum(_without_data(file, name).max for name in ("open", "set_view"))
    return without_data + sum(map(_took, file.get("calls", ())))


def _took(call: CallRecord) -> float:
    """What the call took of the program's time, without hidden time."""
    total, program = totals.total(call).max, call.get("program_seconds")
    if not program:
        return total
    return min(total, sum(totals.Spread.of(program.get(name)).max for name in ("post", "waited")))


def _uncounted(files: list[FileRecord]) -> tuple[str, tuple[str, ...]]:
    """`uncounted` and `advice` of a verdict."""
    independent = sum(int(file.get("independent_calls", 0)) for file in files)
    by_library = sum(int(file.get("library_calls", 0)) for file in files)
    if not independent + by_library:
        return "", ()
    collective = sum(int(file.get("comm_size", 1)) * _collective_calls(file) for file in files)
    calls = phrases.other_calls({"independent_calls": independent, "library_calls": by_library})
    are = "is" if independent + by_library == 1 else "are"
    advice = (COLLECTIVE,) if independent > MANY * collective else ()
    return f"{calls.replace(', ', ' and ')} {are} not in these seconds", advice


def _collective_calls(file: FileRecord) -> int:
    served = sum(int(call.get("repeats", 1)) for call in file.get("calls", ()))
    return served + int(file.get("library_calls", 0))


def _without_data(file: FileRecord, name: str) -> totals.Spread:
    return totals.Spread.of(file.get("seconds", {}).get(name))


def _opening(files: list[FileRecord], ranks: int) -> Cause:
    """Ranks that come early to an open wait in it: the last one's time counts."""
    count = sum(int(file.get("files", 1)) for file in files)
    return Cause(
        "opening",
        sum(_share(file, ranks) * _without_data(file, "open").min for file in files),
        f"opening {counted(count, 'file')}",
        "keep files open, or write several steps to one file" if count > 1 else "",
    )


def _views(files: list[FileRecord], ranks: int) -> Cause:
    return Cause(
        "views",
        sum(_share(file, ranks) * _without_data(file, "set_view").min for file in files),
        "setting views",
        "set a view once for many calls; through PnetCDF or netCDF, write several variables by one call",
    )


def _spread(call: CallRecord, step: str) -> totals.Spread:
    return totals.Spread.of(call.get("seconds", {}).get(step))


def _shares_cores(file: FileRecord) -> bool:
    cores = file.get("first_node", {}).get("cores", 0)
    return 0 < cores < file.get("comm_size", 0) / max(1, file.get("nodes", 1))


def _late_rank(file: FileRecord, call: CallRecord, whose: str) -> Cause | None:
    """What the rank in the middle waited longer than one that was always last. Where the last one changes,
    all have waited, and nothing is left here."""
    digest, last = _spread(call, "digest"), call.get("last_rank")
    rank = "one rank" if last is None else f"rank {last}"
    who = rank + whose
    return Cause(
        f"late {rank} of {file.get('file', '?')}" if whose else f"late {who}",
        digest.median - digest.min,
        f"{who} came last to {call.get('operation', 'calls')}, the others waited",
        f"give {who} less to do between calls, or use nonblocking calls",
    )


def _cores(file: FileRecord, call: CallRecord) -> Cause | None:
    if not _shares_cores(file):
        return None
    waited = _spread(call, "digest").min + _waited(call) - _waited_for_file(file, call)
    cores = file.get("first_node", {}).get("cores", 0)
    return Cause(
        "cores",
        waited,
        f"ranks waited for one of {counted(cores, 'core')}",
        "start no more ranks than a node has cores",
    )


def _access(file: FileRecord, call: CallRecord, whose: str) -> Cause | None:
    """Accesses of the file, on the rank that they took longest on."""
    return _holes(file, call) or _slow_target(file, call, whose) or _storage(file, call, whose)


def _storage(file: FileRecord, call: CallRecord, whose: str) -> Cause | None:
    seconds = _at_file(call) + _waited_for_file(file, call)
    if seconds <= 0:
        return None
    rate = f"{format_bytes(call.get('bytes', 0) / seconds)}/s"
    middle, slowest = _spread(call, "read").median + _spread(call, "write").median, call.get("slowest_rank")
    most = (
        f", most of it on rank {slowest}{whose}"
        if slowest is not None and _at_file(call) > 2 * middle
        else ""
    )
    if file.get("storage") in MEMORY:
        return Cause("storage", seconds, f"copying to and from {file['storage']}, {rate}")
    remedy = "" if _reads(call) else _more_targets(file)
    return Cause("storage", seconds, f"the file's storage, {rate} in all{most}", remedy)


def _reads(call: CallRecord) -> bool:
    return call.get("operation", "").startswith("read")


def _at_file(call: CallRecord) -> float:
    return _spread(call, "read").max + _spread(call, "write").max


def _waited(call: CallRecord) -> float:
    """After the digest: what the rank in the middle, and in the agreement the last one, waited."""
    return _spread(call, "wait").median + _spread(call, "agree").min


def _waited_for_file(file: FileRecord, call: CallRecord) -> float:
    """The part that others were at the file, where they take turns from call to call: what all ranks spent
    there beyond the one that spent most."""
    middle = _spread(call, "read").median + _spread(call, "write").median
    return min(_waited(call), max(0.0, file.get("comm_size", 1) * middle - _at_file(call)))


def _more_targets(file: FileRecord) -> str:
    count = file.get("layout", {}).get("count", 0)
    if count == 1:
        return "stripe the file over more targets: --set striping_factor=N for a new file"
    return (
        "" if count or file.get("subfiles") else "try --set collio_subfiles=N on storage of several targets"
    )


def _slow_target(file: FileRecord, call: CallRecord, whose: str) -> Cause | None:
    """Most ranks access the file, and one needs much longer."""
    if 2 * call.get("aggregators", 0) <= file.get("comm_size", 0) or call.get("slowest_rank") is None:
        return None
    beyond = sum(_spread(call, step).max - _spread(call, step).median for step in ("read", "write"))
    if beyond < _at_file(call) / 2:
        return None
    return Cause(
        "slow target",
        beyond,
        f"rank {call['slowest_rank']}{whose} needs much longer for its part of the file than others: a slow "
        "target",
        "leave slow targets out of new files: --set collio_probe=enable",
    )


def _holes(file: FileRecord, call: CallRecord) -> Cause | None:
    """A sieved read is a plain one: it only reads the holes, too."""
    windows = call.get("windows", {})
    piecewise, sieved = (windows.get(kind, 0) for kind in ("piecewise", "sieved"))
    if 2 * (piecewise + sieved) < sum(windows.values()) or not piecewise + sieved:
        return None
    seconds = _at_file(call) + _waited_for_file(file, call)
    if _reads(call):
        by_piece = piecewise > sieved
        return Cause("holes", seconds, "windows with holes are read piece by piece") if by_piece else None
    how = "piece by piece" if piecewise > sieved else "by reading and rewriting them"
    return Cause(
        "holes",
        seconds,
        f"windows with holes are written {how}",
        "fill the holes: write all elements, also those of no use",
    )


def _small_buffer(file: FileRecord, call: CallRecord) -> Cause | None:
    """What rounds beyond those of the default buffer take, by their number."""
    default = int(hints.BY_KEY["cb_buffer_size"].default)
    given = str(file.get("hints", {}).get("cb_buffer_size", ""))
    size = int(given) if given.isdecimal() else default
    rounds = call.get("rounds", 0)
    if size >= default or rounds <= 1:
        return None
    needed = max(1.0, rounds * size / default)
    after_digest = totals.total(call).max - _spread(call, "digest").max
    return Cause(
        "buffer",
        after_digest * (1 - needed / rounds),
        f"collective buffers of {format_bytes(size)} need {rounds} rounds",
        "leave cb_buffer_size at its default",
    )


def _link(file: FileRecord) -> Cause | None:
    """Of all calls of a file: they may hide what the link takes by the network's numbers."""
    busiest = file.get("network", {}).get("traffic", {}).get("busiest")
    if not busiest:
        return None
    return Cause(
        "link",
        min(busiest["seconds"], sum(map(_took, file.get("calls", ())))),
        f"the link from {busiest['from']} to {busiest['to']}, {format_bytes(busiest['bytes'])}",
        "place ranks that share parts of the file near each other, or ask for nodes of one switch",
    )


def _describing(call: CallRecord) -> Cause:
    return Cause(
        "describing",
        _spread(call, "flatten").max + _spread(call, "plan").max,
        f"describing {counted(call.get('pieces', 0), 'piece')}",
        "describe arrays by MPI_Type_create_subarray or vectors, and keep the type for the next call",
    )


def _moving(call: CallRecord) -> Cause:
    seconds = sum(_spread(call, step).max for step in ("pack", "exchange", "place"))
    return Cause("moving", seconds, "moving data between ranks")
