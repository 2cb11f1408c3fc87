"""Slurm's topology.conf of the tree plugin (switches with nodes or switches below) and of the block plugin.

Slurm's LinkSpeed is a number without a unit, "currently not used": it is taken as that of a switch's links
downwards, in a unit the user may name. Without it the links of nodes have a usual rate, and a switch's link
upwards carries as much as the links of all nodes below it: the file does not say how many cables there are.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from collio.machine_file.errors import MachineFileError
from collio.machine_file.units import format_rate
from collio.topology.cabling import Cabling
from collio.topology.options import USUAL_LINK_BYTES_PER_S, Options
from collio.topology.slurm_lines import Line, read_lines


@dataclass
class _Switch:
    line: Line | None
    vertex: int
    nodes: list[int] = field(default_factory=list)
    switches: list[str] = field(default_factory=list)
    parents: int = 0
    speed_bytes_per_s: float | None = None

    @property
    def own_line(self) -> Line:
        """Of a switch that the file describes."""
        assert self.line is not None
        return self.line


def read(text: str, file: str, options: Options) -> Cabling:
    """Raises MachineFileError, which names file, line, value and what is allowed."""
    lines = read_lines(text, file)
    if not lines:
        raise MachineFileError(f"{file}: is empty; allowed are lines with SwitchName=… or BlockName=…")
    blocks = [line for line in lines if "BlockName" in line.values or "BlockSizes" in line.values]
    if blocks and len(blocks) < len(lines):
        other = next(line for line in lines if line not in blocks)
        raise other.fail("a switch in a file with blocks; allowed are BlockName=… and BlockSizes=… alone")
    return _Reader(file, options).blocks(lines) if blocks else _Reader(file, options).switches(lines)


class _Reader:
    def __init__(self, file: str, options: Options):
        self.cabling, self.options = Cabling(file), options
        self.known: dict[str, _Switch] = {}
        self.owner: dict[str, Line] = {}

    # --- topology/tree

    def switches(self, lines: list[Line]) -> Cabling:
        for line in lines:
            self._switch(line)
        for name, switch in self.known.items():
            self._check_children(name, switch)
        self._join()
        return self.cabling

    def _switch(self, line: Line) -> None:
        if "SwitchName" not in line.values:
            raise line.fail(
                f"{next(iter(line.values))} without SwitchName; allowed are lines that begin with "
                "SwitchName=…"
            )
        line.only("SwitchName", "Switches", "Nodes", "LinkSpeed")
        name = line.name("SwitchName")
        if name in self.known:
            raise line.fail(
                f"SwitchName={name} is there already, in line {self.known[name].own_line.number}; allowed "
                "are names that differ"
            )
        if not {"Switches", "Nodes"} & set(line.values):
            raise line.fail(f"SwitchName={name} has nothing below it; allowed are Nodes=… or Switches=…")
        switch = _Switch(line, self.cabling.switch(name), self._nodes(line), line.hosts("Switches"))
        if "LinkSpeed" in line.values:
            speeds = line.numbers("LinkSpeed")
            if len(speeds) != 1:
                raise line.fail(
                    f"LinkSpeed={line.values['LinkSpeed']} is not allowed; allowed is one whole number"
                )
            switch.speed_bytes_per_s = speeds[0] * self.options.speed_unit_bytes_per_s
        self.known[name] = switch

    def _nodes(self, line: Line) -> list[int]:
        """New vertices for all nodes of a line."""
        found = []
        for name in line.hosts("Nodes"):
            if name in self.owner:
                raise line.fail(
                    f"Nodes has {name}, which line {self.owner[name].number} has already; allowed is one "
                    "place for a node"
                )
            self.owner[name] = line
            found.append(self.cabling.node(name))
        return found

    def _check_children(self, name: str, switch: _Switch) -> None:
        for child in switch.switches:
            if child not in self.known:
                raise switch.own_line.fail(
                    f"Switches has {child}, which no line describes; allowed are names of SwitchName=… (is "
                    "the file complete?)"
                )
            if child == name:
                raise switch.own_line.fail(f"Switches has {child}, which is the switch itself")
            if name not in self.known[child].switches:
                self.known[child].parents += 1

    # --- topology/block

    def blocks(self, lines: list[Line]) -> Cabling:
        """A switch for every block, one over the blocks of every larger block size, one over all."""
        sizes: list[int] = []
        for line in lines:
            if "BlockSizes" in line.values and "BlockName" not in line.values:
                line.only("BlockSizes")
                sizes = self._sizes(line)
            else:
                line.only("BlockName", "Nodes")
                name = line.name("BlockName")
                if name in self.known:
                    raise line.fail(
                        f"BlockName={name} is there already, in line {self.known[name].own_line.number}; "
                        "allowed are names that differ"
                    )
                if "Nodes" not in line.values:
                    raise line.fail(f"BlockName={name} has no nodes; allowed is Nodes=…")
                self.known[name] = _Switch(line, self.cabling.switch(name), self._nodes(line))
        if not self.known:
            raise lines[0].fail("BlockSizes without blocks; allowed are lines with BlockName=… Nodes=…")
        level = list(self.known)
        for before, size in zip(sizes, sizes[1:]):
            level = self._over(level, size // before, f"blocks{size}-")
        if len(level) > 1:
            self._over(level, len(level), "core")
        self._join()
        return self.cabling

    def _sizes(self, line: Line) -> list[int]:
        sizes = line.numbers("BlockSizes")
        for before, size in zip(sizes, sizes[1:]):
            ratio = size // before
            if size % before or ratio < 2 or ratio & (ratio - 1):
                raise line.fail(
                    f"BlockSizes has {size} after {before}; allowed is {before} times a power of two"
                )
        return sizes

    def _over(self, names: list[str], share: int, prefix: str) -> list[str]:
        """New switches over `share` of these each."""
        groups = [names[at : at + share] for at in range(0, len(names), share)]
        found = []
        for index, group in enumerate(groups):
            name = prefix + (str(index) if len(groups) > 1 or prefix != "core" else "")
            self.known[name] = _Switch(None, self.cabling.switch(name), [], group)
            for child in group:
                self.known[child].parents = 1
            found.append(name)
        return found

    # --- cables of both

    def _join(self) -> None:
        notes = dict.fromkeys(f"{what} {why}" for what, why in self._cables())
        self.cabling.notes += notes

    def _cables(self) -> list[tuple[str, str]]:
        """Makes them; where their rates are from."""
        told, joined = [], set()
        for name, switch in self.known.items():
            for node in switch.nodes:
                rate, why = self._node_rate(switch)
                told.append(("nodes' links", why))
                self.cabling.join(node, switch.vertex, rate, self.options.latency_s)
            for child in switch.switches:
                if frozenset((name, child)) in joined:
                    continue  # both switches name each other
                joined.add(frozenset((name, child)))
                rate, why = self._uplink_rate(switch, child)
                told.append(("links between switches", why))
                self.cabling.join(self.known[child].vertex, switch.vertex, rate, self.options.latency_s)
        return told

    def _node_rate(self, switch: _Switch) -> tuple[float, str]:
        if self.options.link_bytes_per_s:
            return self.options.link_bytes_per_s, "as given"
        if switch.speed_bytes_per_s:
            return (
                switch.speed_bytes_per_s,
                f"by LinkSpeed, in units of {format_rate(self.options.speed_unit_bytes_per_s)}",
            )
        return USUAL_LINK_BYTES_PER_S, f"taken as {format_rate(USUAL_LINK_BYTES_PER_S)} (--link)"

    def _uplink_rate(self, parent: _Switch, child: str) -> tuple[float, str]:
        if self.options.uplink_bytes_per_s:
            return self.options.uplink_bytes_per_s, "as given"
        if parent.speed_bytes_per_s:
            return (
                parent.speed_bytes_per_s,
                f"by LinkSpeed, in units of {format_rate(self.options.speed_unit_bytes_per_s)}",
            )
        below = max(self._below(child, set()), USUAL_LINK_BYTES_PER_S)
        return below / max(1, self.known[child].parents), "taken as the sum of the links below (--uplink)"

    def _below(self, name: str, seen: set[str]) -> float:
        """Rates of the links of all nodes below a switch."""
        seen.add(name)
        switch = self.known[name]
        own = len(switch.nodes) * self._node_rate(switch)[0]
        return own + sum(self._below(child, seen) for child in switch.switches if child not in seen)
