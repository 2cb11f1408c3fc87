"""`collio bench PATTERN`: the command."""

from __future__ import annotations

import functools
import os
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any, Callable

import click
from rich.console import Console

from collio import __version__, hints, mpi_libraries, progress
from collio.bench import engines as engine_table
from collio.bench import lab_results, launcher, machine, pnetcdf, results, rounds, tuning
from collio.bench.engines import BenchError
from collio.bench.patterns import PATTERNS
from collio.bench.patterns.prepared import ReadyPattern
from collio.builds import Build
from collio.lab.build import MEMORY, current
from collio.lab.start import LabError, run_in_new_lab
from collio.plain_json import JsonObject, document_text
from collio.run import launch
from collio.run.output import end_with_its_runs
from collio.wording import format_bytes, format_seconds

COMMON = [
    click.option(
        "--mpi",
        "mpi_name",
        metavar="ID",
        help="mpich, openmpi, or an id of `collio info`.  [default: the first that is built]",
    ),
    click.option("--ranks", type=click.IntRange(min=1), help="MPI ranks.  [default: 4, or all of the lab's]"),
    click.option(
        "--lab",
        "lab_machine",
        metavar="MACHINE",
        help="Run on a lab: a machine file, or one of `collio lab machines`.",
    ),
    click.option(
        "--engines",
        default="collio,native,floor",
        show_default=True,
        help="Engines to measure, separated by commas.",
    ),
    click.option(
        "--dir",
        "folder",
        type=click.Path(file_okay=False, path_type=Path),
        help="Where the file is written.  [default: the current folder, or the lab's memory]",
    ),
    click.option(
        "--repeat",
        type=click.IntRange(min=1),
        default=3,
        show_default=True,
        help="Measured runs of each engine.",
    ),
    click.option(
        "--steps",
        type=click.IntRange(1, 100_000),
        default=1,
        show_default=True,
        help="Repeat the pattern N times, consecutively in the file.",
    ),
    click.option(
        "--collective",
        type=click.Choice(["blocking", "nonblocking", "split", "independent"]),
        default="blocking",
        show_default=True,
        hidden=True,
        help="Form of the data calls. Nonblocking and split calls run with MPI_THREAD_MULTIPLE under collio. "
        "Independent calls are not collective.",
    ),
    click.option(
        "--compute",
        "compute_s",
        type=click.FloatRange(0, 3600),
        default=0.0,
        metavar="SECONDS",
        hidden=True,
        help="Computing time per step: after blocking calls, during nonblocking and split ones.  [default: "
        "0]",
    ),
    click.option(
        "--set",
        "assignments",
        multiple=True,
        metavar="KEY=VALUE",
        help="A hint for every engine but the floor.",
    ),
    click.option(
        "--pnetcdf",
        "pnetcdf_prefix",
        metavar="PREFIX",
        type=click.Path(file_okay=False, path_type=Path),
        hidden=True,
        help="Where PnetCDF is installed, for engines named pnetcdf...",
    ),
    click.option(
        "--ranks-per-node",
        type=click.IntRange(min=1),
        hidden=True,
        help="Under collio, treat every N ranks as one node.",
    ),
    click.option(
        "--operation",
        type=click.Choice(["write", "read", "write,read"]),
        default="write,read",
        show_default=True,
        help="Operations to measure.",
    ),
    click.option(
        "--timeout",
        "timeout_s",
        type=click.FloatRange(min=1),
        default=600.0,
        show_default=True,
        help="Seconds one run may take.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON document."),
    click.option(
        "--output",
        type=click.Path(dir_okay=False, path_type=Path),
        hidden=True,
        help="Write the JSON document here as well.",
    ),
]


@click.group()
def bench() -> None:
    """Measure collio against the MPI library's own I/O.

    Engines run alternating, and every byte is checked.

    Engines: collio; native (the MPI library's own I/O; where ranks outnumber cores, waiting ranks yield);
    native-spin (without yielding); native-tuned (with the fastest settings for the pattern, searched before
    the measurement); pnetcdf, pnetcdf-collio, pnetcdf-gio (through --pnetcdf's nonblocking calls, over
    native, collio and PnetCDF's own I/O; pnetcdf-tuned, pnetcdf-gio-tuned); floor (the same bytes,
    contiguous, by POSIX calls). Open MPI also has ompi-two_phase, ompi-vulcan, ompi-dynamic,
    ompi-dynamic_gen2, ompi-individual and ompi-romio. "collio:cb_buffer_size=1MiB" sets hints for one engine,
    "ompi-vulcan:num_aggregators=4:bytes_per_agg=4MiB" Open MPI's parameters; "collio@../other" takes another
    checkout's build.

    Rarely needed, with any pattern: --collective nonblocking, split or independent (form of the data calls),
    --compute SECONDS (in each step), --ranks-per-node N (under collio, treat every N ranks as one node),
    --pnetcdf PREFIX (where PnetCDF is installed), --output FILE (the JSON document as well).
    """


