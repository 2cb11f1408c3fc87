"""What is simulated: every combination of the values to compare."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

from collio import hints
from collio.machine_file import COSTS, Costs, parse_cost
from collio.machine_file.units import UnitError
from collio.plan.errors import PlanError


@dataclass(frozen=True)
class Setting:
    ranks: int
    costs: Costs
    hints: dict[str, str]
    varied: dict[str, str]
    """What tells it from the others, as it was written."""


def assignment(option: str, text: str) -> tuple[str, str]:
    """KEY and VALUE of "KEY=VALUE". Raises PlanError."""
    key, sign, value = text.partition("=")
    if not sign or not key or not value:
        raise PlanError(f"{option} {text}: allowed is KEY=VALUE")
    return key, value


def read_costs(option: str, texts: Iterable[str]) -> Costs:
    """Raises PlanError."""
    return {key: _cost(option, key, value) for key, value in (assignment(option, text) for text in texts)}


def combinations(ranks: list[int], costs: Costs, given: dict[str, str], vary: Iterable[str]) -> list[Setting]:
    """Every combination of --vary's values, for every number of ranks. Raises PlanError."""
    axes = []
    for text in vary:
        key, values = assignment("--vary", text)
        axes.append([(key, value) for value in values.split(",")])
    if len(ranks) > 1:
        axes.insert(0, [("ranks", str(number)) for number in ranks])
    settings = []
    for chosen in itertools.product(*axes):
        varied = dict(chosen)
        own_costs, own_hints = dict(costs), dict(given)
        for key, value in varied.items():
            if key in COSTS:
                own_costs[key] = _cost("--vary", key, value)
            elif key != "ranks":
                own_hints[key] = checked_hint("--vary", key, value)
        settings.append(Setting(int(varied.get("ranks", ranks[0])), own_costs, own_hints, varied))
    return settings


def checked_hint(option: str, key: str, value: str) -> str:
    """The value. Raises PlanError unless it is a hint's."""
    if key in COSTS:
        raise PlanError(
            f"{option} {key}={value}: {key} is a cost of the machine; --cost {key}={value} sets it"
        )
    if key not in hints.BY_KEY:
        raise PlanError(
            f"{option} {key}={value}: {key} is neither a hint of collio's nor a cost; costs are "
            f"{', '.join(COSTS)}"
        )
    try:
        return hints.BY_KEY[key].parse(value)
    except hints.HintError as error:
        raise PlanError(f"{option} {error}") from None


def _cost(option: str, key: str, value: str) -> float | int | str | bool:
    try:
        return parse_cost(key, value)
    except UnitError as error:
        raise PlanError(f"{option} {error}") from None
