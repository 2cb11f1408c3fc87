"""The lab's network for real: rates, routes, counters, and what programs on its nodes see of each other.

Rates are measured again by `collio lab check` itself where a busy machine slowed them down.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from collio.builds import Build
from collio.lab import namespaces, network
from collio.lab.check_run import PROGRAM
from collio.machine_file import expand, load_machine, route
from collio.mpi_libraries import find_mpi_libraries

QUICK = ("--seconds", 0.35, "--tries", 4, "--json")
UNEVEN = """
format = "collio-machine/1"
name = "uneven"
[nodes]
count = 4
ranks = 1
[network]
shape = "tree"
racks = 2
link = "320Mbit/s"
uplink = "80Mbit/s"
"""


@pytest.fixture(scope="session", autouse=True)
def lab():
    """Skips where no lab can be built."""
    lacking = namespaces.missing()
    if lacking:
        pytest.skip(lacking)


@pytest.fixture(params=["mpich", "openmpi"])
def mpi(request):
    """The first MPI of a family that the measuring program and collio are built for."""
    return built(request.param)


def built(family):
    for one in find_mpi_libraries():
        if (
            one.family == family
            and one.mpiexec
            and Build.of(one).exists
            and Build.of(one).program(PROGRAM).is_file()
        ):
            return one
    pytest.skip(f"{PROGRAM} is built for no {family}")


@pytest.fixture
def check(collio_process):
    """The document of `collio lab check` and its exit code. Other work on this machine makes links look slow,
    so there are three tries."""

    def run(machine, family, *words):
        for _ in range(3):
            done = collio_process("lab", "check", "-m", machine, "--mpi", built(family).id, *QUICK, *words)
            assert done.stdout.startswith("{"), done.stderr
            if done.returncode == 0:
                break
        return json.loads(done.stdout), done.returncode

    return run


@pytest.mark.parametrize("machine, family", [("pair", "mpich"), ("pair", "openmpi"), ("torus-3x3", "mpich")])
def test_machines_are_what_their_files_say(check, machine, family):
    """One way, both ways at once, all with all: each direction of a link has the whole rate."""
    document, code = check(machine, family, "--pairs", 2)
    assert document["honest"] and code == 0, document
    assert {row["at_once"] for row in document["pairs"]} == {1, 2}
    assert all(0.85 < row["ratio"] < 1.05 for row in document["pairs"])
    assert document["all_to_all"]["ratio"] > 0.85


def test_every_link_has_its_own_rate(check, tmp_path):
    machine = tmp_path / "uneven.toml"
    machine.write_text(UNEVEN)
    document, code = check(machine, "mpich", "--pair", "node0:node1", "--pair", "node0:node3")
    assert code == 0, document
    assert [row["promised_bytes_per_s"] for row in document["pairs"]] == [40e6, 10e6]
    assert [row["hops"] for row in document["pairs"]] == [2, 4]


def test_packets_take_the_graphs_route_and_are_counted(check):
    document, code = check("torus-3x3", "mpich", "--pair", "node8:node3")
    graph = expand(load_machine("torus-3x3"))
    steps = [start for _, start in route(graph, 8, 3)] + [3]
    on_route = {f"node{one} to node{other}" for one, other in zip(steps, steps[1:])}
    assert code == 0 and len(on_route) == 2
    sent = next(row["expected_bytes"] for row in document["links"] if row["way"] in on_route)
    assert sent > 5e6
    for row in document["links"]:
        reverse = " to ".join(reversed(row["way"].split(" to ")))
        if row["way"] in on_route:
            assert sent < row["bytes"] < 1.03 * sent, row  # headers are 0.7 %
        else:
            assert row["bytes"] < (0.03 if reverse in on_route else 0.01) * sent, row


@pytest.mark.parametrize("lie", ["rate", "route"])
def test_a_lab_that_is_not_what_its_file_says_is_found_out(lie):
    program = [
        sys.executable,
        "-c",
        "import os, sys; from collio.lab import namespaces; "
        f"sys.exit(namespaces.enter('lab_dishonest', ['{built('mpich').id}', '{lie}'], dict(os.environ), "
        "lambda pid: None))",
    ]
    paths = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        program, capture_output=True, text=True, timeout=60, env={**os.environ, "PYTHONPATH": paths}
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert not document["honest"]
    pair, off = document["pairs"][0], {row["way"] for row in document["links"] if not row["ok"]}
    if lie == "rate":
        assert not pair["ok"] and 0.3 < pair["ratio"] < 0.55
    else:
        assert off == {"node0 to node1", "node1 to node4", "node0 to node3", "node3 to node4"}


def test_what_programs_see_of_their_nodes(mpi, compiled, collio_process):
    done = collio_process("lab", "run", "--native", "-m", "pair", compiled(mpi, "lab_nodes"))
    assert done.returncode == 0, done.stderr
    ranks = [json.loads(line) for line in done.stdout.splitlines()]
    graph = expand(load_machine("pair"))
    assert [one["rank"] for one in ranks] == [0, 1, 2, 3]
    for one in ranks:
        node, together = divmod(one["rank"], 2)[0], ([0, 1] if one["rank"] < 2 else [2, 3])
        assert one["host"] == one["processor"] == f"node{node}"
        assert one["address"] == network.address(graph, node)
        assert one["node"] == together, "MPI shares memory within a node, and with nobody else"
        assert one["files"] == together, "every node has its own /dev/shm"


def test_open_mpi_leaves_nothing_in_the_machines_folders(collio_process):
    done = collio_process(
        "lab", "run", "--native", "-m", "pair", "--ranks", 1, "--mpi", built("openmpi").id, "ls", "/run/lab"
    )
    assert done.returncode == 0 and "ompi.node0.0" in done.stdout.split(), done.stdout + done.stderr


def test_a_pair_that_is_not_there(collio_process):
    built("mpich")
    done = collio_process("lab", "check", "-m", "pair", "--pair", "node0:node7")
    assert (
        done.returncode == 1 and "--pair node0:node7: allowed are two nodes, as in node0:node1" in done.stderr
    )


def test_a_benchmark_in_a_lab(mpi, collio_process):
    done = collio_process(
        "bench",
        "interleave",
        "--lab",
        "pair",
        "--mpi",
        mpi.id,
        "--repeat",
        1,
        "--pieces",
        20000,
        "--engines",
        "collio,native",
        "--json",
        "--timeout",
        100,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    document = json.loads(done.stdout)
    assert document["verified"] and document["ranks"] == 4
    done_by = {(row["engine"], row["operation"]) for row in document["results"]}
    assert done_by == {
        (engine, operation) for engine in ("collio", "native") for operation in ("write", "read")
    }
    lab = document["lab"]
    assert [link["name"] for link in lab["links"]] == ["node0 - switch", "node1 - switch"]
    # a quarter of write and read each: half of a node's pieces belong on the other one
    moved = document["bytes"] / 2
    for engine in ("collio", "native"):
        node0, node1 = lab["engines"][engine]["bytes"]
        assert node0[0] == pytest.approx(node1[1], rel=0.05) and node1[0] == pytest.approx(
            node0[1], rel=0.05
        ), "what one sends the other gets"
        assert node0[0] > 0.9 * moved and node1[0] > 0.9 * moved
    collio = lab["engines"]["collio"]
    assert (
        collio["sent_busiest"]["bytes"]
        <= collio["busiest"]["bytes"]
        < 1.1 * collio["sent_busiest"]["bytes"] + 100_000
    )
    assert document["command"].startswith("collio bench interleave --lab pair ")
