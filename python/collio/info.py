"""`collio info`: what collio finds on this machine and what it would do."""

from __future__ import annotations

import os
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding

from collio import __version__, config, hints, mpi_libraries
from collio.builds import Build
from collio.plain_json import JsonObject


@click.command()
@click.option("--all", "all_hints", is_flag=True, help="Also the hints for tuning and the experimental ones.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document, with all hints.")
def info(all_hints: bool, as_json: bool) -> None:
    """Show the MPI libraries found, and the hints in force.

    Each hint is shown with its value, where the value comes from, and what is allowed. Without --all these
    are the twelve that are worth knowing, and those that you have set.
    """
    facts = gather()
    console = Console()
    if as_json:
        console.print_json(data=facts)
        return
    console.print(f"collio {facts['version']}", style="bold", highlight=False)
    console.print()
    _print_mpi(console, facts["mpi"])
    console.print()
    _print_hints(console, facts, all_hints)
    console.print()
    for rule in facts["hints_by_path"]:
        pairs = ", ".join(f"{key}={value}" for key, value in rule["hints"].items())
        console.print(f"for files {rule['pattern']}: {pairs} ({rule['from']})", highlight=False, markup=False)
    console.print(
        "config file: "
        f"{facts['config_file'] or 'none ($COLLIO_CONFIG, ./collio.conf, ~/.config/collio/config)'}",
        highlight=False,
    )
    for name, value in facts["environment"].items():
        console.print(f"environment: {name}={value}", highlight=False)
    for problem in facts["problems"]:
        console.print(f"problem: {problem}", style="yellow", highlight=False)


def gather() -> JsonObject:
    """The facts, ready for JSON."""
    problems: list[str] = []
    settings, path = config.Settings(), None
    try:
        path = config.config_path()
        settings = config.gather_settings(())
    except (config.ConfigError, hints.HintError) as error:
        problems.append(str(error))
    return {
        "version": __version__,
        "mpi": [_mpi_facts(mpi) for mpi in mpi_libraries.find_mpi_libraries()],
        "hints": [
            {
                "key": hint.key,
                "default": hint.default,
                "allowed": hint.allowed,
                "meaning": hint.meaning,
                "owner": hint.owner,
                "group": hint.group,
                "experimental_values": hint.experimental_values,
                "value": settings.hints.get(hint.key),
                "from": settings.origins.get(hint.key),
            }
            for hint in hints.HINTS
        ],
        "hints_by_path": [
            {"pattern": rule.pattern, "hints": rule.hints, "from": rule.origin} for rule in settings.rules
        ],
        "passed_on": {key: value for key, value in settings.hints.items() if key not in hints.BY_KEY},
        "config_file": str(Path(path).absolute()) if path else None,
        "environment": {
            name: value
            for name, value in sorted(os.environ.items())
            if name.startswith("COLLIO_") or name in hints.OF_OTHER_LAYERS
        },
        "problems": problems + settings.warnings,
    }


def _mpi_facts(mpi: mpi_libraries.MpiLibrary) -> JsonObject:
    build = Build.of(mpi)
    return {
        "id": mpi.id,
        "family": mpi.family,
        "version": mpi.version,
        "mpiexec": mpi.mpiexec,
        "library": mpi.library,
        "built": build.exists,
        "build": str(build.root),
    }


def _print_mpi(console: Console, found: list[JsonObject]) -> None:
    """A block for each MPI library. Paths stay whole, so that they can be copied."""
    console.print("MPI libraries", style="bold")
    if not found:
        console.print("none found (no mpicc on PATH, in $MPI_HOME or in the usual folders)", style="yellow")
    for mpi in found:
        built = escape(mpi["build"]) if mpi["built"] else "[yellow]none; `make build` makes it[/]"
        console.print(f"  {mpi['id']}", highlight=False)
        for name, value in (
            ("launcher", escape(mpi["mpiexec"] or "none")),
            ("library", escape(mpi["library"] or "none")),
            ("build", built),
        ):
            console.print(f"    [dim]{name:<8}[/]  {value}", highlight=False, soft_wrap=True)


def _print_hints(console: Console, facts: JsonObject, all_hints: bool) -> None:
    """A block for each hint: what is in force, what is allowed, and what it means. Experimental hints and
    values come last."""
    first = [hint for hint in facts["hints"] if hint["group"] == "first" or (hint["value"] and not all_hints)]
    _print_group(console, "Hints", first)
    for key, value in facts["passed_on"].items():
        console.print(
            Padding(
                f"{escape(key)} = {escape(value)} [dim](passed on to the MPI library)[/]",
                (0, 0, 0, 2),
                expand=False,
            ),
            highlight=False,
        )
    console.print()
    if not all_hints:
        console.print(
            f"{len(facts['hints']) - len(first)} hints more for tuning and experiments: collio info --all",
            highlight=False,
        )
        return
    _print_group(console, "Tuning", [hint for hint in facts["hints"] if hint["group"] == "tuning"])
    console.print()
    _print_group(
        console,
        "Experimental hints and values",
        [hint for hint in facts["hints"] if hint["group"] == "experimental"],
    )
    for hint in facts["hints"]:
        if hint["experimental_values"]:
            _print_block(console, hint["key"], "further values", ", ".join(hint["experimental_values"]))


def _print_group(console: Console, heading: str, shown: list[JsonObject]) -> None:
    console.print(heading, style="bold")
    for hint in shown:
        stable = [value for value in hint["allowed"].split(", ") if value not in hint["experimental_values"]]
        _print_block(console, _in_force(hint), hint["meaning"], ", ".join(stable))


def _in_force(hint: JsonObject) -> str:
    value = (
        f"[bold green]{escape(hint['value'])}[/] ({escape(hint['from'])})"
        if hint["value"]
        else f"{escape(hint['default'])} [dim](default)[/]"
    )
    return f"{hint['key']} = {value}"


def _print_block(console: Console, title: str, meaning: str, allowed: str) -> None:
    console.print(Padding(title, (0, 0, 0, 2), expand=False), highlight=False)
    for text in (meaning, f"[dim]allowed:[/] {escape(allowed)}"):
        console.print(Padding(text, (0, 0, 0, 6), expand=False), highlight=False)
