"""Programs that no preload reaches: found out before the job starts."""

import shutil
import subprocess
from pathlib import Path

import pytest

from collio.run.unreachable import why_unreachable

PLAIN = "int main(void) { return 0; }"
WITH_MPI = (
    "int PMPI_Init(int* count, char*** words) { return !count || !words; } int main(void) { return "
    "PMPI_Init(0, 0); }"
)


def compiled(folder, source, *options):
    program = folder / "program"
    done = subprocess.run(
        ["cc", "-x", "c", "-", "-o", program, *options], input=source, text=True, capture_output=True
    )
    if done.returncode != 0:
        pytest.skip(f"cannot be compiled here: {done.stderr.splitlines()[0]}")
    return program


def test_a_static_program_cannot_have_a_preload(tmp_path):
    assert "linked statically" in why_unreachable(compiled(tmp_path, PLAIN, "-static"))


def test_an_mpi_library_within_the_program_is_named(tmp_path):
    assert "has an MPI library linked into it" in why_unreachable(compiled(tmp_path, WITH_MPI))


@pytest.mark.parametrize("name", ["sh", "python3"])
def test_other_programs_are_reached(name):
    assert why_unreachable(Path(shutil.which(name))) == ""


def test_the_program_and_a_script_and_nothing_are_reached(tmp_path):
    script, nothing = tmp_path / "script", tmp_path / "nothing"
    script.write_text("#!/bin/sh\n" + "#" * 100)
    nothing.write_bytes(b"")
    assert [
        why_unreachable(path) for path in (compiled(tmp_path, PLAIN), script, nothing, tmp_path / "absent")
    ] == [""] * 4


@pytest.mark.parametrize("length", [0, 8, 70, 200])
def test_a_cut_program_does_no_harm(tmp_path, length):
    program = compiled(tmp_path, PLAIN)
    program.write_bytes(program.read_bytes()[:length])
    assert isinstance(why_unreachable(program), str)


def test_run_says_it_and_starts_the_job(tmp_path, site, collio_process):
    done = collio_process("run", "--", site.mpiexec["mpich"], "-n", "1", compiled(tmp_path, PLAIN, "-static"))
    assert done.returncode == 0 and done.stderr.count("linked statically") == 1
