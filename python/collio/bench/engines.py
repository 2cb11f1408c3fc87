"""Who moves the bytes in a benchmark.

    collio           the interposer is preloaded
    collio@CHECKOUT  the same with the build of another checkout, to compare two versions
    declared         collio's library: what ranks have is declared, each step one commit
    native           the MPI library's own I/O, helped to yield when ranks outnumber cores
    native-spin      the same without that help
    native-tuned     the same with the fastest settings for the pattern (tuning.py)
    pnetcdf          PnetCDF's nonblocking calls (--pnetcdf) over the MPI library's own I/O
    pnetcdf-collio   the same with the interposer preloaded
    pnetcdf-gio      PnetCDF with its own I/O, GIO, instead of MPI-IO (1.15 and newer)
    pnetcdf-tuned, pnetcdf-gio-tuned   pnetcdf and pnetcdf-gio with the fastest settings for the pattern
    floor            POSIX writes of as many contiguous bytes; no exchange
    ompi-two_phase   Open MPI with one of its components (ompi-vulcan, ompi-dynamic_gen2, …)
    ompi-romio       Open MPI with ROMIO instead of its own I/O
    pnetcdf-ompi-romio, ...            pnetcdf over one of Open MPI's components

All get the same environment, apart from what their name says. A name may carry hints of its own,
"collio:cb_buffer_size=1MiB", so that settings can be compared within one run.
"""

from __future__ import annotations

import glob
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from collio import hints
from collio.builds import Build
from collio.mpi_libraries import OPENMPI, MpiLibrary
from collio.sizes import parse_size, unit_advice

OMPI_COLLECTIVES = ("dynamic", "dynamic_gen2", "individual", "two_phase", "vulcan")
OMPIO_VALUES = ("num_aggregators", "bytes_per_agg")
"""Values of OMPIO's components that are MCA parameters, not hints."""
PNETCDF_DRIVERS = {"pnetcdf": "mpiio", "pnetcdf-collio": "mpiio", "pnetcdf-gio": "gio"}
TUNED = ("native-tuned", "pnetcdf-tuned", "pnetcdf-gio-tuned")
PLAIN = ("collio", "declared", "native", "native-spin", *PNETCDF_DRIVERS, *TUNED, "floor")


class BenchError(Exception):
    """A benchmark that cannot be run as asked; the message says what is allowed."""


@dataclass(frozen=True)
class Engine:
    """One contender. `label` is what the user wrote and what results are named after."""

    label: str
    preload: bool = False  # the interposer
    interposer: Path | None = None  # of another checkout; None: this one's
    yields: bool = True  # where ranks outnumber cores, MPI's progress loop gives the core away
    mode: str = "mpiio"  # or "declared", "pnetcdf", "floor"
    arguments: tuple[str, ...] = ()  # of the measuring program
    environ: dict[str, str] = field(default_factory=dict)
    hints: dict[str, str] = field(default_factory=dict)
    tunes: bool = False  # settings are searched before the measurement
    by_operation: dict[str, Engine] = field(default_factory=dict)  # what a search found


def parse_engines(text: str, mpi: MpiLibrary) -> list[Engine]:
    """Engines of "collio,native,floor". Raises BenchError."""
    engines = [parse_engine(word.strip(), mpi) for word in text.split(",") if word.strip()]
    labels = [engine.label for engine in engines]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if not engines or twice:
        raise BenchError(
            f"--engines {text}: " + (f"{twice[0]} is named twice" if twice else "no engine named")
        )
    return engines


