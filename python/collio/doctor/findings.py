"""What follows from a plan and a visit: findings, each well, wrong with a remedy, or to be known."""

from __future__ import annotations

import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path

from collio import __version__, mpi_libraries, wording
from collio.doctor.job import Plan, Visit, check_plan
from collio.plain_json import JsonObject
from collio.report import totals
from collio.run import launch_line, python_programs

WELL, NOTE, WRONG = "well", "note", "wrong"
MEBIBYTE = 1 << 20
SHARED_MIB, LEAST_MIB, MOST_MIB = 64, 4, 32
"""Shared memory of a node at default hints: node_memory_bytes() in src/policy/plan/plan.cpp. collio takes
half of what is free at most."""
MORE_MEMORY = (
    "remove what is left there, or give it more room: `mount -o remount,size=1g /dev/shm`, in a "
    "container `--shm-size=1g`"
)
REFUSALS = {
    "not enough slots": "give it no more ranks than cores, or --oversubscribe",
    "as root": "start it as another user, or set OMPI_ALLOW_RUN_AS_ROOT=1 and "
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
}
"""What launchers say, and what helps."""
CORES_EACH, MOST_ON_A_NODE = 8, 16
"""Aggregators of a node on a file system that nodes share: fewest_cores_each and most_on_a_node in
src/policy."""
ASSUMED = {
    "memory": "in the node's memory: many aggregators, small windows",
    "local": "a local disk: many aggregators, small windows",
    "shared": f"shared by nodes: an aggregator for each {CORES_EACH} cores of a node, at most "
    f"{MOST_ON_A_NODE}; windows of 16 MiB",
    "unknown": "unknown: taken for local on one node, for a shared one on several",
}


@dataclass(frozen=True)
class Finding:
    """One line. `state`: WELL, NOTE or WRONG; a remedy comes with the last."""

    name: str
    state: str
    found: str
    remedy: str = ""

    def as_dict(self) -> JsonObject:
        return asdict(self)


def before(plan: Plan) -> list[Finding]:
    """What can be said without a job. If the last one is wrong, there can be none."""
    word = launch_line.read_launch_line(list(plan.words)).launcher_word
    launcher = mpi_libraries.mpi_of_launcher(word) if word else None
    found = [
        Finding(
            "MPI",
            WELL,
            f"{plan.mpi.id}, family {plan.mpi.family}; started by "
            f"{launcher.path if launcher else plan.words[0]}",
        )
    ]
    missing = check_plan(plan)
    what, _, remedy = missing.partition("; ")
    found.append(
        Finding("collio", WRONG, what, remedy)
        if missing
        else Finding("collio", WELL, f"{__version__}: {plan.build.interposer}")
    )
    return found


def after(plan: Plan, visit: Visit) -> list[Finding]:
    """What the job showed."""
    if not visit.ranks:
        return [_no_lines(plan, visit), *_scarce_memory(), _hints(plan, visit), _versions(visit)]
    return [
        _job(plan, visit),
        _preload(plan, visit),
        _engine(plan, visit),
        _io(visit),
        _shared_memory(visit),
        _io_uring(visit),
        _file_system(visit),
        _locks(visit),
        _hints(plan, visit),
        *_mpi4py(plan),
        _versions(visit),
    ]


def _no_lines(plan: Plan, visit: Visit) -> Finding:
    if visit.code is None:
        return Finding(
            "job",
            WRONG,
            "it did not end in time",
            "see that the launcher starts a job at all: " + " ".join([*plan.words, "true"]),
        )
    # a package's program names no MPI library: that is preloaded with collio
    if "undefined symbol" in visit.errors:
        return Finding("preload", WRONG, "LD_PRELOAD did not arrive in the ranks", _hand_on())
    return Finding(
        "job",
        WRONG,
        f"exit code {visit.code}; no rank printed its line: {visit.errors or 'nothing on standard error'}",
        next(
            (remedy for words, remedy in REFUSALS.items() if words in visit.errors),
            "see that the launcher starts a job at all: " + " ".join([*plan.words, "true"]),
        ),
    )


def _job(plan: Plan, visit: Visit) -> Finding:
    ranks = visit.ranks
    alone = [rank for rank in ranks if rank["size"] == 1]
    if len(alone) > 1:
        return Finding(
            "job",
            WRONG,
            f"{len(alone)} ranks that do not know of each other: the launcher is not one of {plan.mpi.id}",
            f"start it with {plan.mpi.mpiexec or 'the launcher of that MPI'}, or name the launcher's MPI "
            "with --mpi",
        )
    if visit.code is None:
        return Finding(
            "job",
            WRONG,
            f"{len(ranks)} of {ranks[0]['size']} ranks printed their lines, but it did not end in time",
            "a program without I/O may hang in MPI_Finalize as well: try one; then look for a fixed release "
            "of the MPI library",
        )
    if visit.code or len(ranks) < ranks[0]["size"]:
        return Finding(
            "job",
            WRONG,
            f"exit code {visit.code}, {len(ranks)} of {ranks[0]['size']} ranks printed their lines: "
            f"{visit.errors}",
            "run it again; if it stays, look at the launcher's own messages",
        )
    hosts = {rank["host"] for rank in ranks}
    return Finding(
        "job",
        WELL,
        f"{wording.counted(len(ranks), 'rank')} on {wording.counted(len(hosts), 'node')}: "
        f"{' '.join(ranks[0]['mpi_version'].split())}",
    )


