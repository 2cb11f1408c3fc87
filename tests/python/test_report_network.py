"""The network in a report: its lines, the matrix on the terminal and on the page, many nodes, nothing at
all."""

import json
import re

import pytest

import whole_reports
from collio.report import html as report_html
from collio.report import network as report_network
from collio.report import reading

BUSIEST = {"from": "rack0", "to": "<core>", "bytes": 81920, "seconds": 0.0016384}
TRAFFIC = {
    "bytes": 243712,
    "flows": [[0, 1, 122880], [1, 0, 81920], [2, 0, 38912]],
    "hop_bytes": 800000,
    "busiest": BUSIEST,
}
EXPECTED = {
    "bytes": 204800,
    "flows": [[0, 1, 102400], [1, 2, 102400]],
    "hop_bytes": 700000,
    "busiest": BUSIEST,
}
NETWORK = {
    "name": "two <racks>",
    "nodes": 8,
    "hops": {"min": 2, "max": 4},
    "hosts": ["n&0", "n1", "n2"],
    "traffic": TRAFFIC,
    "expected": EXPECTED,
}


def document(network):
    return {"files": [whole_reports.file(file="/scratch/a.nc", comm_size=6, nodes=3, network=network)]}


@pytest.fixture
def shown(tmp_path, cli, monkeypatch):
    """What `collio report` prints for a network, and the page."""
    monkeypatch.setenv("COLUMNS", "200")

    def show(network):
        path = tmp_path / "r.json"
        path.write_text(json.dumps(document(network)))
        done = cli("report", path)
        assert done.exit_code == 0, done.output
        return done.output, report_html.page(reading.load(path))

    return show


def test_lines_say_where_and_how_much(shown):
    text, page = shown(NETWORK)
    assert "network two <racks>, 8 nodes; this job's are 2 to 4 hops apart" in text
    assert (
        "between nodes: 238 KiB, hop-bytes 781.2 KiB, busiest link rack0 to <core>: 80 KiB, 1.64 ms at least"
        in text
    )
    assert "foreseen by the plans: 200 KiB, hop-bytes 683.6 KiB" in text
    assert (
        "two &lt;racks&gt;" in page
        and "rack0 to &lt;core&gt;" in page
        and "foreseen by the plans: 200 KiB" in page
    )


def test_the_matrix_is_a_table(shown):
    text, page = shown(NETWORK)
    rows = [line.split() for line in text.splitlines() if line.startswith("n")]
    assert ["n&0", "·", "120", "KiB", "·"] in rows and ["n2", "38", "KiB", "·", "·"] in rows
    assert "<th>n&amp;0</th><th>n1</th><th>n2</th>" in page
    row = re.search(r"<tr><td>n1</td>(.*?)</tr>", page).group(1)
    cells = [re.sub(r"<[^>]*>", "", cell) for cell in re.findall(r"<td.*?</td>", row)]
    assert cells == ["80 KiB (0 B)", "·", "0 B (100 KiB)"]
    for tag in ("div", "table", "details", "tr", "td"):
        assert len(re.findall(rf"<{tag}\b", page)) == page.count(f"</{tag}>")


def test_nodes_of_one_host_are_numbered():
    assert report_network.names({"hosts": ["vm", "vm"]}, 2) == ["0", "1"]
    assert report_network.names({"hosts": ["a", "b"]}, 2) == ["a", "b"]


def test_an_unknown_network_says_why(shown):
    why = "COLLIO_MACHINE=/x/y.json: links[3].b is 12, there are 11 vertices"
    text, page = shown({"name": None, "unknown": why, "hosts": ["a"]})
    assert f"network unknown: {why}" in text and f"network unknown: {why}" in page
    assert "network None" not in text and "bytes between nodes" not in page


def test_one_node_in_a_known_network(shown):
    text, page = shown({"name": "big", "nodes": 1, "hops": {"min": 0, "max": 0}, "hosts": ["a"]})
    assert "network big, 1 node\n" in text and "apart" not in page


def test_a_large_matrix_is_its_largest_flows_on_the_terminal(shown):
    nodes = 20
    flows = [[node, (node + 1) % nodes, 1024 * (node + 1)] for node in range(nodes)]
    hosts = [f"n{node}" for node in range(nodes)]
    text, page = shown(
        {
            "name": None,
            "hosts": hosts,
            "traffic": {"bytes": 1, "flows": flows},
            "expected": {"bytes": 0, "flows": []},
        }
    )
    assert "largest flows" in text and "n19   n0   20 KiB" in text and "n0    n1 " not in text
    assert page.count("<td>n") == nodes


def test_many_nodes_have_sums(shown):
    sent = list(range(100))
    traffic = {"bytes": sum(sent), "sent": sent, "received": sent[::-1]}
    text, page = shown(
        {"name": None, "traffic": traffic, "expected": {"bytes": 0, "sent": [5] * 100, "received": [7] * 100}}
    )
    assert "between nodes: 4.834 KiB" in text
    assert re.search(
        r"<td>99</td><td class=\"num\">99 B <span class=\"dim\">\(5 B\)</span></td><td class=\"num\">0 B",
        page,
    )
    assert page.count("<tr><td>") == report_network.LARGEST_ON_PAGE


@pytest.mark.parametrize(
    "network",
    [None, {}, {"traffic": None}, {"name": "x"}, {"traffic": {}, "expected": {}}, {"traffic": {"flows": []}}],
)
def test_sparse_networks_do_not_crash(shown, network):
    text, page = shown(network)
    assert "/scratch/a.nc" in text and "bytes between nodes" not in page
