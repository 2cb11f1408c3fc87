"""The lab's network: a network namespace for every vertex of the graph, a shaped veth pair for every link.

Every vertex routes (layer 3), so that any graph works, loops included, and every packet takes the graph's
own static route. A vertex has one address, on its interface "data"; links have none: a route goes "via" the
neighbour's address on the link. Each direction of a link is shaped by a token bucket where it begins.

Runs inside the lab's own namespaces (namespaces.py); whatever is made here ends with them.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from collio.machine_file import Graph

DATA = "data"
CONTROL = "ctl"
CONTROL_PREFIX = "10.66"
"""The launcher's own network, unshaped: starting ranks is not what is measured."""

MTU_BYTES = 9000
QUEUE_BYTES = 64 << 20
"""Of each direction of a link: what senders of one window each can have under way, so that nothing is
dropped.

Networks of clusters hold senders back instead of dropping; here TCP's windows do.
"""

WINDOW_BYTES = 1 << 20  # of one TCP connection
SETTINGS = {
    "net.ipv4.ip_forward": "1",
    "net.ipv4.conf.all.rp_filter": "0",
    "net.ipv4.conf.default.rp_filter": "0",
    "net.ipv4.tcp_congestion_control": "reno",
    "net.ipv4.tcp_rmem": f"4096 131072 {WINDOW_BYTES}",
    "net.ipv4.tcp_wmem": f"4096 65536 {WINDOW_BYTES}",
    "net.ipv4.tcp_slow_start_after_idle": "0",
    "net.ipv4.tcp_no_metrics_save": "1",
}


class NetworkError(Exception):
    """The kernel refused a part of the network; the message says which."""


def names(graph: Graph) -> list[str]:
    """Names of all vertices, nodes first: also those of their network namespaces."""
    return [graph.vertex_name(vertex) for vertex in range(graph.vertices)]


def address(graph: Graph, vertex: int) -> str:
    """Address of a vertex on the lab's data network."""
    nodes = len(graph.nodes)
    kind, number = (77, vertex) if vertex < nodes else (78, vertex - nodes)
    return f"10.{kind}.{(number + 1) >> 8}.{(number + 1) & 255}"


def interface(link: int) -> str:
    """Name of a link's interface, at both of its ends."""
    return f"link{link}"


def build(graph: Graph) -> None:
    """Makes all of it. Raises NetworkError."""
    Path("/run/netns").mkdir(parents=True, exist_ok=True)
    everyone = names(graph)
    _ip([f"netns add {name}" for name in everyone])
    _lay_control_network(graph)
    _ip(
        [
            line
            for index, link in enumerate(graph.links)
            for line in _veth(index, everyone[link.a], everyone[link.b])
        ]
    )
    for vertex, name in enumerate(everyone):
        _settle(name)
        mine = [index for index, link in enumerate(graph.links) if vertex in (link.a, link.b)]
        _ip(_interfaces(address(graph, vertex), mine), name)
        _ip(_routes(graph, vertex), name)
        _tc([_shape(interface(index), graph.links[index].rate_bytes_per_s) for index in mine], name)


def bucket_bytes(rate_bytes_per_s: float) -> int:
    """Size of a token bucket: 1 ms of the rate, but room for the largest packet a host hands down.

    What is in it after a pause passes at once. So it is small: with 4 ms, messages to and fro saw twice the
    rate. Sustained rates do not suffer, as the kernel's timer refills it much more often.
    """
    return max(66 << 10, int(rate_bytes_per_s * 0.001))


def _lay_control_network(graph: Graph) -> None:
    head = [
        "link set lo up",
        f"link add {CONTROL} type bridge",
        f"addr add {CONTROL_PREFIX}.0.1/16 dev {CONTROL}",
        f"link set {CONTROL} up",
    ]
    for index, node in enumerate(graph.nodes):
        head += [
            f"link add {CONTROL}{index} type veth peer name {CONTROL} netns {node.name}",
            f"link set {CONTROL}{index} master {CONTROL} up",
        ]
    _ip(head)
    for index, node in enumerate(graph.nodes):
        number = index + 2
        _ip(
            [
                f"addr add {CONTROL_PREFIX}.{number >> 8}.{number & 255}/16 dev {CONTROL}",
                f"link set {CONTROL} up",
            ],
            node.name,
        )


def _veth(index: int, one: str, other: str) -> list[str]:
    name = interface(index)
    return [
        f"link add {name} netns {one} mtu {MTU_BYTES} type veth peer name {name} netns {other} mtu "
        f"{MTU_BYTES}"
    ]


def _settle(name: str) -> None:
    words = [f"{key}={value}" for key, value in SETTINGS.items()]
    _run(["ip", "netns", "exec", name, "sysctl", "-q", "-w", *words], f"settings of {name}")


def _interfaces(own: str, links: list[int]) -> list[str]:
    # A bridge without ports stands in for a dummy interface, which not every kernel has.
    lines = [
        "link set lo up",
        f"link add {DATA} mtu {MTU_BYTES} type bridge",
        f"addr add {own}/32 dev {DATA}",
        f"link set {DATA} up",
    ]
    return lines + [f"link set {interface(index)} up" for index in links]


def _routes(graph: Graph, vertex: int) -> list[str]:
    """To every node by the graph's next link; and to the neighbours themselves, for their answers."""
    source = f" src {address(graph, vertex)}"
    lines = []
    for node, index in enumerate(graph.next[vertex]):
        if index < 0:
            continue
        link = graph.links[index]
        neighbour = link.b if link.a == vertex else link.a
        lines.append(
            f"route add {address(graph, node)}/32 via {address(graph, neighbour)} dev {interface(index)} "
            f"onlink{source}"
        )
    return lines


def _shape(name: str, rate_bytes_per_s: float) -> str:
    return (
        f"qdisc add dev {name} root tbf rate {round(rate_bytes_per_s * 8)}bit burst "
        f"{bucket_bytes(rate_bytes_per_s)} limit {QUEUE_BYTES}"
    )


def _ip(lines: list[str], namespace: str | None = None) -> None:
    _batch(["ip", *(["-n", namespace] if namespace else []), "-batch", "-"], lines)


def _tc(lines: list[str], namespace: str) -> None:
    _batch(["tc", "-n", namespace, "-batch", "-"], lines)


def _batch(command: list[str], lines: list[str]) -> None:
    if lines:
        _run(command, " ".join(command), "\n".join(lines) + "\n")


def _run(command: list[str], what: str, text: str = "") -> None:
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        raise NetworkError(
            f"{what}: {done.stderr.strip() or done.stdout.strip() or f'exit code {done.returncode}'}"
        )
