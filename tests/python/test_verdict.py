"""What a report says of a job first: the cause that bound its I/O. Jobs have one planted cause; made
documents hold what no job on one machine shows."""

import json

import pytest

from collio.report import verdict

CAUSES = {
    "late": ("late rank 1", ()),
    "storage": ("storage", ("--set", "collio_faults=all:write:delay=0.03")),
    "buffer": ("buffer", ("--set", "cb_buffer_size=8192")),
    "opening": ("opening", ()),
    "views": ("views", ()),
}


def run(real_mpi, compiled, collio_process, folder, cause, *options):
    report = folder / "r.json"
    program = compiled(real_mpi, "causes")
    job = [real_mpi.mpiexec, "-n", 3, program, cause, folder]
    done = collio_process("run", "--report", report, *options, "--", *job)
    assert done.returncode == 0, done.stderr
    return json.loads(report.read_text()), done.stderr


@pytest.mark.parametrize("cause", CAUSES)
def test_the_planted_cause_comes_first(real_mpi, compiled, collio_process, tmp_path, cause):
    name, options = CAUSES[cause]
    document, said = run(real_mpi, compiled, collio_process, tmp_path, cause, *options)
    found = verdict.of(document)
    assert found.causes[0].name == name, found
    first, *remedies = found.sentences()
    assert " ".join(first.split()) in " ".join(said.split())
    assert remedies and found.causes[0].remedy in remedies[0]


def test_nothing_to_do_where_the_job_computes(real_mpi, compiled, collio_process, tmp_path):
    document, _ = run(real_mpi, compiled, collio_process, tmp_path, "nothing")
    (only,) = verdict.of(document).sentences()
    assert only.endswith("Nothing to do: the rest of the job takes longer.")


def spread(least, middle, most):
    return {"min": least, "median": middle, "max": most}


def document(call, **file):
    seconds = {"total": spread(1, 1, 1), **call.pop("seconds")}
    whole = {
        "operation": "write_all",
        "repeats": 1,
        "bytes": 1 << 20,
        "pieces": 100,
        "aggregators": 1,
        "rounds": 1,
        "windows": {"dense": 1},
        **call,
        "seconds": seconds,
    }
    about = {"file": "f", "comm_size": 4, "nodes": 1, "first_node": {"cores": 8}, "storage": "ext4", **file}
    return {"seconds": 2.0, "files": [{**about, "seconds": {}, "calls": [whole]}]}


AT_FILE = {"write": spread(0, 0, 0.9)}
MADE = {
    "holes": ({"seconds": AT_FILE, "windows": {"piecewise": 4, "dense": 1}}, {}),
    "storage": ({"seconds": AT_FILE, "windows": {"piecewise": 1, "dense": 4}}, {}),
    "slow target": ({"seconds": {"write": spread(0.1, 0.1, 0.9)}, "aggregators": 4, "slowest_rank": 3}, {}),
    "cores": ({"seconds": {"wait": spread(0.5, 0.7, 0.9)}}, {"first_node": {"cores": 2}}),
    "late rank 2": ({"seconds": {"digest": spread(0, 0.9, 0.9)}, "last_rank": 2}, {}),
    "link": (
        {"seconds": {"exchange": spread(0.1, 0.2, 0.4)}},
        {"network": {"traffic": {"busiest": {"from": "a", "to": "b", "bytes": 9, "seconds": 0.8}}}},
    ),
    "describing": ({"seconds": {"flatten": spread(0.1, 0.5, 0.9)}}, {}),
    "moving": ({"seconds": {"exchange": spread(0.1, 0.5, 0.9)}}, {}),
}


@pytest.mark.parametrize("name", MADE)
def test_causes(name):
    call, file = MADE[name]
    found = verdict.of(document(dict(call), **file))
    assert found.causes[0].name == name, found
    assert found.share == 0.5


def test_waiting_for_the_file_is_not_waiting_for_cores():
    """Ranks take turns at the file: each waits for the others in the agreement."""
    seconds = {"write": spread(0.3, 0.3, 0.3), "agree": spread(0.6, 0.6, 0.6)}
    found = verdict.of(document({"seconds": seconds}, first_node={"cores": 1}))
    assert found.causes[0].name == "storage" and found.causes[0].seconds == pytest.approx(0.9)


def test_a_file_without_calls_has_no_cause():
    (only,) = verdict.of({"files": [{"file": "f", "seconds": {}}]}).sentences()
    assert only == "I/O took 0. Nothing to do."


def test_independent_calls_are_named():
    made = document({"seconds": {}}, independent_calls=1_000_000)
    for seconds in (100.0, 2.0):
        bound, remedy, *_ = verdict.of({**made, "seconds": seconds}).sentences()
        assert bound.endswith("1,000,000 independent calls are not in these seconds.")
        assert "Nothing to do" not in bound and "MPI_File_write_all" in remedy


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"independent_calls": 1}, "1 independent call is not in these seconds."),
        ({"library_calls": 3}, "3 collective calls by the MPI library are not in these seconds."),
        (
            {"independent_calls": 2, "library_calls": 1},
            "2 independent calls and 1 collective call by the MPI library are not in these seconds.",
        ),
    ],
)
def test_few_other_calls_are_named_without_a_remedy(other, words):
    for seconds, total in ((100.0, 1), (2.0, 1), (2.0, 0)):
        call = {"seconds": {"total": spread(total, total, total)}}
        (only,) = verdict.of({**document(call, **other), "seconds": seconds}).sentences()
        assert only.endswith(words) and "Nothing to do" not in only


def files(seconds, *documents):
    return {"seconds": seconds, "files": [file for one in documents for file in one["files"]]}


def alike(seconds):
    return spread(seconds, seconds, seconds)


ONE_TARGET = {"layout": {"count": 1}}


@pytest.mark.parametrize("windows", [{"piecewise": 4}, {"sieved": 4}, {"dense": 4}])
def test_reads_have_no_remedy_of_writes(windows):
    call = {"operation": "read_all", "seconds": {"read": alike(0.9)}, "windows": windows}
    found = verdict.of(document(call, **ONE_TARGET))
    first = found.causes[0]
    assert first.name == ("holes" if "piecewise" in windows else "storage")
    assert first.seconds == 0.9 and not first.remedy and "rit" not in first.what


def test_a_remedy_of_writes_wins_none_of_the_reads():
    calls = [
        document({"operation": name, "seconds": {name: alike(seconds)}}, **ONE_TARGET)
        for name, seconds in (("read", 0.9), ("write", 0.4))
    ]
    _, remedy = verdict.of(files(2.0, *calls)).sentences()
    assert remedy.startswith("stripe the file") and remedy.endswith("(at most 400 ms less)")
