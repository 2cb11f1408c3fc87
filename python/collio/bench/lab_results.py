"""What a benchmark in a lab adds to its results: bytes over every link, the busiest, and what its rate makes
of them."""

from __future__ import annotations

import statistics

from rich.console import Console

from collio.bench.rounds import Samples
from collio.lab import traffic
from collio.lab.counters import LinkBytes
from collio.machine_file import Graph
from collio.machine_file.units import format_rate
from collio.plain_json import JsonObject
from collio.wording import format_bytes, format_seconds


def summary(graph: Graph, all_samples: list[Samples]) -> JsonObject:
    """Medians over each engine's runs, all operations and the start of the job included. Bytes are [there,
    back] a link.

    What collio foresaw and sent is of the run with a report.
    """
    return {
        "machine": graph.name,
        "nodes": len(graph.nodes),
        "links": [
            {"name": graph.link_name(index), "rate_bytes_per_s": link.rate_bytes_per_s}
            for index, link in enumerate(graph.links)
        ],
        "engines": {
            samples.engine.label: _engine(graph, samples) for samples in all_samples if samples.links
        },
    }


def print_summary(console: Console, document: JsonObject) -> None:
    """A line for each engine; nothing for a benchmark outside of a lab."""
    lab = document.get("lab")
    if not lab:
        return
    console.print(f"\n[bold]{lab['machine']}[/], the busiest way over a link, whole runs:", highlight=False)
    for label, engine in lab["engines"].items():
        way, foreseen = engine["busiest"], engine.get("foreseen_busiest")
        told = (
            f"  {label}: {way['name']} {format_bytes(way['bytes'])}, {format_seconds(way['at_rate_s'])} "
            f"at {format_rate(way['rate_bytes_per_s'])}"
        )
        if foreseen:
            told += (
                f"; the plans foresaw {format_bytes(foreseen['bytes'])}, "
                f"{format_seconds(foreseen['at_rate_s'])}"
            )
        console.print(told, highlight=False)


def _engine(graph: Graph, samples: Samples) -> JsonObject:
    links = [
        LinkBytes(
            *(
                round(statistics.median(getattr(run[index], way) for run in samples.links))
                for way in ("there", "back")
            )
        )
        for index in range(len(graph.links))
    ]
    told = {"bytes": [[over.there, over.back] for over in links], "busiest": _busiest(graph, links)}
    said = traffic.said_by(graph, samples.files)
    if said:
        told["foreseen_busiest"] = _busiest(graph, said.foreseen)
        told["sent_busiest"] = _busiest(graph, said.sent)
    return told


def _busiest(graph: Graph, links: list[LinkBytes]) -> JsonObject:
    way = traffic.ways(graph, links)[0]
    return {
        "name": way.name(graph),
        "bytes": way.bytes,
        "rate_bytes_per_s": graph.links[way.link].rate_bytes_per_s,
        "at_rate_s": way.at_rate_s(graph),
    }
