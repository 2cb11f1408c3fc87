"""`collio topo --measure`: with a made-up measuring program that answers for a simulated network, and in labs
under every MPI."""

import json
import sys
import time
from pathlib import Path

import pytest

from collio.builds import Build
from collio.lab import namespaces
from collio.machine_file import Graph, expand, load_machine
from collio.mpi_libraries import find_mpi_libraries
from collio.run import launch
from collio.topo.measured import cache_folder
from collio.topo.session import PROGRAM, MeasureError, Session
from lab_stage import has_fuse

# Begins as a shell script: a first line holds no path with spaces.
ANSWERS = """#!/bin/sh
''':'
exec "{python}" "$0" "$@"
' '''
import json, os, sys
sys.path[:0] = {path!r}
from test_topo_grouping import Simulated, flat, tree
open({log!r}, "a").write(" ".join(sys.argv[1:]) + chr(10))
print("[hydra] chatter", flush=True)
print("{{}} chatter", flush=True)
names = [f"h{{n}}" for n in range(int(os.environ.get("FAKE_NODES", "8")))]
print(json.dumps({{"nodes": names}}), flush=True)
network = Simulated(flat(tree(8, 2, "400Mbit/s")))
for count, line in enumerate(sys.stdin):
    flows, milliseconds, size = line.split()
    pairs = [tuple(map(int, one.split("-"))) for one in flows.split(",")]
    if count == int(os.environ.get("FAKE_DIES_AFTER", "-1")):
        sys.exit("out of luck")
    if milliseconds == "0":
        print(json.dumps({{"latency_s": network.latency_s(*pairs[0])}}), flush=True)
    else:
        for rate in network.rates(pairs):
            print(json.dumps({{"bytes_per_s": rate, "bytes": rate / 10, "seconds": 0.1}}), flush=True)
"""


@pytest.fixture
def fake(site, tmp_path, monkeypatch):
    """The measuring program of the made-up MPICH; what it was started with."""
    log = tmp_path / "started"
    text = ANSWERS.format(python=sys.executable, path=[str(Path(__file__).parent), *sys.path], log=str(log))
    site._write(site.interposer["mpich"].parents[1] / "bin" / PROGRAM, text, executable=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return lambda: log.read_text().splitlines() if log.exists() else []


def test_a_job_is_measured_once(site, fake, cli, tmp_path):
    done = cli(
        "topo", "--measure", "--output", tmp_path / "graph.json", "--", site.mpiexec["mpich"], "-n", "8"
    )
    assert done.exit_code == 0, done.output
    graph = Graph.from_json((tmp_path / "graph.json").read_text())
    assert [node.name for node in graph.nodes] == [f"h{index}" for index in range(8)] and graph.switches == (
        "group0",
        "group1",
        "root",
    )
    assert "└── h[0-3]  4 x 39" in done.output, "rates that differ by noise are one"
    assert "measured: " in done.output and fake() == ["--ask"]
    (kept,) = cache_folder().iterdir()
    assert Graph.from_json(kept.read_text()) == graph and str(kept) in done.output
    again = cli("topo", "--measure", "--", site.mpiexec["mpich"], "-n", "8")
    assert f"kept in {kept} (--again measures again)" in again.output
    kept.write_bytes(kept.read_bytes()[:100] + b"\xff")
    damaged = cli("topo", "--measure", "--", site.mpiexec["mpich"], "-n", "8")
    assert "measured: " in damaged.output and Graph.from_json(kept.read_text()) == graph
    anew = cli("topo", "--measure", "--again", "--", site.mpiexec["mpich"], "-n", "8")
    assert "measured: " in anew.output and len(fake()) == 4


def test_one_node_has_no_network(site, fake, cli, monkeypatch):
    monkeypatch.setenv("FAKE_NODES", "1")
    done = cli("topo", "--measure", "--", site.mpiexec["mpich"], "-n", "8")
    assert done.exit_code == 1 and "all ranks are on one node (h0); a network needs two" in done.output


def test_a_program_that_dies_is_quoted(site, fake, cli, monkeypatch):
    monkeypatch.setenv("FAKE_DIES_AFTER", "5")
    done = cli("topo", "--measure", "--", site.mpiexec["mpich"], "-n", "8")
    assert done.exit_code == 1 and "ended with exit code 1: out of luck" in done.output
    assert not cache_folder().exists()


def test_what_cannot_be_started(site, fake, cli):
    missing = cli("topo", "--measure", "--", site.mpiexec["openmpi"], "-n", "8")
    assert missing.exit_code == 1 and f"{PROGRAM} is missing" in missing.output
    program = cli("topo", "--measure", "--", site.mpiexec["mpich"], "-n", "8", site.show_environment)
    assert program.exit_code == 1 and "a program is not allowed here" in program.output


def test_no_answer_ends_the_job():
    job = launch.Job([sys.executable, "-c", "import time; print('{}', flush=True); time.sleep(60)"], {})
    began = time.monotonic()
    with pytest.raises(MeasureError, match="no answer after 0.5 s"), Session(job, 0.5) as session:
        session.latency_s(0, 1)
    assert time.monotonic() - began < 30
    with pytest.raises(MeasureError, match="cannot start /no/such"), Session(launch.Job(["/no/such"], {}), 1):
        pass


# --- in labs ------------------------------------------------------------------------------------


@pytest.fixture(params=["mpich", "openmpi"])
def mpi(request):
    """The first MPI of a family that the measuring program is built for; skips where no lab can be built."""
    lacking = namespaces.missing()
    if lacking:
        pytest.skip(lacking)
    for one in find_mpi_libraries():
        if (
            one.family == request.param
            and one.mpiexec
            and Build.of(one).exists
            and Build.of(one).program(PROGRAM).is_file()
        ):
            return one
    pytest.skip(f"{PROGRAM} is built for no {request.param}")


def in_lab(collio_process, machine, mpi, *words):
    done = collio_process("topo", "--measure", "--lab", machine, "--mpi", mpi.id, "--json", *words)
    assert done.returncode == 0, done.stderr
    return Graph.from_json(json.dumps(json.loads(done.stdout)["graph"]))


def test_a_pair_in_the_lab(collio_process, mpi):
    """Other work on this machine makes links look slow, so there are three tries."""
    promised = expand(load_machine("pair"))
    for _ in range(3):
        graph = in_lab(collio_process, "pair", mpi)
        if all(link.rate_bytes_per_s > 0.5 * 125e6 and link.latency_s < 1e-3 for link in graph.links):
            break
    assert graph.nodes == tuple(type(node)(node.name, 1) for node in promised.nodes) and graph.switches == (
        "switch",
    )
    for link in graph.links:
        assert 0.5 < link.rate_bytes_per_s / 125e6 < 1.15 and 0 < link.latency_s < 1e-3


def test_racks_in_the_lab(collio_process, mpi, tmp_path):
    if not has_fuse():
        pytest.skip("no storage targets, which this lab has: they are not built, or there is no /dev/fuse")
    graph = in_lab(collio_process, "tree-oversubscribed", mpi, "--svg", tmp_path / "racks.svg")
    assert [node.name for node in graph.nodes] == [f"node{index}" for index in range(8)]
    assert graph.switches == ("group0", "group1", "root"), "the racks, though latencies do not tell them"
    assert [link.b for link in graph.links[:8]] == [8, 8, 8, 8, 9, 9, 9, 9]
    assert all(0.7 < link.rate_bytes_per_s / 50e6 < 1.2 for link in graph.links), (
        "nodes' links and uplinks are of 400 Mbit/s"
    )
    assert (tmp_path / "racks.svg").read_text().startswith("<svg")
