"""The network in a report: where the job's nodes lie in it, and what a file's calls sent between them.

The engine's line about a file has it as "network" when there are several nodes, or COLLIO_MACHINE is set
(src/engine/report/network_report.hpp has the form). "traffic" was counted; "expected" is what the plans alone
foresaw of the data.
"""

from __future__ import annotations

from typing import NamedTuple

from rich.table import Table

from collio.report.records import FileRecord, Network, Traffic
from collio.wording import counted, format_bytes, format_seconds

LARGEST_ON_TERMINAL = 8
"""Nodes of a matrix on the terminal; a larger one is given by its largest flows."""

LARGEST_ON_PAGE = 16
"""Nodes of the table when there is no matrix: those that send most."""


def network_of(file: FileRecord) -> Network:
    """The network of a file's line; empty where there is none."""
    network = file.get("network")
    return network if isinstance(network, dict) else {}


def lines(file: FileRecord) -> list[str]:
    """What there is to say about the network, each in one line."""
    network = network_of(file)
    told = [place(network)] if network.get("name") is not None else []
    if network.get("unknown"):
        told.append(f"network unknown: {network['unknown']}")
    for traffic, title in (
        (network.get("traffic"), "between nodes"),
        (network.get("expected"), "foreseen by the plans"),
    ):
        if isinstance(traffic, dict):
            told.append(f"{title}: {traffic_line(traffic)}")
    return told


def place(network: Network) -> str:
    """ "network two racks, 8 nodes; this job's are 2 to 4 hops apart"."""
    text = f"network {network['name']}, {counted(int(network.get('nodes', 0)), 'node')}"
    hops = network.get("hops") or {}
    least, most = int(hops.get("min", 0)), int(hops.get("max", 0))
    if most == 0:
        return text
    return (
        f"{text}; this job's are {counted(most, 'hop') if least == most else f'{least} to {most} hops'} apart"
    )


def traffic_line(traffic: Traffic) -> str:
    """ "40 KiB, hop-bytes 120 KiB, busiest link rack0 to core: 20 KiB, 1.6 ms at least"."""
    parts = [format_bytes(traffic.get("bytes", 0))]
    if "hop_bytes" in traffic:
        parts.append(f"hop-bytes {format_bytes(traffic['hop_bytes'])}")
    if busiest := traffic.get("busiest"):
        parts.append(
            f"busiest link {busiest.get('from', '?')} to {busiest.get('to', '?')}: "
            f"{format_bytes(busiest.get('bytes', 0))}, "
            f"{format_seconds(busiest.get('seconds', 0.0))} at least"
        )
    return ", ".join(parts)


def names(network: Network, nodes: int) -> list[str]:
    """The hosts' names where they tell nodes apart, else the numbers."""
    hosts = [str(host) for host in network.get("hosts", ())]
    return hosts if len(set(hosts)) == nodes else [str(number) for number in range(nodes)]


def flows(traffic: Traffic | None) -> dict[tuple[int, int], int]:
    """{(from, to): bytes}."""
    return {(int(start), int(end)): int(count) for start, end, count in (traffic or {}).get("flows", ())}


def node_count(network: Network) -> int:
    """Nodes of the job."""
    traffic = network.get("traffic") or {}
    return len(network.get("hosts", ())) or len(traffic.get("sent", ()))


def table(file: FileRecord) -> Table | None:
    """The matrix for the terminal, or the largest flows; None where nothing went between nodes."""
    network = network_of(file)
    moved, nodes = flows(network.get("traffic")), node_count(network)
    if not moved:
        return None
    labels = names(network, nodes)
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    if nodes > LARGEST_ON_TERMINAL:
        for title in ("from", "to", "largest flows"):
            shown.add_column(title)
        for (start, end), count in sorted(moved.items(), key=lambda item: -item[1])[:LARGEST_ON_TERMINAL]:
            shown.add_row(labels[start], labels[end], format_bytes(count))
        return shown
    shown.add_column("from, to")
    for label in labels:
        shown.add_column(label, justify="right")
    for start in range(nodes):
        shown.add_row(labels[start], *(_cell(moved, start, end) for end in range(nodes)))
    return shown


def _cell(moved: dict[tuple[int, int], int], start: int, end: int) -> str:
    return format_bytes(moved[start, end]) if (start, end) in moved else "·"


class Cell(NamedTuple):
    """Bytes that went, and those the plans foresaw."""

    moved: str
    foreseen: str


class Row(NamedTuple):
    """A node; None where no bytes went or were foreseen."""

    label: str
    cells: list[Cell | None]


class Shown(NamedTuple):
    """For the page: lines, and the table's titles and rows. There may be none."""

    lines: list[str]
    titles: list[str]
    rows: list[Row]


def shown(file: FileRecord) -> Shown:
    """The lines and the table for the page."""
    network = network_of(file)
    titles, rows = _matrix(network) if flows(network.get("traffic")) else _sums(network)
    return Shown(lines(file), titles, rows)


def _matrix(network: Network) -> tuple[list[str], list[Row]]:
    moved, foreseen = flows(network.get("traffic")), flows(network.get("expected"))
    nodes = node_count(network)
    labels = names(network, nodes)
    rows = [
        Row(
            labels[start],
            [_page_cell(moved.get((start, end), 0), foreseen.get((start, end), 0)) for end in range(nodes)],
        )
        for start in range(nodes)
    ]
    return ["from, to", *labels], rows


def _page_cell(moved: float, foreseen: float) -> Cell | None:
    return Cell(format_bytes(moved), format_bytes(foreseen)) if moved or foreseen else None


def _sums(network: Network) -> tuple[list[str], list[Row]]:
    """The nodes that send most, where there are too many for a matrix."""
    traffic: Traffic = network.get("traffic") or {}
    foreseen: Traffic = network.get("expected") or {}
    sent, received = list(traffic.get("sent", ())), list(traffic.get("received", ()))
    if not sent or len(sent) != len(received) or not any(sent):
        return [], []
    most = sorted(range(len(sent)), key=lambda node: -sent[node])[:LARGEST_ON_PAGE]
    rows = []
    for node in most:
        pairs = ((sent[node], foreseen.get("sent", ())), (received[node], foreseen.get("received", ())))
        rows.append(
            Row(
                str(node),
                [
                    _page_cell(count, list(expected)[node] if node < len(expected) else 0)
                    for count, expected in pairs
                ],
            )
        )
    return ["node", "sent", "received"], rows