def run_pattern(name: str, common: JsonObject, options: JsonObject) -> JsonObject:
    """Runs one benchmark; the document. Raises BenchError."""
    lab = current() if common["lab_machine"] else None
    if common["lab_machine"] and lab is None:
        sys.exit(run_in_new_lab(common["lab_machine"], sys.argv[1:], common["ranks"]))
    folder = common["folder"] or (MEMORY if lab else Path("."))
    if not os.access(folder, os.W_OK):
        raise BenchError(f"--dir {folder}: not a writable folder")
    common = {**common, "folder": folder, "ranks": common["ranks"] or (lab.ranks if lab else 4)}
    try:
        mpi = launch.named_mpi(common["mpi_name"]) if common["mpi_name"] else _first_built()
        shared = dict(hints.split_assignment(text) for text in common["assignments"])
        shared = {key: hints.check_hint(key, value)[0] for key, value in shared.items()}
    except (launch.LaunchError, hints.HintError) as error:
        raise BenchError(str(error)) from None
    contenders = engine_table.parse_engines(common["engines"], mpi)
    front = _pnetcdf_arguments(common, contenders, mpi)
    with tempfile.TemporaryDirectory(prefix="collio-bench-") as scratch:
        setup = launcher.Setup(
            mpi,
            Build.of(mpi),
            common["ranks"],
            common["timeout_s"],
            Path(scratch),
            lab,
            common["collective"] in ("nonblocking", "split"),
            {"COLLIO_RANKS_PER_NODE": str(common["ranks_per_node"])} if common["ranks_per_node"] else {},
        )
        program = launcher.check_setup(setup, "collio_bench", contenders)
        prepared = PATTERNS[name].prepare(options, setup.ranks, Path(scratch))
        needed = prepared.file_bytes * common["steps"]
        if needed > machine.free_bytes(folder):
            raise BenchError(
                f"--dir {folder}: {format_bytes(needed)} are needed, "
                f"{format_bytes(machine.free_bytes(folder))} are free"
            )
        with tempfile.TemporaryDirectory(prefix="collio-bench-", dir=folder) as place:
            arguments = [
                str(program),
                *prepared.arguments,
                "--file",
                str(Path(place) / "data"),
                "--operation",
                common["operation"],
            ]
            arguments += [
                "--steps",
                str(common["steps"]),
                "--collective",
                common["collective"],
                "--compute-ms",
                str(round(1000 * common["compute_s"])),
            ]
            given = [part for key, value in shared.items() for part in ("--hint", f"{key}={value}")]

            def arguments_of(engine: engine_table.Engine) -> list[str]:
                through = front if engine.mode == "pnetcdf" else []
                return (
                    arguments + ["--mode", engine.mode, *through] + ([] if engine.mode == "floor" else given)
                )

            contenders, tunings = _tune(setup, contenders, common["operation"].split(","), arguments_of)
            count = common["repeat"] * len(contenders) + sum(engine.preload for engine in contenders)
            with progress.bar("measuring", count) as bar:
                tell = functools.partial(_tell, bar)
                samples = rounds.run_rounds(setup, contenders, arguments_of, common["repeat"], tell)
    document = _document(common, prepared, samples, setup, shared)
    return {"pattern": name} | document | ({"tuning": tunings} if tunings else {})


def _pnetcdf_arguments(
    common: JsonObject, contenders: list[engine_table.Engine], mpi: mpi_libraries.MpiLibrary
) -> list[str]:
    """The library for engines that go through PnetCDF. Raises BenchError."""
    through = [engine.label for engine in contenders if engine.mode == "pnetcdf"]
    if not through:
        return []
    if common["pnetcdf_prefix"] is None:
        raise BenchError(
            f"engine {through[0]}: --pnetcdf is missing: where a PnetCDF of {mpi.id} is installed"
        )
    if "write" not in common["operation"] or common["collective"] != "blocking":
        raise BenchError(
            f"engine {through[0]}: allowed with it are --operation write or write,read and --collective "
            "blocking"
        )
    return ["--pnetcdf", str(pnetcdf.find_library(common["pnetcdf_prefix"], mpi))]


