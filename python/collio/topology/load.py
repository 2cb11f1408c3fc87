"""A topology in whichever format: by its content, or as the user says."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from collio import plain_json
from collio.machine_file import Graph, MachineFileError, expand, load_machine, preset_names
from collio.machine_file.graph import FORMAT as GRAPH_FORMAT
from collio.machine_file.graph import Node
from collio.topology import hwloc, infiniband, slurm
from collio.topology.hwloc import Inside
from collio.topology.options import Options

FORMATS = {
    "machine": "a machine file (TOML or JSON), or the name of a preset",
    "graph": f"{GRAPH_FORMAT}: what the engine reads",
    "slurm": "Slurm's topology.conf",
    "ibnetdiscover": "the output of ibnetdiscover",
    "hwloc": "hwloc's XML of one node (lstopo --of xml)",
}
MOST_BYTES = 256 << 20


@dataclass(frozen=True)
class Found:
    """What a file describes: a network, one node from inside, or both. `format` is one of FORMATS, or
    "measured"."""

    format: str
    graph: Graph
    inside: Inside | None = None


def load(path: str, format_: str | None = None, options: Options = Options()) -> Found:
    """Raises MachineFileError: names file, line or key, value, and what is allowed."""
    if format_ in (None, "machine") and path in preset_names():
        return Found("machine", _restricted(expand(load_machine(path)), path, options))
    text = read_text(path)
    chosen = format_ or detect(text, path)
    if chosen == "hwloc":
        return from_inside(hwloc.read(text, path))
    if chosen in ("slurm", "ibnetdiscover"):
        cabling = (slurm if chosen == "slurm" else infiniband).read(text, path, options)
        cabling = cabling.only(list(options.nodes)) if options.nodes else cabling
        return Found(chosen, cabling.graph(Path(path).name, options.ranks))
    if chosen == "graph":
        return Found("graph", _restricted(_graph(text, path), path, options))
    return Found(
        "machine", _restricted(expand(load_machine(path if "/" in path else f"./{path}")), path, options)
    )


def read_text(path: str) -> str:
    """Raises MachineFileError."""
    try:
        if Path(path).is_file() and Path(path).stat().st_size > MOST_BYTES:
            raise MachineFileError(f"{path}: has {Path(path).stat().st_size} bytes; allowed are {MOST_BYTES}")
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise MachineFileError(f"{path}: byte {error.start} is no UTF-8 text; allowed is text") from None
    except FileNotFoundError:
        raise MachineFileError(
            f"{path}: no such file, and no preset; presets are {', '.join(preset_names())}"
        ) from None
    except OSError as error:
        raise MachineFileError(f"{path}: cannot be read ({error.strerror})") from None


def detect(text: str, path: str) -> str:
    """One of FORMATS. Raises MachineFileError where nothing in the text tells."""
    begin = text.lstrip("\ufeff \t\r\n")
    if begin.startswith("<"):
        return "hwloc"
    if begin.startswith("{"):
        return "graph" if re.search(r'"format"\s*:\s*"collio-machine-graph', begin) else "machine"
    if re.search(
        r'^(?:Switch|Ca|Rt)\s+\d+\s+"[SHR]-|^(?:vendid|switchguid|caguid|sysimgguid)=|^# Topology file: '
        r"generated",
        text,
        re.MULTILINE,
    ):
        return "ibnetdiscover"
    if re.search(r"^\s*(?:SwitchName|BlockName|BlockSizes)\s*=", text, re.MULTILINE | re.IGNORECASE):
        return "slurm"
    if path.endswith(".toml") or re.search(r"^\s*(?:\[\w+\]|\w+\s*=\s*[\"'\[{\d])", text, re.MULTILINE):
        return "machine"
    raise MachineFileError(
        f"{path}: the content matches none of the formats {', '.join(FORMATS)}; name it with --format"
    )


def from_inside(inside: Inside) -> Found:
    """One node without a network."""
    host = inside.host or "node"
    return Found("hwloc", Graph(host, (Node(host, 1),), (), (), [[-1]]), inside)


def _graph(text: str, path: str) -> Graph:
    try:
        document = plain_json.parse(text)
    except json.JSONDecodeError as error:
        raise MachineFileError(
            f"{path}:{error.lineno}: is not JSON: {error.msg} (is the file complete?)"
        ) from None
    except ValueError as error:
        raise MachineFileError(f"{path}: is not JSON: {error}") from None
    try:
        return Graph.from_document(document)
    except MachineFileError as error:
        raise MachineFileError(f"{path}: {error}") from None


def _restricted(graph: Graph, path: str, options: Options) -> Graph:
    """Files with routes of their own are taken whole."""
    given = [f"--{name}" for name in ("link", "uplink") if getattr(options, f"{name}_bytes_per_s")]
    given += ["--latency"] * bool(options.latency_s) + ["--nodes"] * bool(options.nodes)
    if given:
        raise MachineFileError(
            f"{path}: {given[0]} is not allowed with a machine file or graph, which has these values itself; "
            "allowed with slurm and ibnetdiscover"
        )
    return graph
