"""`collio doctor` across the nodes of a lab: all well, and one thing missing on one node or on all."""

import json
import os
import shutil
import subprocess
import sys

import pytest
import shared_memory

from collio.builds import INTERPOSER, Build
from collio.lab import namespaces, network
from collio.run import mpiexec

NODES = 3
MACHINE = f"""
format = "collio-machine/1"
name = "small"
[nodes]
count = {NODES}
ranks = 1
[network]
shape = "switch"
link = "200Mbit/s"
"""
CLUSTER = mpiexec.Cluster(
    namespaces.HOME / "agent",
    [(f"node{index}", 1) for index in range(NODES)],
    network.CONTROL,
    network.DATA,
    namespaces.HOME,
)
ENTER = (
    "import os, sys; from collio.lab import namespaces; sys.exit(namespaces.enter('collio.lab.build', "
    "sys.argv[1:], dict(os.environ), lambda pid: None))"
)
LAUNCHER = """#!/bin/sh
# Starts the program by way of a script.
case "$*" in --version) exec {mpiexec} --version ;; esac
total=$# at=0
for word; do
  at=$((at + 1))
  [ $at -eq $((total - 1)) ] && set -- "$@" {inner}
  set -- "$@" "$word"
done
shift $total
exec {mpiexec} "$@"
"""


@pytest.fixture
def examine(real_mpi, tmp_path):
    """Runs the doctor in a lab, the ranks of node1 after `on_node1`; gives its findings by name."""
    lacking = namespaces.missing()
    if lacking:
        pytest.skip(lacking)

    def run(on_node1=":", folder=namespaces.HOME / "memory"):
        machine, inner, launcher = (tmp_path / name for name in ("machine.toml", "inner", "mpiexec"))
        machine.write_text(MACHINE)
        inner.write_text(f'#!/bin/sh\nif [ "$(hostname)" = node1 ]; then {on_node1}; fi\nexec "$@"\n')
        launcher.write_text(LAUNCHER.format(mpiexec=real_mpi.mpiexec, inner=inner))
        inner.chmod(0o755)
        launcher.chmod(0o755)
        preloads = mpiexec.preloads(real_mpi, Build.of(real_mpi))
        environ = {
            **os.environ,
            **mpiexec.environment(real_mpi, CLUSTER),
            **({"LD_PRELOAD": ":".join(preloads)} if preloads else {}),
        }
        words = [
            "doctor",
            "--json",
            "--timeout",
            "40",
            "--dir",
            folder,
            "--",
            launcher,
            *mpiexec.options(real_mpi, CLUSTER),
        ]
        done = subprocess.run(
            [sys.executable, "-c", ENTER, machine, *map(str, words)],
            env=environ,
            capture_output=True,
            text=True,
            timeout=100,
        )
        assert done.stdout, done.stderr
        return {finding["name"]: finding for finding in json.loads(done.stdout)["findings"]}

    return run


@pytest.fixture
def others(real_mpi):
    """LD_PRELOAD without collio: what the MPI library needs to end over TCP stays."""
    return ":".join(mpiexec.preloads(real_mpi, Build.of(real_mpi)))


def wrong(found):
    return {name for name, finding in found.items() if finding["state"] == "wrong"}


def test_all_is_well(examine):
    found = examine()
    assert not wrong(found), found
    assert f"{NODES} ranks on {NODES} nodes" in found["job"]["found"]
    assert (
        "the least of the nodes" in found["shared memory"]["found"]
        and "bytes written and read back" in found["collective I/O"]["found"]
    )


def test_preload_that_is_missing_on_one_node(examine, others):
    """The job ends all the same: no rank waits for what the one without never sends."""
    found = examine(f"export LD_PRELOAD={others}")
    assert wrong(found) == {"preload"}
    assert "not on rank 1 on node1, though other variables arrived" in found["preload"]["found"]
    assert (
        found["collective I/O"]["found"]
        == found["engine"]["found"]
        == "not tried: the preload is not on all ranks"
    )


def test_engine_that_is_missing_on_one_node(examine, others, real_mpi, tmp_path):
    shutil.copy2(Build.of(real_mpi).interposer, tmp_path)
    found = examine(f"export LD_PRELOAD={tmp_path / INTERPOSER}:{others}")
    assert wrong(found) == {"engine"}
    assert "not on rank 1 on node1: the engine cannot be loaded" in found["engine"]["found"]


@shared_memory.needed
def test_folder_that_each_node_has_for_itself(examine):
    found = examine(folder="/dev/shm")
    assert wrong(found) == {"file system"}
    assert "ranks 0, 1, 2 on node0, node1, node2 cannot see" in found["file system"]["found"]
    assert {found[name]["found"] for name in ("engine", "collective I/O", "locks")} == {
        "not tried: DIR is not on all nodes"
    }
