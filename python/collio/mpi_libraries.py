"""The MPI libraries of this machine, and which of them a launcher or a program uses.

collio is built once per MPI library, so three parts must agree on what is there: the build
(configures one tree per library), `collio info` (lists them) and `collio run` (preloads the build
that fits the program). They all ask this module. It needs nothing but Python's standard library,
because the build runs it before anything is installed.

A library is found by its compiler wrapper (`mpicc`), asked with `-show` for its folders, and
identified by the version macros in its `mpi.h`; nothing is compiled or run under MPI.

    python3 -m collio.mpi_libraries            a table
    python3 -m collio.mpi_libraries --json     the same for programs
"""

from __future__ import annotations

import glob
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from collio.elf import elf_names
from collio.short_commands import output_of

MPICH = "mpich"
OPENMPI = "openmpi"

# Environment variables with which people, module systems and vendors name an MPI's prefix.
PREFIX_VARIABLES = (
    "MPI_HOME",
    "MPI_ROOT",
    "MPICH_HOME",
    "MPICH_DIR",
    "MPICH_ROOT",
    "OMPI_HOME",
    "OPENMPI_HOME",
    "OPENMPI_DIR",
    "OPENMPI_ROOT",
    "EBROOTOPENMPI",
    "EBROOTMPICH",
    "CRAY_MPICH_DIR",
    "I_MPI_ROOT",
)
# Folders outside PATH where distributions and sites put MPI compiler wrappers.
USUAL_FOLDERS = (
    "/usr/bin",
    "/usr/local/bin",
    "/usr/lib64/*mpi*/bin",
    "/usr/local/*mpi*/bin",
    "/opt/*mpi*/bin",
    "/opt/*mpi*/*/bin",
)
# Libraries of an MPI that carry the C interface. libmpi.so.12 is the common ABI of MPICH and its kin.
FAMILY_OF_SONAME = (
    (re.compile(r"libmpich(_\w+)?\.so(\.\d+)*$"), MPICH),
    (re.compile(r"libmpi(_\w+)?\.so\.12$"), MPICH),  # Cray's is named for the compiler: libmpi_gnu_123.so.12
    (re.compile(r"libmpi\.so\.([124]0)$"), OPENMPI),
)
# (macro of mpi.h, product). MPICH's kin have its macro, too.
MPICH_KIN = (
    ("I_MPI_VERSION", "intel-mpi"),
    ("CRAY_MPICH_VERSION", "cray-mpich"),
    ("MVAPICH2_VERSION", "mvapich2"),
    ("MPICH_VERSION", MPICH),
)


class MpiLibrary(NamedTuple):
    """One MPI installation that programs can be built with. Paths are absolute."""

    id: str  # product and version, "mpich-4.0.2": names the build tree build/<id>/
    family: str  # "mpich" (with all that share its ABI) or "openmpi"
    version: str
    mpicc: str
    mpicxx: str | None
    mpifort: str | None
    mpiexec: str | None
    library: str  # the shared library with the C interface
    soname: str  # "libmpich.so.12" on Debian, "libmpi.so.12", "libmpi.so.40"

    @property
    def build_tree(self) -> Path:
        """Folder of the collio build for this library (it may not exist yet)."""
        return build_folder() / self.id


class LauncherMpi(NamedTuple):
    """What a launcher says it is. `family` is None for launchers that serve any MPI (srun, flux, jsrun)."""

    path: str
    name: str  # "hydra", "openmpi", "pals", "slurm", "flux", "jsrun", "aprun", "unknown"
    family: str | None
    version: str | None  # None where the program's name alone told


class ProgramMpi(NamedTuple):
    """The MPI library a program is linked with."""

    path: str
    family: str
    soname: str
    library: str | None  # where the loader finds it now; None if it does not, or nobody asked


def repository() -> Path:
    """Root of the source tree this module belongs to."""
    return Path(__file__).resolve().parents[2]


def build_folder() -> Path:
    """Folder with one build tree per MPI library: $COLLIO_BUILD, else build/ in the source tree."""
    return Path(os.environ.get("COLLIO_BUILD") or repository() / "build")


# --- finding ------------------------------------------------------------------------------------


def find_mpi_libraries() -> list[MpiLibrary]:
    """Every MPI that programs can be built with, each once, the first on PATH first."""
    found: dict[str, MpiLibrary] = {}
    seen: set[str] = set()
    for mpicc in _compiler_wrappers():
        library = _identify(mpicc)
        if library is None or library.library in seen:
            continue
        seen.add(library.library)
        if library.id in found:  # same release installed twice: tell them apart by place
            import hashlib  # `collio run` starts sooner without

            place = hashlib.sha256(library.library.encode()).hexdigest()[:6]
            library = library._replace(id=f"{library.id}-{place}")
        found[library.id] = library
    return list(found.values())


def _compiler_wrappers() -> Iterator[str]:
    """Paths of all files that look like an MPI C compiler, most specific name first."""
    folders: dict[str, str] = {}
    for folder in _wrapper_folders():
        folders.setdefault(os.path.realpath(folder), folder)  # /bin is often another name of /usr/bin
    for folder in folders.values():
        plain = os.path.join(folder, "mpicc")
        # Debian's plain mpicc is a switch between mpicc.mpich and mpicc.openmpi: prefer those.
        for path in sorted(glob.glob(plain + ".*")) + [plain]:
            if os.path.isfile(path) and os.access(path, os.X_OK):
                yield path


