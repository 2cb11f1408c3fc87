"""What the engines of `collio bench` run, and how their samples are compared."""

import os
from dataclasses import replace

import pytest
from rich.console import Console

from collio.bench import engines, launcher, machine, results, rounds
from collio.builds import Build
from collio.run import launch
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
