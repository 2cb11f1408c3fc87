"""Reading a machine file: TOML or JSON to a checked `MachineFile`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from collio import plain_json
from collio.machine_file.costs import read_costs
from collio.machine_file.errors import MachineFileError
from collio.machine_file.graph import Node, Storage, Striped, Target
from collio.machine_file.model import FORMAT, MachineFile
from collio.machine_file.names import check_distinct, read_name, read_vertex
from collio.machine_file.shapes import SHAPES
from collio.machine_file.shapes.shape import Shape
from collio.machine_file.table import Table, show
from collio.plain_json import JsonObject

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MOST_NODES, MOST_RANKS, MOST_TARGETS = 65536, 1024, 1024
"""Of nodes, of ranks on one node, of targets: beyond any machine this is for; a typing mistake rather."""
MOST_STRIPED, LEAST_UNIT, MOST_UNIT = 64, 4096, 1 << 30
"""Of targets under the lab's striped file system, and of its stripes in bytes (lab/striped/layout.h)."""


def load(path: str | Path) -> MachineFile:
    """The machine of a file: TOML by .toml, JSON by .json, else whichever it looks like. Raises
    MachineFileError."""
    return parse(_values(Path(path)), str(path))


def parse(values: JsonObject, file: str) -> MachineFile:
    """The machine of a file's values. Raises MachineFileError, naming the file as `file`."""
    top = Table(values, file)
    top.get("format", top.choice((FORMAT,)))
    top.only(("format", "name", "note", "nodes", "network", "storage", "costs"))
    nodes = _nodes(top.get("nodes", top.table))
    shape, network = _network(top.get("network", top.table), nodes)
    vertices = (*(node.name for node in nodes), *network.switches)
    return MachineFile(
        file,
        top.get("name", top.text),
        top.get("note", top.text, ""),
        nodes,
        shape,
        network,
        _storage(top.get("storage", top.table), network, vertices) if "storage" in values else None,
        read_costs(top.get("costs", top.table)) if "costs" in values else {},
    )


def _nodes(table: Table) -> tuple[Node, ...]:
    table.only(("count", "ranks", "names"))
    count = table.get("count", table.integer(1, MOST_NODES))
    ranks = table.get("ranks", table.for_each(count, "nodes", table.integer(1, MOST_RANKS)))
    names = table.get("names", table.array(read_name(table)), tuple(f"node{index}" for index in range(count)))
    if len(names) != count:
        raise table.fail("names", f"{len(names)} names for {count} nodes; allowed is one for each")
    check_distinct(table, "names", names)
    return tuple(map(Node, names, ranks))


def _network(table: Table, nodes: tuple[Node, ...]) -> tuple[str, Shape]:
    shape = table.get("shape", table.choice(SHAPES))
    table.only(("shape", "link", "latency", *SHAPES[shape].KEYS), whose=f"shape {show(shape)}")
    names = tuple(node.name for node in nodes)
    network = SHAPES[shape].read(table, names)
    switches = {switch.lower() for switch in network.switches}
    for index, name in enumerate(names):
        if name.lower() in switches:
            taken = ", ".join(network.switches)
            raise MachineFileError(
                f"{table.file}: nodes.names[{index}]: {show(name)} is the name of a switch; allowed is any "
                f"but {taken}"
            )
    return shape, network


def _storage(table: Table, network: Shape, vertices: tuple[str, ...]) -> Storage:
    table.only(("attach", "targets", "rate", "capacity", "backing", "striped"))
    numbers = {name: vertex for vertex, name in enumerate(vertices)}
    attach = table.get("attach", read_vertex(table, numbers), numbers[network.root] if network.root else 0)
    count = table.get("targets", table.integer(1, MOST_TARGETS))
    nothing = (None,) * count
    rates = table.get("rate", table.for_each(count, "targets", table.rate), nothing)
    capacities = table.get("capacity", table.for_each(count, "targets", table.size), nothing)
    backing = table.get("backing", _backing(table), "memory")
    return Storage(
        attach,
        tuple(
            Target(f"target{index}", rate, capacity, backing)
            for index, (rate, capacity) in enumerate(zip(rates, capacities))
        ),
        _striped(table.get("striped", table.table), count) if "striped" in table.values else None,
    )


def _striped(table: Table, targets: int) -> Striped:
    """One file system over all targets."""
    table.only(("unit", "count", "lock"))
    unit = table.get("unit", table.size, 1 << 20)
    if unit < LEAST_UNIT or unit > MOST_UNIT or unit % LEAST_UNIT:
        raise table.fail(
            "unit", f"{unit} bytes are not allowed; allowed are multiples of {LEAST_UNIT} up to {MOST_UNIT}"
        )
    if targets > MOST_STRIPED:
        raise MachineFileError(
            f"{table.file}: storage.targets: {targets} is not allowed with storage.striped; allowed is "
            f"1..{MOST_STRIPED}"
        )
    return Striped(
        unit, table.get("count", table.integer(1, targets), targets), table.get("lock", table.time, 0.0)
    )


def _backing(table: Table) -> Callable[[object, str], str]:
    """Reader of `backing`. A folder has to be absolute: one that is not could be a misspelt "memory"."""

    def read(value: object, key: str) -> str:
        text = table.text(value, key)
        if text != "memory" and not text.startswith("/"):
            raise table.fail(
                key, f'{show(text)} is not allowed; allowed is "memory" or an absolute path of a folder'
            )
        return text

    return read


# --- TOML and JSON ------------------------------------------------------------------------------


def _values(path: Path) -> JsonObject:
    """The file's top-level table."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise MachineFileError(f"{path}: cannot be read (it is not UTF-8 text)") from None
    except OSError as error:
        raise MachineFileError(f"{path}: cannot be read ({error.strerror})") from None
    is_json = path.suffix == ".json" or (path.suffix != ".toml" and text.lstrip().startswith("{"))
    try:
        values = plain_json.parse(text, _without_repeats) if is_json else tomllib.loads(text)
    except ValueError as error:
        raise MachineFileError(f"{path}: is not {'JSON' if is_json else 'TOML'}: {error}") from None
    except RecursionError:
        raise MachineFileError(f"{path}: is not TOML: nested too deeply") from None
    if not isinstance(values, dict):
        raise MachineFileError(
            f"{path}: holds {show(values)}; allowed is a table with format = {show(FORMAT)}"
        )
    return values


def _without_repeats(pairs: list[tuple[str, object]]) -> JsonObject:
    """JSON lets a key be there twice and parsers keep the last; TOML and this do not."""
    found = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {show(key)} is there twice in one table")
        found[key] = value
    return found
