"""`collio simulate`: costs and machines as the simulator's input, what is compared, and what it prints."""

import json
import resource
import subprocess
import sys
import time

import pytest
from long_tests import LONG

from collio import machine_file
from collio.machine_file.units import UnitError
from collio.plan import machines, program
from collio.plan.errors import PlanError
from collio.simulate import settings

TREE = "tree:4x20,link=40Gbit/s,uplink=20Gbit/s"


@pytest.fixture
def simulator():
    try:
        return program.find_program(program.SIMULATE)
    except PlanError as error:
        pytest.skip(str(error))


@pytest.fixture
def simulated(simulator, cli):
    def run(*words):
        done = cli("simulate", *words, "--json")
        assert done.exit_code == 0, done.output
        return [json.loads(line) for line in done.output.splitlines()]

    return run


@pytest.mark.parametrize(
    "key, text, value",
    [
        ("copy", "2GB/s", 2e9),
        ("message", "5us", 5e-6),
        ("match", "10ns", 1e-8),
        ("stripe", "4MiB", 4 << 20),
        ("targets", "56", 56),
        ("cores", "0.25", 0.25),
        ("processors", "2", 2),
        ("asynchronous", "no", False),
        ("fabric", "tcp", "tcp"),
    ],
)
def test_costs_are_read(key, text, value):
    assert machine_file.parse_cost(key, text) == pytest.approx(value)


@pytest.mark.parametrize(
    "key, text, told",
    [
        ("coppy", "1GB/s", "did you mean copy"),
        ("copy", "fast", '"fast" is no rate'),
        ("targets", "0", "allowed is an integer 1..1048576"),
        ("cores", "-1", "allowed is a number"),
        ("processors", "0", "allowed is an integer"),
        ("fabric", "ether", "allowed is rdma, tcp"),
        ("asynchronous", "maybe", "allowed is yes, no"),
    ],
)
def test_what_is_no_cost_is_named(key, text, told):
    with pytest.raises(UnitError, match=told.replace(".", "[.]")):
        machine_file.parse_cost(key, text)


def test_costs_become_the_model():
    assert machine_file.model_of({"copy": 2e9, "targets": 4, "fabric": "tcp"}) == {
        "node": {"copy_bytes_per_s": 2e9},
        "storage": {"targets": 4},
        "fabric": "tcp",
    }


def test_every_combination_is_a_setting():
    found = settings.combinations(
        [64, 128], {"copy": 1e9}, {"cb_nodes": "4"}, ["collio_window=1MiB,4MiB", "targets=8,16,32"]
    )
    assert len(found) == 12
    assert found[0].varied == {"ranks": "64", "collio_window": "1MiB", "targets": "8"}
    assert found[0].hints == {"cb_nodes": "4", "collio_window": "1048576"} and found[0].costs == {
        "copy": 1e9,
        "targets": 8,
    }
    assert {one.ranks for one in found} == {64, 128}


@pytest.mark.parametrize(
    "vary, told",
    [
        ("cb_nodes", "KEY=VALUE"),
        ("cb_nodes=none", "allowed is"),
        ("colour=1,2", "neither a hint"),
        ("copy=slow", "no rate"),
    ],
)
def test_what_cannot_be_varied_is_named(vary, told):
    with pytest.raises(PlanError, match=told):
        settings.combinations([4], {}, {}, [vary])


def test_large_machines_go_by_formulas(tmp_path):
    theta = machines.plan_machine("theta", tmp_path)
    assert theta.arguments[:4] == ["--shape", "dragonfly", "--sizes", "12,96,4"]
    assert theta.ranks_per_node == 64 and theta.costs["targets"] == 56
    with pytest.raises(machine_file.MachineFileError, match="too many to write out"):
        machine_file.expand(machine_file.load_machine("theta"))


