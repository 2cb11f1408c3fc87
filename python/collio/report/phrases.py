"""What a report says of files and calls, in words."""

from __future__ import annotations

import re

from collio.report import totals
from collio.report.reading import AT_EXIT
from collio.report.records import (
    CallRecord,
    Document,
    FileRecord,
    Layout,
    Placement,
    PnetcdfCalls,
    RankRecord,
    Subfiles,
)
from collio.wording import counted, format_bytes, format_seconds

MOST_TARGETS_SHOWN = 16
MUCH = 1 << 20
"""Bytes: a rank that wrote as many wrote data."""


def place_of(file: FileRecord) -> str:
    """ "16 ranks on 2 nodes · MPICH · tmpfs"."""
    nodes = f" on {file['nodes']} nodes" if file.get("nodes", 1) > 1 else ""
    return " · ".join(
        filter(
            None,
            (
                f"{file.get('comm_size', '?')} ranks{nodes}",
                mpi_name(str(file.get("mpi", ""))),
                str(file.get("storage", "")),
            ),
        )
    )


def mpi_name(version: str) -> str:
    """ "MPICH 5.0.2", "Open MPI v5.0.11" of the first line that MPI_Get_library_version gives."""
    return re.sub(r"\s*Version:\s*", " ", version.partition(",")[0]).strip()


def file_lines(file: FileRecord) -> list[str]:
    """ "opened in 5 ms, 2 ms of it in the MPI library; views set in 1 ms", "file calls by uring: fuse:
    transfers go on while messages come",
    "schedules: dataflow stays, ...", "ways: two_layer stays, ..."; what a report tells of them. Times are
    those of the slowest rank."""
    lines = _state_lines(file)
    if seconds := {name: totals.Spread.of(value).max for name, value in file.get("seconds", {}).items()}:
        opened, by_library, views = (
            seconds.get(name, 0.0) for name in ("open", "open_by_library", "set_view")
        )
        lines.append(
            f"opened in {format_seconds(opened)}, {format_seconds(by_library)} of it in the MPI library"
            + (f"; views set in {format_seconds(views)}" if views else "")
        )
    if layout := file.get("layout"):
        lines.append(_layout_line(layout))
    if by := file.get("storage_by"):
        remarks = f"; {by['remarks']}" if by.get("remarks") else ""
        lines.append(f"file calls by {by.get('kind', '?')}: {by.get('reason', '')}{remarks}")
    if subfiles := file.get("subfiles"):
        lines.append(_subfiles_line(subfiles))
    if calls := file.get("pnetcdf"):
        lines.append(_pnetcdf_line(calls))
    if probe := file.get("probe"):
        age = (
            f"rates up to {probe['age_seconds']:.0f} s old"
            if probe["age_seconds"]
            else f"measured in {probe['seconds']:.1f} s"
        )
        lines.append(
            "; ".join(
                [
                    f"targets probed: {probe['why']}",
                    age,
                    *(f"left out: {target}" for target in probe["left_out"]),
                    *probe["remarks"],
                ]
            )
        )
    if trials := file.get("schedule_trials"):
        lines.append(f"schedules: {trials}")
    if trials := file.get("call_trials"):
        lines.append(f"ways: {trials}")
    return lines


def _layout_line(layout: Layout) -> str:
    """ "layout: stripes of 1 MiB over targets 2, 3 (user.collio.layout); striping_factor=2 set at
    creation"."""
    unit, count, targets = (layout.get("unit_bytes", 0), layout.get("count", 0), layout.get("targets", []))
    named = ", ".join(map(str, targets[:MOST_TARGETS_SHOWN])) + (
        ", …" if len(targets) > MOST_TARGETS_SHOWN else ""
    )
    over = f" over targets {named}" if targets else f" over {count} targets" if count else ""
    known = (
        f"stripes of {format_bytes(unit)}{over} ({layout.get('source', '')})"
        if unit
        else f"not known ({layout.get('source', '')})"
    )
    asked = layout.get("asked", "")
    return f"layout: {known}" + (f"; {asked}" if asked else "")


def _subfiles_line(subfiles: Subfiles) -> str:
    """ "4 subfiles, stripes of 1 MiB, in .: 1 MiB to 2 MiB each; joined when closed, 6 MiB by the kernel, 0 B
    through memory"."""
    text = (
        f"{counted(subfiles['count'], 'subfile')}, stripes of {format_bytes(subfiles['unit_bytes'])}, in "
        f"{':'.join(subfiles['folders'])}"
    )
    if sizes := subfiles.get("bytes"):
        text += f": {format_bytes(min(sizes))} to {format_bytes(max(sizes))} each"
    text += "".join(f"; {where}" for where in subfiles.get("redealt", []))
    if subfiles["joined"]:
        by_kernel, through_memory = (
            format_bytes(subfiles[key]) for key in ("joined_by_kernel", "joined_through_memory")
        )
        text += f"; joined when closed, {by_kernel} by the kernel, {through_memory} through memory"
    elif subfiles["joining"]:
        text += "; joined in the background"
    return text


