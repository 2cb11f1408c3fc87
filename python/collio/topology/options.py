"""What the user says beside a topology file: what such files leave out."""

from __future__ import annotations

from dataclasses import dataclass

USUAL_LINK_BYTES_PER_S = 12.5e9
"""100 Gbit/s: of a node's link where neither file nor user gives a rate."""


@dataclass(frozen=True)
class Options:
    """None: not said. Rates in bytes a second, of a node's link and of one between switches.
    `speed_unit_bytes_per_s` is that of a LinkSpeed of 1, `nodes` the names of those that are wanted."""

    link_bytes_per_s: float | None = None
    uplink_bytes_per_s: float | None = None
    latency_s: float = 0.0
    speed_unit_bytes_per_s: float = 125e6
    nodes: tuple[str, ...] | None = None
    ranks: int = 1
