"""Measures a lab's network: runs collio_lab_pingpong across it, again where something looks wrong.

A machine with other work is slow now and then, never too fast. So what is off is measured again a few times,
and the try that is nearest to the promise counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from collio.builds import Build, advice
from collio.lab import check, counters, job
from collio.lab.build import Lab
from collio.lab.check import Exchange, Flow, Round, Sample
from collio.machine_file import Graph
from collio.mpi_libraries import MpiLibrary, find_mpi_libraries
from collio.plain_json import JsonObject
from collio.run import launch
from collio.run.output import run_job

PROGRAM = "collio_lab_pingpong"
RANKS = 2  # of each node: one sends, one receives
IN_FLIGHT = 8
LEAST_MESSAGE_BYTES, MOST_MESSAGE_BYTES = 64 << 10, 1 << 20
MESSAGE_S = 0.02  # a message takes at most so long, so that a flow ends soon after its time
MOST_EXCHANGE_BYTES = 256 << 20  # received by all nodes, in memory


class CheckError(Exception):
    """The network cannot be measured; the message says why."""


@dataclass(frozen=True)
class CheckSettings:
    """How it is measured. `tolerance` is a part of one; `all_to_all`: the exchange as well."""

    mpi: MpiLibrary
    tolerance: float
    seconds: float
    tries: int
    timeout_s: float
    all_to_all: bool = True


@dataclass
class _Best:
    """The best try of every round so far, and the bytes of all tries."""

    rounds: dict[Round, list[Sample]] = field(default_factory=dict)
    exchange: Exchange | None = None
    sent: list[dict[Flow, float]] = field(default_factory=list)


def find_mpi(wanted: str | None) -> MpiLibrary:
    """The MPI of an id or family; without, the first the program is built for. Raises CheckError,
    LaunchError."""
    if wanted:
        mpi = launch.named_mpi(wanted)
        if not Build.of(mpi).program(PROGRAM).is_file():
            raise CheckError(f"{Build.of(mpi).program(PROGRAM)} is missing; {advice()}")
        return mpi
    for mpi in find_mpi_libraries():
        if mpi.mpiexec and Build.of(mpi).program(PROGRAM).is_file():
            return mpi
    raise CheckError(f"{PROGRAM} is not built for any MPI found here; run `make build`")


def run(lab: Lab, rounds: list[Round], settings: CheckSettings) -> JsonObject:
    """Measures the rounds one after another; the document. Raises CheckError, LaunchError."""
    graph, best = lab.graph, _Best()
    before = counters.read(graph)
    todo, exchange = list(rounds), settings.all_to_all
    for _ in range(settings.tries):
        _try(lab, todo, exchange, settings, best)
        todo = [one for one in rounds if _distance(graph, one, best.rounds[one]) > settings.tolerance]
        exchange = (
            best.exchange is not None
            and not check.judge_exchange(graph, best.exchange, settings.tolerance)["ok"]
        )
        if not todo and not exchange:
            break
    counted = counters.since(graph, before)
    rows = [
        row for one in rounds for row in check.judge_round(graph, one, best.rounds[one], settings.tolerance)
    ]
    links = check.judge_links(graph, check.sum_of(best.sent), counted, settings.tolerance)
    document: JsonObject = {
        "machine": graph.name,
        "mpi": settings.mpi.id,
        "tolerance": settings.tolerance,
        "pairs": rows,
        "links": links,
    }
    if best.exchange:
        document["all_to_all"] = check.judge_exchange(graph, best.exchange, settings.tolerance)
    document["honest"] = all(row["ok"] for row in [*rows, *links, document.get("all_to_all", {"ok": True})])
    return document


def _try(lab: Lab, rounds: list[Round], exchange: bool, settings: CheckSettings, best: _Best) -> None:
    """One run of the program; what is better than before stays in `best`."""
    exchange_bytes = _exchange_bytes(lab, settings.seconds) if exchange else 0
    lines = _measure(lab, _arguments(lab, rounds, exchange_bytes, settings), settings)
    flows = {(line["round"], line["flow"]): line for line in lines if "flow" in line}
    for number, one in enumerate(rounds):
        samples = [_sample(flows.get((number, place))) for place in range(len(one))]
        best.sent.append({flow: sample.bytes for flow, sample in zip(one, samples)})
        if one not in best.rounds or _distance(lab.graph, one, samples) < _distance(
            lab.graph, one, best.rounds[one]
        ):
            best.rounds[one] = samples
    for line in lines:
        if "all_to_all_bytes" in line:
            each = float(line["all_to_all_bytes"])
            best.sent.append(dict.fromkeys(check.everyone(lab.graph), each))
            # done again only when it was too fast
            best.exchange = Exchange(line["all_to_all_bytes"], line["seconds"])


def _measure(lab: Lab, arguments: list[str], settings: CheckSettings) -> list[JsonObject]:
    """The lines of one run on all nodes."""
    cluster = replace(lab.cluster, hosts=[(name, RANKS) for name, _ in lab.cluster.hosts])
    program = str(Build.of(settings.mpi).program(PROGRAM))
    prepared, _ = job.prepare(
        replace(lab, cluster=cluster), job.Wish([program, *arguments], settings.mpi.id, native=True)
    )
    outcome = run_job(prepared, settings.timeout_s)
    if outcome.error:
        raise CheckError(f"{PROGRAM}: {outcome.error}")
    names = [node.name for node in lab.graph.nodes]
    if outcome.lines[0].get("nodes") != names:
        raise CheckError(f"MPI sees the nodes {outcome.lines[0].get('nodes')}; the machine has {names}")
    return outcome.lines


def _arguments(lab: Lab, rounds: list[Round], exchange_bytes: int, settings: CheckSettings) -> list[str]:
    fastest = max((rate for one in rounds for rate in check.promise(lab.graph, one)), default=0)
    message = min(MOST_MESSAGE_BYTES, max(LEAST_MESSAGE_BYTES, int(fastest * MESSAGE_S)))
    words = [
        "--bytes",
        str(message),
        "--in-flight",
        str(IN_FLIGHT),
        "--milliseconds",
        str(round(settings.seconds * 1000)),
    ]
    for one in rounds:
        words += ["--flows", ",".join(f"{flow.source}-{flow.destination}" for flow in one)]
    return [*words, *(["--all-to-all", str(exchange_bytes)] if exchange_bytes else [])]


def _exchange_bytes(lab: Lab, seconds: float) -> int:
    """What makes an exchange of all with all as long as a flow, if memory allows."""
    nodes = len(lab.graph.nodes)
    return max(
        1, min(int(seconds / check.bound_s(lab.graph, 1)), MOST_EXCHANGE_BYTES // (nodes * (nodes - 1)))
    )


def _sample(line: JsonObject | None) -> Sample:
    if line is None:
        raise CheckError(f"{PROGRAM} did not measure all it was asked to")
    return Sample(line["bytes_per_s"], line["latency_s"], int(line["bytes"]))


def _distance(graph: Graph, one: Round, samples: list[Sample]) -> float:
    """How far the worst flow of a round is off its promise, as a part of it."""
    return max(abs(sample.bytes_per_s / rate - 1) for sample, rate in zip(samples, check.promise(graph, one)))
