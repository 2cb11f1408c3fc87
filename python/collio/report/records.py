"""What a report holds, as types. Made by tools/generate_report from src/observe/report.def:
change that file, then run make generate.

check.py checks a report by FIELDS when it is read. Readers take every key as one that may be absent.
"""

from __future__ import annotations

from typing import TypedDict


class OneSided(TypedDict, total=False):
    """`one_sided` of a call."""

    transfers: int
    bytes: int


class Placement(TypedDict, total=False):
    """How file domains were placed by the network between the nodes; in order: with domain i at aggregator i."""

    how: str
    reason: str
    hop_bytes: int
    hop_bytes_in_order: int
    bytes_inside_nodes: int
    busiest_seconds: float
    busiest_seconds_in_order: float
    imbalance: float


class CallRecord(TypedDict, total=False):
    """A collective call, or several similar ones in a row. Numbers are sums over these calls and all ranks unless said otherwise."""

    operation: str
    form: str
    progress: str
    program_seconds: dict[str, dict[str, float]]
    path: str
    reason: str
    repeats: int
    failed: bool
    file_span_bytes: int
    aggregators: int
    local_aggregators: int
    rounds: int
    remembered: int
    placed: int
    met_once: int
    unmet: int
    estimated_seconds: float
    forecast_seconds: float
    agreed_seconds: float
    last_rank: int
    slowest_rank: int
    bytes: int
    pieces: int
    most_receives_per_round: int
    most_buffer_bytes: int
    messages: int
    metadata_bytes: int
    one_sided: OneSided
    device: dict[str, int]
    windows: dict[str, int]
    placement: Placement
    seconds: dict[str, dict[str, float]]


Busiest = TypedDict("Busiest", {"from": str, "to": str, "bytes": int, "seconds": float}, total=False)
"""The link of the network that needs longest."""


class Traffic(TypedDict, total=False):
    """Bytes between nodes. As flows for up to 64 nodes, as sums by node above."""

    bytes: int
    flows: list[tuple[int, int, int]]
    sent: list[int]
    received: list[int]
    hop_bytes: int
    busiest: Busiest


class Network(TypedDict, total=False):
    """How the job's nodes lie in the network, and what a file's calls sent between them."""

    name: str
    nodes: int
    hops: dict[str, int]
    unknown: str
    hosts: list[str]
    traffic: Traffic
    expected: Traffic


class StorageBy(TypedDict, total=False):
    """The I/O backend: what makes the calls on the file."""

    kind: str
    reason: str
    overlaps: bool
    remarks: str


class Layout(TypedDict, total=False):
    """How the file lies on storage targets: stripes of one length, dealt to them in turn."""

    unit_bytes: int
    count: int
    targets: list[int]
    source: str
    asked: str


class Subfiles(TypedDict, total=False):
    """The subfiles that hold the bytes of a file."""

    count: int
    unit_bytes: int
    folders: list[str]
    bytes: list[int]
    redealt: list[str]
    joined: bool
    joining: bool
    joined_by_kernel: int
    joined_through_memory: int


class TargetProbe(TypedDict, total=False):
    """What a probe of the targets of a new file found: of the folders for its subfiles, else of those that it is striped over. Those chosen are in subfiles or layout."""

    why: str
    left_out: list[str]
    age_seconds: float
    bytes: int
    seconds: float
    remarks: list[str]


class CallTimeline(TypedDict, total=False):
    """A rank that accessed the file in its last collective call. Lanes: begin and duration of each span, alternating, in microseconds since the ranks' agreement on the call, or what the first did before it. Of more than 64 spans those nearest each other are one."""

    rank: int
    fill: list[int]
    send: list[int]
    file: list[int]


class Pictures(TypedDict, total=False):
    """Where and when ranks accessed a file. Rows: ranks in their order, or groups of as many; columns: 64 parts of the file or of the time. Zeros at ends are left out."""

    ranks_per_row: int
    part_bytes: int
    cell_bytes: int
    asked: list[list[int]]
    accessed: list[list[int]]
    part_seconds: float
    in_calls: list[list[int]]
    target_bytes: list[int]
    target_seconds: list[float]
    timeline: list[CallTimeline]


class PnetcdfCalls(TypedDict, total=False):
    """Data calls of PnetCDF's on a file, of all ranks."""

    served: int
    refused: int
    by_datatype: int
    kept: str