def _pnetcdf_line(calls: PnetcdfCalls) -> str:
    """ "PnetCDF calls: 1,200 served, 3 left to PnetCDF (2 refused, 1 by vard)", "PnetCDF calls left to
    PnetCDF: collio_pnetcdf=disable"."""
    if calls["kept"]:
        return f"PnetCDF calls left to PnetCDF: {calls['kept']}"
    left = {"refused": calls["refused"], "by vard": calls["by_datatype"]}
    named = ", ".join(f"{count:,} {why}" for why, count in left.items() if count)
    return f"PnetCDF calls: {calls['served']:,} served, {sum(left.values()):,} left to PnetCDF" + (
        f" ({named})" if named else ""
    )


def _state_lines(file: FileRecord) -> list[str]:
    """ "still open when the job ended: ...", "12 files like this, added up"."""
    lines = []
    files, still_open = (int(file.get("files", 1)), int(file.get("still_open", 0)))
    if files > 1:
        lines.append(
            f"{files:,} files like this, added up"
            + (f"; {still_open:,} of them still open when the job ended" if still_open else "")
        )
    elif still_open:
        lines.append(
            "still open when the job ended: calls up to the last renewal of this record, times of the file's "
            "first rank"
        )
    return lines


def other_calls(file: FileRecord) -> str:
    """ "12 independent calls, 1 collective call by the MPI library": those that have no record of their
    own."""
    return _calls_without_record(int(file.get("independent_calls", 0)), int(file.get("library_calls", 0)))


def _calls_without_record(independent: int, by_library: int) -> str:
    texts = [counted(independent, "independent call")] if independent else []
    if by_library:
        texts.append(f"{counted(by_library, 'collective call')} by the MPI library")
    return ", ".join(texts)


def calls_line(file: FileRecord) -> str:
    """What to say of calls that have no record: "no collective data call; 12 independent calls"; empty:
    nothing."""
    none = (
        "" if file.get("calls") else "no collective data call" + (" so far" if file.get("still_open") else "")
    )
    return "; ".join(filter(None, (none, other_calls(file))))


def without_collective_calls(document: Document) -> str:
    """ "2 files had no collective data call (1,200 independent calls)"; empty: every file had one."""
    idle = [file for file in document["files"] if not file.get("calls")]
    count = sum(int(file.get("files", 1)) for file in idle)
    independent = sum(int(file.get("independent_calls", 0)) for file in idle)
    by_library = sum(int(file.get("library_calls", 0)) for file in idle)
    if not idle:
        return ""
    with_hdf5 = independent and any(rank.get("hdf5") for rank in document.get("at_exit", ()))
    why = (
        "; HDF5 and netCDF-4, if these are theirs, need H5Pset_dxpl_mpio or nc_var_par_access for collective "
        "ones"
        if with_hdf5
        else ""
    )
    return (
        f"{counted(count, 'file')} had no collective data call "
        f"({_calls_without_record(independent, by_library) or 'and no other'}{why})"
    )


def why_nothing(document: Document, environ_disabled: bool) -> str:
    """Why a report may hold no file."""
    if environ_disabled:
        return "COLLIO_ENABLE=0 is set"
    early = f"the job ended early (exit code {document['exit_code']}), " if document.get("exit_code") else ""
    if AT_EXIT not in document:  # of a time or a place where ranks did not tell
        return (
            f"{early}the program opened no file with MPI_File_open, its MPI is linked statically, or the "
            "ranks did not get the environment "
            "(with COLLIO_VERBOSE=1 each file that collio takes over gets a line on stderr)"
        )
    ranks = document["at_exit"]
    if not ranks:
        return (
            f"{early}no rank left a line at its exit: it was killed, ended by MPI_Abort or _exit, did not "
            "get the environment, or the program is linked "
            "statically (`collio doctor -- mpiexec …` checks the environment)"
        )
    if any(rank.get("absent") for rank in ranks):
        return f"{early}the engine could not be loaded in the ranks: `collio doctor -- mpiexec …` says why"
    if not any(rank.get("init") for rank in ranks):
        return (
            f"{early}the preload is there but saw no MPI_Init: likely the program loads MPI so that it "
            "escapes the preload (RTLD_DEEPBIND), or uses MPI sessions"
        )
    return early + _past_mpi_io(ranks)


