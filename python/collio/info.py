"""`collio info`: what collio finds on this machine and what it would do."""

from __future__ import annotations

import os
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from collio import __version__, config, hints, mpi_libraries
from collio.builds import Build
from collio.plain_json import JsonObject


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def info(as_json: bool) -> None:
    """Show the version, the MPI libraries found, the hints and where they come from."""
    facts = gather()
    console = Console()
    if as_json:
        console.print_json(data=facts)
        return
    console.print(f"collio {facts['version']}", style="bold", highlight=False)
    console.print()
    console.print(_mpi_table(facts["mpi"]))
    if not facts["mpi"]:
        console.print("no MPI library found (no mpicc on PATH, in $MPI_HOME or in the usual folders)", style="yellow")
    console.print()
    console.print(_hint_table(facts))
    console.print()
    for rule in facts["hints_by_path"]:
        pairs = ", ".join(f"{key}={value}" for key, value in rule["hints"].items())
        console.print(f"for files {rule['pattern']}: {pairs} ({rule['from']})", highlight=False, markup=False)
    console.print(f"config file: {facts['config_file'] or 'none ($COLLIO_CONFIG, ./collio.conf, ~/.config/collio/config)'}", highlight=False)
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
                "key": hint.key, "default": hint.default, "allowed": hint.allowed, "meaning": hint.meaning,
                "value": settings.hints.get(hint.key), "from": settings.origins.get(hint.key),
            }
            for hint in hints.HINTS
        ],
        "hints_by_path": [{"pattern": rule.pattern, "hints": rule.hints, "from": rule.origin} for rule in settings.rules],
        "passed_on": {key: value for key, value in settings.hints.items() if key not in hints.BY_KEY},
        "config_file": str(Path(path).absolute()) if path else None,
        "environment": {name: value for name, value in sorted(os.environ.items()) if name.startswith("COLLIO_") or name in hints.OF_OTHER_LAYERS},
        "problems": problems + settings.warnings,
    }


def _mpi_facts(mpi: mpi_libraries.MpiLibrary) -> JsonObject:
    build = Build.of(mpi)
    return {
        "id": mpi.id, "family": mpi.family, "version": mpi.version, "mpiexec": mpi.mpiexec, "library": mpi.library,
        "built": build.exists, "build": str(build.root),
    }


def _mpi_table(found: list[JsonObject]) -> Table:
    table = Table(title="MPI libraries", title_justify="left", title_style="bold", box=None, pad_edge=False)
    for name in ("id", "launcher", "library", "collio's build"):
        table.add_column(name, header_style="dim", overflow="fold")
    for mpi in found:
        built = mpi["build"] if mpi["built"] else "[yellow]none; `make build` makes it[/]"
        table.add_row(mpi["id"], mpi["mpiexec"] or "none", mpi["library"], built)
    return table


def _hint_table(facts: JsonObject) -> Table:
    table = Table(title="Hints", title_justify="left", title_style="bold", box=None, pad_edge=False)
    for name in ("key", "in force", "allowed", "meaning"):
        table.add_column(name, header_style="dim", no_wrap=name == "key", overflow="fold")
    for hint in facts["hints"]:
        value = f"[bold green]{hint['value']}[/] ({hint['from']})" if hint["value"] else f"{hint['default']} [dim](default)[/]"
        table.add_row(hint["key"], value, hint["allowed"], hint["meaning"])
    for key, value in facts["passed_on"].items():
        table.add_row(key, value, "", "passed on to the MPI library")
    return table
