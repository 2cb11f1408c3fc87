"""What tools/fault_matrix runs: faults, and the configurations they are tried in. Plain data and pure
functions.

A drill is a line "key=value;..." as tests/fault/drill.hpp reads it: hints, and keys of its own.
"""

import itertools
from dataclasses import dataclass, field

DIMENSIONS = {
    "collio_path": ("two_phase", "two_layer", "independent"),
    "collio_schedule": (
        "none",
        "communication",
        "write",
        "write_communication",
        "write_communication_2",
        "dataflow",
    ),
    "collio_transfer": ("two_sided", "fence", "lock"),
    "collio_storage": ("posix", "threads", "uring"),
    "form": ("blocking", "nonblocking"),
}
"""A further way to move bytes is a line here, and one in ONLY_WITH if it belongs to one path."""

ONLY_WITH = {"collio_schedule": ("collio_path", "two_phase"), "collio_transfer": ("collio_path", "two_phase")}
"""Dimensions that mean something only with one value of another one: elsewhere they stay at their default."""

LIBRARY_FORMS = ("commit", "request", "epoch", "pieces")
"""Through collio.h: tests/fault/drill_library.hpp."""

RANKS_PER_NODE = (0, 1, 2)
"""COLLIO_RANKS_PER_NODE; 0: all ranks on one node."""

ALWAYS = (
    "cb_nodes={ranks};cb_config_list=*:*;cb_buffer_size=65536;collio_window=32768;"
    "collio_transfer_piece=1;bytes=64000"
)
"""Every rank aggregates, in several rounds; pieces are long enough for one-sided transfers where those are
asked for."""


@dataclass(frozen=True)
class Injected:
    """A fault that collio injects. `expected`: the outcomes that are right; the second where no rank met the
    fault."""

    row: str
    direction: str
    rules: str
    expected: tuple
    layout: str = "dense"


def _error(row, direction, rules, name, **more):
    return Injected(row, direction, rules, (f"{name} on all", "success"), **more)


INJECTED = (
    _error("ENOSPC, every write", "write", "all:write:ENOSPC", "NO_SPACE"),
    _error("ENOSPC, one rank from its 2nd write on", "write", "1:write2+:ENOSPC", "NO_SPACE"),
    _error("EDQUOT, one rank's 1st write", "write", "0:write1:EDQUOT", "QUOTA"),
    _error(
        "EIO, one aggregator, windows with holes", "write", "aggregator=1:write:EIO", "IO", layout="holes"
    ),
    _error("EROFS from the 2nd write on", "write", "all:write2+:EROFS", "READ_ONLY"),
    _error("EIO after 700 bytes of a write", "write", "all:write2:short=700,EIO", "IO"),
    _error("a write that moves nothing", "write", "2:write:ZERO", "IO"),
    Injected(
        "EIO and ENOSPC on different ranks",
        "write",
        "0:write:EIO/3:write:ENOSPC",
        ("NO_SPACE on all", "IO on all", "success"),
    ),
    Injected("reads of windows with holes fail", "write", "all:read:EIO", ("success",), layout="holes"),
    Injected("short writes, EINTR", "write", "all:write:EINTR=2,short=700", ("success",)),
    Injected("writes stuck for 0.1 s", "write", "1-2:write1-3:stuck=0.1", ("success",)),
    _error("EIO, every read", "read", "all:read:EIO", "IO"),
    _error("ESTALE, one rank from its 2nd read on", "read", "1:read2+:ESTALE", "IO"),
    _error("EACCES after 700 bytes of a read", "read", "aggregator=0:read:short=700,EACCES", "ACCESS"),
    Injected("short reads, EINTR", "read", "all:read:EINTR=2,short=700", ("success",)),
    Injected("reads stuck for 0.1 s", "read", "0,3:read1-3:stuck=0.1", ("success",)),
)


