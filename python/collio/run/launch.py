"""From a user's launch command to the one that runs under collio: choose the MPI, preload its build.

choose_mpi    which MPI library the command uses, or a sentence why that cannot be said
prepare       the words and the environment that start the same job with collio in the ranks (hand_on.py)
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from collio import mpi_libraries
from collio.builds import PACKAGED, Build, is_packaged
from collio.mpi_libraries import LauncherMpi, MpiLibrary, ProgramMpi
from collio.run import launch_line, pnetcdf, sanitizer
from collio.run.hand_on import Variable, hand_on
from collio.run.launch_line import LaunchLine
from collio.run.python_programs import mpi_of_mpi4py

_JOINED = {pnetcdf.VARIABLE: pnetcdf.with_driver, sanitizer.VARIABLE: sanitizer.without_check}
"""Variables of others that collio adds to: the value, given the one that the command assigns already."""


class LaunchError(Exception):
    """The command cannot run under collio; the message says why and what helps."""


class Choice(NamedTuple):
    """The MPI library is found out in the ranks. `launcher_kind`: a name of mpi_libraries.LauncherMpi, or
    "none"."""

    launcher_kind: str
    because: str
    name: str = "the program's MPI"


class KnownChoice(NamedTuple):
    """A library of this machine's."""

    mpi: MpiLibrary
    launcher_kind: str
    because: str

    @property
    def name(self) -> str:
        return self.mpi.id


class Job(NamedTuple):
    """What to start."""

    words: list[str]
    environ: dict[str, str]


def choose(line: LaunchLine, wanted: str | None = None) -> tuple[Choice | KnownChoice, Build]:
    """The MPI a command uses, and what is preloaded for it. Raises LaunchError."""
    if is_packaged() and not wanted:
        return _by_launcher(line), Build(PACKAGED)
    choice = choose_mpi(line, wanted)
    return choice, usable_build(choice.mpi)


def _by_launcher(line: LaunchLine) -> Choice:
    """What a package has to know: how the launcher hands on the environment."""
    launcher = _launcher(line)
    if launcher is None:
        if not launch_line.programs(line):
            raise LaunchError(f"program not found: {line.words[0]} is no program on PATH")
        return Choice("none", "no launcher in the command")
    program = _linked(line, locate=False)
    if program and launcher.family and launcher.family != program.family:
        raise LaunchError(_mismatch(launcher, program, mpi_libraries.find_mpi_libraries()))
    return Choice(
        launcher.name,
        f"{program.path} is linked with {program.soname}" if program else f"{line.launcher_word} starts it",
    )


def _linked(line: LaunchLine, locate: bool = True) -> ProgramMpi | None:
    """The MPI of the first program of the command that is linked with one, or whose mpi4py is."""
    return next(
        (
            found
            for path in launch_line.programs(line)
            if (found := mpi_libraries.mpi_of_program(str(path), locate) or mpi_of_mpi4py(path, locate))
        ),
        None,
    )


def choose_mpi(line: LaunchLine, wanted: str | None = None) -> KnownChoice:
    """The MPI a command uses: `wanted` (id or family), else by program and launcher. Raises LaunchError."""
    libraries = mpi_libraries.find_mpi_libraries()
    if not libraries:
        raise LaunchError(
            "no MPI library found on this machine (no mpicc on PATH, in $MPI_HOME or in the usual folders)"
        )
    launcher = _launcher(line)
    kind = launcher.name if launcher else "none"
    if wanted:
        return KnownChoice(named_mpi(wanted, libraries), kind, f"--mpi {wanted}")
    program = _linked(line)
    if launcher and program and launcher.family and launcher.family != program.family:
        raise LaunchError(_mismatch(launcher, program, libraries))
    mpi = mpi_libraries.match_mpi_library(libraries, program, launcher)
    if mpi is None:
        raise LaunchError(_unknown_mpi(line, launcher, program, libraries))
    because = (
        f"{program.path} is linked with {program.soname}"
        if program
        else f"{line.launcher_word} is {mpi.family}'s"
    )
    return KnownChoice(mpi, kind, because)


