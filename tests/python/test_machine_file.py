"""Machine files: reading, what is wrong with them, presets, the expanded graph, the document about them."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from collio import machine_file
from collio.machine_file import (
    Graph,
    MachineFileError,
    expand,
    large_preset_names,
    load,
    load_machine,
    parse,
    preset_names,
)
from collio.machine_file.graph import FORMAT

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = (ROOT / "docs/how-to/machine-files.md").read_text()

TOML = """
format = "collio-machine/1"
name = "two"
note = "a note"
[nodes]
count = 2
ranks = [1, 3]
names = ["alpha", "beta.site"]
[network]
shape = "switch"
link = "80Mbit/s"
[storage]
targets = 2
rate = ["1MB/s", "2MB/s"]
capacity = "1MiB"
"""


def values(**changes):
    """A good file's values; "nodes.count" as nodes__count, None to leave a key out."""
    good = {
        "format": "collio-machine/1",
        "name": "x",
        "nodes": {"count": 4, "ranks": 2},
        "network": {"shape": "tree", "racks": 2, "link": "1Gbit/s", "uplink": "1Gbit/s"},
        "storage": {"targets": 2},
    }
    for path, value in changes.items():
        *tables, key = path.split("__")
        table = good
        for name in tables:
            table = table[name]
        if value is None:
            del table[key]
        else:
            table[key] = value
    return good


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


# --- what is wrong ------------------------------------------------------------------------------

NAME = "allowed is a host name but localhost: letters, digits, '-' and '.', first a letter, at most 63"
SHAPE_NAMES = '"switch", "tree", "fat-tree", "ring", "torus", "dragonfly", "graph"'
TREE_KEYS = 'allowed for shape "tree" are shape, link, latency, racks, uplink'
RATES = '"1kbit/s" to "10Tbit/s"'


