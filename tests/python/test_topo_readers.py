"""Topology files of other programs: what they become, and what is said of those that are cut off or wrong."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from collio.machine_file import Graph, MachineFileError, route
from collio.machine_file.graph import check
from collio.topology import FORMATS, Options, detect, hwloc, infiniband, load
from collio.topology.hostlist import HostListError, compress_hosts, expand_hosts

GOLDEN = Path(__file__).parents[1] / "golden" / "topology"
FILES = {"tree.conf": "slurm", "block.conf": "slurm", "fabric.txt": "ibnetdiscover", "node.xml": "hwloc"}
GBIT = 1e9 / 8


def rates(graph):
    """{"a - b": [Gbit/s, ...]}."""
    found = {}
    for index, link in enumerate(graph.links):
        found.setdefault(graph.link_name(index), []).append(link.rate_bytes_per_s / GBIT)
    return found


def load_text(tmp_path, text, format_=None, options=Options(), name="file"):
    path = tmp_path / name
    path.write_text(text)
    return load(str(path), format_, options)


def refused(tmp_path, text, format_=None, options=Options()):
    """What is said of a file that cannot be used, without the folder's name."""
    with pytest.raises(MachineFileError) as caught:
        load_text(tmp_path, text, format_, options)
    return str(caught.value).replace(f"{tmp_path}/", "")


# --- lists of hosts -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, hosts",
    [
        ("n1", ["n1"]),
        ("n[001-003,140],login", ["n001", "n002", "n003", "n140", "login"]),
        ("n[8-11]", ["n8", "n9", "n10", "n11"]),
        ("r[0-1]c[0-1]-ib", ["r0c0-ib", "r0c1-ib", "r1c0-ib", "r1c1-ib"]),
        ("n[099-101]", ["n099", "n100", "n101"]),
        ("a,b[1],c", ["a", "b1", "c"]),
    ],
)
def test_host_lists(text, hosts):
    assert expand_hosts(text) == hosts
    assert expand_hosts(compress_hosts(hosts)) == hosts


def test_host_lists_in_short():
    assert (
        compress_hosts(["n001", "n002", "n003", "n007", "login", "x9", "x10"])
        == "n[001-003,007],login,x[9-10]"
    )
    assert compress_hosts(["n09", "n10", "n1", "n2"]) == "n[09-10,1-2]" and compress_hosts([]) == ""


@pytest.mark.parametrize(
    "text",
    [
        "n[1-",
        "n1]",
        "n[[1]]",
        "n[1-x]",
        "n[3-1]",
        "n[]",
        "a,,b",
        "",
        "n[1,]",
        "a b",
        "n[0-99999999]",
        "n[1-65536],m",
    ],
)
def test_no_host_lists(text):
    with pytest.raises(HostListError) as caught:
        expand_hosts(text)
    assert f'"{text}"' in str(caught.value)


# --- Slurm --------------------------------------------------------------------------------------


def test_tree_of_slurm():
    graph = load(str(GOLDEN / "tree.conf")).graph
    assert [node.name for node in graph.nodes] == [*(f"n{number:03d}" for number in range(1, 10)), "login1"]
    assert graph.switches == ("rack0", "rack1", "rack2", "spine0", "spine1")
    found = rates(graph)
    assert found["n001 - rack0"] == [100] and found["n005 - rack1"] == [50], "LinkSpeed where it is given"
    assert found["rack0 - spine0"] == found["rack0 - spine1"] == [200], (
        "the sum of the nodes below over both ways up"
    )
    assert found["rack2 - spine0"] == [200]
    assert (
        "LinkSpeed, in units of 1 Gbit/s" in graph.note
        and "(--link)" in graph.note
        and "(--uplink)" in graph.note
    )
    check(graph)


def test_rates_of_the_user_go_first():
    options = Options(link_bytes_per_s=10 * GBIT, uplink_bytes_per_s=40 * GBIT, latency_s=1e-6)
    graph = load(str(GOLDEN / "tree.conf"), None, options).graph
    assert {(link.rate_bytes_per_s / GBIT, link.latency_s) for link in graph.links} == {
        (10, 1e-6),
        (40, 1e-6),
    }
    tenths = load(str(GOLDEN / "tree.conf"), None, Options(speed_unit_bytes_per_s=GBIT / 10)).graph
    assert rates(tenths)["n005 - rack1"] == [5]