class FileRecord(TypedDict, total=False):
    """A line that the engine appends to the report: a file, or files of one kind added up. It replaces earlier lines with its id."""

    file: str
    id: str
    files: int
    still_open: int
    comm_size: int
    nodes: int
    first_node: dict[str, int]
    mpi: str
    storage: str
    layout: Layout
    storage_by: StorageBy
    subfiles: Subfiles
    probe: TargetProbe
    schedule_trials: str
    call_trials: str
    agreement: str
    hints: dict[str, str]
    warnings: list[str]
    independent_calls: int
    library_calls: int
    pnetcdf: PnetcdfCalls
    calls: list[CallRecord]
    seconds: dict[str, dict[str, float]]
    network: Network
    pictures: Pictures


class LibraryFunction(TypedDict, total=False):
    """A function of HDF5, netCDF, PnetCDF or PIO, as one rank called it. Without a name: the program's own calls of MPI-IO."""

    function: str
    calls: int
    seconds: float
    own_seconds: float
    io_seconds: float
    independent_calls: int
    independent_seconds: float
    independent_bytes: int
    not_collective: int
    causes: int


class RankRecord(TypedDict, total=False):
    """What a rank leaves at its exit (src/mpiio/shim/shim_note.c). Numbers are 0 or 1 unless said otherwise."""

    rank: int
    init: int
    opened: int
    absent: int
    written: int
    pnetcdf: int
    adios: int
    hdf5: int
    functions: list[LibraryFunction]


class Document(TypedDict, total=False):
    """The report of `collio run --report FILE`."""

    collio: str
    command: list[str]
    mpi: str
    exit_code: int
    seconds: float
    hints: dict[str, str]
    files: list[FileRecord]
    at_exit: list[RankRecord]


STEPS = ("flatten", "digest", "plan", "pack", "exchange", "place", "read", "write", "wait", "agree")
"""Steps of a collective call in the order they happen; each has seconds min, median and max over ranks."""

MEANINGS = {
    "flatten": "datatypes to extents",
    "digest": "agreeing on what the ranks access",
    "plan": "deciding on path, aggregators and file domains",
    "pack": "user buffer to messages",
    "exchange": "messages between ranks",
    "place": "messages to buffers",
    "read": "reading the file",
    "write": "writing the file",
    "wait": "waiting for other ranks",
    "agree": "agreeing on errors and byte counts",
    "other": "outside the named steps",
}