@pytest.mark.parametrize("name", ["switch", "tree", "fat-tree", "torus", "dragonfly", "ring"])
def test_formulas_have_the_links_of_the_graph(name, simulated, tmp_path):
    network = {
        "switch": "",
        "tree": 'racks = 2\nuplink = "20Gbit/s"',
        "fat-tree": 'leaves = 2\nspines = 3\nuplink = "20Gbit/s"',
        "torus": "dims = [2, 3, 2]",
        "dragonfly": 'groups = 3\nrouters = 2\nlocal = "5Gbit/s"\nglobal = "2Gbit/s"',
        "ring": "",
    }[name]
    path = tmp_path / "machine.toml"
    path.write_text(
        'format = "collio-machine/1"\nname = "small"\n[nodes]\ncount = 12\nranks = 2\n[network]\n'
        f'shape = "{name}"\nlink = "10Gbit/s"\nlatency = "2us"\n{network}\n'
    )
    words = ["interleave", "--ranks", 24, "--pieces", 2000, "--size", 512]
    [graph] = simulated(*words, "--machine", path)
    numbers = machine_file.load_machine(path).network.numbers()
    formulas = program.document_of(
        program.SIMULATE,
        [
            *machines._shape(
                numbers.kind,
                numbers.sizes,
                [(cable.rate_bytes_per_s, cable.latency_s) for cable in numbers.cables],
            ),
            "--pattern",
            "interleave",
            "--pieces",
            "2000",
            "--size",
            "512",
            "--ranks",
            "24",
            "--ranks-per-node",
            "2",
        ],
    )
    assert [way["seconds"] for way in graph["ways"]] == pytest.approx(
        [way["seconds"] for way in formulas["ways"]]
    )


def test_a_simulation_tells_what_limits_it(simulated):
    [document] = simulated(
        "interleave",
        "--machine",
        TREE,
        "--ranks",
        512,
        "--ranks-per-node",
        12,
        "--pieces",
        4000,
        "--size",
        1024,
    )
    assert document["job"]["bytes"] == 512 * 4000 * 1024
    by_way = {way["way"]: way for way in document["ways"]}
    assert list(by_way) == ["two_layer", "two_phase", "romio", "tam"]
    assert document["auto"]["path"] in by_way and document["auto"]["reason"]
    for way in by_way.values():
        assert way["seconds"] >= max(way["phases"].values()) * 0.999, way
    assert by_way["romio"]["most_receives"] == 512 and by_way["two_layer"]["most_receives"] == 42


GRIDS = {
    30: (["--variables", "1,100,20", "--hint", "cb_buffer_size=131072"], 60, 2 << 20),
    120: (["--variables", "1,323,63"], 120, 4 << 20),
}
"""By elements of a cube's edge: further words, and the most seconds and KiB that 16384 ranks may take. The
larger grid, the one that is published, takes 30 s on two idle cores: a long run has it."""


@pytest.mark.parametrize("elements", GRIDS if LONG else [30])
def test_a_checkpoint_of_16384_ranks_is_simulated_in_little_time_and_memory(simulator, elements):
    further, most_s, most_kib = GRIDS[elements]
    words = [
        "simulate",
        "e3sm",
        "--machine",
        "theta",
        "--ranks",
        "16384",
        "--ne",
        str(elements),
        *further,
        "--json",
    ]
    begin = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "collio", *words], stdout=subprocess.PIPE, text=True, check=True, timeout=300
    )
    ways = {way["way"]: way for way in json.loads(done.stdout)["ways"]}
    assert ways["two_layer"]["rounds_simulated"] == ways["two_layer"]["rounds"]
    assert ways["two_phase"]["rounds_simulated"] < ways["two_phase"]["rounds"]
    assert ways["two_layer"]["seconds"] < ways["two_phase"]["seconds"] < ways["romio"]["seconds"]
    assert time.monotonic() - begin < most_s
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < most_kib, "in KiB"


def test_storage_that_is_faster_is_faster(simulated):
    slow, fast = simulated(
        "interleave",
        "--machine",
        TREE,
        "--ranks",
        64,
        "--ranks-per-node",
        8,
        "--pieces",
        20000,
        "--size",
        1024,
        "--way",
        "two_phase",
        "--vary",
        "targets=1,8",
    )
    assert slow["varied"] == {"targets": "1"} and fast["model"]["storage"]["targets"] == 8
    assert slow["ways"][0]["seconds"] > 3 * fast["ways"][0]["seconds"]


def test_simulations_are_tables_and_bars(simulator, cli):
    done = cli(
        "simulate", "interleave", "--machine", "tree-oversubscribed", "--scale", "8,32", "--pieces", 500
    )
    assert done.exit_code == 0, done.output
    assert "8 ranks on 2 of 8 nodes" in done.output and "32 ranks on 8 of 8 nodes" in done.output
    assert "auto takes" in done.output and "█" in done.output and "limited by" in done.output
    assert "beside the bytes" in done.output and "communicators" in done.output
    assert all(len(line.rstrip()) <= 80 for line in done.output.splitlines())


