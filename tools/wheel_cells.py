"""The programs that a wheel is tried with, each a cell of the table (tools/test_wheel)."""

import filecmp
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional

from collio.mpi_libraries import mpi_of_program
from wheel_place import RANKS, TIMEOUT_S, Failed, LeftOut, Place, check_report, same_bytes

SYSTEM_PYTHON = "/usr/bin/python3"


def build_tool(place: Place) -> Path:
    library = place.folder / "libtool.so"
    words = [
        word for word in place.filled(place.mpi.compiler) if not word.startswith(("-lmpi", "-Wl,-rpath"))
    ]
    place.run([*words, "-shared", "-fPIC", "-O1", "-o", library, place.programs / "c" / "tool.c", "-ldl"])
    return library


def saw_all(printed: str) -> None:
    if "tool: open 2, write_all 1, read_at_all 1, dup 0, wait 0" not in printed:
        raise Failed(
            "the tool saw something else: "
            f"{[line for line in printed.splitlines() if line.startswith('tool:')]}"
        )


def in_c(place: Place) -> None:
    same_bytes(place, [place.compile("c/turns.c")])


def in_c_with_tool(place: Place) -> None:
    saw_all(same_bytes(place, [place.compile("c/turns.c")], preload=build_tool(place)))


def in_c_with_tool_linked(place: Place) -> None:
    tool = build_tool(place)
    saw_all(
        same_bytes(
            place, [place.compile("c/turns.c", "-Wl,--no-as-needed", tool, f"-Wl,-rpath,{tool.parent}")]
        )
    )


def in_fortran(place: Place) -> str:
    compiler, binding = (
        ([place.mpi.fortran], "mpi_f08")
        if place.mpi.fortran
        else (intel_fortran(place), "mpi; it has no mpi_f08 for gfortran")
    )
    program = place.compile("fortran/fields.F90", "-cpp", compiler=compiler)
    place.run(
        [
            place.collio,
            "run",
            "--report",
            place.folder / "f.json",
            "--",
            *place.launch([program, "write", place.folder / "f"]),
        ]
    )
    check_report(json.loads((place.folder / "f.json").read_text())["files"])
    place.run(place.launch([program, "read", place.folder / "f"]))
    return binding


def intel_fortran(place: Place) -> list:
    """Words for gfortran with the modules that Intel MPI has for its version. Intel's own wrapper wants to be
    installed at a place of its own."""
    if not shutil.which("gfortran"):
        raise LeftOut("no gfortran")
    version = (
        subprocess.run(["gfortran", "-dumpversion"], stdout=subprocess.PIPE, text=True, check=True)
        .stdout.split(".")[0]
        .strip()
    )
    modules = sorted(place.env.glob(f"include/mpi/gfortran/{version}.*"))
    if not modules or "-lmpi" not in place.mpi.compiler:
        raise LeftOut("no Fortran bindings")
    lib = place.env / "lib"
    return [
        "gfortran",
        "-std=legacy",
        "-w",
        "-DBINDING_MPI",
        f"-I{modules[0]}",
        f"-I{place.env}/include",
        f"-L{lib}",
        f"-Wl,--disable-new-dtags,-rpath,{lib}",
        "-lmpifort",
        "-lmpi",
    ]


def as_library(place: Place) -> str:
    """A program that calls collio.h, linked as the wheel's file for pkg-config says; one of the Fortran
    module, where the MPI has Fortran."""
    if not shutil.which("pkg-config"):
        raise LeftOut("no pkg-config")
    native = next(place.env.glob("lib/python*/site-packages/collio/native"))
    cflags, libs, module = (
        place.run(["pkg-config", word, "collio"], PKG_CONFIG_PATH=str(native / "lib" / "pkgconfig")).split()
        for word in ("--cflags", "--libs", "--variable=fortran")
    )
    programs = [place.compile("../../examples/c/particles.c", *cflags, *libs)]
    if place.mpi.fortran:
        programs.append(
            place.compile("../../examples/fortran/hello.f90", *libs, compiler=[place.mpi.fortran, *module])
        )
    for program, wanted in zip(programs, ("the same", " 0 ")):
        if wanted not in place.run(place.launch([program, place.folder / program.stem])):
            raise Failed(f"{program.stem}: what it read is not what it wrote")
    return "with Fortran" if place.mpi.fortran else ""


