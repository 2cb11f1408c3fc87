"""The demo's runs: native and collio in alternation; then each reads the file the other wrote.

collio's runs are started as a user would start them, by `collio run -- mpiexec …`.
"""

from __future__ import annotations

import filecmp
import hashlib
import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

from collio.bench import launcher
from collio.bench.engines import BenchError, Engine
from collio.bench.launcher import Setup
from collio.demo.case import ELEMENT_BYTES, Case
from collio.report.records import Document
from collio.run.launch import Job
from collio.run.output import run_job
from collio.run.own_python import module_command

SIDES = ("native", "collio")
HASH_BLOCK_BYTES = 1 << 22
STEPS_OF_REPEAT = 6
"""Two sides write, their files are compared, two sides read, and the floor."""


@dataclass
class Contest:
    """Seconds by (side, operation), and what was found out about the bytes. `tell` shows a line."""

    setup: Setup
    case: Case
    folder: Path
    tell: Callable[[str], None]
    seconds: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    checksum: str = ""
    # bytes in holes where the native file is not zero; 0 when the files are identical
    native_leftovers: int = 0
    repeats: int = 0
    documents: list[Document] = field(default_factory=list)  # reports of collio's runs

    def run(self, repeats: int, budget_s: float) -> None:
        """Repeats until done, or until one more would not fit into `budget_s`. Raises BenchError when bytes
        are wrong."""
        started = time.monotonic()
        files = {side: self.folder / f"{side}.nc" for side in SIDES}
        for repeat in range(repeats):
            begun = time.monotonic()
            order = SIDES if repeat % 2 == 0 else SIDES[::-1]
            for side in order:
                self.tell(f"repeat {repeat + 1}: {side} writes")
                self._note(side, "write", self._phase(side, "write", files[side]))
            self.tell(f"repeat {repeat + 1}: comparing the files")
            self._check(files)
            for side in order:
                other = files[SIDES[1 - SIDES.index(side)]]
                self.tell(f"repeat {repeat + 1}: {side} reads the other's file")
                self._note(side, "read", self._phase(side, "read", other))
            self.tell(f"repeat {repeat + 1}: the floor")
            self._floor(self.folder / "floor")
            self.repeats += 1
            for path in files.values():
                path.unlink()
            spent, last = time.monotonic() - started, time.monotonic() - begun
            if spent + last > budget_s:
                break

    def _note(self, side: str, operation: str, seconds: float) -> None:
        self.seconds.setdefault((side, operation), []).append(seconds)

    def _check(self, files: dict[str, Path]) -> None:
        """The files are identical, or differ in holes the native side left dirty. Raises BenchError
        otherwise."""
        if self.case.has_holes:
            dirty = {side: count_dirty(self.case, path) for side, path in files.items()}
            if dirty["collio"]:
                raise BenchError(f"collio left other bytes than zero in {dirty['collio']} bytes nobody wrote")
            self.native_leftovers = max(self.native_leftovers, dirty["native"])
        if self.native_leftovers:
            return  # what was written is checked when each side reads the other's file
        self.checksum = compare(files["native"], files["collio"])

    def _phase(self, side: str, operation: str, path: Path) -> float:
        setup = self.setup
        job = launcher.job_of(setup, Engine("native"), checkpoint_words(setup, self.case, operation, path))
        report_file = path.with_name(f"{operation}-report.json")
        if side == "collio":
            collio_run = module_command(
                "collio", "run", "--report", str(report_file), "--mpi", setup.mpi.id, "--"
            )
            job = Job(collio_run + job.words, job.environ)
        outcome = run_job(job, setup.timeout_s)
        line = next((line for line in outcome.lines if line.get("phase") == operation), None)
        if outcome.error or line is None:
            raise BenchError(f"{side}, {operation}: {outcome.error or 'the program printed no result'}")
        if operation == "read" and not line.get("verified"):
            raise BenchError(f"{side}, read: wrong bytes in {path}")
        if side == "collio":
            document = json.loads(report_file.read_text())
            report_file.unlink()
            if not document["files"]:
                raise BenchError(
                    f"collio, {operation}: collio took over no file, so there is nothing to compare"
                )
            self.documents.append(document)
        return float(line["seconds"])

    def _floor(self, path: Path) -> None:
        setup, case = self.setup, self.case
        words = [
            str(setup.build.program("collio_bench")),
            "--pattern",
            "e3sm",
            "--map-binary",
            str(case.map_binary),
            "--element-size",
            str(ELEMENT_BYTES),
            "--variables",
            case.variables,
            "--mode",
            "floor",
            "--file",
            str(path),
        ]
        outcome = run_job(launcher.job_of(setup, Engine("floor", mode="floor"), words), setup.timeout_s)
        if outcome.error:
            raise BenchError(f"floor: {outcome.error}")
        for operation in outcome.lines[0]["operations"]:
            self._note("floor", operation["operation"], operation["seconds"])


def compare(one: Path, other: Path) -> str:
    """SHA-256 of two files that are equal byte for byte. Raises BenchError when they are not."""
    if not filecmp.cmp(one, other, shallow=False):
        raise BenchError(
            f"the files differ: {one} ({one.stat().st_size} bytes), {other} ({other.stat().st_size} bytes)"
        )
    digest = hashlib.sha256()
    with open(one, "rb") as stream:
        while block := stream.read(HASH_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()


def count_dirty(case: Case, path: Path) -> int:
    """Bytes nobody wrote that are not zero."""
    from collio import e3sm

    return e3sm.count_hole_bytes(case.maps, case.per_decomposition, ELEMENT_BYTES, path)[1]


def checkpoint_words(setup: Setup, case: Case, operation: str, path: Path) -> list[str]:
    """The unmodified program's own command line."""
    return [
        str(setup.build.program("e3sm_checkpoint")),
        "--map-binary",
        str(case.map_binary),
        "--file",
        str(path),
        "--operation",
        operation,
        "--element-size",
        str(ELEMENT_BYTES),
        "--variables",
        case.variables,
    ]
