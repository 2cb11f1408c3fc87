"""`collio advise` says whether a job would gain: of logs of Darshan, of reports, of a command."""

import importlib.util
import json
import math
import multiprocessing
import os
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from collio.advise import darshan_log, forecast, of_report
from collio.cli import main
from test_report import CALL, DOCUMENT, spread

LOGS = Path(__file__).parents[1] / "golden/darshan"
reads_logs = pytest.mark.skipif(
    importlib.util.find_spec("darshan") is None, reason="no package darshan: pip install 'collio[advise]'"
)


def advise(*words):
    return CliRunner().invoke(main, ["advise", *map(str, words)])


def of_log(name):
    return forecast.of(darshan_log.read(LOGS / f"{name}.darshan"))


@reads_logs
@pytest.mark.parametrize("name", ["small-pieces", "flash", "calls-of-2KiB"])
def test_small_collective_pieces_gain(name):
    found = of_log(name)
    assert found.gains and 1.2 < found.io.low <= found.io.middle <= found.io.high
    assert forecast.GAIN < found.job.middle < found.io.middle, "the rest of the job bounds what it gains"


@reads_logs
@pytest.mark.parametrize(
    "name, reason",
    [
        ("own-files", "each rank has files of its own"),
        ("gather", "rank 0 alone makes the I/O"),
        ("posix", "ranks share ways.0 by POSIX calls"),
        ("contiguous", "large contiguous blocks"),
        ("computes", "of the job"),
        ("independent", "data gets 8 independent calls"),
    ],
)
def test_other_jobs_do_not_gain_and_the_reason_is_given(name, reason):
    found = of_log(name)
    assert not found.gains and reason in found.reason


@reads_logs
def test_a_log_is_read_as_darshan_wrote_it():
    job, uses = darshan_log.load(LOGS / "small-pieces.darshan")
    assert job.ranks == 4 and job.command.startswith("./collio_bench") and 0 < job.seconds < 10
    (modules,) = [modules for name, modules in uses.items() if name.endswith("/data")]
    mpiio = modules["MPI-IO"]
    assert mpiio.count("COLL_WRITES") == mpiio.count("COLL_READS") == 4 and mpiio.shared
    assert mpiio.count("BYTES_WRITTEN") == 4 * 200 * 50_000
    assert 0 < mpiio.fastest <= mpiio.slowest < job.seconds


@reads_logs
def test_the_command_says_by_how_much_and_how_to_try_it():
    done = advise(LOGS / "flash.darshan")
    assert done.exit_code == 0 and done.output.startswith("Would gain: I/O about "), done.output
    lines = done.output.splitlines()
    assert lines[-4] == "To try it:" and lines[-1] == "  collio report without.json with.json"
    assert "collio run --report with.json -- mpiexec -n 8 ./collio_bench" in lines[-3]


@reads_logs
def test_a_folder_is_ranked_by_what_would_be_saved(tmp_path):
    for name in ("computes", "flash", "own-files"):
        (tmp_path / f"{name}.darshan").write_bytes((LOGS / f"{name}.darshan").read_bytes())
    (tmp_path / "broken.darshan").write_bytes(b"no log")
    done = advise("--folder", tmp_path)
    names = ("computes", "flash", "own")
    first, second, third = [line for line in done.output.splitlines() if line.startswith(names)]
    assert third.startswith("own-files.darshan") and second.startswith("computes.darshan"), "saves 0.1 s of 6"
    assert first.startswith("flash.darshan") and "x" in first
    assert "broken.darshan: not a log of Darshan" in done.output


@pytest.fixture
def damaged(tmp_path):
    """Makes a copy of a log: cut off, or with one byte changed."""

    def make(name, length=None, flipped=None):
        content = bytearray((LOGS / f"{name}.darshan").read_bytes())
        if flipped is not None:
            content[flipped] ^= 255
        path = tmp_path / f"{name}-damaged.darshan"
        path.write_bytes(content[:length])
        return path

    return make


@reads_logs
@pytest.mark.parametrize(
    "name, how",
    [
        ("flash", {"length": 1447}),  # Darshan's library crashes
        ("hdf5", {"flipped": 859}),  # a RuntimeError
        ("hdf5", {"length": 1827}),  # no record of MPI-IO
    ],
)
def test_a_damaged_log_is_named(collio_process, damaged, name, how):
    path = damaged(name, **how)
    done = collio_process("advise", path)
    assert done.returncode == 1 and not done.stdout, done.stdout
    assert done.stderr.startswith(f"Error: {path}: ") and len(done.stderr.splitlines()) == 1, done.stderr


