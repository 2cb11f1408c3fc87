"""Tools of MPI's profiling interface beside collio: wherever they stand, collio takes the calls, and they see
the program's, not collio's own."""

import os
import subprocess

import pytest

from collio.builds import Build
from jobs import HERE, assert_caught

# What turns.c does on a rank, with `write`: one open and write_all, then one open and read_at_all.
PROGRAMS_CALLS = "tool: open 2, write_all 1, read_at_all 1, dup 0, wait 0"


@pytest.fixture
def tool(jobs, tmp_path):
    """Builds the tool as a shared library; `looks`: one that looks for the next library's functions; `init`:
    it has MPI_Init, too."""

    def build(looks, init=True):
        library = tmp_path / f"libtool{'_looks' if looks else ''}{'' if init else '_files'}.so"
        kind = [*(["-DTOOL_LOOKS"] if looks else []), *([] if init else ["-DTOOL_OF_FILES"])]
        words = [
            jobs.mpi.mpicc,
            "-shared",
            "-fPIC",
            "-O1",
            "-o",
            library,
            HERE / "c" / "tool.c",
            *kind,
            "-ldl",
        ]
        done = subprocess.run(
            list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert done.returncode == 0, done.stdout
        return library

    return build


def run(jobs, words, path, in_front=None, behind=None):
    """The job's output under `collio run`, which must have taken the calls. `in_front`, `behind`: of collio
    in LD_PRELOAD."""
    environment = jobs.environment()
    interposer = Build.of(jobs.mpi).interposer if behind else None
    environment["LD_PRELOAD"] = ":".join(
        str(entry) for entry in (in_front, interposer, behind, environment.get("LD_PRELOAD")) if entry
    )
    assert_caught(
        jobs.with_collio(words, "write", path, environment=environment), path, "write_all", "read_all"
    )
    return jobs.output


@pytest.mark.parametrize("looks", [False, True], ids=["calls PMPI", "looks for the next"])
def test_tool_preloaded_in_front(jobs, tool, compiled, looks):
    program = [compiled("c/turns.c", [jobs.mpi.mpicc])]
    assert PROGRAMS_CALLS in run(jobs, program, jobs.folder / "data", in_front=tool(looks))


@pytest.mark.parametrize("init", [True, False], ids=["with MPI_Init", "of files alone"])
def test_tool_preloaded_behind(jobs, tool, compiled, init):
    program = [compiled("c/turns.c", [jobs.mpi.mpicc])]
    assert PROGRAMS_CALLS in run(jobs, program, jobs.folder / "data", behind=tool(False, init))


@pytest.mark.parametrize("init", [True, False], ids=["with MPI_Init", "of files alone"])
def test_tool_linked_with_the_program(jobs, tool, compiled, init):
    library = tool(False, init)
    program = [
        compiled(
            "c/turns.c", [jobs.mpi.mpicc], ("-Wl,--no-as-needed", library, f"-Wl,-rpath,{library.parent}")
        )
    ]
    natively = jobs.natively(program, "write", jobs.folder / "native")
    assert PROGRAMS_CALLS in natively
    assert PROGRAMS_CALLS in run(jobs, program, jobs.folder / "data")


def test_linked_tool_that_looks_for_the_next_library_sees_opens_alone(jobs, tool, compiled):
    """It would go past collio with everything else."""
    library = tool(True)
    program = [
        compiled(
            "c/turns.c", [jobs.mpi.mpicc], ("-Wl,--no-as-needed", library, f"-Wl,-rpath,{library.parent}")
        )
    ]
    assert "tool: open 2, write_all 0, read_at_all 0, dup 0, wait 0" in run(
        jobs, program, jobs.folder / "data"
    )


@pytest.mark.parametrize("in_front", [False, True], ids=["linked alone", "preloaded too"])
def test_program_with_an_address_sanitizer(jobs, compiled, in_front):
    """Its runtime ends a program in which a library stands in front of it."""
    runtime = subprocess.run(
        ["gcc", "-print-file-name=libasan.so"], stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    if not os.path.isabs(runtime):
        pytest.skip("no shared libasan")
    program, path = [compiled("c/turns.c", [jobs.mpi.mpicc], ("-fsanitize=address",))], jobs.folder / "data"
    environment = {**jobs.environment(), "ASAN_OPTIONS": "detect_leaks=0"}  # MPI libraries leak
    environment["LD_PRELOAD"] = ":".join(
        filter(None, [runtime if in_front else "", environment.get("LD_PRELOAD")])
    )
    assert_caught(
        jobs.with_collio(program, "write", path, environment=environment), path, "write_all", "read_all"
    )
