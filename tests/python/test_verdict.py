"""What a report says of a job first: the cause that bound its I/O. Jobs have one planted cause; made
documents hold what no job on one machine shows."""

import json

import pytest

from collio.report import verdict

TWO_PHASE = ("--set", "collio_path=two_phase")
CAUSES = {
    "late": ("late rank 1", ()),
    "storage": ("storage", ("--set", "collio_faults=all:write:delay=0.03")),
    "buffer": ("buffer", ("--set", "cb_buffer_size=8192")),
    "opening": ("opening", ()),
    "views": ("views", ()),
    "holes": (
        "holes",
        ("--set", "collio_holes=piecewise", "--set", "collio_faults=all:write1-60:delay=0.03"),
    ),
    "slow": ("slow target", (*TWO_PHASE, "--set", "cb_nodes=3", "--set", "collio_faults=1:write:delay=0.03")),
    "alone": ("independent", ()),
    "gather": ("one rank", ()),
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
    """In one of three jobs: what else runs here at the time is a cause, too."""
    name, options = CAUSES[cause]
    for _ in range(3):
        document, said = run(real_mpi, compiled, collio_process, tmp_path, cause, *options)
        found = verdict.of(document)
        if found.causes[0].name == name:
            break
    assert found.causes[0].name == name, found
    first, *remedies = found.sentences()
    assert " ".join(first.split()) in " ".join(said.split())
    assert remedies and found.causes[0].remedy in remedies[0]


@pytest.mark.parametrize("call, file", [({"path": "two_layer"}, {}), ({}, {"storage": "tmpfs"})])
def test_a_rank_that_wrote_most_is_no_slow_target(call, file):
    made, about = MADE["slow target"]
    (first, *_) = verdict.of(document({**made, **call}, **about, **file)).causes
    assert first.name == "storage", first


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
    return {"seconds": 2.0, "files": [{"seconds": {}, **about, "calls": [whole]}]}


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


def files(seconds, *documents):
    return {"seconds": seconds, "files": [file for one in documents for file in one["files"]]}


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


def alike(seconds):
    return spread(seconds, seconds, seconds)


def test_files_of_few_ranks_count_with_their_share():
    """64 ranks have a file each: others are at theirs meanwhile."""
    before = {"open": alike(0.5), "set_view": alike(0.25)}
    own = [
        document({"seconds": {"total": alike(3.5), "write": alike(1)}}, comm_size=1, seconds=before)
        for _ in range(64)
    ]
    world = document({"seconds": {}}, comm_size=64)
    found = verdict.of(files(10.0, world, *own))
    assert found.io_seconds == pytest.approx(1 + 3.5 + 0.5 + 0.25)
    assert [(cause.name, cause.seconds) for cause in found.causes] == [
        ("storage", pytest.approx(1)),
        ("opening", pytest.approx(0.5)),
        ("views", pytest.approx(0.25)),
    ]


def test_no_more_seconds_than_the_job_has():
    """No file says how many ranks there are."""
    own = [document({"seconds": {"total": alike(3.5), "write": alike(3.5)}}, comm_size=1) for _ in range(64)]
    found = verdict.of(files(10.0, *own))
    assert found.io_seconds == pytest.approx(10)
    assert found.causes[0].seconds == pytest.approx(10)


def test_hidden_time_is_no_time_to_win():
    """Of 1 s the program waited for a fifth."""
    program = {"post": alike(0.05), "waited": alike(0.15), "hidden": alike(0.8)}
    found = verdict.of(document({"seconds": AT_FILE, "program_seconds": program}))
    assert found.io_seconds == pytest.approx(0.2)
    assert found.causes[0].seconds == pytest.approx(0.2 * 0.9)
    waits = {"waited": alike(7)}  # for calls before it, too
    assert verdict.of(document({"seconds": {}, "program_seconds": waits})).io_seconds == 1


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


def test_a_link_takes_no_more_than_the_calls():
    busiest = {"from": "a", "to": "b", "bytes": 9, "seconds": 7.0}
    found = verdict.of(document({"seconds": {}}, network={"traffic": {"busiest": busiest}}))
    assert found.causes[0].name == "link" and found.causes[0].seconds == 1


def test_ranks_of_other_communicators_are_others():
    """Rank 1 of two files and rank 1 of the largest communicator."""
    late = {"digest": spread(0, 0.9, 0.9)}
    some = [
        document({"seconds": dict(late), "last_rank": 1}, file=f"/a/{name}.nc", comm_size=size)
        for name, size in (("whole", 4), ("half", 2), ("other", 2))
    ]
    found = {cause.name: cause for cause in verdict.of(files(9.0, *some)).causes}
    whole, half = (found[name] for name in ("late rank 1", "late rank 1 of /a/half.nc"))
    assert whole.seconds == 0.9 and whole.what.startswith("rank 1 came last")
    assert half.seconds == 0.45 and half.what.startswith("rank 1 of half.nc came last")
    assert "late rank 1 of /a/other.nc" in found


@pytest.mark.parametrize("aggregators", [1, 2])
def test_the_slowest_rank_of_another_communicator_has_its_file_named(aggregators):
    call = {"seconds": {"write": spread(0, 0.1, 0.9)}, "aggregators": aggregators, "slowest_rank": 1}
    half = document(call, file="/a/half.nc", comm_size=2)
    found = verdict.of(files(9.0, document({"seconds": {}}), half))
    assert "rank 1 of half.nc" in found.causes[0].what


def of_rank(rank, name, seconds, calls=10):
    row = {"function": name, "calls": calls, "seconds": seconds, "own_seconds": seconds, "io_seconds": 0.0}
    counts = ("independent_calls", "independent_bytes", "not_collective", "causes")
    return {"rank": rank, "functions": [{**row, "independent_seconds": 0.0, **dict.fromkeys(counts, 0)}]}


def test_nobody_is_late_where_not_all_ranks_call():
    """Rank 0 writes with HDF5 alone."""
    made = document({"seconds": {"total": alike(0.01)}})
    found = verdict.of({**made, "at_exit": [of_rank(0, "H5Dwrite", 1.6)]})
    assert found.causes[0].name == "above H5Dwrite" and found.causes[0].seconds == pytest.approx(0.4)
    assert not [cause for cause in found.causes if "late" in cause.name]


def test_a_rank_that_is_late_to_a_library():
    made = document({"seconds": {"total": alike(0.01)}})
    ranks = [of_rank(rank, "H5Dwrite", 0.1 if rank == 2 else 1.6) for rank in range(4)]
    assert verdict.of({**made, "at_exit": ranks}).causes[0].name == "late rank 2"


def test_a_failed_call_and_its_handler(real_mpi, compiled, collio_process, tmp_path):
    """The handler calls MPI again, and the call has no datatype."""
    document, _ = run(real_mpi, compiled, collio_process, tmp_path, "failing")
    rows = [row for rank in document["at_exit"] for row in rank.get("functions", ())]
    assert len(rows) == 3 and all(row["independent_calls"] == 4 for row in rows), rows
    for row in rows:
        assert row["independent_bytes"] == 2 * 4 and row["independent_seconds"] < document["seconds"]
