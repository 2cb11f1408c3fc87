"""Files and texts that were damaged, cut off or made by somebody else's program: every reader takes them or
says what is wrong, nothing else."""

import json
import random
from pathlib import Path

import pytest

import mutated
from collio import config, hints, machine_file, mpi_libraries
from collio.library.arrays import classic_header, creation, subfile_set
from collio.library.arrays.formats import Spec
from collio.library.errors import Error
from collio.machine_file import Graph, MachineFileError
from collio.machine_file.graph import check
from collio.plan import machines as plan_machines
from collio.plan.errors import PlanError
from collio.run import hand_on, launch_line
from collio.topo.session import Session
from collio.topology import FORMATS, hwloc, load
from collio.topology.hostlist import HostListError, compress_hosts, expand_hosts
from collio.topology.picture import to_svg

GOLDEN = Path(__file__).parents[1] / "golden" / "topology"
FILES = {"tree.conf": "slurm", "block.conf": "slurm", "fabric.txt": "ibnetdiscover", "node.xml": "hwloc"}


@pytest.fixture
def reads(tmp_path):
    """Makes a reader of contents from a reader of paths."""

    def make(name, read):
        path = tmp_path / name

        def read_content(content):
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            return read(path)

        return read_content

    return make


def both(counts, least=8):
    """Some were taken and some refused, or the mutations are no good."""
    assert min(counts) >= least, counts


# --- headers of array files ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"])
def test_classic_headers(reads, tmp_path, kind):
    import netCDF4

    with netCDF4.Dataset(tmp_path / "good.nc", "w", format=kind) as file:
        file.title = "three"
        file.createDimension("x", 3)
        file.createVariable("a", "f4", ("x",)).units = "K"
        file.createVariable("b", "i2", ("x", "x"))

    def read(path):
        with path.open("rb") as stream:
            return classic_header.read(stream, str(path))

    reader = reads("a.nc", read)
    good = (tmp_path / "good.nc").read_bytes()
    assert set(reader(good).variables) == {"a", "b"}
    both(mutated.accepted(reader, mutated.contents(good, 300), ValueError))


def test_masters_of_array_subfiles(reads, tmp_path):
    good = tmp_path / "good.nc"
    arrays = {
        "T": Spec.of("T", (4, 3), "f4"),
        "R": Spec.of("R", (None, 4), "i2"),
        "time": Spec.of("time", (None,), "f8"),
    }
    creation.make_master(str(good), arrays, subfile_set.Wish(2))
    reader = reads("a.nc", lambda path: subfile_set.look_at_master(str(path)))
    assert reader(good.read_bytes()).count == 2
    both(mutated.accepted(reader, mutated.contents(good.read_bytes(), 300), (ValueError, Error)))


# --- machines -----------------------------------------------------------------------------------


def whole(graph):
    """All that is made of a graph: its own check, its text, its description, its picture."""
    check(graph)
    assert Graph.from_json(graph.to_json()) == graph
    machine_file.describe(graph)
    to_svg(graph)


@pytest.mark.parametrize("name", ["pair", "tree-oversubscribed", "torus-3x3", "dragonfly-small"])
def test_machine_files(reads, name):
    good = (Path(machine_file.__file__).parent / "presets" / f"{name}.toml").read_bytes()
    read = reads("a.toml", lambda path: whole(machine_file.expand(machine_file.load(path))))
    both(mutated.accepted(read, mutated.contents(good, 200), MachineFileError))


def test_machine_files_in_json(reads):
    good = {
        "format": "collio-machine/1",
        "name": "x",
        "nodes": {"count": 4, "ranks": [1, 2, 3, 4], "names": ["a", "b", "c", "d"]},
        "network": {
            "shape": "graph",
            "link": "1Gbit/s",
            "latency": "2us",
            "switches": ["s"],
            "links": [{"between": [node, "s"], "rate": "2Gbit/s"} for node in "abcd"],
        },
        "storage": {
            "attach": "s",
            "targets": 2,
            "rate": ["1MB/s", "2MB/s"],
            "capacity": "1MiB",
            "backing": "/scratch",
        },
    }
    read = reads("a.json", lambda path: whole(machine_file.expand(machine_file.load(path))))
    both(mutated.accepted(read, mutated.contents(json.dumps(good).encode(), 300), MachineFileError), least=3)
    mutated.accepted(read, map(json.dumps, mutated.documents(good, 300)), MachineFileError)


def test_graphs():
    graph = machine_file.expand(machine_file.load_machine("tree-oversubscribed"))
    both(
        mutated.accepted(
            lambda text: whole(Graph.from_json(text)), mutated.texts(graph.to_json(), 300), MachineFileError
        )
    )
    documents = map(json.dumps, mutated.documents(json.loads(graph.to_json()), 300))
    both(mutated.accepted(lambda text: whole(Graph.from_json(text)), documents, MachineFileError), least=3)


@pytest.mark.parametrize("name", FILES)
def test_topologies(reads, name):
    """Errors name the file; a graph has routes that arrive."""
    good = (GOLDEN / name).read_bytes()
    folder = []

    def read(path):
        folder[:] = [str(path)]
        try:
            return whole(load(str(path), FILES[name]).graph)
        except MachineFileError as error:
            assert str(error).startswith(str(path)), error
            raise

    both(mutated.accepted(reads("file", read), mutated.contents(good, 250), MachineFileError))


