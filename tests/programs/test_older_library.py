"""A program linked with a libcollio.so of the same version whose table of calls has another order, as one of
an earlier build may have."""

import shutil
import subprocess

from collio.builds import Build
from jobs import HERE, start

ROOT = HERE.parents[1]


def make_older(folder, table, mpi):
    """A program with a libcollio.so of its own, made with `table` for calls.def and the engine of today."""
    (folder / "capi").mkdir()
    for name in ("front.c", "library.h"):
        shutil.copy(ROOT / "src/capi" / name, folder / "capi")
    (folder / "capi/calls.def").write_text(table)
    library = folder / "libcollio.so"
    include = [f"-I{folder}", f"-I{ROOT}/src", f"-I{ROOT}/include"]
    version = (ROOT / "CMakeLists.txt").read_text().partition("project(collio VERSION ")[2].split()[0]
    descriptors = ROOT / "include/collio/fortran_descriptors.c"
    sources = [folder / "capi/front.c", ROOT / "src/mpiio/shim/shim_library.c", descriptors]
    options = ["-DCOLLIO_ANY_MPI", f'-DCOLLIO_VERSION="{version}"', "-shared", "-fPIC", "-o", library]
    subprocess.run(["cc", *include, *sources, *options, "-ldl", "-lpthread"], check=True)
    program = folder / "program"
    own = [HERE / "c/older_library.c", "-o", program, library, f"-Wl,-rpath,{folder}"]
    subprocess.run([mpi.mpicc, *include, *own], check=True)
    return program


def swapped(table):
    """The table with `box` and `map` in the other order, and what tools/generate_calls would give for it."""
    lines = table.splitlines(keepends=True)
    box, other = (
        next(i for i, line in enumerate(lines) if line.startswith(f"COLLIO_FUNCTION({name},"))
        for name in ("box", "map")
    )
    lines[box], lines[other] = lines[other], lines[box]
    return "".join(lines).replace('#define COLLIO_CALLS "', '#define COLLIO_CALLS "older')


def first_call(jobs, folder, table):
    folder.mkdir()
    program = make_older(folder, table, jobs.mpi)
    preload = f"LD_PRELOAD={Build.of(jobs.mpi).interposer}"
    return start([jobs.mpi.mpiexec, "-n", 1, "env", preload, program], jobs.environment())


def test_table_of_another_order_is_an_error(jobs, tmp_path):
    table = (ROOT / "src/capi/calls.def").read_text()
    assert "code 0: " in first_call(jobs, tmp_path / "same", table)
    said = first_call(jobs, tmp_path / "older", swapped(table))
    assert "code 0" not in said
    assert "the engine in this process is of collio" in said and "allowed: both of one build" in said
