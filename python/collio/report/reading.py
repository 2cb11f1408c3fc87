"""The report of a job: the JSON lines the engine leaves, gathered into one document.

The engine appends lines to $COLLIO_REPORT: one when a file is opened, others while it is used, one when it is
closed. A line replaces earlier ones with its id. Many files of one kind share a line. `collio run --report
FILE` makes the document of them that `collio report FILE` reads:

    {"collio": version, "command": [...], "mpi": id, "exit_code": n, "seconds": wall, "hints": {...},
     "files": [line, ...]}
"""

from __future__ import annotations

import glob
from pathlib import Path
from typing import Any, cast

from collio import plain_json
from collio.report import check as report_check
from collio.report.records import Document, FileRecord, RankRecord

AT_EXIT = "at_exit"
"""Key of the lines that ranks leave at their exit."""


class ReportError(ValueError):
    """A file that is no report; the message names it."""


def read_lines(path: Path) -> tuple[list[FileRecord], int]:
    """(files, damaged lines) from what the engine left; a job that was killed may end in half a line."""
    files, damaged = _lines_of(path.read_text(encoding="utf-8", errors="replace") if path.exists() else "")
    return files, len(damaged)


def _lines_of(text: str) -> tuple[list[FileRecord], list[str]]:
    """Files, and what is wrong with damaged lines."""
    files: dict[Any, FileRecord] = {}
    damaged = []
    # file names may have what splitlines() takes for an end
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            file = plain_json.parse(line)
            if isinstance(file, dict) and AT_EXIT in file:
                continue
            report_check.check_file(file)
            files[file["id"]] = file
        except report_check.FieldError as error:
            damaged.append(f"line {number}: {error}")
        except ValueError as error:
            damaged.append(f"line {number} is damaged or cut off ({error})")
    return list(files.values()), damaged


def read_exits(path: Path) -> list[RankRecord]:
    """What ranks left at their exit (src/mpiio/shim/shim_note.c): {"rank", "init", "opened", "absent",
    "written", "pnetcdf", "adios", "hdf5"}."""
    found = []
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n") if path.exists() else ():
        if f'"{AT_EXIT}"' in line:
            try:
                rank = plain_json.parse(line)[AT_EXIT]
                report_check.check_rank(rank)
                found.append(rank)
            except (ValueError, KeyError, TypeError):
                continue
    return found


def load(path: Path) -> Document:
    """The document of `collio run --report`, or the engine's own lines. Where `collio run` was killed before
    it could make the document, the lines lie beside it under another name. Raises ReportError."""
    lines = f".{glob.escape(path.name)}.*.lines"
    # `--report auto` makes the file empty before the job
    left = [] if path.exists() and path.stat().st_size else sorted(path.absolute().parent.glob(lines))
    try:
        # file names may not be UTF-8; the rest is
        text = (left or [path])[-1].read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ReportError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        return _document_of(text, cut_off=bool(left))
    except ValueError as error:
        raise ReportError(
            f"{path}: not a report of collio (`collio run --report FILE` writes one): {error}"
        ) from None


def _document_of(text: str, cut_off: bool) -> Document:
    """Of a document, or of the engine's lines, which may end in half a line where they may be `cut_off`.
    Raises ValueError."""
    try:
        document = plain_json.parse(text)
    except ValueError as error:
        files, damaged = _lines_of(text)
        if files and (cut_off or not damaged):
            return {"files": files}
        raise ValueError(
            damaged[0]
            if files and damaged
            else f"it is damaged or cut off ({error})"
            if text
            else "it is empty"
        ) from None
    if isinstance(document, dict) and "calls" in document:
        document = {"files": [document]}
    report_check.check_document(document)
    return cast(Document, document)  # as checked