def parse_engine(label: str, mpi: MpiLibrary) -> Engine:
    """One engine by its name. Raises BenchError."""
    # a value may contain colons: cb_config_list=*:2
    name, *assignments = re.split(r":(?=[^:=]+=)", label)
    name, *rest = name.split(":")
    own = _own_values(label, name, rest + assignments)
    if name == "collio":
        return Engine(label, preload=True, hints=own)
    if name == "declared":
        return Engine(label, preload=True, mode="declared", hints=own)
    if name.startswith("collio@"):
        return Engine(
            label, preload=True, interposer=_interposer_of(Path(name.removeprefix("collio@")), mpi), hints=own
        )
    if name == "floor":
        return Engine(label, mode="floor")
    if name in ("native", "native-spin"):
        return Engine(label, yields=name == "native", hints=own)
    if name in PNETCDF_DRIVERS:
        return Engine(
            label,
            preload=name == "pnetcdf-collio",
            mode="pnetcdf",
            arguments=_driver(PNETCDF_DRIVERS[name]),
            hints=own,
        )
    if name in TUNED:
        return Engine(label, mode="mpiio" if name == "native-tuned" else "pnetcdf", hints=own, tunes=True)
    component = name.removeprefix("pnetcdf-")
    if component.startswith("ompi-") and mpi.family == OPENMPI:
        parameters = {f"OMPI_MCA_io_ompio_{key}": own.pop(key) for key in OMPIO_VALUES if key in own}
        environ = {**_component(component.removeprefix("ompi-"), mpi), **parameters}
        if component == name:
            return Engine(label, environ=environ, hints=own)
        return Engine(label, mode="pnetcdf", arguments=_driver("mpiio"), environ=environ, hints=own)
    raise BenchError(f"no engine named {name!r} for {mpi.id}; there are {', '.join(engine_names(mpi))}")


def _driver(name: str) -> tuple[str, ...]:
    """What makes PnetCDF use one of its drivers."""
    return ("--hint", f"nc_driver={name}")


def _own_values(label: str, name: str, assignments: list[str]) -> dict[str, str]:
    """The values written behind an engine's name. Raises BenchError."""
    own = {}
    for assignment in assignments:
        try:
            key, value = hints.split_assignment(assignment)
            if (
                key in OMPIO_VALUES
                and name.removeprefix("pnetcdf-").removeprefix("ompi-") in OMPI_COLLECTIVES
            ):
                own[key] = _count(key, value)
            else:
                own[key], _ = hints.check_hint(key, value)
        except hints.HintError as error:
            raise BenchError(f"engine {label}: {error}") from None
    return own


def _count(key: str, value: str) -> str:
    """A number from 1 that an int of Open MPI holds; sizes may have a unit. Raises HintError."""
    number = parse_size(value)
    if number is None or not 1 <= number < 2**31:
        raise hints.HintError(f"{key}={value}: not allowed; allowed is 1..2147483647{unit_advice(value)}")
    return str(number)


def engine_names(mpi: MpiLibrary) -> list[str]:
    """Every engine an MPI can run."""
    return (
        [*PLAIN, *(f"ompi-{name}" for name in (*OMPI_COLLECTIVES, "romio"))]
        if mpi.family == OPENMPI
        else list(PLAIN)
    )


def _interposer_of(checkout: Path, mpi: MpiLibrary) -> Path:
    """What to preload of another checkout's build for `mpi`. Raises BenchError."""
    build = Build(checkout.absolute() / "build" / mpi.id)
    if not build.exists:
        raise BenchError(
            f"collio@{checkout}: {build.interposer} is missing; run `make build` in that checkout"
        )
    return build.interposer


def _component(name: str, mpi: MpiLibrary) -> dict[str, str]:
    """Open MPI's parameters for one of its components. Raises BenchError."""
    if name in OMPI_COLLECTIVES:
        return {"OMPI_MCA_io": "ompio", "OMPI_MCA_fcoll": name}
    if name == "romio":
        return {"OMPI_MCA_io": _romio_component(mpi)}
    raise BenchError(f"no engine named 'ompi-{name}' for {mpi.id}; there are {', '.join(engine_names(mpi))}")


def fcoll_components(mpi: MpiLibrary) -> list[str]:
    """OMPIO's collective components in an Open MPI; all known ones where they are no files of their own."""
    folder = os.path.dirname(mpi.library)
    paths = glob.glob(os.path.join(folder, "**", "mca_fcoll_*.so"), recursive=True)
    there = {re.sub(r"^mca_fcoll_|\.so$", "", os.path.basename(path)) for path in paths}
    return [name for name in OMPI_COLLECTIVES if name in there or not there]


def _romio_component(mpi: MpiLibrary) -> str:
    """Name of ROMIO in an Open MPI: it carries ROMIO's version ("romio321")."""
    folder = os.path.dirname(mpi.library)
    for path in glob.glob(os.path.join(folder, "**", "mca_io_romio*.so"), recursive=True):
        return re.sub(r"^mca_io_|\.so$", "", os.path.basename(path))
    return "romio341" if int(mpi.version.split(".")[0]) >= 5 else "romio321"
