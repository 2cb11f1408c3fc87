"""What the report and stderr hold of jobs that open many files, or are killed."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

RANKS = 3


@pytest.mark.parametrize("count", [10, 150])
def test_many_files_of_one_kind_share_a_record(real_mpi, compiled, collio_process, tmp_path, count):
    report = tmp_path / "r.json"
    done = collio_process(
        "run",
        "--report",
        report,
        "--",
        real_mpi.mpiexec,
        "-n",
        RANKS,
        compiled(real_mpi, "many_files"),
        tmp_path,
        count,
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(report.read_text())
    together = [file for file in document["files"] if file["comm_size"] == RANKS]
    assert sum(file["files"] for file in together) == count and not any(
        file["still_open"] for file in document["files"]
    )
    assert sum(call["repeats"] for file in together for call in file["calls"]) == 2 * count
    assert sum(call["bytes"] for file in together for call in file["calls"]) == 2 * count * RANKS * 100
    assert sum(file["independent_calls"] for file in together) == count
    assert sum(file["files"] for file in document["files"]) == (1 + RANKS) * count
    assert len(document["files"]) <= 100 and report.stat().st_size < 300_000
    if count > 100:
        (kind,) = (file for file in together if file["files"] > 1)
        assert kind["file"].endswith("out.#.dat")
        text = " ".join(collio_process("report", report).stdout.split())
        assert f"{kind['files']} files like this, added up" in text and "write_at_all x" in text


def test_a_warning_comes_once_a_job(real_mpi, compiled, collio_process, tmp_path):
    done = collio_process(
        "run", "--", real_mpi.mpiexec, "-n", RANKS, compiled(real_mpi, "many_files"), tmp_path, 20
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("hint collio_window: 'small' is not allowed") == 1, done.stderr


def test_expected_times_follow_what_calls_took(real_mpi, compiled, collio_process, tmp_path):
    """Storage calls of 20 ms, which no estimate knows."""
    report, calls = tmp_path / "r.json", 24
    done = collio_process(
        "run",
        "--report",
        report,
        "--set",
        "collio_faults=all:write:delay=0.02",
        "--",
        real_mpi.mpiexec,
        "-n",
        RANKS,
        compiled(real_mpi, "steps"),
        tmp_path / "data",
        4096,
        4,
        calls,
    )
    assert done.returncode == 0, done.stderr
    records = [call for file in json.loads(report.read_text())["files"] for call in file["calls"]]
    assert sum(call["repeats"] for call in records) == calls
    estimated, expected, took = (
        sum(call[name] for call in records)
        for name in ("estimated_seconds", "forecast_seconds", "agreed_seconds")
    )
    assert estimated < took / 4 and took / 2 < expected < 2 * took, (estimated, expected, took)
    assert "by earlier calls, took" in " ".join(collio_process("report", report).stdout.split())


def test_files_that_were_open_when_the_job_was_killed(real_mpi, compiled, collio_process, tmp_path):
    report = tmp_path / "r.json"
    done = collio_process(
        "run", "--report", report, "--", real_mpi.mpiexec, "-n", RANKS, compiled(real_mpi, "killed"), tmp_path
    )
    assert done.returncode != 0
    files = {file["file"].rpartition("/")[2]: file for file in json.loads(report.read_text())["files"]}
    assert set(files) == {"collective", "independent", "untouched"} and all(
        file["still_open"] == 1 for file in files.values()
    )
    (call,) = files["collective"]["calls"]
    assert call["operation"] == "write_at_all" and call["repeats"] == 1 and call["bytes"] == 100 * RANKS
    assert files["independent"]["independent_calls"] == 4 and files["independent"]["calls"] == []
    text = " ".join(collio_process("report", report).stdout.split())
    for part in (
        "still open when the job ended",
        "write_at_all",
        "no collective data call so far; 4 independent calls",
        "2 files had no collective data call (4 independent calls)",
    ):
        assert part in text
    assert "took over no file" not in text + done.stderr


def test_collio_run_itself_is_killed(real_mpi, compiled, collio_process, tmp_path):
    report = tmp_path / "r.json"
    words = [
        sys.executable,
        "-m",
        "collio",
        "run",
        "--report",
        report,
        "--",
        real_mpi.mpiexec,
        "-n",
        RANKS,
        "sh",
        "-c",
        '"$@"; sleep 60',
        "sh",
        compiled(real_mpi, "interleaved"),
        tmp_path / "data",
    ]
    job = subprocess.Popen([str(word) for word in words], start_new_session=True, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 60
        while not _closed(tmp_path) and time.monotonic() < end:
            time.sleep(0.1)
    finally:
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()
    for made_before_the_job in (False, True):  # by --report auto
        if made_before_the_job:
            report.touch()
        done = collio_process("report", report)
        assert done.returncode == 0 and "write_all" in done.stdout, done.stdout + done.stderr


def _closed(folder):
    return any('"still_open":0' in lines.read_text() for lines in folder.glob(".r.json.*.lines"))