@pytest.mark.parametrize(
    "changes, message",
    [
        (dict(format=None), "format: is missing"),
        (
            dict(format="collio-machine/2"),
            'format: "collio-machine/2" is not allowed; did you mean "collio-machine/1"? allowed is '
            '"collio-machine/1"',
        ),
        (dict(name=None), "name: is missing"),
        (dict(nodes=None), "nodes: is missing"),
        (dict(network=None), "network: is missing"),
        (dict(name=5), "name: 5 is not allowed; allowed is a text"),
        (dict(name=" "), 'name: " " is not allowed; allowed is a line of text that is not empty'),
        (dict(note="a\nb"), 'note: "a\\nb" is not allowed; allowed is a line of text that is not empty'),
        (
            dict(netwrok={}),
            "netwrok: no such key; did you mean network? allowed are format, name, note, nodes, network, "
            "storage, costs",
        ),
        (dict(speed=1), "speed: no such key; allowed are format, name, note, nodes, network, storage, costs"),
        (dict(nodes=4), "nodes: 4 is not allowed; allowed is a table"),
        (dict(nodes__count=None), "nodes.count: is missing"),
        (dict(nodes__ranks=None), "nodes.ranks: is missing"),
        (
            dict(nodes__rank=1),
            "nodes.rank: no such key; did you mean nodes.ranks? allowed are count, ranks, names",
        ),
        (dict(nodes__count=0), "nodes.count: 0 is not allowed; allowed is an integer 1..65536"),
        (dict(nodes__count=65537), "nodes.count: 65537 is not allowed; allowed is an integer 1..65536"),
        (dict(nodes__count=4.0), "nodes.count: 4.0 is not allowed; allowed is an integer 1..65536"),
        (dict(nodes__count="4"), 'nodes.count: "4" is not allowed; allowed is an integer 1..65536'),
        (dict(nodes__count=True), "nodes.count: true is not allowed; allowed is an integer 1..65536"),
        (dict(nodes__ranks=0), "nodes.ranks: 0 is not allowed; allowed is an integer 1..1024"),
        (
            dict(nodes__ranks=[1, 2]),
            "nodes.ranks: 2 values for 4 nodes; allowed is one for all, or an array of 4",
        ),
        (
            dict(nodes__ranks=[1, 2, 3, -1]),
            "nodes.ranks[3]: -1 is not allowed; allowed is an integer 1..1024",
        ),
        (dict(nodes__names="n"), 'nodes.names: "n" is not allowed; allowed is an array'),
        (dict(nodes__names=["a", "b"]), "nodes.names: 2 names for 4 nodes; allowed is one for each"),
        (
            dict(nodes__names=["a", "b", "c", "A"]),
            'nodes.names[3]: "A" is there already; allowed are names that differ, not in capitals alone',
        ),
        (
            dict(nodes__names=["a", "b", "Core", "d"]),
            'nodes.names[2]: "Core" is the name of a switch; allowed is any but rack0, rack1, core',
        ),
        *(
            (
                dict(nodes__names=["a", bad, "c", "d"]),
                f"nodes.names[1]: {json.dumps(bad)} is not allowed; {NAME}",
            )
            for bad in (
                "",
                "b c",
                "b_c",
                "-b",
                "b-",
                "b.",
                "b..c",
                "1",
                "10.0.0.1",
                "localhost",
                "b\n",
                "b/c",
                7,
            )
        ),
        (
            dict(nodes__names=["a", "b" * 64, "c", "d"]),
            f'nodes.names[1]: "{"b" * 59}... is not allowed; {NAME}',
        ),
        (dict(network__shape=None), "network.shape: is missing"),
        (
            dict(network__shape="tre"),
            f'network.shape: "tre" is not allowed; did you mean "tree"? allowed is {SHAPE_NAMES}',
        ),
        (dict(network__shape=["tree"]), f"network.shape: an array is not allowed; allowed is {SHAPE_NAMES}"),
        (dict(network__link=None), "network.link: is missing"),
        (
            dict(network__link=1000),
            'network.link: 1000 is not allowed; allowed is a rate as text, as in "400Mbit/s"',
        ),
        (dict(network__link="1bit/s"), f'network.link: "1bit/s" is out of range; allowed is {RATES}'),
        (dict(network__uplink="20Tbit/s"), f'network.uplink: "20Tbit/s" is out of range; allowed is {RATES}'),
        (dict(network__latency="11s"), 'network.latency: "11s" is out of range; allowed is "0s" to "10s"'),
        (
            dict(network__latency="5"),
            'network.latency: "5" is no time; allowed is a number with ns, us, ms, s, as in "5us"',
        ),
        (
            dict(network__uplnk="1Gbit/s"),
            f"network.uplnk: no such key; did you mean network.uplink? {TREE_KEYS}",
        ),
        (dict(storage=[]), "storage: an array is not allowed; allowed is a table"),
        (dict(storage__targets=None), "storage.targets: is missing"),
        (dict(storage__targets=0), "storage.targets: 0 is not allowed; allowed is an integer 1..1024"),
        (
            dict(storage__attach="cor"),
            'storage.attach: "cor" is not allowed; did you mean "core"? allowed is the name of a node or '
            "switch",
        ),
        (
            dict(storage__attach=8),
            "storage.attach: 8 is not allowed; allowed is the name of a node or switch",
        ),
        (dict(storage__rate="0B/s"), f'storage.rate: "0B/s" is out of range; allowed is {RATES}'),
        (
            dict(storage__rate=["1MB/s"]),
            "storage.rate: 1 values for 2 targets; allowed is one for all, or an array of 2",
        ),
        (
            dict(storage__rate=["1MB/s", {}]),
            'storage.rate[1]: a table is not allowed; allowed is a rate as text, as in "400Mbit/s"',
        ),
        (
            dict(storage__capacity="0B"),
            'storage.capacity: "0B" is out of range; allowed is "1B" to "1024PiB"',
        ),
        (
            dict(storage__capacity=1024),
            'storage.capacity: 1024 is not allowed; allowed is a size as text, as in "256MiB"',
        ),
        (
            dict(storage__backing="memroy"),
            'storage.backing: "memroy" is not allowed; allowed is "memory" or an absolute path of a folder',
        ),
        (dict(storage__backing=1), "storage.backing: 1 is not allowed; allowed is a text"),
        (
            dict(storage__size="1MB"),
            "storage.size: no such key; allowed are attach, targets, rate, capacity, backing, striped",
        ),
    ],
)
def test_messages_name_file_key_value_and_what_is_allowed(changes, message):
    with pytest.raises(MachineFileError) as error:
        parse(values(**changes), "site.toml")
    assert str(error.value) == f"site.toml: {message}"


@pytest.mark.parametrize(
    "name, content, message",
    [
        ("a.toml", b"format = \n", "a.toml: is not TOML: "),
        ("a.toml", b"{}", "a.toml: is not TOML: "),
        ("a.json", b"a = 1", "a.json: is not JSON: "),
        ("a", b"{", "a: is not JSON: "),
        ("a.txt", b"x", "a.txt: is not TOML: "),
        ("a.toml", b"\xff\xfe", "a.toml: cannot be read (it is not UTF-8 text)"),
        ("a.json", b"[]", 'a.json: holds an array; allowed is a table with format = "collio-machine/1"'),
        (
            "a.json",
            b'{"name": 1, "name": 2}',
            'a.json: is not JSON: the key "name" is there twice in one table',
        ),
        ("a.toml", b"name = 1\nname = 2\n", "a.toml: is not TOML: "),
    ],
)
def test_files_that_are_none(name, content, message):
    Path(name).write_bytes(content)  # the working directory of the test
    with pytest.raises(MachineFileError) as error:
        load(name)
    assert str(error.value).startswith(message)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(MachineFileError, match=r"missing.toml: cannot be read \(No such file or directory\)"):
        load(tmp_path / "missing.toml")
    with pytest.raises(MachineFileError, match=r"cannot be read \(Is a directory\)"):
        load(tmp_path)


