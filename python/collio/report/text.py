"""A report on the terminal: one table per file, one block of rows per call, and a short summary."""

from __future__ import annotations

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from collio import wording
from collio.report import above, phrases, totals, verdict
from collio.report import network as report_network
from collio.report.records import CallRecord, Document, FileRecord
from collio.wording import format_bytes, format_seconds

COLOURS = {
    "flatten": "magenta",
    "digest": "bright_magenta",
    "plan": "bright_black",
    "pack": "yellow",
    "exchange": "blue",
    "place": "cyan",
    "read": "green",
    "write": "bright_green",
    "wait": "red",
    "agree": "bright_cyan",
    "other": "white",
}
BAR_CELLS = 44


def print_report(console: Console, document: Document) -> None:
    """Everything the report says."""
    if "command" in document:
        console.print(Text(" ".join(document["command"]), style="bold"), highlight=False)
        console.print(
            f"collio {document.get('collio', '?')} · exit code {document.get('exit_code', '?')}"
            + (f" · {format_seconds(document['seconds'])} in all" if "seconds" in document else ""),
            highlight=False,
        )
    _print_verdict(console, document)
    for line in above.lines(above.functions(document)):
        console.print(Text(line, style="dim"), highlight=False)
    for file in document["files"]:
        console.print()
        console.print(_file_block(file))
    console.print()
    if document["files"]:
        _print_totals(console, document)
    else:
        print_summary(console, document, environ_disabled=False)


def print_summary(console: Console, document: Document, environ_disabled: bool) -> None:
    """Which paths were taken and why, and where the time went."""
    if not document["files"]:
        console.print(
            "[yellow]collio took over no file.[/] Possible reasons: "
            f"{escape(phrases.why_nothing(document, environ_disabled))}.",
            highlight=False,
        )
        return
    _print_verdict(console, document)
    for operation, path, reason, count in totals.ways(document):
        times = "" if count == 1 else f" x{count}"
        console.print(
            f"[bold]{escape(operation)}[/]{times} went [bold]{escape(path)}[/]: "
            f"{escape(reason) or 'no reason given'}",
            highlight=False,
        )
    _print_totals(console, document)
    for warning in dict.fromkeys(
        warning for file in document["files"] for warning in file.get("warnings", ())
    ):
        console.print(f"[yellow]warning:[/] {escape(warning)}", highlight=False)


def _print_verdict(console: Console, document: Document) -> None:
    """What bound the job's I/O, then what would help, a line each."""
    if not any(totals.calls(document)) and not above.functions(document):
        return
    bound, *remedies = verdict.of(document).sentences()
    console.print(Text(bound, style="bold"), highlight=False)
    for remedy in remedies:
        console.print(Text(f"  - {remedy}"), highlight=False)


def _print_totals(console: Console, document: Document) -> None:
    """Of all files: that no collective call was made, or where the time of the calls went."""
    if idle := phrases.without_collective_calls(document):
        console.print(idle, highlight=False)
    sums = totals.step_sums(call for _, call in totals.calls(document))
    if sums:
        console.print(step_bar(sums))
        console.print(step_legend(sums))


def step_bar(sums: dict[str, float]) -> Text:
    """A coloured bar of the steps' shares."""
    whole = sum(sums.values())
    bar, done, drawn = Text(), 0.0, 0
    for name, seconds in sums.items():
        done += seconds
        end = round(BAR_CELLS * done / whole)
        bar.append("█" * (end - drawn), style=COLOURS[name])
        drawn = end
    return bar


def step_legend(sums: dict[str, float]) -> Columns:
    """The steps with seconds and shares, largest first; those under half a percent are left out."""
    whole = sum(sums.values())
    items = []
    for name, seconds in sorted(sums.items(), key=lambda item: -item[1]):
        if seconds >= 0.005 * whole:
            share = f"{100 * seconds / whole:.0f} %"
            items.append(
                Text.assemble(("■ ", COLOURS[name]), f"{name:<8} {format_seconds(seconds):>8} {share:>5}")
            )
    return Columns(items, padding=(0, 2), equal=True)


def _file_block(file: FileRecord) -> Group:
    title = Text.assemble((str(file.get("file", "?")), "bold"), f"   {phrases.place_of(file)}")
    parts: list[RenderableType] = [title]
    chosen = "  ".join(f"{key}={value}" for key, value in totals.chosen_hints(file).items())
    parts.append(Text(chosen or "all hints at their defaults", style="dim"))
    parts += [Text(line, style="dim") for line in phrases.file_lines(file)]
    parts += [Text(f"warning: {warning}", style="yellow") for warning in file.get("warnings", ())]
    parts += [Text(line, style="dim") for line in report_network.lines(file)]
    if between_nodes := report_network.table(file):
        parts.append(between_nodes)
    for call in file.get("calls", ()):
        parts += [Text(""), _call_line(call), _step_table(call)]
    if line := phrases.calls_line(file):
        parts.append(Text(line, style="dim"))
    return Group(*parts)


def _call_line(call: CallRecord) -> Text:
    repeats = int(call.get("repeats", 1))
    line = Text.assemble(
        (call.get("operation", "?"), "bold cyan"),
        f" x{repeats}" if repeats > 1 else "",
        "  ",
        (call.get("path", "?"), "bold"),
        f"  {call.get('reason', '')}",
        ("  failed" if call.get("failed") else "", "bold red"),
        "\n",
        f"{format_bytes(call.get('bytes', 0))} in {wording.counted(call.get('pieces', 0), 'piece')}",
    )
    for text in phrases.counts_of(call):
        line.append(f" · {text}")
    windows = ", ".join(f"{count} {kind}" for kind, count in call.get("windows", {}).items() if count)
    line.append(f" · windows: {windows}" if windows else "")
    return line


def _step_table(call: CallRecord) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("step", "min", "median", "max over ranks"):
        table.add_column(name, justify="left" if name == "step" else "right", header_style="dim")
    table.add_column("")
    whole = totals.total(call)
    longest = max([whole.max, *(spread.max for spread in totals.steps(call).values())]) or 1.0
    rows = {**totals.steps(call), "total": whole}
    for name, spread in rows.items():
        cells = round(24 * spread.max / longest)
        bar = Text("█" * cells, style=COLOURS.get(name, "bold"))
        table.add_row(
            name, *(format_seconds(value) for value in (spread.min, spread.median, spread.max)), bar
        )
    return table