def _preload(plan: Plan, visit: Visit) -> Finding:
    without = [rank for rank in visit.ranks if not rank["preload"]]
    if not without:
        return Finding("preload", WELL, "on all ranks and nodes")
    where = f"not on {_ranks_text(without)}"
    if any(rank["token"] != visit.token for rank in without):
        return Finding("preload", WRONG, f"{where}: the environment was not handed on", _hand_on())
    path = plan.build.interposer
    return Finding(
        "preload",
        WRONG,
        f"{where}, though other variables arrived",
        f"see that {path} can be read on these nodes, and that nothing there sets LD_PRELOAD",
    )


def _hand_on() -> str:
    return (
        "have the launcher hand on LD_PRELOAD and COLLIO_* (`collio run --dry-run -- …` prints them), or "
        "set them in the ranks: `mpiexec … env LD_PRELOAD=… ./app`"
    )


def _engine(plan: Plan, visit: Visit) -> Finding:
    if untried := _why_untried(visit):
        return Finding("engine", NOTE, untried)
    without = [rank for rank in visit.ranks if not rank["engine"]]
    if without and not any(rank["preload"] for rank in without):
        return Finding("engine", NOTE, f"not tried on {_ranks_text(without)}: the preload is not there")
    if without:
        said = _said(visit, "cannot be loaded")
        remedy = (
            "`make build`, or install the package again, where all nodes see it"
            if "cannot be loaded" in said
            else f"an engine serves a family of MPI libraries: see that the ranks use {plan.mpi.id}"
        )
        return Finding(
            "engine", WRONG, f"not on {_ranks_text(without)}: {said or 'it was not loaded'}", remedy
        )
    return Finding("engine", WELL, Path(visit.ranks[0]["engine"]).name)


def _io(visit: Visit) -> Finding:
    problems = [rank for rank in visit.ranks if rank["problem"]]
    if problems:
        return Finding(
            "collective I/O",
            WRONG,
            f"{_ranks_text(problems)}: {problems[0]['problem']}",
            "see that DIR is on a file system that all nodes share and can write to",
        )
    if untried := _why_untried(visit):
        return Finding("collective I/O", NOTE, untried)
    ways = {
        f"{call['operation']} by {call['path']}" for file in visit.files for call in file.get("calls", ())
    }
    if ways:
        return Finding("collective I/O", WELL, "bytes written and read back: " + ", ".join(sorted(ways)))
    if os.environ.get("COLLIO_ENABLE") == "0":
        return Finding(
            "collective I/O", WRONG, "COLLIO_ENABLE=0 is set: calls pass through", "unset COLLIO_ENABLE"
        )
    if not all(rank["engine"] for rank in visit.ranks):
        return Finding("collective I/O", NOTE, "by the MPI library: collio is not on all ranks")
    return Finding(
        "collective I/O",
        WRONG,
        _said(visit) or "collio took over no file",
        "see the hint collio_enable (`collio info`)",
    )


def _why_untried(visit: Visit) -> str:
    """Empty: a file was written and read."""
    if all(rank["tried"] for rank in visit.ranks):
        return ""
    return (
        "not tried: DIR is not on all nodes"
        if not all(rank["sees_folder"] for rank in visit.ranks)
        else "not tried: the preload is not on all ranks"
    )


def _said(visit: Visit, reason: str = "") -> str:
    """The first message of collio's in the ranks that has the reason, else the first of all: ranks print in
    any order."""
    said = [
        line.removeprefix("collio: ") for line in visit.errors.splitlines() if line.startswith("collio: ")
    ]
    return next((line for line in said if reason in line), next(iter(said), ""))


def _shared_memory(visit: Visit) -> Finding:
    wanted = 2 * MEBIBYTE * max(_wanted_mib(visit, host) for host in _hosts(visit))
    poorest = min(visit.ranks, key=lambda rank: rank["shared_memory_bytes"])
    free = poorest["shared_memory_bytes"]
    text = f"{wording.format_bytes(free)} free in /dev/shm" if free >= 0 else "no /dev/shm"
    if len(_hosts(visit)) > 1:
        text += f" on {poorest['host']}, the least of the nodes"
    if free >= wanted:
        return Finding("shared memory", WELL, text)
    return Finding(
        "shared memory",
        WRONG,
        f"{text}; large calls want {wording.format_bytes(wanted)}; without it ranks of a node send messages",
        MORE_MEMORY,
    )


def _scarce_memory() -> list[Finding]:
    """Of this node, where no rank told: MPI libraries fail to start without."""
    try:
        about = os.statvfs("/dev/shm")
    except OSError:
        return [Finding("shared memory", WRONG, "no /dev/shm on this node", MORE_MEMORY)]
    free = about.f_bavail * about.f_frsize
    scarce = free < SHARED_MIB * MEBIBYTE
    return (
        [
            Finding(
                "shared memory",
                WRONG,
                f"{wording.format_bytes(free)} free in /dev/shm on this node, which MPI libraries take, too",
                MORE_MEMORY,
            )
        ]
        if scarce
        else []
    )