def in_python(place: Place) -> str:
    python, note = place.env / "bin" / "python", ""
    if place.mpi.no_python:
        python, note = find_python(place, "mpi4py.MPI"), "mpi4py built with this MPI"
        if not python:
            raise LeftOut(place.mpi.no_python)
        try:
            place.run(
                place.launch(
                    [python, place.programs / "python" / "mpi4py_fields.py", "write", place.folder / "alone"]
                )
            )
        except Failed:  # MPICH 4.0 cannot flatten types of MPI's large counts, which mpi4py 4 makes
            raise LeftOut("mpi4py built with this MPI fails without collio, too") from None
    same_bytes(place, [python, place.programs / "python" / "mpi4py_fields.py"])
    return note


def with_h5py(place: Place) -> None:
    debian = Path("/usr/lib/python3/dist-packages/h5py/_debian_h5py_mpi")
    python = find_python(place, "h5py.defs")
    if not python and place.mpi.system and place.mpi.family == "openmpi" and debian.exists():
        python = SYSTEM_PYTHON
    if not python:
        raise LeftOut("no h5py with this MPI")
    same_bytes(place, [python, place.programs / "python" / "h5py_fields.py"])


def find_python(place: Place, extension: str) -> Optional[Path]:
    """The interpreter, of those that were named, whose compiled module needs the place's MPI."""
    ask = f"import importlib.util; print(importlib.util.find_spec('{extension}').origin)"
    for python in place.pythons if place.mpi.system else ():
        built_with = mpi_of_program(place.run([python, "-c", ask]).strip())
        if built_with and built_with.family == place.mpi.family:
            return python
    return None


def as_python_library(place: Place) -> None:
    """A program that imports collio, without `collio run`. Its file is a netCDF file, for which the wheel's
    own dependencies are enough."""
    if place.mpi.no_python:
        raise LeftOut(place.mpi.no_python)
    program = place.programs.parents[1] / "examples" / "python" / "array_file.py"
    if "10 x 24 numbers" not in place.run(
        place.launch([place.env / "bin" / "python", program, place.folder / "field.nc"])
    ):
        raise Failed("the array was not read back")


def in_subfiles(place: Place) -> None:
    """The program's file lies in subfiles; `collio view` and `collio join` give the bytes of the native
    one."""
    program, ours, native = place.compile("c/turns.c"), place.folder / "split", place.folder / "native"
    native.unlink(missing_ok=True)  # of another cell
    place.run(
        [place.collio, "run", "--set", "collio_subfiles=3", "--", *place.launch([program, "write", ours])]
    )
    place.run(place.launch([program, "write", native]))
    if filecmp.cmp(ours, native, shallow=False):
        raise Failed("the file is an ordinary one")
    place.run([place.collio, "view", "--", "cmp", ours, native])
    place.run([place.collio, "join", ours])
    if not filecmp.cmp(ours, native, shallow=False):
        raise Failed("the joined file differs")


def doctor(place: Place) -> None:
    """Every line but that of the machine's shared memory is well; `collio probe` measures a folder."""
    mine = installed_mpi(place)
    words = [place.collio, "doctor", "--json", "--mpi", mine, "--", *place.launch([])]
    done = subprocess.run(
        [str(word) for word in words],
        env=place.environ(),
        cwd=place.folder,
        stdout=subprocess.PIPE,
        text=True,
        timeout=TIMEOUT_S,
    )
    wrong = [
        finding
        for finding in json.loads(done.stdout)["findings"]
        if finding["state"] == "wrong" and finding["name"] != "shared memory"
    ]
    if wrong:
        raise Failed(f"collio doctor: {wrong[0]['name']}: {wrong[0]['found']}")
    if not json.loads(
        place.run([place.collio, "probe", "--again", "--json", "--bytes", "8MiB", place.folder])
    )["targets"]:
        raise Failed("collio probe measured nothing")


