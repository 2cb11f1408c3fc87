"""`collio topo` and `collio run --machine`: what is shown, drawn and written."""

import json
import os
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from collio.machine_file import Graph, expand, load_machine, preset_names
from collio.topo import measured
from collio.topology import load
from collio.topology.layout import find_grid, lay_out
from collio.topology.picture import to_svg
from collio.topology.show import MOST_ROWS
from test_topo_readers import GOLDEN


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_a_tree_on_the_terminal(cli):
    done = cli("topo", GOLDEN / "tree.conf")
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert (
        "├── spine0" in lines
        and "│   │   └── n[001-004]  4 x 100 Gbit/s" in lines
        and "    └── and rack[0-1], listed above" in lines
    )
    assert any("(--uplink)" in line for line in lines), "where rates are from"


def test_neighbours_of_switches_and_nodes(cli):
    assert "beside group0-router1: 400 Mbit/s" in cli("topo", "dragonfly-small").output
    assert "node0  to node3, node1, node2, node6: 200 Mbit/s" in cli("topo", "torus-3x3").output


def test_a_node_from_inside(cli):
    output = cli("topo", GOLDEN / "node.xml").output
    assert "n001  2 packages, 4 memory domains, 8 cores, 8 processors, 3 network adapters" in output
    assert "mlx5_1  openfabrics, bus 0000:01:00.0 of 31.5 GB/s" in output


