"""Bytes over the lab's links: measured, and as collio counted and foresaw them, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rich.console import Console
from rich.table import Table

from collio.lab.counters import LinkBytes
from collio.machine_file import Graph, route
from collio.machine_file.units import format_rate
from collio.report import network as report_network
from collio.report.records import FileRecord, Network
from collio.wording import format_bytes, format_seconds

MOST_ROWS = 8
"""Directions of links in a table; the busiest come first."""


@dataclass(frozen=True)
class ReportedBytes:
    """What reports of files say of every link: bytes that collio sent, and those its plans foresaw (data
    alone)."""

    sent: list[LinkBytes]
    foreseen: list[LinkBytes]


def said_by(graph: Graph, files: list[FileRecord]) -> ReportedBytes | None:
    """From the reports of collio's files; None where no report tells of traffic."""
    networks = [network for file in files if (network := report_network.network_of(file))]
    if not any("traffic" in network for network in networks):
        return None
    return ReportedBytes(_over_links(graph, networks, "traffic"), _over_links(graph, networks, "expected"))


@dataclass(frozen=True)
class LinkDirection:
    """One direction of a link and its bytes."""

    link: int
    there: bool
    bytes: int

    def at_rate_s(self, graph: Graph) -> float:
        """Seconds that the bytes take at the link's rate."""
        return self.bytes / graph.links[self.link].rate_bytes_per_s

    def name(self, graph: Graph) -> str:
        """ "rack0 to core"."""
        link = graph.links[self.link]
        start, end = (link.a, link.b) if self.there else (link.b, link.a)
        return f"{graph.vertex_name(start)} to {graph.vertex_name(end)}"

    def of(self, links: list[LinkBytes]) -> int:
        """What others say of this direction."""
        return links[self.link].there if self.there else links[self.link].back


def ways(graph: Graph, links: list[LinkBytes]) -> list[LinkDirection]:
    """Both directions of every link, the one that needs the longest at its rate first."""
    both = [
        LinkDirection(index, there, over.there if there else over.back)
        for index, over in enumerate(links)
        for there in (True, False)
    ]
    return sorted(both, key=lambda way: -way.at_rate_s(graph))


def print_table(
    console: Console, graph: Graph, measured: list[LinkBytes], said: ReportedBytes | None, title: str
) -> None:
    """The busiest ways of a run, at most 80 columns."""
    table = Table(
        title=f"{graph.name}: {title}", title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0)
    )
    columns = ("link", "rate", "measured", "at its rate", *(("collio sent", "foreseen") if said else ()))
    for name in columns:
        table.add_column(
            name, justify="left" if name == "link" else "right", header_style="dim", no_wrap=True
        )
    order = ways(graph, measured)
    for way in order[:MOST_ROWS]:
        others = (said.sent, said.foreseen) if said else ()
        rate = format_rate(graph.links[way.link].rate_bytes_per_s)
        table.add_row(
            way.name(graph),
            rate,
            format_bytes(way.bytes),
            format_seconds(way.at_rate_s(graph)),
            *(format_bytes(way.of(links)) for links in others),
        )
    console.print(table)
    if len(order) > MOST_ROWS:
        console.print(f"[dim]and {len(order) - MOST_ROWS} ways less busy[/]", highlight=False)


def _over_links(
    graph: Graph, networks: list[Network], key: Literal["traffic", "expected"]
) -> list[LinkBytes]:
    """The flows between nodes, laid along the graph's routes."""
    number = {node.name: index for index, node in enumerate(graph.nodes)}
    sums = [[0, 0] for _ in graph.links]
    for network in networks:
        hosts = [str(host) for host in network.get("hosts", ())]
        for (start, end), count in report_network.flows(network.get(key)).items():
            for link, vertex in route(graph, number[hosts[start]], number[hosts[end]]):
                sums[link][vertex != graph.links[link].a] += count
    return [LinkBytes(there, back) for there, back in sums]
