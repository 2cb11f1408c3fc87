"""`collio bench`: what it prints and writes, with made-up programs, and for real where collio is built."""

import json
import os
import subprocess
import sys
import time

import pytest
import shared_memory
from rich.console import Console

from collio.bench import engines, launcher, machine, results, rounds
from collio.builds import Build
from collio.run import launch, output
from lab_stage import some_mpi  # noqa: F401
from test_bench_engines import setup  # noqa: F401


def test_distance_of_cores_is_told(capsys):
    def shown(*times):
        operations = [
            {
                "operation": "write",
                "seconds": 1.0,
                "bytes": 8,
                **({} if ns is None else {"cache_line_ns": ns}),
            }
            for ns in times
        ]
        (row,) = results.result_rows(
            [
                rounds.Samples(
                    engines.Engine("collio"), [{"operations": [operation]} for operation in operations]
                )
            ]
        )
        results.print_table(
            Console(width=80),
            {
                "pattern": "x",
                "mpi": "x",
                "ranks": 1,
                "bytes": 8,
                "repeat": 2,
                "machine": {"file_system": "x", "cores": 2},
                "results": [row],
            },
        )
        return row.get("cache_line_ns"), capsys.readouterr().out

    times, text = shown(26, 31)
    assert times == [26, 31] and "26 to 31 ns" in text and "not equally near" not in text
    assert "not equally near" in shown(26, 165)[1]
    times, text = shown(None, None)
    assert times is None and "cache line" not in text


@pytest.mark.parametrize("name", ["mpich", "openmpi"])
def test_the_document(site, cli, tmp_path, name):
    output = tmp_path / "out.json"
    done = cli(
        "bench",
        "interleave",
        "--mpi",
        site.ids[name],
        "--ranks",
        4,
        "--dir",
        tmp_path,
        "--repeat",
        2,
        "--json",
        "--output",
        output,
        "--set",
        "cb_nodes=1",
    )
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert document == json.loads(output.read_text())
    assert [document[key] for key in ("pattern", "mpi", "ranks", "dir", "bytes", "verified")] == [
        "interleave",
        site.ids[name],
        4,
        str(tmp_path),
        100,
        True,
    ]
    assert [(r["engine"], r["operation"], r["median_s"]) for r in document["results"]] == [
        ("collio", "write", 1.5),
        ("collio", "read", 1.5),
        ("native", "write", 3.0),
        ("native", "read", 3.0),
        ("floor", "write", 0.5),
        ("floor", "read", 0.5),
    ]
    for row in document["results"]:
        assert {"median_s", "min_s", "max_s", "peak_rss_above_buffer_bytes"} <= set(row) and len(
            row["samples_s"]
        ) == 2
    write = document["results"][0]
    assert write["ways"] == ["two_phase: small"] and write["steps_s"] == {"write": 1.0, "other": 0.5}
    assert (
        document["hints"] == {"cb_nodes": "1"}
        and document["machine"]["file_system"]
        and document["versions"]["collio"]
    )
    assert not list(tmp_path.glob("collio-bench-*"))


def test_the_table(site, cli, tmp_path):
    text = cli(
        "bench",
        "contiguous",
        "--mpi",
        "mpich-9.9.1",
        "--dir",
        tmp_path,
        "--repeat",
        1,
        "--pieces",
        1,
        "--size",
        "4k",
    ).output
    assert "2.00x" in text and "native" in text and "floor" in text and "3.00 s" in text


@pytest.mark.parametrize(
    "variable, value, said", [("FAKE_VERIFIED", "false", "not verified"), ("FAKE_EXIT", "1", "exit code 1")]
)
def test_wrong_bytes_are_an_error(site, cli, tmp_path, monkeypatch, variable, value, said):
    monkeypatch.setenv(variable, value)
    done = cli("bench", "interleave", "--mpi", "mpich-9.9.1", "--dir", tmp_path, "--repeat", 2, "--json")
    document = json.loads(done.stdout)
    assert done.exit_code == 1 and document["verified"] is False
    assert all(said in row["error"] for row in document["results"])