# --- presets ------------------------------------------------------------------------------------

PRESETS = {
    "dragonfly-small": (12, 2, "dragonfly", 0),
    "pair": (2, 2, "switch", 0),
    "rack4x2": (8, 2, "tree", 0),
    "torus-3x3": (9, 2, "torus", 0),
    "tree-oversubscribed": (8, 4, "tree", 4),
}


LARGE = {
    "cori-knl": (9984, 64),
    "frontier": (9856, 56),
    "mira": (49152, 16),
    "perlmutter": (3072, 128),
    "theta": (4608, 64),
}


def test_names_of_presets():
    assert preset_names() == sorted(PRESETS)
    assert large_preset_names() == sorted(LARGE)


@pytest.mark.parametrize("name", LARGE)
def test_large_presets(name):
    machine = load_machine(name)
    assert machine.name == name and (len(machine.nodes), machine.nodes[0].ranks) == LARGE[name]
    assert machine.network.numbers() and {"targets", "stripe", "target_rate"} <= machine.costs.keys()
    with pytest.raises(MachineFileError, match="too many to write out; allowed here is 1..1024"):
        expand(machine)


@pytest.mark.parametrize("name", LARGE)
def test_large_presets_tell_the_source_of_every_number(name):
    """A comment stands above every number of the network and of the costs, or above the lines it is one
    of."""
    lines = (Path(machine_file.presets.FOLDER) / "large" / f"{name}.toml").read_text().splitlines()
    told = False
    for line in lines[lines.index("[nodes]") :]:
        told = line.startswith("#") or (told and bool(line))
        assert told or not line or line.startswith(("[", "shape")) or line == 'latency = "0.5us"', line


def test_costs_of_a_machine_file():
    machine = parse(values(costs={"copy": "2GB/s", "targets": 4, "asynchronous": False}), "file")
    assert (
        machine.costs == {"copy": 2e9, "targets": 4, "asynchronous": False}
        and parse(values(), "file").costs == {}
    )
    for costs, told in (
        ({"coppy": "1GB/s"}, "costs.coppy: no such key; did you mean costs.copy?"),
        ({"copy": 3}, 'costs.copy: "3" is no rate'),
        ({"targets": 0}, 'costs.targets: "0" is not allowed; allowed is an integer'),
    ):
        with pytest.raises(MachineFileError) as error:
            parse(values(costs=costs), "file")
        assert told in str(error.value)


@pytest.mark.parametrize("name", PRESETS)
def test_presets(name):
    graph = expand(load_machine(name))
    nodes, ranks, shape, targets = PRESETS[name]
    assert (
        graph.name == name
        and len(graph.nodes) == nodes
        and {node.ranks for node in graph.nodes} == {ranks}
        and graph.shape == shape
    )
    assert len(graph.storage.targets if graph.storage else ()) == targets
    for source in range(nodes):
        for destination in range(nodes):
            assert machine_file.hops(graph, source, destination) < graph.vertices
    assert Graph.from_json(graph.to_json()) == graph


def test_machines_by_name_or_path(tmp_path):
    Path("pair").write_text(TOML)  # the working directory of the test
    assert load_machine("pair").name == "pair"
    assert load_machine("./pair").name == "two" and load_machine(Path("pair").resolve()).name == "two"
    with pytest.raises(MachineFileError) as error:
        load_machine("piar")
    assert (
        str(error.value) == "piar: no such file, and no preset; did you mean pair? presets are "
        f"{', '.join([*sorted(PRESETS), *sorted(LARGE)])}"
    )


def test_presets_are_installed(tmp_path):
    """A built package has them: they are data, which setuptools leaves out unless told."""
    pytest.importorskip("setuptools", minversion="64")  # as pyproject.toml asks for
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(
        ROOT / "python", tmp_path / "python", ignore=shutil.ignore_patterns("*.egg-info", "__pycache__")
    )
    build = [
        sys.executable,
        "-c",
        "from setuptools import setup; setup()",
        "-q",
        "build",
        "--build-lib",
        "out",
    ]
    subprocess.run(build, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    assert sorted(
        path.stem for path in (tmp_path / "out/collio/machine_file/presets").rglob("*.toml")
    ) == sorted({**PRESETS, **LARGE})


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