@reads_logs
def test_a_damaged_log_does_not_end_the_ranking(collio_process, damaged, tmp_path):
    bad = damaged("flash", length=1447)
    (tmp_path / "good.darshan").write_bytes((LOGS / "flash.darshan").read_bytes())
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "no-ranks.json").write_text(json.dumps({"files": [{**DOCUMENT["files"][0], "comm_size": 0}]}))
    done = collio_process("advise", "--folder", tmp_path)
    assert done.returncode == 0 and "\ngood.darshan" in done.stdout, done.stdout + done.stderr
    assert str(bad) in done.stderr and "no-ranks.json: not a report" in done.stderr
    assert "comm_size is 0" in done.stderr and "pipe.json" not in done.stderr


@reads_logs
def test_a_log_that_keeps_the_library_busy_is_given_up(monkeypatch):
    monkeypatch.setattr(darshan_log, "MOST_SECONDS", 0.5)
    monkeypatch.setattr(darshan_log, "_load", lambda backend, path: time.sleep(60))
    with pytest.raises(darshan_log.LogError, match="has not read it within 0.5 s"):
        darshan_log.read(LOGS / "flash.darshan")
    assert not multiprocessing.active_children()


def test_without_the_package_the_command_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "darshan.backend.cffi_backend", None)
    done = advise(LOGS / "flash.darshan")
    assert done.exit_code == 1 and "pip install 'collio[advise]'" in done.output


def report_of(pieces, moved, repeats=4):
    call = {**CALL, "pieces": pieces, "bytes": moved, "repeats": repeats, "operation": "write_all"}
    call["seconds"] = {"total": spread(0.5, 0.5, 0.5)}
    file = {
        **DOCUMENT["files"][0],
        "comm_size": 8,
        "calls": [call],
        "storage": "tmpfs",
        "mpi": "MPICH Version: 4",
    }
    return {**DOCUMENT, "seconds": 1.0, "files": [file]}


def test_a_report_with_small_pieces_shows_a_gain():
    found = forecast.of(of_report.read(report_of(1_000_000, 16_000_000)))
    assert found.gains and found.io.middle > 3 and found.job.middle < found.io.middle


def test_a_report_with_large_blocks_shows_none():
    found = forecast.of(of_report.read(report_of(32, 32 << 22)))
    assert not found.gains and "large contiguous blocks" in found.reason


def test_a_report_of_no_collective_call_gives_the_reason(tmp_path):
    path = tmp_path / "job.json"
    path.write_text(json.dumps({**DOCUMENT, "files": [], "at_exit": []}))
    done = advise(path)
    assert (
        done.exit_code == 0 and done.output.startswith("Would not gain: ") and "no rank left" in done.output
    )


@pytest.mark.parametrize("words", [[], ["--folder", ".", "--", "true"]])
def test_one_source_is_needed(words):
    done = advise(*words)
    assert done.exit_code == 2 and "one of FILE, --folder FOLDER" in done.output


def test_a_command_runs_once(real_mpi, compiled, collio_process, tmp_path):
    program = compiled(real_mpi, "many_files")
    done = collio_process("advise", "--", real_mpi.mpiexec, "-n", 2, program, tmp_path, 3, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "ould " in done.stdout.split("\n")[0] and "To try it:" in done.stdout
    assert not list(tmp_path.glob(".collio-advise-*"))


def test_a_command_is_not_run_without_collio(monkeypatch, tmp_path):
    monkeypatch.setenv("COLLIO_ENABLE", "0")
    done = advise("--", "touch", tmp_path / "ran")
    assert done.exit_code == 1 and "unset COLLIO_ENABLE" in done.output and not (tmp_path / "ran").exists()


def test_a_folder_that_cannot_be_written_is_named(monkeypatch):
    monkeypatch.chdir("/proc")
    done = advise("--", "true")
    assert done.exit_code == 1 and "Error: /proc: cannot write the report there" in done.output


def test_a_command_that_fails_gives_its_exit_code(real_mpi, collio_process, tmp_path):
    done = collio_process("advise", "--", real_mpi.mpiexec, "-n", 1, "false", cwd=tmp_path)
    assert done.returncode not in (0, 125) and "the job failed" in done.stderr and "Would" not in done.stdout


def test_evidence_is_what_the_benchmarks_gave():
    found = forecast.rows()
    assert len(found) > 200 and {row.mpi for row in found} == {"mpich", "openmpi", "openmpi-romio"}
    assert all(row.factor > 0 and row.floor_s >= 0 and row.call_bytes > 0 for row in found)


def test_a_call_is_compared_with_like_ones():
    small, large = (forecast.by_excess("write", beyond, 1 << 20)[0] for beyond in (100.0, 1.0))
    assert small.middle > 5 > 1.5 > large.middle
    assert math.isclose(forecast.by_excess("write", 100.0, 1 << 20)[0].middle, small.middle)