def with_pnetcdf(place: Place) -> str:
    prefix = find_pnetcdf(place)
    major, minor = map(
        int,
        re.findall(
            r"define\s+PNETCDF_VERSION_M\w+OR\s+(\d+)", (prefix / "include" / "pnetcdf.h").read_text()
        )[:2],
    )
    folder = find_library(prefix).parent
    program = place.compile(
        "c/pnetcdf_fields.c",
        "-DROWS=65536",
        f"-I{prefix}/include",
        f"-L{folder}",
        "-lpnetcdf",
        f"-Wl,-rpath,{folder}",
    )
    same_bytes(place, [program])
    if (major, minor) < (1, 15):
        return f"{major}.{minor}"
    names_own_driver(place, program)
    return f"{major}.{minor}, and its own driver named"


def find_pnetcdf(place: Place) -> Path:
    """The prefix of a PnetCDF that was built with the place's MPI, those that were named first. The system's
    is Open MPI's."""
    if place.mpi.system:
        for prefix in [*place.pnetcdf, Path("/usr")]:
            library = find_library(prefix)
            built_with = library and mpi_of_program(str(library))
            if (
                built_with
                and built_with.family == place.mpi.family
                and (prefix / "include" / "pnetcdf.h").is_file()
            ):
                return prefix
    raise LeftOut("no PnetCDF with this MPI")


def find_library(prefix: Path) -> Optional[Path]:
    return next(
        (
            path
            for pattern in ("lib*/libpnetcdf.so", "lib/*/libpnetcdf.so")
            for path in sorted(prefix.glob(pattern))
        ),
        None,
    )


def names_own_driver(place: Place, program: Path) -> None:
    """The user's choice of GIO stays. collio sees no call then, and names the driver, with a report and
    without."""
    for options in ((), ("--report", place.folder / "gio.json")):
        said = place.run(
            [place.collio, "run", *options, "--", *place.launch([program, "write", place.folder / "gio"])],
            PNETCDF_HINTS="nc_driver=gio",
        )
        if "by its own driver (GIO)" not in " ".join(said.split()):
            raise Failed(
                "PnetCDF's own driver is not named (files in memory are not counted; TMPDIR chooses another "
                f"folder): {said[-600:]}"
            )
    if json.loads((place.folder / "gio.json").read_text())["files"]:
        raise Failed("collio saw files that PnetCDF's own driver wrote")


def demo(place: Place) -> None:
    """And the measuring program's declared mode, which links with libcollio.so."""
    grid = ["--mpi", installed_mpi(place), "--ne", 4, "--levels", 8, "--ranks", RANKS, "--repeat", 1]
    place.run([place.collio, "demo", *grid])
    said = place.run([place.collio, "bench", "e3sm", *grid, "--engines", "collio,declared"])
    if "failed" in said:
        raise Failed(f"collio bench: {said[-600:]}")


def installed_mpi(place: Place) -> str:
    """The MPI's name in `collio info`."""
    if "standard ABI" in place.mpi.name:
        raise LeftOut("the MPI of the row above")
    found = json.loads(place.run([place.collio, "info", "--json"]))["mpi"]
    launcher = os.path.realpath(
        subprocess.run(
            ["which", *place.filled([place.mpi.launcher])], stdout=subprocess.PIPE, text=True
        ).stdout.strip()
    )
    mine = [one["id"] for one in found if one["mpiexec"] and os.path.realpath(one["mpiexec"]) == launcher]
    if not mine:
        raise Failed(f"collio info does not list the MPI of {launcher}")
    return mine[0]


@dataclass(frozen=True)
class Cell:
    work: Callable
    short: bool = False

    def run(self, place: Place) -> str:
        try:
            told = self.work(place)
        except LeftOut as why:
            return f"left out: {why}"
        except (Failed, OSError, KeyError, ValueError) as why:
            return f"FAILED: {' '.join(str(why).split())}"  # one line of a table
        return f"passed: {told}" if told else "passed"


CELLS = {
    "C": Cell(in_c, short=True),
    "C, tool preloaded": Cell(in_c_with_tool),
    "C, tool linked": Cell(in_c_with_tool_linked, short=True),
    "library": Cell(as_library, short=True),
    "Fortran": Cell(in_fortran),
    "mpi4py": Cell(in_python, short=True),
    "import collio": Cell(as_python_library, short=True),
    "h5py": Cell(with_h5py),
    "PnetCDF": Cell(with_pnetcdf),
    "subfiles, collio view": Cell(in_subfiles, short=True),
    "doctor, probe": Cell(doctor),
    "collio demo": Cell(demo),
}
