"""The machine of a plan: a preset or machine file, written out, or a regular shape in a few words.

tree:4x20,link=40Gbit/s,uplink=20Gbit/s,latency=1us
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from collio import machine_file
from collio.machine_file.costs import Costs
from collio.machine_file.expand import MOST_NODES
from collio.machine_file.units import UnitError, parse_rate, parse_time
from collio.plan.errors import PlanError

SHAPES = {
    "switch": ("NODES", 1, ("link",)),
    "tree": ("RACKSxNODES", 2, ("link", "uplink")),
    "fat-tree": ("LEAVESxNODESxSPINES", 3, ("link", "uplink")),
    "torus": ("AxBxC...", 1, ("link",)),
    "torus-io": ("NODESxBRIDGESxAxBxC...: of a set, then the torus", 3, ("link", "io")),
    "dragonfly": ("GROUPSxROUTERSxNODES", 3, ("link", "local", "global")),
}
"""Sizes as they are written and how many at least, and kinds of links in the planner's order."""

OF_ANY_LENGTH = ("torus", "torus-io")
DEFAULT_RATE, DEFAULT_LATENCY = "100Gbit/s", "1us"


@dataclass(frozen=True)
class PlanMachine:
    """The planner's arguments, and what the machine file knows besides."""

    arguments: list[str]
    ranks_per_node: int | None = None
    targets: int = 0
    costs: Costs = field(default_factory=dict)


def is_shape(text: str) -> bool:
    return text.partition(":")[0] in SHAPES and ":" in text


def plan_machine(text: str, scratch: Path) -> PlanMachine:
    """Raises PlanError and MachineFileError."""
    if is_shape(text):
        return PlanMachine(shape_arguments(text))
    if ":" in text and not Path(text).exists():
        allowed = ", ".join(f"{kind}:{sizes.partition(':')[0]}" for kind, (sizes, *_) in SHAPES.items())
        raise PlanError(f"--machine {text}: no such shape, and no such file; shapes are {allowed}")
    machine = machine_file.load_machine(text)
    numbers = machine.network.numbers()
    if len(machine.nodes) > MOST_NODES and numbers:  # too many to write out: by formulas
        ranks, targets = machine.nodes[0].ranks, len(machine.storage.targets) if machine.storage else 0
        arguments = _shape(
            numbers.kind,
            numbers.sizes,
            [(cable.rate_bytes_per_s, cable.latency_s) for cable in numbers.cables],
        )
        return PlanMachine([*arguments, "--name", machine.name], ranks, targets, _costs(machine))
    graph = machine_file.expand(machine)
    path = scratch / "machine.json"
    path.write_text(graph.to_json())
    arguments = ["--graph", str(path)]
    if graph.storage:
        arguments += ["--storage", str(graph.storage.attach)]
    return PlanMachine(
        arguments,
        min(node.ranks for node in graph.nodes),
        len(graph.storage.targets) if graph.storage else 0,
        _costs(machine),
    )


def _costs(machine: machine_file.MachineFile) -> Costs:
    """What the file says of costs; of its storage's targets, too."""
    costs: Costs = {}
    if machine.storage:
        costs["targets"] = len(machine.storage.targets)
        rates = [target.rate_bytes_per_s for target in machine.storage.targets if target.rate_bytes_per_s]
        if rates:
            costs["target_rate"] = min(rates)
    return costs | machine.costs


def _shape(kind: str, sizes: Iterable[int | str], cables: Sequence[tuple[float, float]]) -> list[str]:
    return [
        "--shape",
        kind,
        "--sizes",
        ",".join(map(str, sizes)),
        "--rates",
        _joined([rate for rate, _ in cables]),
        "--latencies",
        _joined([latency for _, latency in cables]),
    ]


def shape_arguments(text: str) -> list[str]:
    """Of "KIND:SIZES,KEY=VALUE,...". Raises PlanError."""
    kind, _, rest = text.partition(":")
    sizes, *settings = rest.split(",")
    written, least, links = SHAPES[kind]
    numbers = sizes.split("x")
    if (
        not all(number.isascii() and number.isdecimal() for number in numbers)
        or len(numbers) < least
        or (len(numbers) > least and kind not in OF_ANY_LENGTH)
    ):
        raise PlanError(f"--machine {text}: sizes {sizes!r}; allowed: {written}")
    given = dict(_setting(text, setting, links) for setting in settings)
    rate = given.get("link", parse_rate(DEFAULT_RATE))
    rates = [given.get(link, rate) for link in links]
    latency = given.get("latency", parse_time(DEFAULT_LATENCY))
    return _shape(kind, numbers, [(rate, latency) for rate in rates])


def _setting(text: str, setting: str, links: tuple[str, ...]) -> tuple[str, float]:
    key, _, value = setting.partition("=")
    if key not in (*links, "latency"):
        raise PlanError(
            f"--machine {text}: {setting!r}; allowed: {', '.join(f'{one}=RATE' for one in links)}, "
            "latency=TIME"
        )
    try:
        return key, (parse_time if key == "latency" else parse_rate)(value)
    except UnitError as error:
        raise PlanError(f"--machine {text}: {key}: {error}") from None


def _joined(numbers: list[float]) -> str:
    return ",".join(f"{number:.12g}" for number in numbers)