def named_mpi(name: str, libraries: Sequence[MpiLibrary] | None = None) -> MpiLibrary:
    """The MPI with an id ("mpich-4.0.2") or the first of a family ("mpich"). Raises LaunchError."""
    libraries = mpi_libraries.find_mpi_libraries() if libraries is None else libraries
    for mpi in libraries:
        if name in (mpi.id, mpi.family):
            return mpi
    raise LaunchError(f"no MPI named {name!r}; found: {_ids(libraries)}")


def usable_build(mpi: MpiLibrary) -> Build:
    """collio's build for an MPI. Raises LaunchError when there is none."""
    build = Build.of(mpi)
    if build.exists:
        return build
    built = [other.id for other in mpi_libraries.find_mpi_libraries() if Build.of(other).exists]
    raise LaunchError(
        f"no build of collio for {mpi.id} ({build.interposer} is missing); "
        f"built: {', '.join(built) or 'none'}; `make build` builds for every MPI found"
    )


def prepare(
    line: LaunchLine, kind: str, preload: str, variables: Mapping[str, str], environ: Mapping[str, str]
) -> Job:
    """The same job with `preload` and `variables` in the ranks' environment; `environ` is the user's.
    Variables that are not collio's own are the launcher's, too."""
    if re.search(r"\s", preload):
        raise LaunchError(
            f"LD_PRELOAD cannot name {preload}: its path has spaces; move collio, or set XDG_CACHE_HOME to a "
            "folder for a link to it"
        )
    full = {**environ, **variables}
    names = sorted(
        name for name in full if name.startswith("COLLIO_") or (name in _JOINED and name in variables)
    )
    given = [
        Variable(
            "LD_PRELOAD",
            launch_line.join_preload(preload, environ.get("LD_PRELOAD")),
            lambda own: launch_line.join_preload(preload, own),
        )
    ]
    given += [Variable(name, full[name], _JOINED.get(name, lambda own: own)) for name in names]
    return Job(*hand_on(line, kind, given, {**environ, **variables}))


def _launcher(line: LaunchLine) -> LauncherMpi | None:
    if line.launcher_word is None:
        return None
    launcher = mpi_libraries.mpi_of_launcher(line.launcher_word)
    if launcher is None:
        raise LaunchError(f"launcher not found: {line.launcher_word} is no program on PATH")
    return launcher


def _mismatch(launcher: LauncherMpi, program: ProgramMpi, libraries: Sequence[MpiLibrary]) -> str:
    fitting = mpi_libraries.match_mpi_library(libraries, program, None)
    advice = f"; start it with {fitting.mpiexec}" if fitting and fitting.mpiexec else ""
    version = f" ({launcher.version})" if launcher.version else ""
    return (
        f"the launcher and the program use different MPI libraries: {launcher.path} is "
        f"{launcher.family}'s{version}, but {program.path} is linked with {program.soname} "
        f"({program.family}){advice}"
    )


def _unknown_mpi(
    line: LaunchLine,
    launcher: LauncherMpi | None,
    program: ProgramMpi | None,
    libraries: Sequence[MpiLibrary],
) -> str:
    if program:
        return (
            f"{program.path} is linked with {program.soname}, which belongs to no MPI found here; found: "
            f"{_ids(libraries)}"
        )
    if launcher is None and not launch_line.programs(line):
        return f"program not found: {line.words[0]} is no program on PATH"
    what = (
        f"no launcher (mpiexec, mpirun, srun, …) found in the command, and {line.words[0]} is linked with no "
        "MPI"
        if launcher is None
        else f"unknown which MPI this uses: {launcher.path} serves any, and the program is linked with none"
    )
    return f"{what}; say it with --mpi (found: {_ids(libraries)})"


def _ids(libraries: Sequence[MpiLibrary]) -> str:
    return ", ".join(mpi.id for mpi in libraries) or "none"
