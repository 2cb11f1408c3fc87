"""What ranks left for `collio run --trace`, as a trace that Perfetto and chrome://tracing open.

Each process appends lines to a file of its own (src/observe/trace.cpp): {"rank", "host", "left_out", "names",
"calls": [[operation, path, file, bytes, thread, begin, duration], ...], "steps": [[name, thread, begin,
duration], ...]}, in microseconds of the node's clock.
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
    """`left_out`: events that no rank had room for."""

    ranks: int
    events: int
    left_out: int


def prefix_of(trace_file: Path, process: int) -> Path:
    """The files of the processes begin with it, next to the trace, where nodes can reach them."""
    return trace_file.absolute().with_name(f".{trace_file.name}.{process}")


def gather(prefix: Path, trace_file: Path) -> Written:
    """Writes the trace, gzipped, and removes the files of the processes. Raises OSError."""
    parts = sorted(prefix.parent.glob(f"{glob.escape(prefix.name)}.*"))
    lines = [line for part in parts for line in _lines(part)]
    hosts = list(dict.fromkeys(str(line["host"]) for line in lines))
    events = [event for line in lines for event in _events(line, hosts)]
    begin = min((event["ts"] for event in events), default=0)
    for event in events:
        event["ts"] -= begin
    named = [*_names(events, hosts), *events]
    with gzip.open(trace_file, "wt", encoding="utf-8") as file:
        json.dump({"displayTimeUnit": "ms", "traceEvents": named}, file, separators=(",", ":"))
    for part in parts:
        part.unlink()
    left_out: dict[int, int] = {}
    for line in lines:
        left_out[line["rank"]] = max(left_out.get(line["rank"], 0), line["left_out"])
    return Written(len(left_out), len(events), sum(left_out.values()))


def _lines(part: Path) -> Iterator[dict[str, Any]]:
    """A job that was killed may end in half a line."""
    for line in part.read_text(encoding="utf-8", errors="replace").split("\n"):
        try:
            yield json.loads(line)
        except ValueError:
            continue


def _events(line: dict[str, Any], hosts: list[str]) -> Iterator[dict[str, Any]]:
    place = {"ph": "X", "pid": hosts.index(line["host"])}
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


def _names(events: list[dict[str, Any]], hosts: list[str]) -> Iterator[dict[str, Any]]:
    """Of the nodes, which are processes to the viewer, and of the ranks, its threads."""
    for number, host in enumerate(hosts):
        yield {"name": "process_name", "ph": "M", "pid": number, "tid": 0, "args": {"name": host}}
    tracks = {(event["pid"], event["tid"]) for event in events}
    for node, track in sorted(tracks):
        rank, thread = divmod(track, THREADS)
        name = f"rank {rank}" + (f", thread {thread}" if thread else "")
        place = {"pid": node, "tid": track}
        yield {"name": "thread_name", "ph": "M", **place, "args": {"name": name}}
        yield {"name": "thread_sort_index", "ph": "M", **place, "args": {"sort_index": track}}