def _wrapper_folders() -> Iterator[str]:
    for variable in PREFIX_VARIABLES:
        if os.environ.get(variable):
            yield os.path.join(os.environ[variable], "bin")
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if os.path.isabs(folder):
            yield folder.rstrip("/") or "/"
    for pattern in USUAL_FOLDERS:
        yield from sorted(glob.glob(pattern))
    # MPI libraries that came as Python wheels: into the project's environment, or the one in use.
    yield str(build_folder() / "venv" / "bin")
    yield os.path.join(sys.prefix, "bin")
    yield from sorted(glob.glob(str(build_folder() / "mpi" / "*" / "bin")))


def _identify(mpicc: str) -> MpiLibrary | None:
    """The MPI behind one compiler wrapper; None if it is broken or unknown."""
    command = _link_command(mpicc)
    if command is None:
        return None
    prefix = Path(mpicc).parent.parent
    include_folders = _flag_values(command, "-I") + [str(prefix / "include"), "/usr/include"]
    release = _release(include_folders) or _release_by_preprocessor(mpicc)
    library = _find_library(command, prefix)
    if release is None or library is None:
        return None
    product, version = release
    path = os.path.realpath(library)
    soname, _ = elf_names(path)
    return MpiLibrary(
        id=f"{product}-{version}",
        family=OPENMPI if product == OPENMPI else MPICH,
        version=version,
        mpicc=mpicc,
        mpicxx=_companion(mpicc, "mpicxx", "mpic++"),
        mpifort=_companion(mpicc, "mpifort", "mpif90"),
        mpiexec=_companion(mpicc, "mpiexec", "mpirun"),
        library=path,
        soname=soname or os.path.basename(library),
    )


def include_folder(mpicc: str) -> Path | None:
    """Folder of the mpi.h that a compiler wrapper compiles with; None if it does not tell."""
    command = _link_command(mpicc) or []
    folders = [*map(Path, _flag_values(command, "-I")), Path(mpicc).parent.parent / "include"]
    return next((folder for folder in folders if (folder / "mpi.h").is_file()), None)


def _link_command(mpicc: str) -> list[str] | None:
    output = output_of([mpicc, "-show"])
    try:
        return shlex.split(output.splitlines()[0]) if output and output.strip() else None
    except ValueError:  # quotes that do not match
        return None


def _flag_values(command: Sequence[str], flag: str) -> list[str]:
    return [word[len(flag) :] for word in command if word.startswith(flag) and len(word) > len(flag)]


def _release(include_folders: Iterable[str]) -> tuple[str, str] | None:
    for folder in include_folders:
        header = os.path.join(folder, "mpi.h")
        if os.path.isfile(header):
            with open(header, errors="replace") as stream:
                release = _release_of_macros(stream.read())
            if release:
                return release
    return None


def _release_by_preprocessor(mpicc: str) -> tuple[str, str] | None:
    text = output_of([mpicc, "-E", "-dM", "-x", "c", "-"], "#include <mpi.h>\n")
    return _release_of_macros(text) if text else None


def _release_of_macros(text: str) -> tuple[str, str] | None:
    """(product, version) from the macros of an mpi.h."""
    macros = dict(re.findall(r'^\s*#\s*define\s+(\w+)\s+"?([\w.+-]+)"?', text, re.MULTILINE))
    if "OMPI_MAJOR_VERSION" in macros:
        parts = (macros.get(f"OMPI_{part}_VERSION", "0") for part in ("MAJOR", "MINOR", "RELEASE"))
        return OPENMPI, ".".join(parts)
    return next(((product, macros[name]) for name, product in MPICH_KIN if name in macros), None)


def _find_library(command: Sequence[str], prefix: Path) -> str | None:
    names = [name for name in _flag_values(command, "-l") if name in ("mpi", "mpich", "mpi_cray")]
    folders = _flag_values(command, "-L") + [str(prefix / "lib"), str(prefix / "lib64")]
    folders += sorted(glob.glob("/usr/lib/*-linux-gnu*")) + ["/usr/lib64", "/usr/lib"]
    for name in names or ["mpi", "mpich"]:
        for folder in folders:
            path = os.path.join(folder, f"lib{name}.so")
            if os.path.exists(path):
                return _past_linker_script(path)
    return None


def _past_linker_script(path: str) -> str:
    """The library itself where lib<name>.so is a text `INPUT(libmpi.so.12)` (Python wheels have no links)."""
    if os.path.getsize(path) < 4096:
        with open(path, errors="replace") as stream:
            script = re.search(r"(?:INPUT|GROUP)\s*\(\s*([^\s)]+)", stream.read())
        if script:
            return os.path.join(os.path.dirname(path), script.group(1))
    return path


