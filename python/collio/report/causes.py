"""What a collective call's seconds were spent on, cause by cause."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from collio import hints
from collio.report import totals
from collio.report.records import CallRecord, FileRecord
from collio.wording import counted, format_bytes

MEMORY = ("tmpfs", "ramfs")
LONGEST = 20
"""Digits of a number of bytes."""
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


def of_call(file: FileRecord, call: CallRecord, whose: str) -> Iterator[Cause]:
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
    for_one = _at_file(call) - _spread(call, "read").median - _spread(call, "write").median
    waited = _spread(call, "digest").min + _waited(call) - max(for_one, _waited_for_file(file, call))
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
    """Most ranks access the file, and one needs much longer. Memory has no targets, and in the layers of one
    node any rank writes any window, the last one most."""
    anyone_writes = call.get("path") == "two_layer" and file.get("nodes") == 1
    if anyone_writes or file.get("storage") in MEMORY:
        return None
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
    size = int(given) if given.isdecimal() and len(given) < LONGEST else default
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


def link(file: FileRecord, took: float) -> Cause | None:
    """Of all calls of a file: they may hide what the link takes by the network's numbers."""
    busiest = file.get("network", {}).get("traffic", {}).get("busiest")
    if not busiest:
        return None
    return Cause(
        "link",
        min(busiest["seconds"], took),
        f"the link from {busiest['from']} to {busiest['to']}, {format_bytes(busiest['bytes'])}",
        "place ranks that share parts of the file near each other, or ask for nodes of one switch",
    )


def _describing(call: CallRecord) -> Cause:
    return Cause(
        "describing",
        _spread(call, "flatten").max + _spread(call, "plan").max,
        f"describing {counted(call.get('pieces', 0), 'piece')}",
        "describe arrays by MPI_Type_create_subarray or vectors, and keep the type for the next call"
        if call.get("operation", "").startswith(("read", "write"))
        else "",
    )


def _moving(call: CallRecord) -> Cause:
    seconds = sum(_spread(call, step).max for step in ("pack", "exchange", "place"))
    return Cause("moving", seconds, "moving data between ranks")
