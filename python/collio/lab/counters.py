"""What crossed the lab's links: the kernel's own counters, headers and acknowledgements included."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass

from collio.lab import network
from collio.machine_file import Graph


@dataclass(frozen=True)
class LinkBytes:
    """Bytes over one link, from its end a to its end b, and back."""

    there: int
    back: int

    def __sub__(self, before: LinkBytes) -> LinkBytes:
        return LinkBytes(self.there - before.there, self.back - before.back)


def read(graph: Graph) -> list[LinkBytes]:
    """Bytes over every link since the lab began. Runs inside the lab; one process a vertex."""
    sent = [_sent(name) for name in network.names(graph)]
    return [
        LinkBytes(sent[link.a][network.interface(index)], sent[link.b][network.interface(index)])
        for index, link in enumerate(graph.links)
    ]


def since(graph: Graph, before: list[LinkBytes]) -> list[LinkBytes]:
    """Bytes over every link since `before` was read."""
    return [now - then for now, then in zip(read(graph), before)]


def _sent(namespace: str) -> dict[str, int]:
    text = subprocess.run(
        ["ip", "-n", namespace, "-s", "-j", "link"], capture_output=True, text=True, check=True
    ).stdout
    return {entry["ifname"]: entry["stats64"]["tx"]["bytes"] for entry in json.loads(text)}
