"""`collio run --trace`: a picture of a job's calls and steps that Perfetto opens."""

import gzip
import json

import pytest

from collio.run import trace

RANKS, CALLS = 3, 50


@pytest.fixture
def traced(real_mpi, compiled, collio_process, tmp_path):
    """Events of a job with a rank that is late, its report, what `collio run` said."""
    program = compiled(real_mpi, "causes")
    traces, report = tmp_path / "job[1].trace.gz", tmp_path / "r.json"
    words = ["--trace", traces, "--report", report, "--", real_mpi.mpiexec, "-n", RANKS, program]
    done = collio_process("run", *words, "late", tmp_path)
    assert done.returncode == 0, done.stderr
    with gzip.open(traces, "rt") as file:
        events = json.load(file)["traceEvents"]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".job")]
    return events, json.loads(report.read_text()), done.stderr


def ended(event):
    return event["ts"] + event["dur"]


def test_every_rank_has_a_track_with_its_calls(traced):
    events, _, said = traced
    calls = [event for event in events if event.get("cat") == "call"]
    steps = [event for event in events if event.get("cat") == "step"]
    assert f"{len(calls) + len(steps)} events of {RANKS} ranks" in said and "left out" not in said
    for event in [*calls, *steps]:
        event["tid"] //= trace.THREADS
    assert {event["tid"] for event in calls} == set(range(RANKS))
    assert {event["args"]["name"] for event in events if event["name"] == "thread_name"} == {
        f"rank {rank}" for rank in range(RANKS)
    }
    for rank in range(RANKS):
        mine = sorted((call for call in calls if call["tid"] == rank), key=lambda call: call["ts"])
        assert len(mine) == CALLS and {call["name"] for call in mine} == {"write_all"}
        assert all(ended(one) <= other["ts"] + 1 for one, other in zip(mine, mine[1:]))
        assert all(
            call["args"]["file"].endswith("data.0") and call["args"]["bytes"] == 120000 for call in mine
        )
    # each step lies in a call of its rank
    for step in steps:
        assert any(
            call["tid"] == step["tid"] and call["ts"] - 1 <= step["ts"] and ended(step) <= ended(call) + 1
            for call in calls
        ), step


def test_steps_add_up_to_the_report(traced):
    events, report, _ = traced
    (file,) = report["files"]
    for name in ("digest",):
        of_ranks = [
            1e-6
            * sum(
                event["dur"]
                for event in events
                if event["name"] == name and event["tid"] // trace.THREADS == rank
            )
            for rank in range(RANKS)
        ]
        most = sum(call["seconds"][name]["max"] for call in file["calls"])
        assert most > 0.01
        assert max(of_ranks) == pytest.approx(most, rel=0.05), name  # microseconds are cut off


def test_short_calls_that_wait_for_nobody_are_there(real_mpi, compiled, collio_process, tmp_path):
    """Each is one system call."""
    trace_file = tmp_path / "t.gz"
    words = ["--trace", trace_file, "--set", "romio_cb_write=disable", "--", real_mpi.mpiexec, "-n", RANKS]
    done = collio_process("run", *words, compiled(real_mpi, "causes"), "short", tmp_path)
    assert done.returncode == 0, done.stderr
    with gzip.open(trace_file, "rt") as file:
        calls = [event for event in json.load(file)["traceEvents"] if event.get("cat") == "call"]
    assert len(calls) == RANKS * CALLS and {call["name"] for call in calls} == {"write_at_all"}


def test_a_trace_that_cannot_be_written(real_mpi, collio_process, tmp_path):
    words = ["--trace", tmp_path / "no" / "t.gz", "--", real_mpi.mpiexec, "-n", 1, "true"]
    done = collio_process("run", *words)
    assert done.returncode == 125 and "t.gz: cannot write there" in done.stderr
