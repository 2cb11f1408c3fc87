"""What bound a job's I/O, and what would help: a report's first sentences.

Every cause is measured: its seconds are those that calls would be shorter by, at most, if it were gone. Wait
is dealt to what was waited for: a rank that comes last to each call, cores that ranks share, the file.

Seconds are means over ranks, estimated: a file counts with its share of the ranks, because others may
be at other files meanwhile. A report lacks the job's ranks; those of its largest communicator stand for them.
Libraries above MPI-IO count with what they take outside of it (above.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from collio.report import above, phrases, totals
from collio.report import causes as report_causes
from collio.report.causes import COLLECTIVE, Cause
from collio.report.records import CallRecord, Document, FileRecord
from collio.wording import counted, format_seconds

MOST_CAUSES = 3
LITTLE = 0.05
"""Of the job, or of its I/O: not worth a remedy."""
MANY = 10
"""Independent calls for each collective one and rank: more than a library needs for its headers."""


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
    functions = above.functions(document)
    io = sum(_share(file, ranks) * _io_seconds(file) for file in files) + above.seconds(functions)
    within = min(1.0, job / io) if job and io else 1.0
    causes = _added_up([*_causes(files, ranks), *above.causes(functions)])[:MOST_CAUSES]
    return Verdict(
        within * io,
        job,
        tuple(replace(cause, seconds=within * cause.seconds) for cause in causes),
        *_uncounted(files, with_independent=not functions),
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
        if link := report_causes.link(file, sum(map(_took, file.get("calls", ())))):
            yield replace(link, seconds=share * link.seconds)
        for call in file.get("calls", ()):
            took, total = _took(call), totals.total(call).max
            for cause in report_causes.of_call(file, call, whose):
                yield replace(cause, seconds=share * took * min(1.0, cause.seconds / total) if total else 0.0)


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


def _uncounted(files: list[FileRecord], with_independent: bool) -> tuple[str, tuple[str, ...]]:
    """`uncounted` and `advice` of a verdict. `with_independent`: whether independent calls have no
    seconds."""
    independent = sum(int(file.get("independent_calls", 0)) for file in files if with_independent)
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