def test_this_machine(cli, monkeypatch, tmp_path):
    program = tmp_path / "lstopo-no-graphics"
    program.write_text(f"#!/bin/sh\n[ \"$*\" = '--of xml' ] && exec cat '{GOLDEN / 'node.xml'}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert "n001  2 packages" in cli("topo").output
    program.write_text("#!/bin/sh\necho broken >&2; exit 3\n")
    failed = cli("topo")
    assert failed.exit_code == 1 and "--of xml: exit code 3: broken" in failed.output


def test_no_hwloc(cli, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    done = cli("topo")
    assert done.exit_code == 1 and "hwloc is not installed here" in done.output


def test_documents_and_files(cli, tmp_path):
    graph_file, picture = tmp_path / "graph.json", tmp_path / "graph.svg"
    done = cli(
        "topo", GOLDEN / "fabric.txt", "--json", "--output", graph_file, "--svg", picture, "--ranks", "4"
    )
    document = json.loads(done.output)
    assert document["format"] == "ibnetdiscover" and document["graph"] == json.loads(graph_file.read_text())
    graph = Graph.from_json(graph_file.read_text())
    assert graph == load(str(GOLDEN / "fabric.txt"), None, load_options(ranks=4)).graph and graph.ranks == 16
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")
    assert json.loads(cli("topo", GOLDEN / "node.xml", "--json").output)["inside"]["host"] == "n001"


def load_options(**given):
    from collio.topology import Options

    return Options(**given)


@pytest.mark.parametrize(
    "words, said",
    [
        (["no-such"], "no such file, and no preset"),
        (["pair", "pair"], "2 files; allowed is one"),
        (["pair", "--nodes", "node0"], "--nodes is not allowed with a machine file or graph"),
        (["--link", "fast", "pair"], '"fast" is no rate; allowed is a number with bit/s'),
        (["--nodes", "n[1-", "pair"], "its brackets do not match"),
        (["--lab", "pair"], "--lab is allowed with --measure alone"),
        (["--format", "slurm"], "--format slurm needs a FILE"),
        ([GOLDEN / "node.xml", "--output", "x"], "need a network"),
        (
            ["pair", "--output", "/no/such/folder/x"],
            "/no/such/folder/x: cannot be written (No such file or directory)",
        ),
        (["--measure"], "give the launcher with its options"),
        (["--measure", "--link", "1Gbit/s"], "--link is for files"),
        (["--measure", "--", "cat", "x"], "give the launcher with its options"),
        (["--measure", "--lab", "pair", "mpiexec"], "--lab starts the ranks itself"),
    ],
)
def test_what_is_refused(cli, words, said):
    done = cli("topo", *words)
    assert done.exit_code in (1, 2) and said in done.output, done.output


# --- pictures -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", preset_names())
def test_pictures_have_every_vertex_and_link(name):
    graph = expand(load_machine(name))
    root = ElementTree.fromstring(to_svg(graph))
    titles = [one.text for one in root.iter("{http://www.w3.org/2000/svg}title")]
    assert set(titles) >= {graph.vertex_name(vertex) for vertex in range(graph.vertices)}
    assert sum(title.startswith(graph.link_name(0) + ": ") for title in titles) == 1 and len(
        titles
    ) == 1 + graph.vertices + len(graph.links)


def test_layouts_fit_their_networks():
    kinds = {
        name: lay_out(expand(load_machine(name))) for name in ("torus-3x3", "rack4x2", "dragonfly-small")
    }
    assert [one.kind for one in kinds.values()] == ["grid", "layers", "layers"]
    for one in kinds.values():
        assert len(set(one.places)) == len(one.places) and all(
            0 < x < one.width and 0 < y < one.height for x, y in one.places
        )
    rack = kinds["rack4x2"].places
    assert rack[0][1] > rack[8][1] > rack[10][1], "nodes, racks, the core on top"


def test_grids_are_recognised_by_their_links():
    from test_machine_shapes import graph_of

    assert find_grid(graph_of(12, shape="torus", dims=[3, 4])) == (3, 4)
    assert find_grid(graph_of(24, shape="torus", dims=[2, 3, 4])) == (2, 3, 4)
    assert (
        find_grid(graph_of(6, shape="ring")) is None and lay_out(graph_of(6, shape="ring")).kind == "circle"
    )
    assert find_grid(expand(load_machine("pair"))) is None


def test_long_networks_without_switches_end(cli, tmp_path):
    from test_machine_shapes import graph_of

    (tmp_path / "ring.json").write_text(graph_of(100, shape="ring").to_json())
    assert f"and {100 - MOST_ROWS} more nodes" in cli("topo", tmp_path / "ring.json").output


# --- collio run ---------------------------------------------------------------------------------


def machine_of(done):
    return next(
        line.split("=", 1)[1].rstrip(" \\")
        for line in done.output.splitlines()
        if line.startswith("COLLIO_MACHINE=")
    )


def test_run_writes_topologies_out(site, cli):
    done = cli(
        "run",
        "--dry-run",
        "--machine",
        GOLDEN / "tree.conf",
        "--",
        site.mpiexec["mpich"],
        site.show_environment,
    )
    assert done.exit_code == 0, done.output
    path = Path(machine_of(done))
    assert (
        path.parent == measured.cache_folder()
        and Graph.from_json(path.read_text()) == load(str(GOLDEN / "tree.conf")).graph
    )
    assert f"tree.conf is written out to {path} (nodes' links taken as 100 Gbit/s" in done.output
    again = cli(
        "run",
        "--dry-run",
        "--machine",
        GOLDEN / "tree.conf",
        "--",
        site.mpiexec["mpich"],
        site.show_environment,
    )
    assert machine_of(again) == str(path) and len(list(path.parent.iterdir())) == 1


def test_run_takes_graphs_as_they_are(site, cli, tmp_path):
    (tmp_path / "graph.json").write_text(expand(load_machine("pair")).to_json())
    done = cli(
        "run", "--dry-run", "--machine", "graph.json", "--", site.mpiexec["mpich"], site.show_environment
    )
    assert machine_of(done) == str(tmp_path / "graph.json") and "written out" not in done.output


def test_run_writes_the_environments_machine_out(site, cli, monkeypatch):
    monkeypatch.setenv("COLLIO_MACHINE", "pair")
    done = cli("run", "--dry-run", "--", site.mpiexec["mpich"], site.show_environment)
    assert Graph.from_json(Path(machine_of(done)).read_text()).name == "pair"
    monkeypatch.setenv("COLLIO_MACHINE", "no-such")
    done = cli("run", "--dry-run", "--", site.mpiexec["mpich"], site.show_environment)
    assert done.exit_code == 0 and "warning: COLLIO_MACHINE=no-such: no such file" in done.output


def test_run_refuses_what_is_no_network(site, cli):
    for machine, said in ((GOLDEN / "node.xml", "one node from inside"), ("no-such", "no such file")):
        done = cli(
            "run", "--dry-run", "--machine", machine, "--", site.mpiexec["mpich"], site.show_environment
        )
        assert done.exit_code == 125 and said in done.output
