"""`collio bench`: engines, order, environment, results; with made-up programs, and for real where collio is
built."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace

import pytest
import shared_memory
from rich.console import Console

from collio.bench import engines, launcher, machine, results, rounds
from collio.builds import Build
from collio.run import launch, output
from lab_stage import some_mpi  # noqa: F401


@pytest.fixture(params=["mpich", "openmpi"])
def setup(request, site):
    mpi = launch.named_mpi(site.ids[request.param])
    return launcher.Setup(mpi, Build.of(mpi), ranks=4, timeout_s=30)


def environment_of(setup, name, monkeypatch, cores=2):
    monkeypatch.setattr(machine, "cores", lambda: cores)
    monkeypatch.setenv("COLLIO_HINTS", "cb_nodes=9")
    monkeypatch.setenv("OMPI_MCA_fcoll", "individual")
    job = launcher.job_of(setup, engines.parse_engine(name, setup.mpi), ["program"])
    passed = dict(word.split("=", 1) for word in job.words if word.startswith("LD_PRELOAD="))
    return job, passed.get("LD_PRELOAD", job.environ.get("LD_PRELOAD", ""))


def test_both_sides_get_the_same_but_for_the_interposer(setup, monkeypatch):
    native, native_preload = environment_of(setup, "native", monkeypatch)
    collio, collio_preload = environment_of(setup, "collio", monkeypatch)
    without = {name: value for name, value in collio.environ.items() if name != "LD_PRELOAD"}
    assert without == {name: value for name, value in native.environ.items() if name != "LD_PRELOAD"}
    assert collio_preload.split(":") == [
        str(setup.build.interposer),
        *filter(None, native_preload.split(":")),
    ]
    assert "OMPI_MCA_fcoll" not in native.environ and "COLLIO_HINTS" not in collio.environ
    if setup.mpi.family == "mpich":
        assert (
            native_preload == str(setup.build.yield_preload) and native.environ["COLLIO_YIELD_NS"] == "1000"
        )
    else:
        assert (
            native_preload == ""
            and native.environ["OMPI_MCA_mpi_yield_when_idle"] == "1"
            and "--oversubscribe" in native.words
        )


def test_spinning_native_gets_no_help(setup, monkeypatch):
    job, preload = environment_of(setup, "native-spin", monkeypatch)
    assert preload == "" and "OMPI_MCA_mpi_yield_when_idle" not in job.environ


def test_no_side_yields_where_each_rank_has_a_core(setup, monkeypatch):
    for name in ("native", "collio"):
        job, preload = environment_of(setup, name, monkeypatch, cores=4)
        assert "libcollio_yield" not in preload and "OMPI_MCA_mpi_yield_when_idle" not in job.environ
    for crowded, cores in ((setup, 3), (replace(setup, thread_multiple=True), 7)):
        job, _ = environment_of(crowded, "native", monkeypatch, cores)
        assert "COLLIO_YIELD_NS" in job.environ or "OMPI_MCA_mpi_yield_when_idle" in job.environ


@pytest.mark.parametrize(
    "limit, cores",
    [("max 100000", 8), ("250000 100000", 2), ("50000 100000", 1), ("1600000 100000", 8), (None, 8)],
)
def test_cores_are_no_more_than_the_quota_is_worth(monkeypatch, limit, cores):
    def read_text(path):
        assert str(path) == "/sys/fs/cgroup/cpu.max"
        if limit is None:
            raise FileNotFoundError
        return limit + "\n"

    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))
    monkeypatch.setattr(machine.Path, "read_text", read_text)
    assert machine.cores() == cores


def test_hints_of_one_engine(setup, monkeypatch):
    job, _ = environment_of(setup, "collio:cb_buffer_size=1MiB:cb_nodes=2", monkeypatch)
    assert job.environ["COLLIO_HINTS"] == "cb_buffer_size=1048576;cb_nodes=2"
    job, _ = environment_of(setup, "collio:cb_config_list=*:2:collio_path=two_phase", monkeypatch)
    assert job.environ["COLLIO_HINTS"] == "cb_config_list=*:2;collio_path=two_phase"
    job, _ = environment_of(setup, "native:cb_nodes=2", monkeypatch)
    assert job.words[-2:] == ["--hint", "cb_nodes=2"]


def test_build_of_another_checkout(setup, monkeypatch, tmp_path):
    with pytest.raises(
        engines.BenchError, match="libcollio_mpiio.so is missing; run `make build` in that checkout"
    ):
        engines.parse_engine(f"collio@{tmp_path}", setup.mpi)
    other = Build(tmp_path / "build" / setup.mpi.id).interposer
    other.parent.mkdir(parents=True)
    other.touch()
    job, preload = environment_of(setup, f"collio@{tmp_path}:cb_nodes=2", monkeypatch)
    assert preload.split(":")[0] == str(other) and job.environ["COLLIO_HINTS"] == "cb_nodes=2"


def test_open_mpis_components(site):
    mpi = launch.named_mpi("openmpi-9.9.2")
    assert engines.parse_engine("ompi-two_phase", mpi).environ == {
        "OMPI_MCA_io": "ompio",
        "OMPI_MCA_fcoll": "two_phase",
    }
    assert engines.parse_engine("ompi-romio", mpi).environ["OMPI_MCA_io"].startswith("romio")


@pytest.mark.parametrize(
    "text, said",
    [
        ("colio", "no engine named 'colio'"),
        ("native,native", "named twice"),
        ("", "no engine named"),
        ("ompi-vulcan", "no engine named"),
        ("collio:cb_nodes=0", "cb_nodes=0"),
        ("collio:fast", "key=value"),
    ],
)
def test_bad_engines_are_named(site, text, said):
    with pytest.raises(engines.BenchError, match=said):
        engines.parse_engines(text, launch.named_mpi("mpich-9.9.1"))


def test_order_rotates():
    assert [rounds.rotation(["a", "b", "c"], n) for n in range(4)] == [
        ["a", "b", "c"],
        ["b", "c", "a"],
        ["c", "a", "b"],
        ["a", "b", "c"],
    ]


def test_medians_and_ratios():
    def samples(name, seconds):
        lines = [
            {
                "operations": [
                    {"operation": "write", "seconds": s, "bytes": 8, "peak_rss_above_buffer_bytes": int(s)}
                ]
            }
            for s in seconds
        ]
        return rounds.Samples(engines.Engine(name), lines)

    rows = results.result_rows([samples("collio", [1, 4, 2]), samples("native", [8, 9, 10])])
    assert [(r["engine"], r["median_s"], r["min_s"], r["max_s"], r["ratio_to_collio"]) for r in rows] == [
        ("collio", 2, 1, 4, 1.0),
        ("native", 9, 8, 10, 4.5),
    ]
    assert rows[0]["peak_rss_above_buffer_bytes"] == 4


def test_the_report_is_of_a_run_that_is_not_timed(setup, monkeypatch, tmp_path):
    ran = []
    calls = [{"operation": "write", "path": "two_layer", "reason": "r", "steps": {"write": {"max": 0.5}}}]

    def measure(setup, engine, arguments):
        ran.append((engine.label, setup.scratch is not None))
        files = [{"calls": calls}] if setup.scratch and engine.preload else []
        lost = setup.scratch and engine.label == "collio@lost"
        line = {
            "verified": True,
            "operations": [{"operation": "write", "seconds": float(len(ran)), "bytes": 8, "verified": True}],
        }
        return launcher.Outcome([line], "collio took over no file" if lost else None, files)

    monkeypatch.setattr(rounds.launcher, "measure", measure)
    apart = replace(setup, scratch=tmp_path)
    contenders = engines.parse_engines("collio,native", setup.mpi)
    collio, native = rounds.run_rounds(apart, contenders, lambda engine: [], 2, lambda *_: None)
    assert ran == [
        ("collio", True),
        ("collio", False),
        ("native", False),
        ("native", False),
        ("collio", False),
    ]
    assert len(collio.lines) == 2 and collio.files == [{"calls": calls}] and not native.files
    row = results.result_rows([collio])[0]
    assert row["samples_s"] == [2, 5] and (row["reported_s"], row["reported_set_view_s"]) == (1, 0)
    (without,) = rounds.run_rounds(
        apart, [replace(contenders[0], label="collio@lost")], lambda engine: [], 2, lambda *_: None
    )
    assert without.errors == ["collio took over no file"] and len(ran) == 6 and not without.files


def test_time_steps_have_medians_of_their_own(capsys):
    def line(*seconds):
        return {
            "operations": [
                {"operation": "write", "step": k, "seconds": s, "bytes": 10, "data_s": s}
                for k, s in enumerate(seconds)
            ]
        }

    (stepped,) = results.result_rows(
        [rounds.Samples(engines.Engine("collio"), [line(4, 1, 2), line(6, 3, 2), line(5, 1, 2)])]
    )
    assert (stepped["first_step_median_s"], stepped["later_steps_median_s"]) == (5, 2)
    assert (stepped["median_s"], stepped["samples_s"], stepped["parts_median_s"]["data_s"]) == (
        8,
        [7, 11, 8],
        8,
    )
    assert stepped["bytes_per_s"] == round(30 / 8)
    (whole,) = results.result_rows([rounds.Samples(engines.Engine("collio"), [line(4)])])
    assert not {"first_step_median_s", "later_steps_median_s"} & set(whole)
    document = {
        "pattern": "x",
        "mpi": "x",
        "ranks": 1,
        "bytes": 30,
        "repeat": 3,
        "machine": {"file_system": "x", "cores": 1},
    }
    for row, shown in ((stepped, True), (whole, False)):
        results.print_table(Console(width=80), {**document, "results": [row]})
        assert ("1st step" in capsys.readouterr().out) is shown


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
        assert all(1 <= ns < 1e6 for row in document["results"] for ns in row.get("cache_line_ns", ()))
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
