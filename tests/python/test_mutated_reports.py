"""Reports with something wrong in them are read, or refused by a message that names it."""

import io
import json

import pytest
from rich.console import Console

import mutated
import whole_reports
from collio.report import html as report_html
from collio.report import reading
from collio.report import text as report_text
from test_mutated_files import both, reads  # noqa: F401
from test_report import CALL, DOCUMENT, spread
from test_report_network import NETWORK

NONBLOCKING = whole_reports.call(
    **{
        **CALL,
        "form": "nonblocking",
        "progress": "thread",
        "failed": True,
        "most_receives_per_round": 3,
        "remembered": 2,
        "one_sided": {"transfers": 4, "bytes": 1000},
        "device": {"from_device": 1000, "to_device": 10},
        "local_aggregators": 2,
        "placement": {
            "how": "in_order",
            "reason": "few",
            "hop_bytes": 1,
            "hop_bytes_in_order": 2,
            "busiest_seconds": 1.0,
            "imbalance": 1.5,
        },
        "program_seconds": {
            "post": spread(0, 1e-5, 2e-5),
            "waited": spread(0, 0, 0.1),
            "hidden": spread(0.5, 0.5, 0.5),
        },
    }
)


FILE = {**DOCUMENT["files"][0], "nodes": 3, "network": NETWORK, "calls": [CALL, NONBLOCKING]}


SUMS = {
    **NETWORK,
    "traffic": {"bytes": 9, "sent": [4, 5], "received": [5, 4]},
    "expected": {"bytes": 9, "sent": [4], "received": []},
    "hosts": [],
}


FULL = {**DOCUMENT, "files": [FILE, {**FILE, "network": SUMS}]}


def show(path):
    """As `collio report` does, on the terminal and as a page."""
    document = reading.load(path)
    report_text.print_report(Console(file=io.TextIOWrapper(io.BytesIO(), "utf-8"), width=120), document)
    report_html.page(document).encode()


def test_reports(reads):
    read = reads("r.json", show)
    read(json.dumps(FULL))
    both(
        mutated.accepted(read, mutated.contents(json.dumps(FULL).encode(), 300), reading.ReportError), least=3
    )
    both(mutated.accepted(read, map(json.dumps, mutated.documents(FULL, 250)), reading.ReportError))
    both(
        mutated.accepted(
            read,
            map(json.dumps, mutated.documents({"files": [whole_reports.file(calls=[NONBLOCKING])]}, 240, 3)),
            reading.ReportError,
        )
    )


def test_lines_of_the_engine(reads, tmp_path):
    """Damaged ones are counted, the others are shown."""
    good = "".join(json.dumps({**FILE, "file": name, "id": name}) + "\n" for name in ("one", "two"))

    def read(path):
        files, damaged = reading.read_lines(path)
        assert files or damaged or not path.read_bytes().strip()
        (tmp_path / "whole.json").write_text(json.dumps({"files": files}))
        show(tmp_path / "whole.json")

    mutated.accepted(reads("lines", read), mutated.contents(good.encode(), 60), ())


def test_a_file_whose_name_is_no_text_is_reported(reads):
    """The engine writes names as they are."""
    line = json.dumps({**FILE, "file": "NAME"}).encode().replace(b"NAME", b"a\xffb\xe2\x80\xa8c\xc2\x85d\x7f")
    assert reads("lines", reading.read_lines)(line + b"\n") == (
        [{**FILE, "file": "a\ufffdb\u2028c\x85d\x7f"}],
        0,
    )
    other = line.replace(b"here:1:1", b"here:1:2")
    assert len(reads("lines", reading.load)(line + b"\n" + other + b"\n")["files"]) == 2


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda file: file["calls"][0].update(bytes="many"), "files[0].calls[0].bytes is no number"),
        (lambda file: file["calls"][0].update(bytes=1.5), "files[0].calls[0].bytes is no whole number"),
        (lambda file: file["calls"][0].update(bytes=None), "files[0].calls[0].bytes is no number"),
        (lambda file: file.update(warnings=[3]), "files[0].warnings[0] is no text"),
        (lambda file: file.update(network=[]), "files[0].network is no table"),
        (lambda file: file.update(comm_size=0), "files[0].comm_size is 0; at least 1 is allowed"),
        (
            lambda file: file.update(
                network={"name": None, "hosts": ["a"], "traffic": {"bytes": 5, "flows": [[0, 1, 5]]}}
            ),
            "files[0].network.traffic.flows[0] is of nodes 0 and 1, there are 1",
        ),
    ],
)
def test_the_wrong_field_is_named(reads, change, said):
    file = json.loads(json.dumps(FILE))
    change(file)
    assert_refused(reads, {"files": [file]}, said)


@pytest.mark.parametrize(
    "document, said",
    [({"files": ["a"]}, "files[0] is no table"), ({"files": [], "command": "ls"}, "command is no list")],
)
def test_the_wrong_field_of_a_document_is_named(reads, document, said):
    assert_refused(reads, document, said)


def assert_refused(reads, document, said):
    with pytest.raises(reading.ReportError) as caught:
        reads("r.json", reading.load)(json.dumps(document))
    assert "not a report of collio" in str(caught.value) and str(caught.value).endswith(f": {said}")


def test_what_is_null_is_zero_or_absent(reads):
    call, written = whole_reports.call(), whole_reports.file()
    total = call["seconds"]["total"]
    written["calls"] = [
        {**call, "progress": None, "seconds": {**call["seconds"], "total": {**total, "min": None}}}
    ]
    assert total["min"] == 0.0
    assert reads("r.json", reading.load)(json.dumps({"files": [{**written, "network": None}]})) == {
        "files": [{**written, "calls": [call]}]
    }