FIELDS = {
    "Spread": {
        "min": "Seconds", "median": "Seconds", "max": "Seconds",
    },
    "CallSeconds": {
        "total": "Spread", "flatten": "Spread", "digest": "Spread",
        "plan": "Spread", "pack": "Spread", "exchange": "Spread",
        "place": "Spread", "read": "Spread", "write": "Spread",
        "wait": "Spread", "agree": "Spread",
    },
    "OneSided": {
        "transfers": "Count", "bytes": "Bytes",
    },
    "Device": {
        "from_device": "Bytes", "to_device": "Bytes",
    },
    "Windows": {
        "packed": "Count", "dense": "Count", "piecewise": "Count",
        "sieved": "Count",
    },
    "ProgramSeconds": {
        "post": "Spread", "waited": "Spread", "hidden": "Spread",
    },
    "Placement": {
        "how": "Text", "reason": "Text", "hop_bytes": "Bytes",
        "hop_bytes_in_order": "Bytes", "bytes_inside_nodes": "Bytes", "busiest_seconds": "Seconds",
        "busiest_seconds_in_order": "Seconds", "imbalance": "Number",
    },
    "Call": {
        "operation": "Text", "form": "Text", "progress": "Maybe<Text>",
        "program_seconds": "Maybe<ProgramSeconds>", "path": "Text", "reason": "Text",
        "repeats": "Count", "failed": "Flag", "file_span_bytes": "Bytes",
        "aggregators": "Count", "local_aggregators": "Count", "rounds": "Count",
        "remembered": "Count", "placed": "Count", "met_once": "Count",
        "unmet": "Count", "estimated_seconds": "Seconds", "forecast_seconds": "Seconds",
        "agreed_seconds": "Seconds", "last_rank": "Maybe<Count>", "slowest_rank": "Maybe<Count>",
        "bytes": "Bytes", "pieces": "Count", "most_receives_per_round": "Count",
        "most_buffer_bytes": "Bytes", "messages": "Count", "metadata_bytes": "Bytes",
        "one_sided": "OneSided", "device": "Device", "windows": "Windows",
        "placement": "Maybe<Placement>", "seconds": "CallSeconds",
    },
    "Busiest": {
        "from": "Text", "to": "Text", "bytes": "Bytes",
        "seconds": "Seconds",
    },
    "Traffic": {
        "bytes": "Bytes", "flows": "Maybe<Flows>", "sent": "Maybe<Counts>",
        "received": "Maybe<Counts>", "hop_bytes": "Maybe<Bytes>", "busiest": "Maybe<Busiest>",
    },
    "Hops": {
        "min": "Count", "max": "Count",
    },
    "Network": {
        "name": "NameOrNull", "nodes": "Maybe<Count>", "hops": "Maybe<Hops>",
        "unknown": "Maybe<Text>", "hosts": "Maybe<Texts>", "traffic": "Maybe<Traffic>",
        "expected": "Maybe<Traffic>",
    },
    "FirstNode": {
        "cores": "Count", "numas": "Count", "nics": "Count",
    },
    "StorageBy": {
        "kind": "Text", "reason": "Text", "overlaps": "Flag",
        "remarks": "Text",
    },
    "Layout": {
        "unit_bytes": "Bytes", "count": "Count", "targets": "Counts",
        "source": "Text", "asked": "Text",
    },
    "Subfiles": {
        "count": "Count", "unit_bytes": "Bytes", "folders": "Texts",
        "bytes": "Maybe<Counts>", "redealt": "Texts", "joined": "Flag",
        "joining": "Flag", "joined_by_kernel": "Bytes", "joined_through_memory": "Bytes",
    },
    "TargetProbe": {
        "why": "Text", "left_out": "Texts", "age_seconds": "Seconds",
        "bytes": "Bytes", "seconds": "Seconds", "remarks": "Texts",
    },
    "CallTimeline": {
        "rank": "Count", "fill": "Counts", "send": "Counts",
        "file": "Counts",
    },
    "Pictures": {
        "ranks_per_row": "Count", "part_bytes": "Bytes", "cell_bytes": "Bytes",
        "asked": "List<Counts>", "accessed": "List<Counts>", "part_seconds": "Seconds",
        "in_calls": "List<Counts>", "target_bytes": "Counts", "target_seconds": "List<Seconds>",
        "timeline": "List<CallTimeline>",
    },
    "FileSeconds": {
        "open": "Spread", "open_by_library": "Spread", "set_view": "Spread",
    },
    "PnetcdfCalls": {
        "served": "Count", "refused": "Count", "by_datatype": "Count",
        "kept": "Text",
    },
    "File": {
        "file": "Text", "id": "Text", "files": "Count",
        "still_open": "Count", "comm_size": "Count", "nodes": "Count",
        "first_node": "FirstNode", "mpi": "Text", "storage": "Text",
        "layout": "Layout", "storage_by": "StorageBy", "subfiles": "Maybe<Subfiles>",
        "probe": "Maybe<TargetProbe>", "schedule_trials": "Text", "call_trials": "Text",
        "agreement": "Maybe<Text>", "hints": "Table", "warnings": "Texts",
        "independent_calls": "Count", "library_calls": "Count", "pnetcdf": "Maybe<PnetcdfCalls>",
        "calls": "List<Call>", "seconds": "FileSeconds", "network": "Maybe<Network>",
        "pictures": "Maybe<Pictures>",
    },
    "LibraryFunction": {
        "function": "Text", "calls": "Count", "seconds": "Seconds",
        "own_seconds": "Seconds", "io_seconds": "Seconds", "independent_calls": "Count",
        "independent_seconds": "Seconds", "independent_bytes": "Bytes", "not_collective": "Count",
        "causes": "Count",
    },
    "Exit": {
        "rank": "Count", "init": "Count", "opened": "Count",
        "absent": "Count", "written": "Bytes", "pnetcdf": "Count",
        "adios": "Count", "hdf5": "Count", "functions": "Maybe<List<LibraryFunction>>",
    },
    "Document": {
        "collio": "Maybe<Text>", "command": "Maybe<Texts>", "mpi": "Maybe<Text>",
        "exit_code": "Maybe<Count>", "seconds": "Maybe<Seconds>", "hints": "Maybe<Table>",
        "files": "List<File>", "at_exit": "Maybe<List<Exit>>",
    },
}
"""{record: {field: its type}} as in the table."""
