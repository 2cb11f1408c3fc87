"""The lab's nodes: for each a host name, its own /dev/shm and its own IPC objects, beside its own network.

A process that does nothing holds these namespaces; the agent, a script the MPI launchers take for ssh, enters
them.
"""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

from collio.lab import network
from collio.machine_file import Graph
from collio.run.mpiexec import Cluster

_HOLD = 'hostname "$1" && mount -t tmpfs -o size=50% tmpfs /dev/shm && echo up && exec sleep infinity'


def start(graph: Graph, folder: Path) -> Cluster:
    """Makes the nodes' namespaces and the agent, whose files go to `folder`. Raises NetworkError.

    Mounts made before are seen on every node; later ones are not.
    """
    _name_everyone(graph, folder)
    pids = folder / "nodes"
    pids.mkdir()
    holders = [_hold(node.name) for node in graph.nodes]
    for node, holder in zip(graph.nodes, holders):
        assert holder.stdout and holder.stderr, "both are pipes"
        if holder.stdout.readline() != "up\n":
            raise network.NetworkError(f"node {node.name} does not start: {holder.stderr.read().strip()}")
        (pids / node.name).write_text(f"{holder.pid}\n")
    agent = folder / "agent"
    agent.write_text(_AGENT.format(pids=shlex.quote(str(pids))))
    agent.chmod(0o755)
    return Cluster(
        agent, [(node.name, node.ranks) for node in graph.nodes], network.CONTROL, network.DATA, folder
    )


_AGENT = """#!/bin/sh
# Takes the place of ssh: [options] HOST COMMAND...
while :; do case "$1" in -*) shift ;; *) break ;; esac; done
host=$1; shift
if ! read -r pid < {pids}/"$host"; then echo "collio lab: no node is named $host" >&2; exit 255; fi
exec nsenter --target "$pid" --net --uts --mount --ipc -- /bin/sh -c "$*"
"""


def _hold(name: str) -> subprocess.Popen[str]:
    words = [
        "ip",
        "netns",
        "exec",
        name,
        "unshare",
        "--uts",
        "--mount",
        "--ipc",
        "sh",
        "-c",
        _HOLD,
        "sh",
        name,
    ]
    return subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def _name_everyone(graph: Graph, folder: Path) -> None:
    """Lays a hosts file over /etc/hosts, in the lab's own mount namespace."""
    lines = ["127.0.0.1 localhost"]
    lines += [f"{network.address(graph, index)} {node.name}" for index, node in enumerate(graph.nodes)]
    hosts = folder / "hosts"
    hosts.write_text("\n".join(lines) + "\n")
    done = subprocess.run(["mount", "--bind", str(hosts), "/etc/hosts"], capture_output=True, text=True)
    if done.returncode:
        raise network.NetworkError(f"/etc/hosts: {done.stderr.strip()}")
