"""`collio report`: reading, sums, the terminal, the page."""

import json
import re

import pytest

import whole_reports
from collio import wording
from collio.report import html as report_html
from collio.report import phrases, reading, totals


def spread(low, mid, high):
    return {"min": low, "median": mid, "max": high}


CALL = whole_reports.call(
    operation="write_all",
    path="two_phase",
    reason="small <pieces>",
    repeats=3,
    bytes=3 << 20,
    pieces=4000,
    aggregators=2,
    rounds=4,
    messages=60,
    metadata_bytes=8000,
    windows={"packed": 2, "dense": 3, "piecewise": 0, "sieved": 1},
    seconds={
        "total": spread(0.9, 1.0, 1.0),
        "pack": spread(0.1, 0.1, 0.2),
        "write": spread(0, 0, 0.5),
        "wait": spread(0.1, 0.7, 0.9),
        "agree": spread(0.05, 0.3, 0.4),
    },
)
FILE = whole_reports.file(
    file="/scratch/a&b.nc",
    comm_size=4,
    mpi="MPICH",
    storage_by={"kind": "uring", "reason": "ext: <while>", "overlaps": True, "remarks": "refused"},
    schedule_trials="write was found to be faster than dataflow",
    call_trials="two_layer stays",
    hints={"cb_nodes": "2"},
    warnings=["cb_nodes: bad"],
    seconds={
        "open": spread(0.004, 0.005, 0.0051),
        "open_by_library": spread(0.001, 0.001, 0.0016),
        "set_view": spread(0, 0, 0.174),
    },
    calls=[CALL],
)
DOCUMENT = {
    "collio": "0.1.0",
    "command": ["mpiexec", "-n", "4", "./app"],
    "mpi": "mpich-4.0.2",
    "exit_code": 0,
    "seconds": 2.0,
    "files": [FILE],
}


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "r.json"
    path.write_text(json.dumps(DOCUMENT))
    return path


def test_where_the_time_went_adds_up_to_the_busiest_rank():
    parts = totals.where_time_went(CALL)
    assert parts == pytest.approx({"pack": 0.2, "write": 0.5, "agree": 0.05, "wait": 0.1, "other": 0.15})
    assert list(totals.steps(CALL)) == ["pack", "write", "wait", "agree"]


@pytest.mark.parametrize(
    "version, name",
    [
        ("MPICH Version:      5.0.2", "MPICH 5.0.2"),
        ("Open MPI v5.0.11, package: Open MPI me@host Distribution, ident: 5.0.11", "Open MPI v5.0.11"),
        ("Intel(R) MPI Library 2021.18 for Linux* OS", "Intel(R) MPI Library 2021.18 for Linux* OS"),
    ],
)
def test_the_mpi_library_has_a_short_name(version, name):
    assert phrases.mpi_name(version) == name


def test_the_terminal_shows_it_all(cli, saved):
    text = cli("report", saved).output
    for part in (
        "opened in 5.10 ms, 1.60 ms of it in the MPI library; views set in 174 ms",
        "file calls by uring: ext: <while>; refused",
        "schedules: write was found",
        "ways: two_layer stays",
        "write_all x3",
        "two_phase",
        "small <pieces>",
        "3 MiB in 4,000 pieces",
        "3 dense, 1 sieved",
        "cb_nodes=2",
        "cb_nodes: bad",
        "/scratch/a&b.nc",
    ):
        assert part in text


def test_a_call_the_program_did_not_block_in_says_what_it_hid(cli, tmp_path):
    call = {
        **CALL,
        "form": "nonblocking",
        "progress": "thread",
        "program_seconds": {
            "post": spread(0, 1e-5, 2e-5),
            "waited": spread(0, 0, 0.1),
            "hidden": spread(0.9, 1.0, 1.0),
        },
    }
    path = tmp_path / "r.json"
    path.write_text(json.dumps({**DOCUMENT, "files": [{**DOCUMENT["files"][0], "calls": [call]}]}))
    assert "nonblocking, on a thread: 20.0 us to post, 100 ms waited, 900 ms hidden" in " ".join(
        cli("report", path).output.split()
    )
    assert phrases.program_times(CALL) == []


@pytest.mark.parametrize(
    ("calls", "line"),
    [
        ({"served": 1200}, "PnetCDF calls: 1,200 served, 0 left to PnetCDF"),
        (
            {"served": 5, "refused": 2, "by_datatype": 1},
            "PnetCDF calls: 5 served, 3 left to PnetCDF (2 refused, 1 by vard)",
        ),
        ({"kept": "collio_pnetcdf=disable"}, "PnetCDF calls left to PnetCDF: collio_pnetcdf=disable"),
    ],
)
def test_calls_of_pnetcdf_are_counted(cli, tmp_path, calls, line):
    path = tmp_path / "report.json"
    file = {**DOCUMENT["files"][0], "pnetcdf": whole_reports.whole("PnetcdfCalls", **calls)}
    path.write_text(json.dumps({**DOCUMENT, "files": [file]}))
    assert line in " ".join(cli("report", path).output.split())
    assert line in report_html.page(reading.load(path))


def test_bytes_staged_for_a_device_are_told(cli, tmp_path):
    path = tmp_path / "r.json"
    call = {**CALL, "device": {"from_device": 3 << 20, "to_device": 0}}
    path.write_text(json.dumps({**DOCUMENT, "files": [{**DOCUMENT["files"][0], "calls": [call]}]}))
    text = " ".join(cli("report", path).output.split())
    assert "3 MiB staged from device memory" in text
    assert "to device memory" not in text