def _past_mpi_io(ranks: list[RankRecord]) -> str:
    """Why files are missing where the preload was in the ranks."""
    none = "rank 0 made no call of MPI_File_open"
    if any(rank.get("opened") for rank in ranks):
        return (
            "the MPI library kept the files that the program opened; the job's stderr says why, unless a "
            "hint, COLLIO_ENABLE or MPI_MODE_SEQUENTIAL asked for it"
        )
    writers = [rank for rank in ranks if rank.get("written", 0) >= MUCH]
    if not writers:
        return none
    wrote = (
        f"{none}, but {counted(len(writers), 'rank')} of the first 64 wrote "
        f"{format_bytes(sum(rank['written'] for rank in writers))}"
    )
    version = int(max(rank.get("pnetcdf", 0) for rank in writers))
    if version >= 115:
        return (
            f"{wrote}: likely PnetCDF {version // 100}.{version % 100} by its own driver (GIO); "
            "PNETCDF_HINTS=nc_driver=mpiio gives the files to collio"
        )
    if any(rank.get("adios") for rank in writers):
        return f"{wrote}: likely ADIOS2, whose engines make no MPI-IO call"
    if any(rank.get("hdf5") for rank in writers):
        return f"{wrote}: likely HDF5 with files of each rank's own; H5Pset_fapl_mpio opens one for all ranks"
    return f"{wrote} by other calls"


def counts_of(call: CallRecord) -> list[str]:
    """What a call did, in numbers: "8 aggregators", "12 messages", "2.1 B of metadata a piece", ..."""
    parts = (
        (call.get("aggregators"), "aggregator"),
        (call.get("local_aggregators"), "local aggregator"),
        (call.get("rounds"), "round"),
        (call.get("messages"), "message"),
    )
    texts = [counted(int(count), noun) for count, noun in parts if count]
    if call.get("most_receives_per_round"):
        texts.append(
            f"at most {counted(int(call['most_receives_per_round']), 'receive')} by an aggregator in a round"
        )
    one_sided = call.get("one_sided") or {}
    if one_sided.get("transfers"):
        texts.append(
            f"{one_sided['transfers']} one-sided transfers of {format_bytes(one_sided.get('bytes', 0))}"
        )
    device = call.get("device") or {}
    for key, way in (("from_device", "from"), ("to_device", "to")):
        if device.get(key):
            texts.append(f"{format_bytes(device[key])} staged {way} device memory")
    if call.get("metadata_bytes"):
        a_piece = call["metadata_bytes"] / max(1, call.get("pieces", 1))
        texts.append(f"{format_bytes(call['metadata_bytes'])} of metadata, {a_piece:.2g} B a piece")
    if placement := call.get("placement"):
        texts.append(_placement_text(placement))
    if call.get("remembered"):
        texts.append(f"{counted(int(call['remembered']), 'plan')} remembered")
    if call.get("placed", 0) > 1:
        texts.append(f"domains placed in {call['placed']} calls")
    if call.get("estimated_seconds") and call.get("agreed_seconds"):
        forecast = call.get("forecast_seconds") or call["estimated_seconds"]
        corrected = (
            f"{format_seconds(forecast)} by earlier calls, " if forecast != call["estimated_seconds"] else ""
        )
        texts.append(
            f"estimated {format_seconds(call['estimated_seconds'])} beyond storage, {corrected}took "
            f"{format_seconds(call['agreed_seconds'])}"
        )
    if call.get("met_once"):
        texts.append(f"{counted(int(call['met_once']), 'call')} with one reduction")
    if call.get("unmet"):
        texts.append(f"{counted(int(call['unmet']), 'call')} without a reduction")
    return texts + program_times(call)


def program_times(call: CallRecord) -> list[str]:
    """What a call the program did not block in cost it: "nonblocking, on a thread: 20 us to post, 0 waited,
    1.2 s hidden".

    Times to post and waited are those of the rank they were longest on, hidden time of the rank it was
    shortest on.
    """
    if call.get("form", "blocking") == "blocking":
        return []
    spent = {name: totals.Spread.of(value) for name, value in call.get("program_seconds", {}).items()}
    zero = totals.Spread(0.0, 0.0, 0.0)
    post, waited, hidden = (spent.get(name, zero) for name in ("post", "waited", "hidden"))
    return [
        f"{call['form']}, on a {call.get('progress') or '?'}: {format_seconds(post.max)} to post, "
        f"{format_seconds(waited.max)} waited, {format_seconds(hidden.min)} hidden"
    ]


def _placement_text(placement: Placement) -> str:
    """Who serves which domain: "domains placed least_congestion: the busiest link needs 0.2 s, in order 0.3
    s; ..."."""
    busiest, hop_bytes = placement.get("busiest_seconds", 0.0), placement.get("hop_bytes", 0)
    in_order, hops_in_order = (
        placement.get("busiest_seconds_in_order", 0.0),
        placement.get("hop_bytes_in_order", 0),
    )
    return (
        f"domains placed {placement.get('how', '?')} ({placement.get('reason', '')}): busiest link "
        f"{format_seconds(busiest)}, in order "
        f"{format_seconds(in_order)}; hop-bytes {format_bytes(hop_bytes)}, in order "
        f"{format_bytes(hops_in_order)}; "
        f"imbalance {placement.get('imbalance', 1):.3g}"
    )
