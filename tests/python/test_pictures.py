"""The pictures of a report: their numbers, the page in a browser, the terminal."""

import json
import random

import pytest

import browser
import whole_reports
from collio.report import html as report_html
from collio.report import pictures, pictures_text, reading

MIB = 1 << 20
RANKS = 5


def spread(low, mid, high):
    return {"min": low, "median": mid, "max": high}


def noted(rows, **fields):
    """What a report has of a file: each of `rows` ranks asks for bytes of every part and accesses some."""
    dice = random.Random(rows)
    asked = [[dice.randint(1, 4096) for _ in range(64)] for _ in range(rows)]
    accessed = [[4096 if part * rows // 64 == row else 0 for part in range(64)] for row in range(rows)]
    timeline = [
        {"rank": 3 * i, "fill": [0, 800, 2000, 900], "send": [100, 50], "file": [900, 1500, 3000, 1500]}
        for i in range(min(16, rows))
    ]
    return {
        "ranks_per_row": 1,
        "part_bytes": MIB,
        "cell_bytes": 256,
        "asked": asked,
        "accessed": [row[: 1 + max(i for i, cell in enumerate(row) if cell)] for row in accessed],
        "part_seconds": 0.125,
        "in_calls": [[0, 500, 1000]] * rows,
        "target_bytes": [MIB] * 4,
        "target_seconds": [0.1, 0.1, 1.0, 0.1],
        "timeline": timeline,
        **fields,
    }


def document(rows=8, comm_size=8, hostile="", **fields):
    call = whole_reports.call(
        operation="write_all",
        path="two_layer",
        repeats=2,
        bytes=8 * MIB,
        seconds={"total": spread(0.9, 1, 1), "write": spread(0, 0.1, 0.5), "pack": spread(0.1, 0.1, 0.2)},
    )
    network = {"hosts": ["n0" + hostile, "n1"], "traffic": {"bytes": 3, "flows": [[0, 1, 1], [1, 0, 2]]}}
    file = whole_reports.file(
        file="/scratch/a.nc",
        comm_size=comm_size,
        nodes=2,
        calls=[call],
        network=network,
        pictures=noted(rows, **fields),
    )
    return {"seconds": 2.0, "files": [file]}


def by_title(some):
    return {picture.title: picture for picture in pictures.of_file(some["files"][0])}


def test_tables_have_rows_of_ranks_and_parts_of_the_file():
    found = by_title(document())
    asked = found["Ranks over the file, as asked"]
    assert (asked.rows[3], asked.width, asked.ends) == ("rank 3", 64, ["0 B", "32 MiB", "64 MiB"])
    accessed = found["Aggregators over the file, as accessed"]
    assert accessed.table[7] == [0] * 56 + [4096] * 8 and accessed.most == "1 MiB"
    over_time = found["Ranks over time"]
    assert over_time.table == [[0, 500, 1000]] * 8 and (over_time.scale, over_time.most) == (0.1, "100 %")


def test_groups_of_ranks_and_rows_without_bytes():
    accessed = [[4096], [], [0, 4096]]
    found = by_title(document(rows=3, comm_size=6, ranks_per_row=2, accessed=accessed))
    picture = found["Aggregators over the file, as accessed"]
    assert picture.rows == ["ranks 0 to 1", "ranks 4 to 5"] and picture.table == [[4096], [0, 4096]]


def test_the_last_row_may_have_fewer_ranks():
    found = by_title(document(rows=33, comm_size=65, ranks_per_row=2))
    assert found["Ranks over time"].rows[-2:] == ["ranks 62 to 63", "rank 64"]


def test_the_slowest_target_is_named():
    targets = by_title(document())["Storage targets"]
    assert targets.note == "target 2 is slowest: 1 MiB/s, the median is 10 MiB/s"
    assert [targets.parts[bar.part] for bar in targets.bars] == ["rate", "rate", "slow", "rate"]
    assert "Storage targets" not in by_title(document(target_bytes=[], target_seconds=[]))


def test_the_timeline_has_lanes_of_each_aggregator():
    timeline = by_title(document())["Timeline of the last collective call"]
    assert timeline.rows[:2] == ["rank 0", "rank 3"] and timeline.parts == ["fill", "send", "file"]
    assert [bar for bar in timeline.bars if bar.row == 0 and bar.part == 2][1] == (0, 2, 3000, 4500)


@pytest.fixture
def page(tmp_path):
    def write(some):
        path = tmp_path / "page.html"
        path.write_text(report_html.page(some))
        return path

    return write


@pytest.mark.parametrize("width", [390, 1000])
def test_a_browser_draws_all_of_it(page, width):
    script = "document.body.dataset.tested = document.documentElement.scrollWidth <= innerWidth;"
    some = document()
    text = browser.document_of(page(some), width, script)
    assert text.count("<figure ") == text.count('role="img"') == 1 + len(pictures.of_file(some["files"][0]))
    assert text.count('aria-label="cell"') == 4 and 'data-tested="true"' in text


def test_arrow_keys_read_the_values(page):
    script = """
      const all = [...document.querySelectorAll("figure")];
      const figure = all.find(one => one.textContent.includes("as accessed"));
      for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft", "ArrowRight"])
        figure.dispatchEvent(new KeyboardEvent("keydown", {key}));
      figure.querySelector("details").open = true;"""
    text = browser.document_of(page(document()), script=script)
    assert '<output aria-live="polite">rank 0, 1 MiB to 2 MiB: 1 MiB</output>' in text
    assert text.count('class="at"') == 1 and "<li>rank 7, 63 MiB to 64 MiB: 1 MiB</li>" in text


def test_the_page_holds_what_it_needs(page):
    files = document(rows=64, comm_size=1000, ranks_per_row=16)["files"] * 8
    text = page({"files": files}).read_text()
    assert len(text) < 2_000_000 and "</script>" not in text.split('id="pictures">')[1].split("</script>")[0]
    assert "<script" not in report_html.page({"files": []})


def test_names_of_hosts_are_no_markup(page):
    hostile = "</script><script>alert(1)</script>"
    text = page(document(hostile=hostile)).read_text()
    assert "<script>alert" not in text and "\\u003c/script>\\u003cscript>alert(1)" in text


def test_the_terminal_draws_them_too(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    path = tmp_path / "r.json"
    path.write_text(json.dumps(document()))
    done = cli("report", path, "--pictures")
    assert done.exit_code == 0, done.output
    assert "target 2 │██████                                       " in done.output
    assert "rank 7 │                                                        ████████│" in done.output
    (file,) = (
        picture for picture in pictures.of_file(document(rows=64)["files"][0]) if "as asked" in picture.title
    )
    assert len(pictures_text.lines_of(file, 120)) == pictures_text.MOST_ROWS + 1


@pytest.mark.parametrize("width", [40, 80, 200])
def test_lines_fit_the_terminal(width):
    some = document(rows=64, comm_size=6400, ranks_per_row=100, hostile=".a-long-domain.of-a-machine")
    found = by_title(some)
    for picture in found.values():
        lines = pictures_text.lines_of(picture, width)
        assert max(map(len, lines)) <= width, picture.title
    *rows, axis = pictures_text.lines_of(found["Aggregators over the file, as accessed"], width)
    assert axis.endswith(" 64 MiB") and " 0 B " in axis and "█ 1 MiB" in axis
    assert all("█" in row for row in rows)  # also where columns are more than cells
    assert pictures_text.lines_of(found["Calls"], width)[1].endswith(" 1.00 s")


def test_numbers_that_cannot_be_are_drawn_within_the_lines():
    some = document()
    some["files"][0]["calls"][0]["seconds"]["write"] = spread(3.0, 2.0, 0.1)
    *rows, _ = pictures_text.lines_of(by_title(some)["Imbalance"], 80)
    assert len(set(map(len, rows))) == 1


def test_the_page_and_the_terminal_at_once(cli, tmp_path):
    path, page = tmp_path / "r.json", tmp_path / "r.html"
    path.write_text(json.dumps(document()))
    done = cli("report", path, "--pictures", "--html", page)
    assert done.exit_code == 0 and "Storage targets" in done.output and "Storage targets" in page.read_text()


@pytest.mark.parametrize("nodes", ["5", "2"])
def test_a_job_notes_where_its_ranks_access_a_file(
    real_mpi, compiled, collio_process, tmp_path, monkeypatch, nodes
):
    monkeypatch.setenv("COLLIO_RANKS_PER_NODE", nodes)
    report = tmp_path / "r.json"
    program, data = compiled(real_mpi, "interleaved"), tmp_path / "data"
    job = ("--", real_mpi.mpiexec, "-n", RANKS, program, data)
    done = collio_process("run", "--report", report, *job)
    assert done.returncode == 0, done.stderr
    (file,) = reading.load(report)["files"]
    found = file["pictures"]
    moved = sum(call["bytes"] for call in file["calls"])
    for table in ("asked", "accessed"):
        assert found["cell_bytes"] == 1 and sum(map(sum, found[table])) == moved, table
    assert found["ranks_per_row"] == 1 and len(found["asked"]) == RANKS
    assert any(map(any, found["in_calls"])) and all(cell <= 1001 for row in found["in_calls"] for cell in row)
    (call, *_) = file["calls"]
    if call["path"] != "independent":
        assert 1 <= len(found["timeline"]) <= call["aggregators"]
    assert all(line["file"] and len(line["fill"]) % 2 == 0 for line in found["timeline"])
