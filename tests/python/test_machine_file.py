"""Machine files: reading, the expanded graph, descriptions, the document about them."""

import json
import re
from pathlib import Path

import pytest

from collio import machine_file
from collio.machine_file import Graph, MachineFileError, expand, load, load_machine, parse
from collio.machine_file.graph import FORMAT
from good_machine import TOML, values
from test_machine_presets import PRESETS

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = (ROOT / "docs/how-to/machine-files.md").read_text()


# --- reading ------------------------------------------------------------------------------------


def test_toml(tmp_path):
    path = tmp_path / "two.toml"
    path.write_text(TOML)
    machine = load(path)
    assert (machine.file, machine.name, machine.note, machine.shape) == (str(path), "two", "a note", "switch")
    assert [(node.name, node.ranks) for node in machine.nodes] == [("alpha", 1), ("beta.site", 3)]
    assert machine.network.link.rate_bytes_per_s == 10e6 and machine.network.link.latency_s == 0
    assert [
        (one.name, one.rate_bytes_per_s, one.capacity_bytes, one.backing) for one in machine.storage.targets
    ] == [("target0", 1e6, 1 << 20, "memory"), ("target1", 2e6, 1 << 20, "memory")]


@pytest.mark.parametrize("name", ["two.json", "two.machine", "two"])
def test_json_is_the_same(tmp_path, name):
    (tmp_path / "two.toml").write_text(TOML)
    (tmp_path / name).write_text(
        "\n "
        + json.dumps(
            {
                "format": "collio-machine/1",
                "name": "two",
                "note": "a note",
                "nodes": {"count": 2, "ranks": [1, 3], "names": ["alpha", "beta.site"]},
                "network": {"shape": "switch", "link": "80Mbit/s"},
                "storage": {"targets": 2, "rate": ["1MB/s", "2MB/s"], "capacity": "1MiB"},
            }
        )
    )
    assert expand(load(tmp_path / name)) == expand(load(tmp_path / "two.toml"))


def test_toml_by_content(tmp_path):
    (tmp_path / "two.txt").write_text(TOML)
    assert load(str(tmp_path / "two.txt")).name == "two"


@pytest.mark.parametrize(
    "network, attach",
    [
        (dict(shape="switch"), "switch"),
        (dict(shape="tree", racks=2, uplink="1Gbit/s"), "core"),
        (dict(shape="ring"), "node0"),
        (dict(shape="fat-tree", leaves=2, spines=2, uplink="1Gbit/s"), "spine0"),
        (dict(shape="torus", dims=[4]), "node0"),
        (dict(shape="dragonfly", groups=2, routers=1, local="1Gbit/s", **{"global": "1Gbit/s"}), "node0"),
        (
            dict(shape="graph", switches=["a"], links=[{"between": [f"node{i}", "a"]} for i in range(4)]),
            "node0",
        ),
    ],
)
def test_storage_hangs_at_the_root_unless_told(network, attach):
    graph = expand(parse(values(network={"link": "1Gbit/s", **network}), "file"))
    assert graph.vertex_name(graph.storage.attach) == attach
    there = {"targets": 1, "attach": "node2", "backing": "/scratch/x"}
    told = expand(parse(values(network={"link": "1Gbit/s", **network}, storage=there), "file"))
    assert told.storage.attach == 2 and told.storage.targets[0].backing == "/scratch/x"


def test_storage_is_optional():
    assert expand(parse(values(storage=None), "file")).storage is None


# --- the expanded graph -------------------------------------------------------------------------


def test_expanded_format():
    graph = expand(parse(values(network__latency="5us", storage={"targets": 1, "rate": "100MB/s"}), "file"))
    assert json.loads(graph.to_json()) == {
        "format": FORMAT,
        "name": "x",
        "nodes": [{"name": f"node{i}", "ranks": 2} for i in range(4)],
        "switches": ["rack0", "rack1", "core"],
        "links": [
            {"a": a, "b": b, "rate_bytes_per_s": 125e6, "latency_s": 5e-6}
            for a, b in ((0, 4), (1, 4), (2, 5), (3, 5), (4, 6), (5, 6))
        ],
        "next": [
            [-1, 0, 0, 0],
            [1, -1, 1, 1],
            [2, 2, -1, 2],
            [3, 3, 3, -1],
            [0, 1, 4, 4],
            [5, 5, 2, 3],
            [4, 4, 5, 5],
        ],
        "storage": {
            "attach": 6,
            "targets": [
                {"name": "target0", "rate_bytes_per_s": 1e8, "capacity_bytes": None, "backing": "memory"}
            ],
        },
    }


def edited(change):
    document = json.loads(expand(parse(values(), "file")).to_json())
    change(document)
    return json.dumps(document)