def test_dirty_holes_are_told_of_opponents_and_forbidden_to_collio():
    line = {
        "verified": False,
        "errors": ["3 bytes nobody wrote"],
        "operations": [
            {
                "operation": "write",
                "seconds": 1.0,
                "bytes": 8,
                "verified": False,
                "wrong_bytes": 0,
                "wrong_hole_bytes": 3,
            }
        ],
    }
    outcome = launcher.Outcome([line], "exit code 1: 3 bytes nobody wrote")
    native, collio = engines.Engine("native"), engines.Engine("collio", preload=True)
    assert rounds.problem(native, outcome) is None and "3 bytes" in rounds.problem(collio, outcome)
    assert results.result_rows([rounds.Samples(native, [line])])[0]["wrong_hole_bytes"] == 3
    line["operations"][0]["wrong_bytes"] = 1
    assert rounds.problem(native, outcome)


def test_native_twice_is_no_result(site, cli, tmp_path):
    program = Build.of(launch.named_mpi("mpich-9.9.1")).program("collio_bench")
    program.write_text(program.read_text().replace("libcollio_mpiio", "nothing"))
    done = cli("bench", "interleave", "--mpi", "mpich-9.9.1", "--dir", tmp_path, "--repeat", 1, "--json")
    assert (
        done.exit_code == 1 and json.loads(done.stdout)["results"][0]["error"] == "collio took over no file"
    )


@pytest.mark.parametrize(
    "words, said",
    [
        (["--mpi", "lam"], "no MPI named 'lam'"),
        (["--mpi", "mpich-9.9.1", "--pieces", "999999999999"], "are needed"),
        (["--mpi", "mpich-9.9.1", "--pieces", "99999", "--steps", "100000"], "are needed"),
        (["--mpi", "mpich-9.9.1", "--set", "cb_nodes=x"], "cb_nodes=x"),
        (["--mpi", "mpich-9.9.1", "--size", "big"], "is no size"),
    ],
)
def test_what_cannot_be_run(site, cli, tmp_path, words, said):
    done = cli("bench", "interleave", "--dir", tmp_path, *words)
    assert done.exit_code in (1, 2) and said in done.output


def test_a_run_that_hangs_is_ended(site, setup):
    program = site.program("hangs", "sleep 1000\n")
    outcome = output.run_job(launch.Job([str(program)], {"PATH": "/usr/bin:/bin"}), timeout_s=0.3)
    assert outcome.error == "not done after 0.3 s"