def test_some_of_the_nodes():
    graph = load(str(GOLDEN / "tree.conf"), None, Options(nodes=("n006", "n001"))).graph
    assert [node.name for node in graph.nodes] == ["n006", "n001"]
    assert graph.switches == ("rack0", "rack1", "spine0", "spine1"), "rack2 leads nowhere"
    assert [
        node.name for node in load(str(GOLDEN / "tree.conf"), None, Options(nodes=("n009",))).graph.nodes
    ] == ["n009"]
    with pytest.raises(MachineFileError, match='has no node "n010"; its nodes are n001, n002, n003, n004, …'):
        load(str(GOLDEN / "tree.conf"), None, Options(nodes=("n010",)))


def test_blocks_of_slurm():
    graph = load(str(GOLDEN / "block.conf")).graph
    assert graph.switches == ("b0", "b1", "b2", "b3", "blocks8-0", "blocks8-1", "core")
    names = [graph.link_name(link) for link, _ in route(graph, 0, 15)]
    assert names == [
        "gpu00 - b0",
        "b0 - blocks8-0",
        "blocks8-0 - core",
        "blocks8-1 - core",
        "b3 - blocks8-1",
        "gpu15 - b3",
    ]
    assert len(route(graph, 0, 5)) == 4 and rates(graph)["b0 - blocks8-0"] == [400]


def test_switches_that_name_each_other_are_joined_once(tmp_path):
    text = (
        "SwitchName=a Nodes=n1 Switches=b,c\nSwitchName=b Nodes=n2 Switches=a,c\nSwitchName=c Nodes=n3 "
        "Switches=a,b\n"
    )
    graph = load_text(tmp_path, text).graph
    assert len(graph.links) == 6 and all(
        len(route(graph, a, b)) == 3 for a in range(3) for b in range(3) if a != b
    )


@pytest.mark.parametrize(
    "text, said",
    [
        ("SwitchName=a Nodes=n[1-", 'file:1: Nodes="n[1-": its brackets do not match'),
        ("# c\n\nSwitchName=a Nods=n1", "file:3: Nods: no such key; did you mean Nodes?"),
        ("SwitchName=a Nodes=n1 Nodes=n2", "file:1: Nodes is there twice"),
        ("SwitchName=a", "file:1: SwitchName=a has nothing below it; allowed are Nodes=… or Switches=…"),
        ("SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2", "file:2: SwitchName=a is there already, in line 1"),
        ("SwitchName=a Nodes=n1\nSwitchName=b Nodes=n1", "file:2: Nodes has n1, which line 1 has already"),
        (
            "SwitchName=a Nodes=n1\nSwitchName=s Switches=a,b",
            "file:2: Switches has b, which no line describes",
        ),
        ("SwitchName=a Nodes=n1 Switches=a", "file:1: Switches has a, which is the switch itself"),
        (
            "SwitchName=a Nodes=n1 LinkSpeed=fast",
            "file:1: LinkSpeed=fast is not allowed; allowed are whole numbers above 0",
        ),
        ("SwitchName=a Nodes=n1 and", 'file:1: "and" is not allowed; allowed are pairs KEY=VALUE'),
        ("SwitchName=a[0-1] Nodes=n1", "file:1: SwitchName=a[0-1] is 2 names; allowed is one"),
        ("SwitchName=a Nodes=n1 \\", "file:1: goes on after its"),
        ("Nodes=n1\nSwitchName=a Nodes=n2", "file:1: Nodes without SwitchName"),
        ("SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2", "file: no way from n1 to n2"),
        ("BlockName=a Nodes=n1\nSwitchName=b Nodes=n2", "file:2: a switch in a file with blocks"),
        (
            "BlockName=a Nodes=n1\nBlockSizes=4,6",
            "file:2: BlockSizes has 6 after 4; allowed is 4 times a power of two",
        ),
        ("BlockName=a", "file:1: BlockName=a has no nodes"),
        ("BlockSizes=4", "file:1: BlockSizes without blocks"),
    ],
)
def test_what_is_wrong_in_slurms_file(tmp_path, text, said):
    assert refused(tmp_path, text, "slurm").startswith(said)


