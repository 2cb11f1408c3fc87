"""`native-tuned`: the fastest settings of the MPI library's own I/O for one pattern, found before anything is
timed.

`pnetcdf-tuned` is the same below PnetCDF, `pnetcdf-gio-tuned` searches settings of PnetCDF's own I/O.

A setting is written as the name of an engine ("ompi-vulcan:num_aggregators=8"), so that any of them can be
measured alone. The search goes in stages, where the full product would take hundreds of runs. Every run
writes and reads, and each operation follows its own fastest settings. n is the number of ranks.

    ROMIO   1. no hints; cb_nodes in {1, 2, n/2, n}, with cb_config_list allowing that many on the nodes
            2. the fastest of these with cb_buffer_size 1 MiB and 4 MiB (default: 16 MiB)
            3. the fastest with data sieving on and off; no collective buffering, with data sieving on and off
    GIO     1. and 2. as with ROMIO, without cb_config_list
            3. the fastest with data sieving on and off, and with 1 and 2 of PnetCDF's aggregators on a node
    OMPIO   1. every fcoll component of this Open MPI
            2. the two fastest with num_aggregators in {1, 2, n/2, n}
            3. the fastest with bytes_per_agg 1 MiB, 4 MiB and 16 MiB (default: 32 MiB)
    both    the three fastest of each operation run once more; the smaller time counts

A setting whose run fails, or takes four times as long as the fastest run (at least 10 s), is left out, and
the results say so.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Callable

from collio.bench import engines, launcher, rounds
from collio.bench.engines import Engine
from collio.bench.launcher import Setup
from collio.mpi_libraries import OPENMPI
from collio.plain_json import JsonObject

BUFFERS_MIB = (1, 4)
OMPIO_BYTES_MIB = (1, 4, 16)
LEAST_LIMIT_S = 10.0
SLOWER_THAN_FASTEST = 4
RUN_AGAIN = 3


@dataclass(frozen=True)
class Setting:
    """An engine and values for it. `fixed` are the user's own hints, which the search leaves alone."""

    engine: str
    values: tuple[tuple[str, str], ...] = ()
    fixed: tuple[tuple[str, str], ...] = field(default=(), compare=False)

    @property
    def label(self) -> str:
        return ":".join([self.engine, *(f"{key}={value}" for key, value in self.values)])

    def having(self, **values: object) -> Setting:
        changed = {
            **dict(self.values),
            **{key: str(value) for key, value in values.items()},
            **dict(self.fixed),
        }
        return replace(self, values=tuple(changed.items()))


@dataclass(frozen=True)
class Trial:
    """What one setting took: seconds by operation, or why it is left out."""

    setting: Setting
    seconds: dict[str, float] = field(default_factory=dict)
    error: str | None = None

    def document(self) -> JsonObject:
        return {
            "settings": self.setting.label,
            **({"error": self.error} if self.error else {"seconds": self.seconds}),
        }


Stage = Callable[[list[Setting]], list[Setting]]
"""The settings to try next, from those of the family tried so far, fastest first."""


@dataclass(frozen=True)
class Tuning:
    """The outcome of a search."""

    trials: list[Trial]
    chosen: dict[str, Setting]  # by operation; an operation without any setting that worked is absent

    def document(self) -> JsonObject:
        return {
            "chosen": {operation: setting.label for operation, setting in self.chosen.items()},
            "tried": [trial.document() for trial in self.trials],
        }


# --- candidates -----------------------------------------------------------------------------------


