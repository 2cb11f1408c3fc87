"""`collio report` with several reports: what differs, a folder's jobs, rows for other programs."""

import csv
import io
import json
import os

import pytest
from click.testing import CliRunner

import collio.report
import whole_reports
from collio.report.command import report_command


def alike(seconds):
    return {"min": seconds, "median": seconds, "max": seconds}


def document(total, name="/scratch/out.12.nc", **more):
    call = whole_reports.call(
        operation="write_all",
        path=more.pop("path", "two_phase"),
        repeats=2,
        bytes=2 << 20,
        seconds={"total": alike(total), "write": alike(more.pop("write", total / 2))},
    )
    file = whole_reports.file(file=name, comm_size=4, calls=[call], hints=more.pop("hints", {}))
    return {"collio": "1", "mpi": "mpich-5", "seconds": 10.0, "exit_code": 0, "files": [file], **more}


@pytest.fixture
def show(tmp_path):
    """Exit code and output of `collio report` with documents as files a.json, b.json, ..."""

    def run(*documents, options=()):
        paths = []
        for letter, one in zip("abc", documents):
            paths.append(tmp_path / f"{letter}.json")
            paths[-1].write_text(json.dumps(one))
        done = CliRunner().invoke(
            report_command, [*map(str, paths), *options], env={"COLUMNS": "200"}, catch_exceptions=False
        )
        return done.exit_code, done.output

    return run


def test_what_differs(show):
    first = document(4.0)
    second = document(
        1.0, "/scratch/out.13.nc", path="two_layer", write=0.2, mpi="mpich-6", hints={"cb_nodes": "2"}
    )
    code, said = show(first, second)
    assert code == 0
    assert "mpi: mpich-5 → mpich-6" in said and "cb_nodes: by default → 2" in said
    assert "ranks" not in said and "exit_code" not in said
    (row,) = (line for line in said.splitlines() if line.startswith("a call of write_all, out.#.nc"))
    assert "2.00 s" in row and "500 ms" in row and "4.00x" in row
    assert "two_phase → two_layer" in row and "write -900 ms" in row


def test_files_of_other_names(show):
    """Jobs write their one file under names of their own."""
    _, said = show(document(4.0), document(2.0, "/scratch/other.nc"))
    assert "a call of write_all, out.#.nc → other.nc" in said and "2.00x" in said


def test_calls_of_one_job_alone(show):
    first = document(4.0)
    first["files"] += document(4.0, "/scratch/a.nc")["files"]
    second = document(4.0, "/scratch/b.nc")
    second["files"][0]["calls"].append({**second["files"][0]["calls"][0], "operation": "read_all"})
    _, said = show(first, second)
    alone = [line for line in said.splitlines() if "only in one of the two" in line]
    assert len(alone) == 4 and sum("read_all" in line for line in alone) == 1


def test_a_folder_shows_the_worst_job_first(show, tmp_path):
    show(document(1.0), document(8.0))
    (tmp_path / "other.json").write_text("{}")
    os.mkfifo(tmp_path / "pipe.json")  # never read: it has no writer
    done = CliRunner().invoke(report_command, [str(tmp_path)], env={"COLUMNS": "200"})
    lines = done.output.splitlines()
    assert done.exit_code == 0
    assert [line.split()[0] for line in lines[1:3]] == ["b.json", "a.json"]
    assert "other.json: not a report" in done.output


def test_a_folder_without_reports(tmp_path):
    done = CliRunner().invoke(report_command, [str(tmp_path)])
    assert done.exit_code == 1 and f"{tmp_path}: no report among 0 JSON files" in done.output


def test_rows(show, tmp_path):
    code, said = show(document(4.0), document(1.0, 'comma,and "quote".nc'), options=["--csv"])
    rows = list(csv.DictReader(io.StringIO(said)))
    assert code == 0 and [row["file"] for row in rows] == ["/scratch/out.12.nc", 'comma,and "quote".nc']
    assert rows[0]["total"] == "4.0" and rows[0]["write"] == "2.0" and rows[0]["repeats"] == "2"
    read = collio.report.read(tmp_path / "a.json")
    assert [{key: str(value) for key, value in row.items()} for row in read] == rows[:1]


def test_three_reports_have_no_difference(show):
    one = document(1.0)
    code, said = show(one, one, one)
    assert code == 2 and "3 reports; allowed: one, or two to compare" in said


def test_a_page_is_of_one_report(show):
    code, said = show(document(1.0), document(1.0), options=["--html", "page.html"])
    assert code == 2 and "2 reports" in said