# --- ibnetdiscover ------------------------------------------------------------------------------


def test_fabric_of_ibnetdiscover():
    graph = load(str(GOLDEN / "fabric.txt")).graph
    assert [node.name for node in graph.nodes] == ["n001", "n002", "n003", "n004"], (
        "by the first word of descriptions"
    )
    assert graph.switches[:2] == ("leaf0", "leaf1")
    assert len(set(graph.switches)) == 4 and all(name.startswith("Quantum") for name in graph.switches[2:]), (
        "told apart by their identifiers"
    )
    found = rates(graph)
    assert found["n001 - leaf0"] == [100] and found["n002 - leaf0"] == [100, 100], "two adapters, two links"
    assert found[f"leaf0 - {graph.switches[2]}"] == [200]
    assert graph.note == "left out: 1 routers or parts of switches"
    check(graph)


def test_equal_ways_are_spread_over_destinations():
    graph = load(str(GOLDEN / "fabric.txt")).graph
    up = {graph.link_name(route(graph, 0, destination)[1][0]) for destination in (2, 3)}
    assert up == {f"leaf0 - {name}" for name in graph.switches[2:]}


@pytest.mark.parametrize(
    "speed, gbit",
    [
        ("4xHDR", 200),
        ("4xEDR", 100),
        ("4xFDR10", 40),
        ("4xFDR", 54.5454545),
        ("1xSDR", 2),
        ("12xQDR", 96),
        ("4xNDR", 400),
    ],
)
def test_rates_of_infiniband(speed, gbit):
    assert infiniband.rate_of(speed) == pytest.approx(gbit * GBIT)
    assert infiniband.rate_of("3xHDR") is infiniband.rate_of("4xABC") is infiniband.rate_of("x") is None


def changed(old, new):
    text = (GOLDEN / "fabric.txt").read_text()
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    "old, new, said",
    [
        (
            "lid 101 4xEDR",
            "lid 101 4xEDX",
            r'file:11: "4xEDX" at the line\'s end; allowed are 1, 2, 4, 8, 12 x SDR, ',
        ),
        ("lid 101 4xEDR", "lid 101", "file:11: no width and speed at the line's end"),
        (
            "lid 101 4xEDR",
            "lid 101 4xHDR",
            "file:11: width and speed are not those of the same cable in line ",
        ),
        ("[2]\t", "[1]\t", "file:12: port 1 is there already, in line 11"),
        ("[40]\t", "[42]\t", "file:16: port 42 of 41; allowed are 1 to 41"),
        ("[40]\t", "[4O]\t", r'file:16: "\[4O\]'),
        (
            '[11]\t"S-0c42a10300000011"',
            '[11]\t"S-0c42a10300000012"',
            "file:15: joined to S-0c42a10300000012, which the file does not describe",
        ),
        (
            '[11]\t"S-0c42a10300000011"[1]',
            '[11]\t"S-0c42a10300000011"[7]',
            "file:15: joined to port 7 of S-0c42a10300000011, which says nothing of it",
        ),
        ("vendid=0x2c9", "nonsense", 'file:6: "nonsense" is not allowed; allowed are lines of ibnetdiscover'),
    ],
)
def test_what_is_wrong_in_a_fabric(tmp_path, old, new, said):
    assert re.match(said, refused(tmp_path, changed(old, new), "ibnetdiscover"))


def test_adapters_without_host_names(tmp_path):
    text = (GOLDEN / "fabric.txt").read_text().replace("n003 HCA-1", "MT25408 ConnectX Mellanox Technologies")
    graph = load_text(tmp_path, text).graph
    assert (
        graph.nodes[2].name == "H-0c42a10300000104" and "1 adapters' descriptions name no host" in graph.note
    )


