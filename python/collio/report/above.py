"""Time above MPI-IO: functions of HDF5, netCDF, PnetCDF and PIO, as ranks left them at their exit.

What a function takes itself on the rank where that is least is its work; what other ranks take more, they
wait for that rank, as libraries make ranks meet in places of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from collio.report.causes import COLLECTIVE, Cause
from collio.report.records import Document, LibraryFunction
from collio.wording import counted, format_bytes, format_seconds

SELECTIONS = ("H5Sselect_hyperslab, combined", "H5Sselect_hyperslab", "H5Sselect_elements")
OPENS = (
    *("H5Fcreate", "H5Fopen", "nc_create_par", "nc_open_par", "ncmpi_create", "ncmpi_open"),
    *("PIOc_createfile", "PIOc_openfile"),
)
CLOSES = (
    *("H5Fclose", "H5Fflush", "nc_close", "nc_sync", "ncmpi_close", "ncmpi_sync", "PIOc_closefile"),
    "PIOc_sync",
)
DATA = (
    *("H5Dwrite", "H5Dread", "nc_put_var", "nc_get_var", "PIOc_write_darray", "PIOc_read_darray"),
    *(f"ncmpi_{way}" for way in ("put", "get", "iput", "iget", "bput", "mput", "mget", "wait")),
)
"""What their names begin with. All other functions define variables, datasets and attributes."""
MOST_RANKS = 64
"""That leave times (src/mpiio/shim/shim_note.c)."""
FILLED_BYTES = 1 << 20
"""Written while a variable is defined: more than a library's own records need."""
NOT_COLLECTIVE = {
    0x2: "types are converted: write the type that the file has, or set H5Pset_modify_write_buf",
    0x4: "data transforms are set: transform before the write",
    0x8: "HDF5_MPI_OPT_TYPES is 0: unset it",
    0x10: "a selection is neither simple nor scalar",
    0x20: "the dataset is neither contiguous nor chunked: choose one of these layouts",
    0x40: "HDF5 was built without filters in parallel writes",
}
"""Why HDF5 moved data independently though collective transfers were asked for
(H5Pget_mpio_no_collective_cause; other bits are of HDF5's own)."""
COLLECTIVE_RECORDS = (
    "let HDF5 write and read its records collectively: H5Pset_coll_metadata_write, "
    "H5Pset_all_coll_metadata_ops"
)


@dataclass(frozen=True)
class Function:
    """Seconds: means over ranks; calls: of the rank that made most; `least_own`, `least_rank`: of the rank
    that took least itself; `most_bytes`: moved by independent calls, of the rank that moved most;
    `only_rank`: the only one of several that made such calls; `together`: all ranks made as many calls."""

    name: str
    calls: int
    seconds: float
    own: float
    io: float
    least_own: float
    least_rank: int
    independent_calls: int
    independent_seconds: float
    most_bytes: int
    not_collective: int
    causes: int
    only_rank: int | None
    ranks: int
    together: bool

    @property
    def alone(self) -> float:
        """Seconds of independent calls; all of them where others wait for the one rank that makes them."""
        return self.independent_seconds * (1 if self.only_rank is None else self.ranks)


def functions(document: Document) -> list[Function]:
    """Longest first; empty where no rank left any."""
    rows: dict[str, dict[int, LibraryFunction]] = {}
    of_ranks = {
        rank["rank"]: rank["functions"] for rank in document.get("at_exit", ()) if rank.get("functions")
    }
    for rank, of_rank in of_ranks.items():
        for row in of_rank:
            rows.setdefault(row["function"], {})[rank] = row
    # ranks that left none count as well
    job = max((file.get("comm_size", 1) for file in document["files"]), default=1)
    ranks = sorted({*of_ranks, *range(min(MOST_RANKS, job))})
    found = [_over_ranks(name, of_rank, ranks) for name, of_rank in rows.items()]
    return sorted(found, key=lambda one: one.seconds, reverse=True)


def _over_ranks(name: str, rows: dict[int, LibraryFunction], ranks: list[int]) -> Function:
    values = [cast(dict[str, float], row) for row in rows.values()]

    def mean(key: str) -> float:
        return sum(row[key] for row in values) / len(ranks)

    own = {rank: rows[rank]["own_seconds"] if rank in rows else 0.0 for rank in ranks}
    alone = [rank for rank, row in rows.items() if row["independent_calls"]]
    least = min(ranks, key=own.__getitem__)
    return Function(
        name,
        max(int(row["calls"]) for row in rows.values()),
        mean("seconds"),
        mean("own_seconds"),
        mean("io_seconds"),
        own[least],
        least,
        max(int(row["independent_calls"]) for row in rows.values()),
        mean("independent_seconds"),
        max(int(row["independent_bytes"]) for row in rows.values()),
        sum(int(row["not_collective"]) for row in rows.values()),
        _either(int(row["causes"]) for row in rows.values()),
        alone[0] if len(alone) == 1 < len(ranks) else None,
        len(ranks),
        len(rows) == len(ranks) and len({int(row["calls"]) for row in rows.values()}) == 1,
    )


