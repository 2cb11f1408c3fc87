"""What ranks left for `collio run --trace`, as a trace that Perfetto and chrome://tracing open.

Each of the first ranks appends lines to a file of its own (src/observe/trace.cpp). Times are microseconds of
the node's clock; a step is a number of its name:

    {"rank": 0, "host": "nid1", "left_out": 0, "names": ["flatten", ...],
     "calls": [[operation, path, file, bytes, thread, begin, duration], ...],
     "steps": [[step, thread, begin, duration], ...]}
"""

from __future__ import annotations

import glob
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

THREADS = 16
"""Of a rank, that have a track each; further ones share the last."""


class Written(NamedTuple):
    """`left_out`: events beyond what a rank may write."""

    ranks: int
    events: int
    left_out: int


def prefix_of(trace_file: Path, process: int) -> Path:
    """The files of the processes begin with it, next to the trace, where nodes can reach them."""
    return trace_file.absolute().with_name(f".{trace_file.name}.{process}")


def gather(prefix: Path, trace_file: Path) -> Written:
    """Writes the trace, gzipped, and removes the files of the processes. Raises OSError."""
    parts = sorted(prefix.parent.glob(f"{glob.escape(prefix.name)}.*"))
    hosts: list[str] = []
    tracks: set[tuple[int, int]] = set()
    left_out: dict[int, int] = {}
    count = 0
    with gzip.open(trace_file, "wt", encoding="utf-8") as file:
        file.write('{"displayTimeUnit":"ms","traceEvents":[')
        for line in (line for part in parts for line in _lines(part)):  # one at a time: a trace is long
            left_out[line["rank"]] = line["left_out"]
            if line["host"] not in hosts:
                hosts.append(line["host"])
            for event in _events(line, hosts.index(line["host"])):
                tracks.add((event["pid"], event["tid"]))
                file.write(_text(event) + ",")
                count += 1
        names = _names(hosts, sorted(tracks))
        file.write(",".join(map(_text, names)) + "]}")
    for part in parts:
        part.unlink()
    return Written(len(left_out), count, sum(left_out.values()))


def _text(event: dict[str, Any]) -> str:
    return json.dumps(event, separators=(",", ":"))


def _lines(part: Path) -> Iterator[dict[str, Any]]:
    """A job that was killed may end in half a line."""
    for line in part.read_text(encoding="utf-8", errors="replace").split("\n"):
        try:
            yield json.loads(line)
        except ValueError:
            continue


def _events(line: dict[str, Any], node: int) -> Iterator[dict[str, Any]]:
    place = {"ph": "X", "pid": node}
    for operation, path, file, size, thread, begin, duration in line["calls"]:
        about = {"path": path, "file": file, "bytes": size}
        track = _track(line["rank"], thread)
        yield {
            "name": operation,
            "cat": "call",
            "ts": begin,
            "dur": duration,
            "args": about,
            "tid": track,
            **place,
        }
    for step, thread, begin, duration in line["steps"]:
        track = _track(line["rank"], thread)
        yield {
            "name": line["names"][step],
            "cat": "step",
            "ts": begin,
            "dur": duration,
            "tid": track,
            **place,
        }


def _track(rank: int, thread: int) -> int:
    """Calls of one thread lie in each other, and have a track."""
    return THREADS * rank + min(thread, THREADS - 1)


def _names(hosts: list[str], tracks: list[tuple[int, int]]) -> Iterator[dict[str, Any]]:
    """Of the nodes, which are processes to the viewer, and of the ranks, its threads."""
    for number, host in enumerate(hosts):
        yield {"name": "process_name", "ph": "M", "pid": number, "tid": 0, "args": {"name": host}}
    for node, track in tracks:
        rank, thread = divmod(track, THREADS)
        name = f"rank {rank}" + (f", thread {thread}" if thread else "")
        place = {"pid": node, "tid": track}
        yield {"name": "thread_name", "ph": "M", **place, "args": {"name": name}}
        yield {"name": "thread_sort_index", "ph": "M", **place, "args": {"sort_index": track}}
