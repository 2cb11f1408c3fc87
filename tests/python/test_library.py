"""The Python library on several ranks of every MPI: tests/python/library/*_checks.py. A job runs all checks
of its modules; each is a test here.

RANDOM_CASES: random files of a job, 100 unless told otherwise. RANDOM_SEED: of the first one.
"""

import ast
import os
import re
from pathlib import Path

import pytest

from ranks import TIMEOUT_S, run_python

FOLDER = Path(__file__).parent / "library"
JOBS = [
    ("declared+error+direct+array+subfile+random+epoch+record", 1),
    ("declared+error+direct+subfile+random+saved+epoch+record", 3),
    ("declared+array+subfile+random+epoch+record", 4),
    ("leaving", 2),
    ("leaving", 3),
    ("leaving", 4),
]
"""Modules, ranks."""
WITHOUT_THREADS = 3
"""Jobs with so many ranks have no MPI_THREAD_MULTIPLE: commits then go on in calls of collio."""


def checks_of(modules):
    trees = [ast.parse((FOLDER / f"{module}_checks.py").read_text()) for module in modules.split("+")]
    return [
        node.name[6:]
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("check_")
    ]


@pytest.fixture(scope="session")
def told_by(tmp_path_factory):
    """{check: what it told} of a job on `ranks` ranks, which runs once."""
    done = {}

    def told(mpi, modules, ranks, monkeypatch):
        key = (mpi.id, modules, ranks)
        if key not in done:
            folder = tmp_path_factory.mktemp("library")
            monkeypatch.setenv("MPI4PY_RC_THREAD_LEVEL", "single" if ranks == WITHOUT_THREADS else "multiple")
            done[key] = {"": "the job did not end"}
            words = (FOLDER / "run_checks.py", modules, folder / "checks")
            code, output = run_python(
                mpi, ranks, folder, *words, timeout_s=TIMEOUT_S + int(os.environ.get("RANDOM_CASES", 0)) / 5
            )
            parts = re.split(r"^BEGIN (\w+)\n", output, flags=re.MULTILINE)
            done[key] = {
                "": "" if code == 0 else f"the job ended with {code}:\n{output[-4000:]}",
                **dict(zip(parts[1::2], parts[2::2])),
            }
        return done[key]

    return told


@pytest.mark.parametrize(
    "modules, check, ranks",
    [
        pytest.param(modules, check, ranks, id=f"{check}-{ranks}")
        for modules, ranks in JOBS
        for check in checks_of(modules)
    ],
)
def test_on_ranks(real_mpi, told_by, monkeypatch, modules, check, ranks):
    told = told_by(real_mpi, modules, ranks, monkeypatch)
    text = told.get(check, "")
    assert f"PASS {check}" in text and not (told[""] and check == list(told)[-1]), text or told[""]


def test_a_rank_that_leaves_prints_why(real_mpi, tmp_path):
    """While the other ranks wait outside of collio, and before anybody ends the job."""
    code, output = run_python(real_mpi, 2, tmp_path, FOLDER / "leaves_alone.py", tmp_path / "a")
    assert code != 0
    assert "collio: rank 1: leaving" in output and "because of ValueError: wrong turn" in output, output
    assert "PeerError" in output and "rank 1 has left the file by an exception" in output, output


def test_settings_of_other_layers(real_mpi, tmp_path, monkeypatch):
    hints = tmp_path / "romio-hints"
    hints.write_text("cb_nodes 1\nromio_ds_write maybe\n")
    monkeypatch.setenv("ROMIO_HINTS", str(hints))
    monkeypatch.setenv("MPICH_MPIIO_HINTS", "*/a:cb_buffer_size=1048576,*:cb_buffer_size=4096")
    monkeypatch.setenv("COLLIO_VERBOSE", "1")
    code, output = run_python(real_mpi, 2, tmp_path, FOLDER / "opens.py", tmp_path / "a")
    assert code == 0, output
    assert f"ROMIO_HINTS={hints}:2: romio_ds_write 'maybe' is not allowed" in output, output
    assert "cb_buffer_size=1048576 (MPICH_MPIIO_HINTS), cb_nodes=1 (ROMIO_HINTS)" in output, output
    assert "1 aggregator, collective buffers of at most 1048576 bytes" in output, output
