"""`collio demo`: the command."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click
from rich.console import Console

from collio import mpi_libraries, progress
from collio.bench import launcher, machine
from collio.bench.engines import BenchError, Engine
from collio.builds import Build
from collio.demo import case as cases
from collio.demo import contest, show
from collio.old_names import RenamedOption
from collio.run import launch
from collio.run.output import end_with_its_runs

RUN_TIMEOUT_S = 300.0


@click.command()
@click.option(
    "--ne",
    type=click.IntRange(min=1),
    default=30,
    show_default=True,
    help="Elements along an edge of the cube.",
)
@click.option("--levels", type=click.IntRange(min=1), default=72, show_default=True, help="Vertical levels.")
@click.option(
    "--map",
    "map_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A decomposition file of the E3SM-IO benchmark instead of --ne.",
)
@click.option(
    "--holes", type=click.FloatRange(0, 0.95), default=0.0, help="Share of columns that no rank writes."
)
@click.option("--ranks", type=click.IntRange(min=1), default=16, show_default=True, help="MPI ranks.")
@click.option(
    "--repeat", type=click.IntRange(min=1), default=3, show_default=True, help="Measured runs of each side."
)
@click.option(
    "--mpi", "mpi_names", multiple=True, metavar="ID", help="Only this MPI; may be given more than once."
)
@click.option(
    "--dir",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Where the files are written.",
)
@click.option(
    "--timeout",
    "limit_s",
    cls=RenamedOption,
    former=["--budget"],
    type=click.FloatRange(min=1),
    default=150.0,
    show_default=True,
    help="Seconds in all; later repeats are left out.",
)
def demo(
    ne: int,
    levels: int,
    map_file: Path | None,
    holes: float,
    ranks: int,
    repeat: int,
    mpi_names: tuple[str, ...],
    folder: Path | None,
    limit_s: float,
) -> None:
    """Write and read a checkpoint with and without collio.

    The checkpoint is an atmosphere model's. The demo compares times and bytes.
    """
    end_with_its_runs()
    console = Console()
    try:
        setups = [_setup(mpi, ranks) for mpi in _chosen(mpi_names)]
        with tempfile.TemporaryDirectory(prefix="collio-demo-") as scratch:
            for setup in setups:
                case = cases.make_case(
                    cases.CaseGrid(ne, levels, map_file, holes), ranks, setup.mpi, Path(scratch)
                )
                place = cases.choose_folder(folder, case.file_bytes)
                show.print_case(console, setup, case, f"{place} ({machine.file_system(place)})")
                with (
                    tempfile.TemporaryDirectory(prefix="collio-demo-", dir=place) as here,
                    progress.bar("", repeat * contest.STEPS_OF_REPEAT) as bar,
                ):
                    result = contest.Contest(setup, case, Path(here), bar.begin)
                    result.run(repeat, limit_s / len(setups))
                show.print_contest(console, setup, result, repeat)
    except (BenchError, launch.LaunchError) as error:
        click.echo(f"collio demo: {error}", err=True)
        sys.exit(1)
    console.print()
    console.print(
        "Your own program: [bold]collio run -- mpiexec -n 16 ./program[/]    more: [bold]collio --help[/]",
        highlight=False,
    )


def _chosen(names: tuple[str, ...]) -> list[mpi_libraries.MpiLibrary]:
    """The MPIs asked for, or all that collio is built for. Raises LaunchError or BenchError."""
    found = mpi_libraries.find_mpi_libraries()
    if names:
        return [launch.named_mpi(name, found) for name in names]
    built = [mpi for mpi in found if Build.of(mpi).exists]
    if not built:
        known = ", ".join(mpi.id for mpi in found) or "no MPI"
        raise BenchError(f"collio is not built for any of the MPIs found ({known}); run `make build`")
    return built


def _setup(mpi: mpi_libraries.MpiLibrary, ranks: int) -> launcher.Setup:
    setup = launcher.Setup(mpi, Build.of(mpi), ranks, RUN_TIMEOUT_S)
    for program in ("e3sm_checkpoint", "collio_bench"):
        launcher.check_setup(setup, program, [Engine("native"), Engine("collio", preload=True)])
    return setup