# --- hwloc --------------------------------------------------------------------------------------


def test_node_of_hwloc():
    inside = load(str(GOLDEN / "node.xml")).inside
    assert (inside.host, len(inside.packages), inside.cores, inside.processors) == ("n001", 2, 8, 8)
    assert [(numa.number, numa.cores, numa.package, numa.memory_bytes >> 30) for numa in inside.numas] == [
        (0, 2, 0, 32),
        (1, 2, 0, 32),
        (2, 2, 1, 32),
        (3, 2, 1, 32),
    ]
    assert [(one.name, one.kind, one.numas) for one in inside.adapters] == [
        ("ib0", "network", (0,)),
        ("mlx5_0", "openfabrics", (0,)),
        ("ib1", "network", (2,)),
        ("mlx5_1", "openfabrics", (2,)),
        ("eno1", "network", (0, 1, 2, 3)),
    ], "the loopback and disks are no adapters"


def test_hwloc_reads_the_golden_file_alike():
    if not shutil.which("lstopo-no-graphics"):
        pytest.skip("no hwloc")
    done = subprocess.run(
        ["lstopo-no-graphics", "-i", str(GOLDEN / "node.xml"), "--of", "xml"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert hwloc.read(done.stdout, "hwloc's").numas == load(str(GOLDEN / "node.xml")).inside.numas


@pytest.mark.parametrize(
    "text, said",
    [
        (
            "<topology version='2.0'>\n<object type='Machine'>",
            "file:2: is not XML: no element found (is the file complete?)",
        ),
        ("<topology version='1.0'/>", 'file:1: topology: version is "1.0"; allowed is "2.0"'),
        ("<topology/>", "file:1: topology: version is none; allowed"),
        ("<html/>", "file:1: <html> is not allowed; allowed is hwloc's <topology>"),
        ("<topology version='2.0'/>", 'file: has no object of type "Machine"'),
        (
            "<topology version='2.0'>\n<object type='Machine'/>\n<object type='NUMANode' os_index='x' "
            "cpuset='0x1'/></topology>",
            'file:3: NUMANode: os_index is "x"; allowed is a whole number',
        ),
        (
            "<topology version='2.0'>\n<object type='Machine'/><object type='Core' cpuset='0xz'/></topology>",
            'file:2: Core: cpuset is "0xz"; allowed is hexadecimal',
        ),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><topology version='2.0'/>", 'file:1: declares the entity "b"'),
    ],
)
def test_what_is_wrong_in_hwlocs_file(tmp_path, text, said):
    assert refused(tmp_path, text, "hwloc").startswith(said)


# --- all ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name, format_", FILES.items())
def test_formats_are_told_by_content(name, format_):
    text = (GOLDEN / name).read_text()
    assert detect(text, "file") == load(str(GOLDEN / name)).format == format_
    assert set(FILES.values()) < set(FORMATS)


def test_text_in_no_format(tmp_path):
    assert "matches none of the formats machine, graph, slurm, ibnetdiscover, hwloc" in refused(
        tmp_path, "once upon a time\n"
    )
    assert "byte 2 is no UTF-8" in refused_bytes(tmp_path, b"ab\xff")
    with pytest.raises(MachineFileError, match="no such file, and no preset; presets are dragonfly-small"):
        load("no-such")


def refused_bytes(tmp_path, content):
    (tmp_path / "bytes").write_bytes(content)
    with pytest.raises(MachineFileError) as caught:
        load(str(tmp_path / "bytes"))
    return str(caught.value)


def test_graphs_are_read_again(tmp_path):
    graph = load(str(GOLDEN / "tree.conf")).graph
    again = load_text(tmp_path, graph.to_json())
    assert again.format == "graph" and again.graph == graph == Graph.from_json(graph.to_json())
    assert re.match(
        r"file:\d+: is not JSON: .*is the file complete", refused(tmp_path, graph.to_json()[:900])
    )
    assert "--link is not allowed with a machine file or graph" in refused(
        tmp_path, graph.to_json(), None, Options(link_bytes_per_s=1e9)
    )