def test_topologies_by_content(reads):
    goods = [(GOLDEN / name).read_bytes() for name in FILES]
    goods.append(machine_file.expand(machine_file.load_machine("pair")).to_json().encode())
    for seed, good in enumerate(goods):
        mutated.accepted(
            reads("file", lambda path: load(str(path))), mutated.contents(good, 60, seed), MachineFileError
        )
    for format_ in FORMATS:
        for seed, good in enumerate(goods):
            mutated.accepted(
                reads("file", lambda path, format_=format_: load(str(path), format_)),
                mutated.contents(good, 8, seed),
                MachineFileError,
            )


def test_hwlocs_file_says_nothing_of_its_encoding():
    text = (GOLDEN / "node.xml").read_text()
    assert 'encoding="UTF-8"' in text
    for encoding in ("UTF-16", "latin-1", "no-such", "shift_jis", "utf-7"):
        assert hwloc.read(text.replace("UTF-8", encoding), "file").host == "n001"


def test_lists_of_hosts():
    def read(text):
        hosts = expand_hosts(text)
        assert expand_hosts(compress_hosts(hosts)) == hosts

    both(mutated.accepted(read, mutated.texts("n[001-128,140],login,r[0-1]c[0-7]-ib", 400), HostListError))


@pytest.mark.parametrize(
    "text",
    ["tree:4x20,link=40Gbit/s,uplink=20Gbit/s,latency=1us", "torus:4x4x4", "dragonfly:3x2x2,local=1GB/s"],
)
def test_machines_of_plans(text):
    def read(changed):
        if plan_machines.is_shape(changed):
            assert all(word.isascii() for word in plan_machines.shape_arguments(changed))

    mutated.accepted(read, mutated.texts(text, 300), PlanError)


# --- settings -----------------------------------------------------------------------------------

CONFIG = (
    "# of this project\ncb_nodes = 4\ncb_buffer_size=16MiB # each\ncollio_path = "
    "two_phase\ncb_config_list = *:2,a:1\nromio_no_indep_rw = true\n"
)


def test_config_files(reads):
    read = reads(
        "collio.conf",
        lambda path: config.gather_settings([], {"COLLIO_CONFIG": str(path), "HOME": "/nonexistent"}),
    )
    both(
        mutated.accepted(read, mutated.contents(CONFIG.encode(), 400), (config.ConfigError, hints.HintError))
    )


def test_hints():
    faults = "all:write1-3:delay=0.25,EINTR=3,short=100"
    counts = "cb_nodes=4;cb_buffer_size=16MiB;collio_patience=60"
    text = f"{counts};collio_faults={faults};cb_config_list=*:2,a:1"

    def read(changed):
        return config.gather_settings([changed], {"COLLIO_HINTS": changed, "HOME": "/nonexistent"})

    mutated.accepted(read, mutated.texts(text, 400), hints.HintError)
    for hint in hints.HINTS:
        mutated.accepted(hint.parse, mutated.texts(hint.default, 30), hints.HintError)
        for number in mutated.NUMBERS:
            mutated.accepted(hint.parse, iter([number]), hints.HintError)


# --- programs -----------------------------------------------------------------------------------


def test_launch_lines():
    chance = random.Random(3)
    words = (
        "timeout 60 env A=1 mpiexec flux run -n 4 --export --env=B=2 --host a,b -x LD_PRELOAD=x.so "
        "-genv LD_PRELOAD y.so sh in.nc : -n 1 --mca btl self sh - -- ="
    ).split()
    words += [word for word in mutated.WORDS if "\0" not in word and "\\ud" not in word]

    def read(line):
        found = launch_line.read_launch_line(line)
        assert list(found.words) == line and all(begin <= end for begin, end in found.contexts)
        launch_line.programs(found)
        assert len(found.options) == len(found.contexts) or found.launcher is None
        for kind in ("hydra", "openmpi", "slurm", "flux", "jsrun", "aprun", "pals", "unknown"):
            assert len(
                launch_line.edit_assignments(line, "LD_PRELOAD", lambda own: f"z.so:{own}", kind)
            ) == len(line)
            assert len(
                hand_on.hand_on(found, kind, [hand_on.Variable("LD_PRELOAD", "z.so", str)], {})[0]
            ) >= len(line)

    mutated.accepted(
        read, ([chance.choice(words) for _ in range(chance.randrange(12))] for _ in range(200)), ()
    )


def test_programs(reads, empty_library):
    """Of any file the MPI library's names are read, or none."""
    image = empty_library.read_bytes()
    chance = random.Random(4)

    def changed():
        for _ in range(150):
            content = bytearray(image[: chance.choice((len(image), chance.randrange(len(image))))])
            for _ in range(chance.choice((1, 4, 40))):
                if content:
                    content[chance.randrange(min(len(content), chance.choice((64, 1000, len(content)))))] = (
                        chance.choice((0, 1, 255, chance.randrange(256)))
                    )
            yield bytes(content)

    mutated.accepted(reads("program", lambda path: mpi_libraries.elf_names(str(path))), changed(), ())


def test_what_a_measuring_program_may_print():
    """Lines that are no JSON object are a launcher's chatter."""
    session = Session(None, 0.0)
    for chatter in (
        b"\xff\xfe",
        b"[" * 100000,
        b"{",
        b"NaN",
        b'{"a": NaN}',
        b"1" * 5000,
        b"[]",
        b'"\\ud800"',
        b"",
    ):
        session._begun = chatter + b'\n{"nodes": ["a"]}\n'
        assert session._line() == {"nodes": ["a"]}
