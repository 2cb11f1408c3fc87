"""A report of `collio run --report`, as the forecast needs it: what its calls would take without collio."""

from __future__ import annotations

import shlex

from collio.advise import forecast
from collio.advise.forecast import Access, Observed, Obstacle, Phase
from collio.report import above, phrases, totals, verdict
from collio.report.causes import COLLECTIVE, MEMORY
from collio.report.records import CallRecord, Document, FileRecord
from collio.wording import counted, format_bytes, format_seconds


def read(document: Document) -> Observed:
    """Of a job that ran under collio, COLLIO_ENABLE not 0."""
    found = verdict.of(document)
    return Observed(
        shlex.join(document.get("command", ())),
        max((file.get("comm_size", 1) for file in document["files"]), default=1),
        found.job_seconds,
        found.io_seconds,
        True,
        tuple(phase for file, call in totals.calls(document) if (phase := _phase(file, call)) is not None),
        tuple(_obstacles(document)),
    )


def _phase(file: FileRecord, call: CallRecord) -> Phase | None:
    operation = "read" if call.get("operation", "").startswith("read") else "write"
    digest = totals.Spread.of(call.get("seconds", {}).get("digest"))
    seconds = totals.total(call).max - (digest.max - digest.min)
    pieces, moved = call.get("pieces", 0), call.get("bytes", 0)
    if not pieces or not moved or seconds <= 0:
        return None
    ranks, repeats = file.get("comm_size", 1), call.get("repeats", 1)
    factor, like = forecast.by_pieces(
        Access(
            operation,
            "openmpi" if "Open MPI" in file.get("mpi", "") else "mpich",
            "tmpfs" if file.get("storage") in MEMORY else "ext4",
            ranks,
            pieces <= ranks * repeats,
            moved / pieces,
        )
    )
    took = (
        f"{call.get('operation', '?')}: {counted(pieces, 'piece')} of {format_bytes(moved / pieces)} in "
        f"{counted(repeats, 'call')} took {format_seconds(seconds)} under collio"
    )
    return Phase(moved, seconds, factor, f"{took}; like {like}: {factor}")


def _obstacles(document: Document) -> list[Obstacle]:
    if any(totals.calls(document)):
        return []
    independent = [one for one in above.functions(document) if one.independent_calls]
    moved = max((one.most_bytes for one in independent), default=0)
    if document["files"]:
        return [Obstacle(moved + 1, phrases.without_collective_calls(document).rstrip("."), COLLECTIVE)]
    return [Obstacle(moved + 1, phrases.why_nothing(document, environ_disabled=False))]