def test_ended_from_outside_it_leaves_nothing(site, tmp_path):
    program = Build.of(launch.named_mpi("mpich-9.9.1")).program("collio_bench")
    program.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 1000\n")
    folder = tmp_path / "files"
    folder.mkdir()
    words = [
        sys.executable,
        "-m",
        "collio",
        "bench",
        "interleave",
        "--mpi",
        "mpich-9.9.1",
        "--dir",
        str(folder),
    ]
    process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while not (tmp_path / "pid").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.2)
    process.terminate()
    assert process.wait(timeout=30) == 143
    assert list(folder.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_the_machine(tmp_path):
    facts = machine.describe(tmp_path)
    assert facts["cores"] >= 1 and facts["file_system"] != "unknown" and facts["memory_bytes"] > 0
    assert machine.file_system("/proc") == "proc" and machine.free_bytes(tmp_path) > 0


@pytest.mark.parametrize(
    "pattern",
    [
        ["interleave", "--pieces", 500],
        ["interleave", "--pieces", 500, "--irregular", "--gap", 16],
        ["contiguous", "--size", "64k", "--pieces", 2],
        ["e3sm", "--ne", 2, "--levels", 3, "--variables", 2],
        ["btio", "--n", 12],
        ["s3d", "--nx", 7, "--ny", 6, "--nz", 5],
        ["mpas", "--level", 2],
        ["ior", "--transfer", "1k", "--block", "3k"],
        ["tile", "--tile-x", 5],
        ["flash", "--blocks", 2],
        ["hacc", "--particles", 99, "--layout", "soa"],
        ["collperf", "--nz", 7, "--ny", 6, "--nx", 5],
        ["wrf", "--ny", 5, "--nx", 7],
    ],
    ids=lambda words: "-".join(map(str, words[:2])) + ("-irregular" if "--irregular" in words else ""),
)
def test_for_real(real_mpi, cli, tmp_path, pattern):
    shared_memory.needed_by_openmpi(real_mpi)
    if not Build.of(real_mpi).program("collio_bench").exists():
        pytest.skip("collio_bench is not built")
    done = cli(
        "bench",
        *pattern,
        "--mpi",
        real_mpi.id,
        "--ranks",
        3,
        "--dir",
        tmp_path,
        "--repeat",
        1,
        "--json",
        "--timeout",
        100,
    )
    document = json.loads(done.stdout)
    wrong = [
        (row["engine"], row["operation"], row.get("error"))
        for row in document["results"]
        if not row["verified"]
    ]
    assert done.exit_code == 0 and document["verified"], f"{wrong} {done.stderr[-2000:]}"
    assert {row["engine"] for row in document["results"]} == {"collio", "native", "floor"}
    if len(os.sched_getaffinity(0)) > 1:
        # A busy machine does not let two threads meet: then it is not known.
        assert all(1 <= ns <= 10_000 for row in document["results"] for ns in row.get("cache_line_ns", ()))
    assert [row["ways"] for row in document["results"] if row["engine"] == "collio"]


def test_files_in_subfiles_for_real(some_mpi, cli, tmp_path):
    if not Build.of(some_mpi).program("collio_bench").exists():
        pytest.skip("collio_bench is not built")
    engine = "collio:collio_subfiles=3:collio_subfile_unit=1000"
    done = cli(
        "bench",
        "interleave",
        "--pieces",
        500,
        "--gap",
        16,
        "--engines",
        f"{engine},native",
        "--mpi",
        some_mpi.id,
        "--ranks",
        3,
        "--dir",
        tmp_path,
        "--repeat",
        1,
        "--steps",
        2,
        "--json",
        "--timeout",
        100,
    )
    document = json.loads(done.stdout)
    assert done.exit_code == 0 and document["verified"], (document["results"], done.stderr[-2000:])
    assert {row["engine"] for row in document["results"]} == {engine, "native"} and not list(
        tmp_path.rglob("*collio*")
    )


@pytest.mark.parametrize(
    "pattern",
    [
        ["interleave", "--pieces", 100, "--irregular", "--gap", 16],
        ["contiguous", "--size", "4k", "--pieces", 2],
        ["e3sm", "--ne", 1, "--levels", 3],
        ["btio", "--n", 9],
        ["s3d", "--nx", 8, "--ny", 4, "--nz", 3],
        ["mpas", "--level", 1, "--vertical-levels", 3, "--element-size", 4],
        ["ior", "--transfer", "1k", "--block", "3k"],
        ["tile", "--tile-x", 5],
        ["flash", "--blocks", 2],
        ["hacc", "--particles", 99, "--layout", "soa"],
        ["collperf", "--nz", 7, "--ny", 6, "--nx", 5],
        ["wrf", "--ny", 5, "--nx", 7],
    ],
    ids=lambda words: words[0],
)
def test_time_steps_for_real(some_mpi, cli, tmp_path, pattern):
    if not Build.of(some_mpi).program("collio_bench").exists():
        pytest.skip("collio_bench is not built")
    common = [
        "--mpi",
        some_mpi.id,
        "--ranks",
        4,
        "--dir",
        tmp_path,
        "--repeat",
        1,
        "--json",
        "--timeout",
        100,
    ]
    once, thrice = (json.loads(cli("bench", *pattern, *common, "--steps", steps).stdout) for steps in (1, 3))
    assert once["verified"] and thrice["verified"], (once["results"], thrice["results"])
    assert [thrice[size] for size in ("bytes", "pieces", "file_bytes")] == [
        3 * once[size] for size in ("bytes", "pieces", "file_bytes")
    ]
    for row in thrice["results"]:
        assert row["first_step_median_s"] > 0 and row["later_steps_median_s"] > 0
        assert row["median_s"] >= row["first_step_median_s"]
    assert not any("first_step_median_s" in row for row in once["results"])


def test_ranks_beyond_a_square_have_nothing_to_do(real_mpi, cli, tmp_path):
    shared_memory.needed_by_openmpi(real_mpi)
    done = cli(
        "bench",
        "btio",
        "--n",
        6,
        "--mpi",
        real_mpi.id,
        "--ranks",
        6,
        "--dir",
        tmp_path,
        "--repeat",
        1,
        "--json",
    )
    document = json.loads(done.stdout)
    assert document["verified"] and document["bytes"] == 6**3 * 40 and document["parameters"]["owners"] == 4
    assert "2 of 6 have no bytes" in done.stderr