def _either(bits: Iterator[int]) -> int:
    found = 0
    for more in bits:
        found |= more
    return found


def seconds(found: list[Function]) -> float:
    """Of all, outside of collective calls of MPI-IO. Others wait for what one rank does alone."""
    return sum(one.own + (one.independent_seconds if one.name else one.alone) for one in found)


def causes(found: list[Function]) -> Iterator[Cause]:
    """What took this time. Their seconds add up to at most that."""
    for one in found:
        if one.name.startswith(DATA):
            yield from _of_data(one)
        elif one.name in SELECTIONS:
            yield _selections(one)
        elif one.name in OPENS or one.name in CLOSES:
            yield _at_file(one)
        elif one.name:
            yield _definitions(one)
        elif one.independent_calls:
            yield _by_one_rank(one) if one.only_rank is not None else _independent(one, "the program")


def _of_data(one: Function) -> Iterator[Cause]:
    reasons = [text for bit, text in NOT_COLLECTIVE.items() if one.causes & bit]
    # HDF5 then packs and converts piece by piece as well
    split = bool(reasons) and one.not_collective > 0
    own = one.least_own if one.together else one.own
    if not split:
        yield Cause(f"above {one.name}", own, f"{one.name} outside of MPI-IO: checks, conversion and packing")
    if one.together and one.independent_calls < one.calls / 2:  # else nobody waits
        yield Cause(
            f"late rank {one.least_rank}",
            one.own - one.least_own,
            f"rank {one.least_rank} came last to {one.name}, the others waited",
            f"give rank {one.least_rank} less to do between calls",
        )
    if split:
        yield Cause(
            "not collective",
            own + one.independent_seconds,
            f"{one.name} was asked for collective transfers, and made independent calls of MPI-IO",
            f"let HDF5 write collectively; now {'; '.join(reasons)}",
        )
    elif one.independent_calls:
        yield _independent(one, one.name)


def _independent(one: Function, who: str) -> Cause:
    calls = max(1, one.independent_calls)
    return Cause(
        "independent",
        one.independent_seconds,
        f"independent calls by {who}: {counted(calls, 'call')} a rank, "
        f"{format_bytes(one.most_bytes / calls)} each",
        COLLECTIVE,
    )


def _by_one_rank(one: Function) -> Cause:
    """The others wait meanwhile, in calls that are no MPI-IO."""
    return Cause(
        "one rank",
        one.alone,
        f"rank {one.only_rank} alone wrote or read {format_bytes(one.most_bytes)} by independent calls",
        "let all ranks write their own parts, by MPI_File_write_at_all and similar",
    )


def _selections(one: Function) -> Cause:
    combined = one.name == SELECTIONS[0]
    how = f"{counted(one.calls, 'selection')} that H5Sselect_hyperslab combined with earlier ones"
    return Cause(
        "selections",
        one.own,
        how if combined else f"{counted(one.calls, 'call')} of {one.name}",
        "select blocks by one call of H5Sselect_hyperslab, with stride and block, or write several datasets "
        "by H5Dwrite_multi",
    )


def _definitions(one: Function) -> Cause:
    took = one.own + one.independent_seconds
    if one.most_bytes >= FILLED_BYTES:
        return Cause(
            "fill values",
            took,
            f"{one.name} wrote {format_bytes(one.most_bytes)} of fill values",
            "write none: H5Pset_fill_time with H5D_FILL_TIME_NEVER, or nc_def_var_fill with NC_NOFILL",
        )
    fewer = (
        "make fewer and larger datasets" if _is_hdf5(one) else "define all variables before the first data"
    )
    return Cause(
        "definitions",
        took,
        f"{counted(one.calls, 'call')} of {one.name}",
        f"{fewer}, and {COLLECTIVE_RECORDS}" if _is_hdf5(one) else fewer,
    )


def _at_file(one: Function) -> Cause:
    what = "opening" if one.name in OPENS else "closing"
    return Cause(
        f"{what} by libraries",
        one.own + one.independent_seconds,
        f"{counted(one.calls, 'call')} of {one.name}, outside of collective calls",
        COLLECTIVE_RECORDS if _is_hdf5(one) else "",
    )


def _is_hdf5(one: Function) -> bool:
    """Or netCDF, which may be over it."""
    return one.name.startswith(("H5", "nc_"))


def lines(found: list[Function]) -> list[str]:
    """A line a function, as a report shows them."""
    return [_line(one) for one in found if one.name]


def _line(one: Function) -> str:
    parts = [f"{one.name} {format_seconds(one.seconds)}, of it MPI-IO {format_seconds(one.io)}"]
    parts.append(counted(one.calls, "call"))
    if one.independent_calls:
        parts.append(f"{counted(one.independent_calls, 'independent call')} below")
    if one.not_collective:
        parts.append(f"{counted(one.not_collective, 'transfer')} not collective")
    return " · ".join(parts)
