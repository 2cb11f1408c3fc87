"""What people see of the demo."""

from __future__ import annotations

import statistics

from rich.console import Console
from rich.table import Table
from rich.text import Text

from collio.bench.launcher import Setup
from collio.demo.case import Case
from collio.demo.contest import Contest
from collio.report import text as report_text
from collio.report import totals
from collio.wording import format_bytes, format_seconds


def print_case(console: Console, setup: Setup, case: Case, file_system: str) -> None:
    """What is about to happen."""
    count = sum(case.per_decomposition)
    console.print()
    console.print(f"[bold]{setup.mpi.id}[/] · E3SM {case.title}", highlight=False)
    console.print(
        f"{case.ranks} ranks, {count} variables, plain MPI-IO: {format_bytes(case.file_bytes)} in "
        f"{case.pieces:,} pieces\nof {case.file_bytes / max(1, case.pieces):.0f} bytes on average, on "
        f"{file_system}",
        highlight=False,
    )
    if case.shortened:
        console.print(
            "[dim]a smaller case than asked for: Open MPI's own I/O would need many minutes for the whole[/]"
        )


def print_contest(console: Console, setup: Setup, contest: Contest, asked: int) -> None:
    """The table, the proof, and where the time went."""
    table = Table(box=None, pad_edge=False, padding=(0, 4, 0, 0))
    table.add_column("")
    for name in ("native", "collio", "collio is", "floor"):
        table.add_column(name, justify="right", header_style="dim")
    for operation in ("write", "read"):
        native, collio, floor = (
            statistics.median(contest.seconds[side, operation]) for side in ("native", "collio", "floor")
        )
        ratio = native / collio
        told = (
            f"[bold green]{ratio:.1f}x faster[/]"
            if ratio >= 1.05
            else f"[yellow]{1 / ratio:.2f}x slower[/]"
            if ratio < 0.95
            else "as fast"
        )
        table.add_row(
            operation,
            format_seconds(native),
            f"[bold]{format_seconds(collio)}[/]",
            told,
            format_seconds(floor),
        )
    console.print()
    console.print(table)
    console.print()
    times = "once" if contest.repeats == 1 else f"median of {contest.repeats}"
    short = f"; {asked} would have taken too long" if contest.repeats < asked else ""
    console.print(f"[dim]{times}, in alternation{short}[/]", highlight=False)
    console.print("[dim]floor: as many bytes, contiguous, no MPI; both sides are helped to share cores[/]")
    if contest.native_leftovers:
        console.print(
            f"[yellow]![/] native left other bytes than zero in {contest.native_leftovers:,} bytes nobody "
            "wrote; collio in none",
            highlight=False,
        )
    else:
        console.print(f"[green]✓[/] files identical, sha256 {contest.checksum[:32]}…", highlight=False)
    console.print("[green]✓[/] each side read the other's file, every byte right")
    _print_steps(console, contest)


def _print_steps(console: Console, contest: Contest) -> None:
    """Where collio's time went, writes and reads apart."""
    for word in ("write", "read"):
        calls = [
            call
            for document in contest.documents
            for _, call in totals.calls(document)
            if call.get("operation", "").startswith(word)
        ]
        sums = {name: seconds / contest.repeats for name, seconds in totals.step_sums(calls).items()}
        if sums:
            console.print()
            console.print(Text.assemble(f"collio's {word}  ", report_text.step_bar(sums)))
            console.print(report_text.step_legend(sums))
            largest = max(calls, key=lambda call: call.get("pieces", 0) / call.get("repeats", 1))
            console.print(
                f"largest call: {largest.get('path')}, {largest.get('reason')}",
                style="dim",
                highlight=False,
                markup=False,
            )
