"""What is wrong in a machine file: messages name file, key, value and what is allowed."""

import json
from pathlib import Path

import pytest

from collio.machine_file import MachineFileError, load, parse
from good_machine import values

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