def test_calls_cost_more_than_their_bytes_the_more_ranks_there_are(simulated):
    few, many = simulated(
        "interleave", "--machine", "theta", "--scale", "1024,16384", "--pieces", 64, "--way", "two_layer"
    )
    for call in ("first open", "later open", "first call", "later call", "close"):
        cost, more = (one["beside_the_bytes"]["calls"][call] for one in (few, many))
        assert all(cause["seconds"] >= 0 for cause in cost["causes"]), cost
        assert cost["seconds"] == pytest.approx(sum(cause["seconds"] for cause in cost["causes"]))
        assert cost["seconds"] < more["seconds"] < 16 * cost["seconds"], call
        assert cost["node_bytes"] <= more["node_bytes"]
    digests = many["beside_the_bytes"]["digests"]
    assert [one["late_s"] for one in digests] == [1e-3, 5e-3, 20e-3, 100e-3, 1]
    assert all(one["seconds"] < 5e-3 for one in digests)


@pytest.mark.skipif(not LONG, reason="takes minutes")
def test_131072_ranks_are_simulated_in_five_minutes_and_8_gib(simulator):
    words = ["simulate", "s3d", "--machine", "theta", "--scale", "1024,16384,131072", "--json"]
    grid = ["--nx", "800", "--ny", "800", "--nz", "800"]
    begin = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "collio", *words, *grid], stdout=subprocess.PIPE, text=True, check=True
    )
    assert [json.loads(line)["job"]["ranks"] for line in done.stdout.splitlines()] == [1024, 16384, 131072]
    assert time.monotonic() - begin < 300
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 8 << 20, "in KiB"


@pytest.mark.parametrize(
    "words, told",
    [
        (["--machine", TREE, "--ranks", 4], "--ranks-per-node does"),
        (["--machine", "pair"], "either --ranks or --scale"),
        (["--machine", "pair", "--ranks", 4, "--scale", "2,4"], "either --ranks or --scale"),
        (["--machine", "pair", "--scale", "2,x"], "numbers of ranks"),
        (["--machine", "pair", "--ranks", 400], "allowed: at most the machine's 2"),
        (["--machine", "pair", "--ranks", 4, "--set", "cb_nodes=-3"], "--set cb_nodes=-3: not allowed"),
        (["--machine", "pair", "--ranks", 4, "--hint", "cb_nodes=-3"], "--set cb_nodes=-3: not allowed"),
        (["--machine", "pair", "--ranks", 4, "--set", "targets=8"], "--cost targets=8 sets it"),
        (
            ["--machine", "pair", "--ranks", 4, "--set", "collio_nodes_per_group=2"],
            "collio_nodes_per_group is not simulated",
        ),
        (["--machine", "pair", "--ranks", 4, "--cost", "copy=0B/s"], "--cost copy"),
    ],
)
def test_what_cannot_be_simulated_is_a_line(simulator, cli, words, told):
    done = cli("simulate", "interleave", *words)
    assert done.exit_code != 0 and told in done.output, done.output


def test_a_model_that_is_none_is_named(simulator, tmp_path):
    def problem(text):
        path = tmp_path / "model.json"
        path.write_text(text)
        with pytest.raises(PlanError) as caught:
            program.document_of(
                program.SIMULATE,
                [
                    "--shape",
                    "switch",
                    "--sizes",
                    "2",
                    "--rates",
                    "1e9",
                    "--latencies",
                    "0",
                    "--pattern",
                    "interleave",
                    "--ranks",
                    "2",
                    "--model",
                    str(path),
                ],
            )
        return str(caught.value)

    assert "no JSON object" in problem("nodes")
    assert "copy_bytes_per_s is 0; allowed: a number above 0" in problem('{"node": {"copy_bytes_per_s": 0}}')
    assert "node.speed is not known" in problem('{"node": {"speed": 1}}')
    assert "targets is 0; allowed: 1 to" in problem('{"storage": {"targets": 0}}')
    assert "allowed: node, storage, placed, fabric" in problem('{"disks": {}}')
