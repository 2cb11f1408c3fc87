"""What ranks, messages and storage cost on a machine: the numbers of `collio simulate`.

They are the rows of `COSTS`. A machine file gives them in [costs], the command line with --set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Union

from collio.machine_file import units
from collio.machine_file.table import Table, close_match

Value = Union[float, int, str, bool]
Costs = dict[str, Value]
"""By key, in bytes and seconds."""


class Cost(NamedTuple):
    room: str
    """Of the simulator's document: node, storage, or "" for its top level."""
    name: str
    """In that room."""
    kind: str
    meaning: str


COSTS = {
    "cores": Cost("node", "cores", "number", "ranks of a node that work at a time; 0: all"),
    "processors": Cost(
        "node", "processors", "count", "cores that all nodes share, as in a lab, instead of each node's own"
    ),
    "place": Cost("node", "place_bytes_per_s", "rate", "a core's copies into shared memory"),
    "copy": Cost("node", "copy_bytes_per_s", "rate", "a core's copies into and out of messages"),
    "memory": Cost("node", "memory_bytes_per_s", "rate", "all copies of a node together"),
    "carry": Cost(
        "node",
        "carry_bytes_per_s",
        "rate",
        "one of `processors`, to carry bytes between nodes, as a lab's kernel does",
    ),
    "place_piece": Cost("node", "place_piece_s", "time", "to place a piece in shared memory"),
    "describe_piece": Cost(
        "node",
        "describe_piece_s",
        "time",
        "to describe a piece for a message, or to place one from a message",
    ),
    "merge_piece": Cost("node", "merge_piece_s", "time", "to join a piece with those of other ranks"),
    "compare": Cost("node", "compare_s", "time", "a comparison of two offsets, where lists are merged"),
    "pass": Cost("node", "pass_s", "time", "a rank that passes a window"),
    "message": Cost("node", "message_s", "time", "a message, for its sender and for its receiver"),
    "match": Cost(
        "node", "match_s", "time", "to look for a message, for each one that is expected, or that waits"
    ),
    "eager": Cost(
        "node",
        "eager_bytes",
        "size",
        "longest message that the MPI library sends before its receiver asks for it",
    ),
    "fabric": Cost("", "fabric", "fabric", "rdma or tcp"),
    "placed": Cost(
        "",
        "placed",
        "switch",
        "whether file domains go to aggregators by the network, as where collio knows it",
    ),
    "file_system": Cost(
        "storage", "file_system", "file_system", "what collio takes it for: network, local or memory"
    ),
    "targets": Cost("storage", "targets", "count", "storage targets that the file is striped over"),
    "stripe": Cost("storage", "stripe_bytes", "size", "a stripe"),
    "call": Cost("storage", "call_s", "time", "a call's way to the targets and back"),
    "target_call": Cost("storage", "target_call_s", "time", "a target's part of a call"),
    "target_rate": Cost("storage", "target_bytes_per_s", "rate", "one target"),
    "writer": Cost("storage", "writer_bytes_per_s", "rate", "one process, to all targets"),
    "client": Cost("storage", "node_bytes_per_s", "rate", "one node, to all targets"),
    "lock": Cost(
        "storage", "lock_s", "time", "a lock of an object, or a part of it, that goes to another node"
    ),
    "asynchronous": Cost(
        "storage", "asynchronous", "switch", "whether calls go on while their caller does something else"
    ),
}
WORDS: dict[str, dict[str, Value]] = {
    "fabric": {"rdma": "rdma", "tcp": "tcp"},
    "switch": {"yes": True, "no": False},
    "file_system": {"network": "network", "local": "local", "memory": "memory"},
}


def parse_cost(key: str, text: str) -> Value:
    """A cost as it is written on a command line. Raises UnitError, which names the key, for an unknown one,
    too."""
    if key not in COSTS:
        raise units.UnitError(
            f"{key}: no such cost; {close_match(key, COSTS, str)}allowed are {', '.join(COSTS)}"
        )
    kind = COSTS[key].kind
    quantities: dict[str, Callable[[str], Value]] = {
        "rate": units.parse_rate,
        "time": units.parse_time,
        "size": units.parse_size,
    }
    try:
        if kind in quantities:
            return quantities[kind](text)
        if kind in WORDS:
            return WORDS[kind][text]
        value = float(text) if kind == "number" else int(text)
        if not (0 if kind == "number" else 1) <= value <= 1 << 20:
            raise ValueError
        return value
    except units.UnitError as error:
        raise units.UnitError(f"{key}: {error}") from None
    except (KeyError, ValueError):
        allowed = {"number": "a number 0..1048576", "count": "an integer 1..1048576"}.get(kind) or ", ".join(
            WORDS[kind]
        )
        raise units.UnitError(f'{key}: "{text}" is not allowed; allowed is {allowed}') from None


def read_costs(table: Table) -> Costs:
    """The table [costs] of a machine file. Raises MachineFileError."""
    table.only(COSTS)

    def read(value: Any, key: str) -> Value:
        words = {True: "yes", False: "no"}
        try:
            return parse_cost(key, words[value] if isinstance(value, bool) else str(value))
        except units.UnitError as error:
            raise table.fail(key, str(error).partition(": ")[2]) from None

    return {key: table.get(key, read) for key in table.values}


def model_of(costs: Costs) -> dict[str, Any]:
    """The simulator's document."""
    model: dict[str, Any] = {"node": {}, "storage": {}}
    for key, value in costs.items():
        cost = COSTS[key]
        (model[cost.room] if cost.room else model)[cost.name] = value
    return model
