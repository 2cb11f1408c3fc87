"""What goes over a running lab's links. Runs inside it: python -m collio.lab.top SECONDS [once]"""

from __future__ import annotations

import contextlib
import sys
import time

from rich.console import Console

from collio.lab import build, counters, traffic
from collio.machine_file import Graph


def main(every_s: float, once: bool) -> None:
    """Prints a table every so often, until interrupted or the lab ends."""
    graph = Graph.from_json(build.GRAPH_FILE.read_text())
    console = Console()
    before, then = counters.read(graph), time.monotonic()
    while True:
        time.sleep(every_s)
        links, now = counters.read(graph), time.monotonic()
        if console.is_terminal and not once:
            console.clear()
        traffic.print_table(
            console,
            graph,
            [a - b for a, b in zip(links, before)],
            None,
            f"bytes over links in {now - then:.1f} s",
        )
        if once:
            return
        before, then = links, now


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main(float(sys.argv[1]), "once" in sys.argv[2:])