def aggregator_counts(ranks: int) -> list[int]:
    """1, 2, n/2 and n without repetitions."""
    return sorted({count for count in (1, 2, ranks // 2, ranks) if 1 <= count <= ranks})


def romio(engine: str, ranks: int, nodes: int, own: dict[str, str]) -> list[Stage]:
    """The stages for ROMIO. Without cb_config_list it has one aggregator a node, whatever cb_nodes says."""
    base = Setting(engine, fixed=tuple(own.items())).having()
    off = base.having(romio_cb_write="disable", romio_cb_read="disable")
    return [
        lambda _: [
            base,
            *(
                base.having(cb_nodes=count, cb_config_list=f"*:{-(-count // nodes)}")
                for count in aggregator_counts(ranks)
            ),
        ],
        lambda best: buffers(best[:1]),
        lambda best: sieving([*best[:1], off]),
    ]


def gio(ranks: int, own: dict[str, str]) -> list[Stage]:
    """The stages for PnetCDF's GIO."""
    base = Setting("pnetcdf-gio", fixed=tuple(own.items())).having()
    return [
        lambda _: [base, *(base.having(cb_nodes=count) for count in aggregator_counts(ranks))],
        lambda best: buffers(best[:1]),
        lambda best: [
            *sieving(best[:1]),
            *(setting.having(nc_num_aggrs_per_node=count) for setting in best[:1] for count in (1, 2)),
        ],
    ]


def buffers(settings: list[Setting]) -> list[Setting]:
    return [setting.having(cb_buffer_size=mib << 20) for setting in settings for mib in BUFFERS_MIB]


def sieving(settings: list[Setting]) -> list[Setting]:
    return [
        setting.having(romio_ds_write=word, romio_ds_read=word)
        for setting in settings
        for word in ("enable", "disable")
    ]


def ompio(engine_names: Iterable[str], ranks: int, own: dict[str, str]) -> list[Stage]:
    """The stages for Open MPI's own I/O. `individual` has no aggregators to set."""
    bases = [Setting(name, fixed=tuple(own.items())).having() for name in engine_names]

    def aggregated(best: list[Setting]) -> list[Setting]:
        return [setting for setting in best if not setting.engine.endswith("ompi-individual")]

    return [
        lambda _: bases,
        lambda best: [
            setting.having(num_aggregators=count)
            for setting in aggregated(best[:2])
            for count in aggregator_counts(ranks)
        ],
        lambda best: [
            setting.having(bytes_per_agg=mib << 20)
            for setting in aggregated(best[:1])
            for mib in OMPIO_BYTES_MIB
        ],
    ]


def families(setup: Setup, engine: Engine) -> list[list[Stage]]:
    """The stages of every I/O layer below an engine."""
    name, own = engine.label.split(":")[0], engine.hints
    if name == "pnetcdf-gio-tuned":
        return [gio(setup.ranks, own)]
    nodes = len(setup.lab.graph.nodes) if setup.lab else 1
    front = "pnetcdf-" if engine.mode == "pnetcdf" else ""
    if setup.mpi.family != OPENMPI:
        return [romio("pnetcdf" if front else "native", setup.ranks, nodes, own)]
    components = [f"{front}ompi-{component}" for component in engines.fcoll_components(setup.mpi)]
    return [romio(f"{front}ompi-romio", setup.ranks, nodes, own), ompio(components, setup.ranks, own)]


# --- the search -----------------------------------------------------------------------------------


def ranked(trials: Iterable[Trial], operation: str) -> list[Setting]:
    """Settings that worked, fastest first."""
    good = [trial for trial in trials if trial.error is None and operation in trial.seconds]
    return [trial.setting for trial in sorted(good, key=lambda trial: trial.seconds[operation])]


def search(
    stages_of: Iterable[list[Stage]],
    operations: list[str],
    run: Callable[[Setting], Trial],
    expect: Callable[[int], None] = lambda _: None,
) -> Tuning:
    """Goes through the stages of each family, then runs the fastest once more and chooses. `expect` gets the
    number of runs that come next."""
    trials: dict[Setting, Trial] = {}
    for stages in stages_of:
        mine: dict[Setting, Trial] = {}
        for stage in stages:
            wanted = [
                setting for operation in operations for setting in stage(ranked(mine.values(), operation))
            ]
            untried = [setting for setting in dict.fromkeys(wanted) if setting not in mine]
            expect(len(untried))
            mine |= {setting: run(setting) for setting in untried}
        trials |= mine
    again = [
        setting for operation in operations for setting in ranked(trials.values(), operation)[:RUN_AGAIN]
    ]
    expect(len(dict.fromkeys(again)))
    for setting in dict.fromkeys(again):
        trials[setting] = both(trials[setting], run(setting))
    best = {operation: ranked(trials.values(), operation)[:1] for operation in operations}
    return Tuning(list(trials.values()), {operation: found[0] for operation, found in best.items() if found})


def both(first: Trial, second: Trial) -> Trial:
    """Two runs of a setting as one: the smaller times, or the second run's error."""
    if second.error:
        return second
    return Trial(
        first.setting,
        {operation: min(seconds, second.seconds[operation]) for operation, seconds in first.seconds.items()},
    )


class Runner:
    """Runs settings; what takes much longer than the fastest run is ended."""

    def __init__(
        self, setup: Setup, arguments_of: Callable[[Engine], list[str]], told: Callable[[Trial], None]
    ):
        self._setup, self._arguments_of, self._told = setup, arguments_of, told
        self._fastest_s: float | None = None

    def __call__(self, setting: Setting) -> Trial:
        engine = engines.parse_engine(setting.label, self._setup.mpi)
        setup = replace(self._setup, timeout_s=self.limit_s())
        begin = time.monotonic()
        outcome = launcher.measure(setup, engine, self._arguments_of(engine))
        spent = time.monotonic() - begin
        error = rounds.problem(engine, outcome)
        trial = Trial(setting, error=error) if error else Trial(setting, seconds_of(outcome.lines))
        if not error:
            self._fastest_s = min(spent, self._fastest_s or spent)
        self._told(trial)
        return trial

    def limit_s(self) -> float:
        """Seconds the next run may take."""
        if self._fastest_s is None:
            return self._setup.timeout_s
        return min(self._setup.timeout_s, max(LEAST_LIMIT_S, SLOWER_THAN_FASTEST * self._fastest_s))


def seconds_of(lines: list[JsonObject]) -> dict[str, float]:
    """Seconds by operation, all time steps together."""
    seconds: dict[str, float] = {}
    for line in lines:
        for operation in line["operations"]:
            seconds[operation["operation"]] = seconds.get(operation["operation"], 0) + operation["seconds"]
    return seconds


def tuned(
    setup: Setup,
    engine: Engine,
    operations: list[str],
    run: Callable[[Setting], Trial],
    expect: Callable[[int], None],
) -> tuple[Engine, Tuning]:
    """The engine with an engine for each operation, and how it was found."""
    found = search(families(setup, engine), operations, run, expect)
    parts = {
        operation: engines.parse_engine(setting.label, setup.mpi)
        for operation, setting in found.chosen.items()
    }
    return replace(engine, by_operation=parts), found