@pytest.mark.parametrize(
    "text, message",
    [
        ("{", "not in the format"),
        ("[]", "not in the format"),
        ("{}", "not in the format"),
        (
            edited(lambda d: d.update(format="collio-machine/1")),
            f'format: "collio-machine/1" is not allowed; allowed is "{FORMAT}"',
        ),
        (edited(lambda d: d["nodes"][0].pop("ranks")), "not in the format"),
        (edited(lambda d: d["links"][1].update(b=99)), "links[1] does not join two vertices"),
        (edited(lambda d: d["next"].pop()), "next: not a row per vertex"),
        (edited(lambda d: d["next"][6].__setitem__(0, 5)), "next: vertex 2 has no way to node 0"),
        (edited(lambda d: d["next"][1].__setitem__(0, 3)), "next: vertex 1 has no way to node 0"),
        (edited(lambda d: d["next"][1].__setitem__(0, -1)), "next: vertex 1 has no way to node 0"),
        (edited(lambda d: d["next"][0].__setitem__(0, 0)), "has no way to node 0"),
        (edited(lambda d: d["storage"].update(attach=7)), "storage.attach: no vertex"),
    ],
)
def test_graphs_that_are_none(text, message):
    with pytest.raises(MachineFileError) as error:
        Graph.from_json(text)
    assert str(error.value).startswith("machine graph: ") and message in str(error.value)


# --- in words -----------------------------------------------------------------------------------


def test_description():
    assert (
        machine_file.describe(expand(load_machine("tree-oversubscribed")))
        == """\
tree-oversubscribed
  two racks of four nodes; each rack's uplink carries as much as one node's link
  nodes           8 x 4 ranks, 32 in all (node0 to node7)
  shape           tree
  switches        3 (rack0, rack1, core)
  links           8 x 400 Mbit/s node to switch, 2 x 400 Mbit/s switch to switch; latency 5.00 us
  oversubscribed  4:1 at rack0 (1.6 Gbit/s from nodes, 400 Mbit/s onwards)
  all to all      175 Mbit/s a node, limited by rack0 to core
  storage         4 targets: 4 x 100 MB/s, at core, in memory"""
    )


def test_description_of_other_machines():
    text = machine_file.describe(expand(load_machine("torus-3x3")))
    assert "18 x 200 Mbit/s node to node" in text and "switches" not in text and "oversubscribed" not in text
    # 8 others; 3 of all 72 routes take each direction of each link
    assert "all to all      533.3 Mbit/s" in text
    alone = machine_file.describe(
        expand(parse(values(nodes__count=1, network={"shape": "ring", "link": "1Gbit/s"}), "file"))
    )
    assert "nodes           1 x 2 ranks, 2 in all (node0)" in alone and "all to all" not in alone
    storage = {"targets": 2, "rate": ["1MB/s", "2MB/s"], "capacity": "1MiB"}
    mixed = machine_file.describe(
        expand(parse(values(nodes__ranks=[1, 2, 3, 4], network__uplink="2Gbit/s", storage=storage), "file"))
    )
    assert "4 x 1 to 4 ranks, 10 in all" in mixed
    assert "oversubscribed  no, at most 1:1" in mixed and "limited by the nodes' own links" in mixed
    assert "2 targets: 1 x 1 MB/s, 1 x 2 MB/s, 2 x 1 MiB, at core, in memory" in mixed


# --- the document -------------------------------------------------------------------------------


@pytest.mark.parametrize("block", re.findall(r"```toml\n(.*?)```", DOCUMENT, re.DOTALL))
def test_examples_of_the_document(tmp_path, block):
    """Whole files as they are; parts with what they leave out."""
    path = tmp_path / "example.toml"
    head = "" if block.startswith("format") else 'format = "collio-machine/1"\nname = "example"\n'
    nodes = "" if "[nodes]" in block else "[nodes]\ncount = 12\nranks = 2\n"
    path.write_text(head + nodes + block)
    expand(load(path))


def test_document_has_every_shape_key_and_preset():
    for shape, kind in machine_file.shapes.SHAPES.items():
        assert f'shape = "{shape}"' in DOCUMENT
        assert all(f"`{key}`" in DOCUMENT for key in kind.KEYS)
    others = "format name note count ranks names link latency attach targets rate capacity backing between"
    assert all(f"`{key}`" in DOCUMENT for key in others.split())
    rows = [
        [cell.strip(" `") for cell in line.strip("|").split("|")]
        for line in DOCUMENT.splitlines()
        if line.startswith("| `")
    ]
    told = {row[0]: row[1:4] for row in rows if row[0] in PRESETS}
    assert told == {
        name: [shape, str(nodes), str(ranks)] for name, (nodes, ranks, shape, _) in PRESETS.items()
    }


def test_document_shows_the_expanded_pair():
    block = re.search(r"```json\n(.*?)```", DOCUMENT, re.DOTALL).group(1)
    assert Graph.from_json(block) == expand(load_machine("pair"))
