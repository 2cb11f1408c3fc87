"""What `ibnetdiscover` prints: switches and adapters with their ports, and what each port is joined to.

    Switch  36 "S-0002c90000000010"     # "leaf0" enhanced port 0 lid 3 lmc 0
    [1]     "H-0002c90000000100"[1](2c90000000101)      # "n001 mlx5_0" lid 11 4xHDR

A host is a name that adapters' descriptions begin with; its adapters are links of one node. Every cable is
there twice, once at either end, and has to be the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from collio.machine_file.errors import MachineFileError
from collio.machine_file.table import show
from collio.topology.cabling import Cabling
from collio.topology.options import Options

LANE_GBIT_PER_S = {
    "SDR": 2.0,
    "DDR": 4.0,
    "QDR": 8.0,
    "FDR10": 10.0,
    "FDR": 14.0625 * 64 / 66,
    "EDR": 25.0,
    "HDR": 50.0,
    "NDR": 100.0,
    "XDR": 200.0,
}
"""Data a lane carries, without the bits its encoding adds."""

WIDTHS = (1, 2, 4, 8, 12)
_FACT = re.compile(r"\w+=\S+$")
_HEAD = re.compile(
    r'(?P<kind>Switch|Ca|Rt)\s+(?P<ports>\d{1,5})\s+"(?P<id>[SHR]-[0-9a-fA-F]+)"\s*'
    r'(?:#\s*"(?P<said>[^"]*)".*)?$'
)
_PORT = re.compile(
    r'\[(?P<port>\d{1,5})\](?:\[[^]]*\])*(?:\([0-9a-fA-F]+\))?\s+"(?P<id>[SHR]-[0-9a-fA-F]+)"'
    r"\[(?P<peer>\d{1,5})\](?:\[[^]]*\])*"
    r"(?:\([0-9a-fA-F]+\))?\s*(?:#(?P<rest>.*))?$"
)
_OTHER = re.compile(r"(?:Chassis\b.*|Non-Chassis Nodes)$")
_HOST = re.compile(r"'?([A-Za-z][\w.-]*)'?(?:\s+(?:HCA-\d+|[a-z]\w*_\d+\w*|ib\d+))?$")
_NO_HOST = "Aggregation Node"
"""In the description of an adapter that is a part of a switch."""


@dataclass
class _Vertex:
    line: int
    kind: str
    ports: int
    said: str
    peers: dict[int, tuple[str, int, float, int]] = field(default_factory=dict)
    """By port: the other end and its port, bytes a second, line."""


def read(text: str, file: str, options: Options) -> Cabling:
    """Raises MachineFileError, which names file, line, value and what is allowed."""
    found = _vertices(text, file)
    _check_ends(found, file)
    return _Cables(found, file, options).make()


def rate_of(speed: str) -> float | None:
    """Bytes a second of "4xHDR"; None for what is no width and speed."""
    width, _, lane = speed.partition("x")
    if width not in map(str, WIDTHS) or lane not in LANE_GBIT_PER_S:
        return None
    return int(width) * LANE_GBIT_PER_S[lane] * 1e9 / 8


def _vertices(text: str, file: str) -> dict[str, _Vertex]:
    found: dict[str, _Vertex] = {}
    current: _Vertex | None = None
    for number, raw in enumerate(text.splitlines(), 1):
        line, fail = raw.strip(), _failing(file, number)
        if not line or line.startswith("#") or _OTHER.match(line):
            continue
        if head := _HEAD.match(line):
            if head["id"] in found:
                raise fail(f"{head['id']} is there already, in line {found[head['id']].line}")
            current = found[head["id"]] = _Vertex(
                number, head["kind"], int(head["ports"]), head["said"] or ""
            )
        elif port := _PORT.match(line):
            if current is None:
                raise fail("a port before the first Switch, Ca or Rt (is the file complete?)")
            _add_port(current, port, number, fail)
        elif _FACT.match(line):
            current = None
        else:
            raise fail(
                f"{show(line)} is not allowed; allowed are lines of ibnetdiscover: Switch, Ca, Rt, [port] "
                '"S-…"[port] # … 4xHDR'
            )
    if not found:
        raise MachineFileError(
            f"{file}: has no Switch, Ca or Rt line; allowed is the output of ibnetdiscover without -l, -H, "
            "-S or -p"
        )
    return found


def _failing(file: str, line: int) -> Callable[[str], MachineFileError]:
    """Makes the error of this line from what is wrong with it."""
    return lambda problem: MachineFileError(f"{file}:{line}: {problem}")


def _add_port(
    vertex: _Vertex, port: re.Match[str], number: int, fail: Callable[[str], MachineFileError]
) -> None:
    index = int(port["port"])
    if not 1 <= index <= vertex.ports:
        raise fail(f"port {index} of {vertex.ports}; allowed are 1 to {vertex.ports}")
    if index in vertex.peers:
        raise fail(f"port {index} is there already, in line {vertex.peers[index][3]}")
    words = re.findall(r"\b\d+x\w+\b", re.sub(r'"[^"]*"', "", port["rest"] or ""))
    rate = rate_of(words[-1]) if words else None
    if rate is None:
        said = show(words[-1]) if words else "no width and speed"
        allowed = f"{', '.join(map(str, WIDTHS))} x {', '.join(LANE_GBIT_PER_S)}"
        raise fail(f"{said} at the line's end; allowed are {allowed}, as in 4xHDR (is the file complete?)")
    vertex.peers[index] = (port["id"], int(port["peer"]), rate, number)


def _check_ends(found: dict[str, _Vertex], file: str) -> None:
    for name, vertex in found.items():
        for port, (other, peer, rate, line) in vertex.peers.items():
            fail = _failing(file, line)
            if other not in found:
                raise fail(f"joined to {other}, which the file does not describe (is it complete?)")
            back = found[other].peers.get(peer)
            if back is None:
                raise fail(
                    f"joined to port {peer} of {other}, which says nothing of it (is the file complete?)"
                )
            if back[:2] != (name, port):
                raise fail(
                    f"joined to port {peer} of {other}, which line {back[3]} joins to port {back[1]} of "
                    f"{back[0]}"
                )
            if back[2] != rate:
                raise fail(f"width and speed are not those of the same cable in line {back[3]}")


class _Cables:
    def __init__(self, found: dict[str, _Vertex], file: str, options: Options):
        self.found, self.options, self.cabling = found, options, Cabling(file)

    def make(self) -> Cabling:
        number = self._name_all()
        for name, vertex in self.found.items():
            for port, (other, peer, rate, _) in vertex.peers.items():
                if (
                    (name, port) < (other, peer)
                    and name in number
                    and other in number
                    and number[name] != number[other]
                ):
                    self.cabling.join(
                        number[name], number[other], self._rate(name, other, rate), self.options.latency_s
                    )
        return self.cabling

    def _rate(self, name: str, other: str, rate: float) -> float:
        """The user's, where there is one."""
        between_switches = name.startswith("S") and other.startswith("S")
        return (
            self.options.uplink_bytes_per_s if between_switches else self.options.link_bytes_per_s
        ) or rate

    def _name_all(self) -> dict[str, int]:
        """{identifier: vertex} of all that is a host or a switch."""
        number: dict[str, int] = {}
        hosts: dict[str, int] = {}
        unnamed = left_out = 0
        switches = Counter(
            _switch_name(vertex.said) for vertex in self.found.values() if vertex.kind == "Switch"
        )
        for name, vertex in self.found.items():
            if vertex.kind == "Switch":
                said = _switch_name(vertex.said)
                number[name] = self.cabling.switch(
                    said if said and switches[said] == 1 else f"{said} {name}".strip()
                )
            elif vertex.kind == "Rt" or _NO_HOST in vertex.said:
                left_out += 1
            else:
                match = _HOST.match(vertex.said.strip())
                unnamed += match is None
                host = match.group(1) if match else name
                if host not in hosts:
                    hosts[host] = self.cabling.node(host)
                number[name] = hosts[host]
        self._note(unnamed, left_out)
        return number

    def _note(self, unnamed: int, left_out: int) -> None:
        if unnamed:
            self.cabling.notes.append(
                f"{unnamed} adapters' descriptions name no host: nodes by their identifiers, which no job's "
                "hosts are called"
            )
        if left_out:
            self.cabling.notes.append(f"left out: {left_out} routers or parts of switches")


def _switch_name(said: str) -> str:
    """ "MF0;leaf0:MQM8700/U1" is leaf0."""
    match = re.match(r"MF\d+;([^:;/]+)", said)
    return (match.group(1) if match else said).strip()