def test_the_page_needs_nothing_else(cli, saved, tmp_path):
    page = tmp_path / "r.html"
    assert cli("report", saved, "--html", page).exit_code == 0
    text = page.read_text()
    own = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)  # browser.py: scripts ask for nothing
    assert not re.search(r"https?://|src=|@import|url\(", own)
    assert (
        "opened in 5.10 ms" in text
        and "file calls by uring: ext: &lt;while&gt;; refused" in text
        and "schedules: write was" in text
        and "small &lt;pieces&gt;" in text
        and "a&amp;b.nc" in text
        and text.count("<figure ") == 3
    )
    for tag in ("div", "table", "svg", "details", "main"):
        assert len(re.findall(rf"<{tag}\b", text)) == text.count(f"</{tag}>")


def test_the_engines_own_lines_can_be_read(tmp_path, cli):
    lines = tmp_path / "lines"
    lines.write_text(
        "".join(json.dumps({**FILE, "file": name, "id": name}) + "\n" for name in ("one", "two"))
    )
    assert [file["file"] for file in reading.load(lines)["files"]] == ["one", "two"]
    assert "one" in cli("report", lines).output


@pytest.mark.parametrize("content", ["", "hello", "[]", '{"a": 1}', '{"files": 3}'])
def test_other_files_are_refused(tmp_path, cli, content):
    path = tmp_path / "x"
    path.write_text(content)
    done = cli("report", path)
    assert (
        done.exit_code == 1 and "not a report" in done.output and str(path) in done.output.replace("\n", "")
    )


def test_a_missing_file_is_named(cli, tmp_path):
    done = cli("report", tmp_path / "none.json")
    assert done.exit_code == 1 and "none.json" in done.output


def test_empty_reports_do_not_crash(cli, tmp_path):
    for document in (
        {"files": []},
        {"files": [whole_reports.file()]},
        {"files": [whole_reports.file(file="x", calls=[{"operation": "read_all"}])]},
    ):
        path = tmp_path / "empty.json"
        path.write_text(json.dumps(document))
        assert cli("report", path).exit_code == 0
        assert report_html.page(reading.load(path)).startswith("<!doctype html>")


@pytest.mark.parametrize(
    "length, said",
    [(0, "it is empty"), (200, "it is damaged or cut off ("), (-3, "it is damaged or cut off (")],
)
def test_a_report_that_was_cut_off_says_so(cli, saved, length, said):
    saved.write_text(saved.read_text()[:length])
    done = cli("report", saved)
    assert done.exit_code == 1 and said in " ".join(done.output.split()) and saved.name in done.output


def test_the_line_that_is_damaged_is_named(cli, tmp_path):
    path = tmp_path / "lines"
    path.write_text(json.dumps(FILE) + "\n" + json.dumps({**FILE, "id": "2"})[:300] + "\n")
    assert "line 2 is damaged or cut off" in " ".join(cli("report", path).output.split())


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda call: call.pop("pieces"), "files[0].calls[0].pieces is missing"),
        (
            lambda call: call.update(windows={"packed": 0, "dense": 1, "piecewise": 0}),
            "files[0].calls[0].windows.sieved is missing",
        ),
        (
            lambda call: call.update(colour=1),
            "files[0].calls[0].colour is unknown; another version of collio may have written it",
        ),
    ],
)
def test_a_field_that_is_missing_or_unknown_is_named(tmp_path, change, said):
    document = json.loads(json.dumps(DOCUMENT))
    change(document["files"][0]["calls"][0])
    path = tmp_path / "r.json"
    path.write_text(json.dumps(document))
    with pytest.raises(reading.ReportError) as caught:
        reading.load(path)
    assert str(path) in str(caught.value) and str(caught.value).endswith(said)


@pytest.mark.parametrize(
    "seconds, text",
    [
        (0, "0"),
        (1.234, "1.23 s"),
        (12.34, "12.3 s"),
        (123.4, "123 s"),
        (0.0456, "45.6 ms"),
        (7.8e-6, "7.80 us"),
        (0.9999, "1.00 s"),
        (0.000999999, "1.00 ms"),
    ],
)
def test_seconds(seconds, text):
    assert wording.format_seconds(seconds) == text


HOSTILE = "<script>alert(1)</script>"


@pytest.mark.parametrize(
    "where",
    [
        lambda text: {"files": [{"file": f"/scratch/{text}.nc", "calls": []}]},
        lambda text: {"files": [], "command": ["./app", text], "collio": text},
        lambda text: {
            "files": [{"storage": text, "mpi": text, "warnings": [text], "hints": {text: text}, "calls": []}]
        },
        lambda text: {
            "files": [{"storage_by": {"kind": text, "reason": text}, "schedule_trials": text, "calls": []}]
        },
        lambda text: {"files": [{"calls": [{**CALL, "operation": text, "path": text, "reason": text}]}]},
        lambda text: {
            "files": [
                {
                    "calls": [
                        {
                            **CALL,
                            "windows": {text: 1},
                            "form": text,
                            "progress": text,
                            "placement": {"how": text, "reason": text},
                        }
                    ]
                }
            ]
        },
        lambda text: {
            "files": [
                {
                    "network": {
                        "name": text,
                        "unknown": text,
                        "hosts": [text, "b"],
                        "traffic": {"bytes": 1, "flows": [[0, 1, 1]]},
                    }
                }
            ]
        },
    ],
    ids=["path", "command", "file", "trials", "call", "numbers", "network"],
)
def test_the_page_escapes_whatever_a_report_holds(where):
    page = report_html.page(where(HOSTILE))
    assert HOSTILE not in page and "&lt;script&gt;alert(1)&lt;/script&gt;" in page
