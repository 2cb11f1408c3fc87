"""What a report holds, as types. report_check.py checks it when it is read; every key may be absent."""

from __future__ import annotations

from typing import Any, TypedDict, Union

SpreadValue = Union[float, dict[str, float]]
"""Over ranks: one number, or several by name."""

Busiest = TypedDict("Busiest", {"from": str, "to": str, "bytes": float, "seconds": float}, total=False)
"""The link that needs the longest at its rate."""


class Traffic(TypedDict, total=False):
    """Bytes between nodes. A flow is [from, to, bytes]; `sent` and `received` are by node."""

    bytes: float
    hop_bytes: float
    flows: list[tuple[int, int, int]]
    sent: list[int]
    received: list[int]
    busiest: Busiest


class Network(TypedDict, total=False):
    """Where the job's nodes lie in the network. `unknown`: why that is not known."""

    name: str
    unknown: str
    nodes: int
    hops: dict[str, float]
    hosts: list[object]
    traffic: Traffic
    expected: Traffic


class Placement(TypedDict, total=False):
    """Which aggregator serves which domain, and how that compares with domains in order."""

    how: str
    reason: str
    busiest_seconds: float
    busiest_seconds_in_order: float
    hop_bytes: float
    hop_bytes_in_order: float
    imbalance: float


class CallRecord(TypedDict, total=False):
    """Calls of one operation, path and shape; `repeats` of them."""

    operation: str
    path: str
    reason: str
    form: str
    progress: str
    failed: bool
    repeats: int
    bytes: float
    pieces: int
    aggregators: int
    local_aggregators: int
    rounds: int
    messages: int
    metadata_bytes: int
    most_receives_per_round: int
    remembered: int
    windows: dict[str, int]
    one_sided: dict[str, float]
    device: dict[str, float]
    placement: Placement
    seconds: dict[str, SpreadValue]
    program_seconds: dict[str, SpreadValue]


class FileRecord(TypedDict, total=False):
    """One line of the engine: a file, or several of one kind."""

    id: str
    file: str
    files: int
    still_open: int
    comm_size: int
    nodes: int
    mpi: str
    storage: str
    storage_by: dict[str, Any]
    schedule_trials: str
    call_trials: str
    independent_calls: int
    library_calls: int
    hints: dict[str, Any]
    warnings: list[str]
    seconds: dict[str, SpreadValue]
    network: Network
    calls: list[CallRecord]


class RankRecord(TypedDict, total=False):
    """What a rank leaves at its exit."""

    rank: int
    init: int
    opened: int
    absent: int
    written: int
    pnetcdf: int
    adios: int
    hdf5: int


class Document(TypedDict, total=False):
    """What `collio run --report` writes."""

    collio: str
    command: list[str]
    mpi: str
    exit_code: int
    seconds: float
    hints: dict[str, str]
    files: list[FileRecord]
    at_exit: list[RankRecord]