def _companion(mpicc: str, *names: str) -> str | None:
    """The tool that belongs to `mpicc`: same folder, same suffix (mpicc.mpich -> mpiexec.mpich)."""
    folder, base = os.path.split(mpicc)
    for name in names:
        path = os.path.join(folder, base.replace("mpicc", name, 1))
        if os.access(path, os.X_OK):
            return path
    return None


# --- which MPI does this use? -------------------------------------------------------------------


def family_of_soname(soname: str) -> str | None:
    """Family of an MPI library by its shared-object name; None if it is no MPI C library."""
    for pattern, family in FAMILY_OF_SONAME:
        if pattern.match(soname):
            return family
    return None


_KNOWN_PROGRAMS = {
    "mpiexec.hydra": ("hydra", MPICH),
    "orterun": (OPENMPI, OPENMPI),
    "prterun": (OPENMPI, OPENMPI),
}
"""Programs behind `mpiexec` and `mpirun`: kind and family."""


def mpi_of_launcher(path: str) -> LauncherMpi | None:
    """What the launcher at `path` (or so named on PATH) says it is; None if there is no such program."""
    program = shutil.which(path)
    if program is None:
        return None
    base = os.path.basename(path)
    for name, family in (("flux", None), ("jsrun", None), ("aprun", MPICH)):
        if base == name:
            return LauncherMpi(program, name, family, None)
    real = _KNOWN_PROGRAMS.get(os.path.basename(os.path.realpath(program)))
    if real:  # its name says all: `collio run` starts sooner
        return LauncherMpi(program, *real, None)
    text = output_of([program, "--version"]) or ""
    if re.search(r"\bPALS\b", text) or "/pals/" in os.path.realpath(program):
        return LauncherMpi(program, "pals", MPICH, None)
    for name, family, pattern in (
        ("hydra", MPICH, r"HYDRA|Intel\(R\) MPI|MPICH|MVAPICH"),
        ("openmpi", OPENMPI, r"Open MPI|OpenRTE|Open RTE|PRRTE|prterun"),
        ("slurm", None, r"^slurm\b"),
    ):
        if re.search(pattern, text, re.IGNORECASE):
            version = re.search(r"\d+\.\d+(\.\d+)?[\w-]*", text)
            return LauncherMpi(program, name, family, version.group(0) if version else None)
    return LauncherMpi(program, "unknown", None, None)


def mpi_of_program(path: str, locate: bool = True) -> ProgramMpi | None:
    """The MPI library the program at `path` is linked with, directly or through others. `locate`: where the
    loader finds it, too, which takes a run of ldd.

    None for programs that load MPI later or not at all (scripts, interpreters), for static programs,
    and where there is no such program.
    """
    program = path if os.path.isfile(path) else shutil.which(path)
    if program is None:
        return None
    direct = [] if locate else [(name, None) for name in elf_names(program)[1] if family_of_soname(name)]
    for soname, library in direct or shared_libraries(program):
        family = family_of_soname(soname)
        if family:
            return ProgramMpi(program, family, soname, os.path.realpath(library) if library else None)
    return None


def shared_libraries(program: str) -> Iterator[tuple[str, str | None]]:
    """(name, path or None) of all libraries the loader would load; the direct ones if there is no ldd."""
    soname, needed = elf_names(program)
    if not needed and soname is None:
        return
    text = output_of(["ldd", program], accept_failure=True) or ""
    lines = re.findall(r"^\s*(\S+) => (?:(/\S+)|not found)", text, re.MULTILINE)
    for name, library in lines or [(name, "") for name in needed]:
        yield name, library or None


def match_mpi_library(
    libraries: Sequence[MpiLibrary], program: ProgramMpi | None, launcher: LauncherMpi | None
) -> MpiLibrary | None:
    """The library among `libraries` whose collio build fits; None if none does.

    What the program is linked with decides; for programs that do not tell (Python), the launcher. The
    same file is best, then the same soname in the same family, which promises the same ABI.
    """
    if program is not None:
        same_abi = [one for one in libraries if (one.family, one.soname) == (program.family, program.soname)]
        exact = [one for one in same_abi if one.library == program.library]
        return next(iter(exact + same_abi), None)
    if launcher is None or launcher.family is None:
        return None
    same_family = [one for one in libraries if one.family == launcher.family]
    real = os.path.realpath(launcher.path)
    own = [one for one in same_family if one.mpiexec and os.path.realpath(one.mpiexec) == real]
    same_version = [one for one in same_family if one.version == launcher.version]
    return next(iter(own + same_version + same_family), None)


def main(arguments: Sequence[str] | None = None) -> int:
    import argparse
    import json

    parser = argparse.ArgumentParser(description="Lists the MPI libraries of this machine.")
    parser.add_argument("--json", action="store_true", help="print a JSON list")
    libraries = find_mpi_libraries()
    if parser.parse_args(arguments).json:
        print(json.dumps([library._asdict() for library in libraries], indent=2))
    else:
        for library in libraries:
            print(f"{library.id:<20} {library.soname:<16} {library.mpicc}")
        if not libraries:
            print("no MPI library found (no mpicc on PATH, in $MPI_HOME or in the usual folders)")
    return 0 if libraries else 1


if __name__ == "__main__":
    sys.exit(main())