def _wanted_mib(visit: Visit, host: str) -> int:
    """Of a node, at default hints."""
    ranks = [rank for rank in visit.ranks if rank["host"] == host]
    if ranks[0]["kind"] == "shared" or (ranks[0]["kind"] == "unknown" and len(_hosts(visit)) > 1):
        return SHARED_MIB
    cores: int = min(max(rank["cores"] for rank in ranks), len(ranks))
    return min(max(2 * cores, LEAST_MIB if len(_hosts(visit)) == 1 else 16), MOST_MIB)


def _io_uring(visit: Visit) -> Finding:
    without = [rank for rank in visit.ranks if rank["io_uring_errno"]]
    used = sorted(
        {file["storage_by"]["kind"] for file in visit.files if file.get("storage_by", {}).get("kind")}
    )
    by = f"; file calls by {', '.join(used)}" if used else ""
    if not without:
        return Finding("io_uring", WELL, "allowed" + by)
    why = os.strerror(without[0]["io_uring_errno"])
    return Finding(
        "io_uring",
        NOTE,
        f"not on {_ranks_text(without)} ({why}); threads take its place{by}",
        "kernel.io_uring_disabled=0, or a seccomp filter of the container that allows it",
    )


def _file_system(visit: Visit) -> Finding:
    blind = [rank for rank in visit.ranks if not rank["sees_folder"]]
    if blind:
        return Finding(
            "file system",
            WRONG,
            f"{_ranks_text(blind)} cannot see a folder made in DIR",
            "name a DIR that all nodes share: --dir",
        )
    systems = sorted({(rank["file_system"], rank["kind"]) for rank in visit.ranks})
    text = "; ".join(f"{name}, {ASSUMED[kind]}" for name, kind in systems)
    if len(systems) > 1:
        return Finding(
            "file system",
            WRONG,
            f"the nodes have different ones under DIR: {text}",
            "name a DIR that all nodes share: --dir",
        )
    return Finding("file system", WELL, text)


def _locks(visit: Visit) -> Finding:
    without = [rank for rank in visit.ranks if rank["locks_errno"]]
    if not all(rank["sees_folder"] for rank in visit.ranks):
        return Finding("locks", NOTE, "not tried: DIR is not on all nodes")
    if not without:
        return Finding("locks", WELL, "byte ranges can be locked")
    why = os.strerror(without[0]["locks_errno"])
    text = f"not on {_ranks_text(without)} ({why})"
    if any(rank["file_system"] == "nfs" for rank in without):
        return Finding(
            "locks",
            WRONG,
            f"{text}; collio locks every transfer on NFS",
            "mount it without nolock, and see that lockd runs (NFS 3)",
        )
    return Finding("locks", NOTE, f"{text}; holes between ranks' bytes are written piece by piece")


def _hints(plan: Plan, visit: Visit) -> Finding:
    given = totals.chosen_hints(visit.files[0]) if visit.files else plan.settings.hints
    text = ", ".join(f"{key}={value}" for key, value in given.items()) or "all at their defaults"
    warnings = [
        *plan.settings.warnings,
        *(warning for file in visit.files for warning in file.get("warnings", ())),
    ]
    if warnings:
        return Finding(
            "hints",
            WRONG,
            f"{text}; {'; '.join(dict.fromkeys(warnings))}",
            "`collio info --all` lists the hints, their values and where each comes from",
        )
    return Finding("hints", WELL, text)


def _mpi4py(plan: Plan) -> list[Finding]:
    """A warning for programs in Python, where the first interpreter's mpi4py wants another launcher."""
    python = launch_line.executable("python3")
    of_python = python_programs.mpi_of_mpi4py(python, locate=False) if python else None
    if not of_python or of_python.family == plan.mpi.family:
        return []
    told = f"mpi4py of {python} is {of_python.family}'s: start Python programs with a launcher of that MPI"
    return [Finding("mpi4py", NOTE, told)]


def _versions(visit: Visit) -> Finding:
    return Finding(
        "versions",
        WELL,
        f"collio {__version__}, Python {platform.python_version()}, {platform.system()} {platform.release()}",
    )


def _hosts(visit: Visit) -> list[str]:
    return sorted({rank["host"] for rank in visit.ranks})


def _ranks_text(ranks: list[JsonObject]) -> str:
    """ "ranks 2, 3 and 6 more on node7, node8"."""
    numbers = [str(rank["rank"]) for rank in ranks]
    hosts = sorted({rank["host"] for rank in ranks})
    more = f" and {len(numbers) - 8} more" if len(numbers) > 8 else ""
    return (
        f"rank{'s' if len(numbers) > 1 else ''} {', '.join(numbers[:8])}{more} on "
        f"{', '.join(hosts[:4])}{', …' if len(hosts) > 4 else ''}"
    )