def _tune(
    setup: launcher.Setup,
    contenders: list[engine_table.Engine],
    operations: list[str],
    arguments_of: Callable[[engine_table.Engine], list[str]],
) -> tuple[list[engine_table.Engine], JsonObject]:
    """The contenders, tuned ones with their settings, and the searches by label."""
    made, tunings = [], {}
    for engine in contenders:
        if engine.tunes:
            with progress.bar(f"tuning {engine.label}", 0) as bar:
                tell = functools.partial(_tell_trial, bar)
                runner = tuning.Runner(setup, arguments_of, tell)
                engine, found = tuning.tuned(setup, engine, operations, runner, bar.expect)
            tunings[engine.label] = found.document()
        made.append(engine)
    return made, tunings


def _first_built() -> mpi_libraries.MpiLibrary:
    for mpi in mpi_libraries.find_mpi_libraries():
        if Build.of(mpi).exists:
            return mpi
    raise BenchError("collio is not built for any MPI found here; run `make build`")


def _document(
    common: JsonObject,
    prepared: ReadyPattern,
    samples: list[rounds.Samples],
    setup: launcher.Setup,
    shared: JsonObject,
) -> JsonObject:
    rows = results.result_rows(samples)
    first = next((line for one in samples for line in one.lines), {})
    given = {**first.get("parameters", {}), **prepared.parameters}
    front = next((line["pnetcdf"] for one in samples for line in one.lines if "pnetcdf" in line), None)
    return {
        "mpi": setup.mpi.id,
        "ranks": setup.ranks,
        "dir": str(common["folder"]),
        "bytes": first.get("bytes", 0),
        "verified": bool(rows) and all(row["verified"] for row in rows),
        "results": rows,
        "repeat": common["repeat"],
        "hints": shared,
        "conditions": setup.conditions,
        "pieces": first.get("pieces"),
        "file_bytes": first.get("file_bytes"),
        "parameters": {key: value for key, value in given.items() if key != "map_binary"},
        "machine": machine.describe(common["folder"]),
        **({"lab": lab_results.summary(setup.lab.graph, samples)} if setup.lab else {}),
        "versions": {
            "collio": __version__,
            "commit": machine.commit(),
            "mpi": first.get("mpi"),
            "python": sys.version.split()[0],
            **({"pnetcdf": front} if front else {}),
        },
        "command": "collio " + shlex.join(sys.argv[1:]),
    }


def _tell(bar: progress.Bar, engine: engine_table.Engine, repeat: int, outcome: launcher.Outcome) -> None:
    """A run is done."""
    spent = " ".join(
        f"{o['operation']} {format_seconds(o['seconds'])}"
        for line in outcome.lines
        for o in line.get("operations", ())
    )
    bar.print(f"  {repeat + 1}  {engine.label:<20} {outcome.error or spent}")
    bar.advance()


def _tell_trial(bar: progress.Bar, trial: tuning.Trial) -> None:
    """A run of a search is done."""
    spent = " ".join(f"{operation} {format_seconds(seconds)}" for operation, seconds in trial.seconds.items())
    bar.print(f"  try {trial.setting.label}: {trial.error or spent}")
    bar.advance()


def _finish(document: JsonObject, as_json: bool, output: Path | None) -> None:
    text = document_text(document)
    if output:
        output.write_text(text)
    if as_json:
        click.echo(text, nl=False)
    else:
        results.print_table(Console(), document)
        lab_results.print_summary(Console(), document)
    if not document["verified"]:
        sys.exit(1)


def _command_of(name: str) -> click.Command:
    def callback(**given: Any) -> None:
        common = {
            parameter: given.pop(parameter)
            for parameter in (
                "mpi_name",
                "ranks",
                "engines",
                "folder",
                "repeat",
                "assignments",
                "operation",
                "timeout_s",
                "steps",
                "collective",
                "compute_s",
                "lab_machine",
                "ranks_per_node",
                "pnetcdf_prefix",
            )
        }
        end_with_its_runs()
        as_json, output = given.pop("as_json"), given.pop("output")
        try:
            document = run_pattern(name, common, given)
        except (BenchError, LabError) as error:
            raise click.ClickException(str(error)) from None
        _finish(document, as_json, output)

    for option in reversed([*COMMON, *PATTERNS[name].options]):
        callback = option(callback)
    return click.command(name, help=PATTERNS[name].help)(callback)


for _name in PATTERNS:
    bench.add_command(_command_of(_name))