def configurations():
    """Every sensible combination of DIMENSIONS, as {key: value}."""
    for values in itertools.product(*DIMENSIONS.values()):
        chosen = dict(zip(DIMENSIONS, values))
        unused = [key for key, (other, value) in ONLY_WITH.items() if chosen[other] != value]
        if all(chosen[key] == DIMENSIONS[key][0] for key in unused):
            yield {key: value for key, value in chosen.items() if key not in unused}


def library_configurations():
    """Every path with every form of the library's calls."""
    for path, form in itertools.product(DIMENSIONS["collio_path"], LIBRARY_FORMS):
        yield {"collio_path": path, "form": form}


def drill_text(fault, configuration, file, ranks):
    """The line that the drill program reads."""
    words = {
        "name": fault.row,
        "file": str(file),
        "direction": fault.direction,
        "layout": fault.layout,
        "faults": fault.rules,
        **configuration,
    }
    return ";".join(f"{key}={value}" for key, value in words.items()) + ";" + ALWAYS.format(ranks=ranks)


@dataclass(frozen=True)
class Real:
    """A fault that the system makes. `place`: what kind of folder the file lies in; `words`: of the drill.
    `before`, `after`: what happens to a FUSE target before the call, and before the second try."""

    row: str
    place: str
    words: dict = field(default_factory=dict)
    before: str = ""
    after: str = ""


REAL = (
    Real("none", "memory"),
    Real("file size limit on rank 0", "memory", {"limited_rank": 0, "limit_bytes": 0}),
    Real("file size limit on rank 1", "memory", {"limited_rank": 1, "limit_bytes": 0}),
    Real("file size limit on rank 1, at half", "memory", {"limited_rank": 1, "limit_bytes": 130000}),
    Real("full disk (tmpfs)", "small", {"fresh": 1, "again": 0, "bytes": 600000}),
    Real("read-only file system", "read_only", {"again": 0}),
    Real("folder removed before open", "removed", {"again": 0}),
    Real("target: writes fail with EIO", "target", {}, "fail=write EIO", "heal"),
    Real(
        "target: writes fail with EDQUOT from the 3rd on", "target", {}, "fail=write EDQUOT after 2", "heal"
    ),
    Real("target: full", "target", {"fresh": 1}, "fill=1", "heal"),
    Real("target: half of every write", "target", {}, "short=1", "heal"),
    Real("target: stuck for 2 s", "target", {"again": 0}, "stuck=1;sleep 2;heal"),
    Real("target: dies", "target", {"again": 0}, "kill"),
    Real("target: reads fail with EIO", "target", {"direction": "read"}, "fail=read EIO", "heal"),
    Real("target: reads stuck for 2 s", "target", {"direction": "read", "again": 0}, "stuck=1;sleep 2;heal"),
    Real("target: dies before a read", "target", {"direction": "read", "again": 0}, "kill"),
)

SUBFILES = "collio_subfiles=3;collio_subfile_unit=4000"

SUBFILED = (
    Real("none", "subfiles"),
    Real("writes fail with EIO", "subfiles", {}, "fail=write EIO", "heal"),
    Real("writes fail with EDQUOT from the 3rd on", "subfiles", {}, "fail=write EDQUOT after 2", "heal"),
    Real("full", "subfiles", {"fresh": 1}, "fill=1", "heal"),
    Real("half of every write", "subfiles", {}, "short=1", "heal"),
    Real("stuck for 2 s", "subfiles", {"again": 0}, "stuck=1;sleep 2;heal"),
    Real("dies", "subfiles", {"again": 0}, "kill"),
    Real("reads fail with EIO", "subfiles", {"direction": "read"}, "fail=read EIO", "heal"),
    Real("reads stuck for 2 s", "subfiles", {"direction": "read", "again": 0}, "stuck=1;sleep 2;heal"),
    Real("dies before a read", "subfiles", {"direction": "read", "again": 0}, "kill"),
)
"""One of three subfiles lies on a target that this happens to. Its path must be in the error on all ranks."""
