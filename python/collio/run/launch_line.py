"""Reads and edits a launch command: wrapper words, the launcher, its options, the program.

    timeout 60 mpiexec --bind-to core -n 4 env A=1 ./app in.nc : -n 1 ./other
               ^ launcher                  ^ first context     ^ second context

Nothing here starts a process or knows a particular MPI library.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Callable, NamedTuple

WRAPPERS = frozenset(
    "env nice ionice nohup numactl taskset time timeout setsid stdbuf chrt strace ltrace valgrind perf "
    "hwloc-bind".split()
)
"""Programs that run the program named further on in their own arguments."""

_ONE = (
    "n np c N ppn perhost hosts host H hostfile machinefile machine f configfile wdir path launcher "
    "launcher-exec"
    " bind-to map-by rank-by membind rmk iface ranks-per-proc x envlist genvlist am tune app output"
    " output-filename stdin prefix report-uri timeout p A t J j w m o e i nodes ntasks cpus-per-task "
    "partition"
    " account time job-name nodelist ntasks-per-node mem mpi export cpu-bind distribution"
).split()
_TWO = "env genv mca gmca omca pmca prtemca pmixmca".split()
_OF_LAUNCHER = {
    "flux": "g q B env env-remove env-file setopt setattr queue cwd tasks-per-node cores-per-task "
    "gpus-per-task time-limit requires",
    "jsrun": "a g r l d b E F D M P L K X h k U S tasks_per_rs cpu_per_rs rs_per_host latency_priority "
    "launch_distribution bind smpiargs env chdir",
    "aprun": "d S sl sn cc cp r R F D L e",
    "mpiexec": "d depth mem-bind gpu-bind",
}
VALUES = {**{name: 1 for name in _ONE}, **{name: 2 for name in _TWO}}
"""How many further words an option of hydra, Open MPI's launchers or srun takes."""

ASSIGNING = frozenset("x E e env genv environment-override".split())
"""Options that give a variable to the ranks."""

_FLUX_COMMANDS = ("run", "submit", "bulksubmit")


class LaunchLine(NamedTuple):
    """A command split at its launcher. `launcher` is None when the program is started directly."""

    words: tuple[str, ...]
    launcher: int | None

    @property
    def launcher_word(self) -> str | None:
        return None if self.launcher is None else self.words[self.launcher]

    @property
    def launcher_stem(self) -> str | None:
        """ "mpiexec" of "/opt/x/mpiexec.hydra"; None without a launcher."""
        return _stem(self.launcher_word) if self.launcher_word else None

    @property
    def waits(self) -> bool:
        """Whether the launcher returns when the job has ended. `flux submit` returns as soon as it is in the
        queue."""
        begin, end = self.options[0]
        commands = self.words[self.launcher + 1 : begin] if self.launcher is not None else ()
        return commands[-1:] not in (("submit",), ("bulksubmit",)) or "--wait" in self.words[begin:end]

    @property
    def options(self) -> list[tuple[int, int]]:
        """[begin, end) of the launcher's options in each context; the program follows."""
        return (
            [(begin, _skip_options(self, begin, end)) for begin, end in self.contexts]
            if self.launcher is not None
            else [(0, 0)]
        )

    @property
    def contexts(self) -> list[tuple[int, int]]:
        """[begin, end) of each `:`-separated part of the launcher's arguments, or of the whole command."""
        first = 0 if self.launcher is None else self.launcher + 1
        if self.launcher is None:
            return [(first, len(self.words))]
        if self.launcher_stem == "flux":  # `flux run` and kin; there is one program
            return [(first + _flux_command_length(self.words[first:]), len(self.words))]
        cuts = [i for i in range(first, len(self.words)) if self.words[i] == ":"]
        begins = [first] + [cut + 1 for cut in cuts]
        return list(zip(begins, cuts + [len(self.words)]))


def is_launcher(word: str) -> bool:
    """Whether a word names an MPI launcher (mpiexec, mpirun.openmpi, orterun, srun, …)."""
    return _stem(word) in (
        "mpiexec",
        "mpirun",
        "orterun",
        "prterun",
        "prun",
        "srun",
        "jsrun",
        "aprun",
        "ibrun",
    )


def _stem(word: str) -> str:
    return os.path.basename(word).replace("-", ".").split(".")[0]


def _flux_command_length(words: tuple[str, ...]) -> int:
    """Words of `run`, `submit`, `mini run` and kin that follow `flux`; 0: it is another command of flux."""
    length = 2 if words[:1] == ("mini",) else 1
    return length if words[length - 1 : length] and words[length - 1] in _FLUX_COMMANDS else 0


def read_launch_line(words: list[str]) -> LaunchLine:
    """Finds the launcher: the first word, or one behind wrappers such as `timeout 60`."""
    at = 0
    while at < len(words):
        starts_flux = os.path.basename(words[at]) == "flux" and _flux_command_length(tuple(words[at + 1 :]))
        if is_launcher(words[at]) or starts_flux:
            return LaunchLine(tuple(words), at)
        if os.path.basename(words[at]) not in WRAPPERS:
            break
        at = _next_program(words, at + 1, len(words))
    return LaunchLine(tuple(words), None)


def programs(line: LaunchLine) -> list[Path]:
    """The executables the contexts run, wrappers skipped; a context whose program is not found adds none."""
    found = []
    for begin, end in line.contexts:
        at = _skip_options(line, begin, end) if line.launcher is not None else begin
        while at < end and os.path.basename(line.words[at]) in WRAPPERS:
            at = _next_program(line.words, at + 1, end)
        path = executable(line.words[at]) if at < end else None
        if path:
            found.append(path)
    return found


def executable(word: str) -> Path | None:
    """Path of the program a word names, or None."""
    path = shutil.which(word)
    return Path(path) if path else None


def edit_assignments(
    words: list[str], name: str, join: Callable[[str], str], kind: str = "hydra"
) -> list[str]:
    """Puts `join(value)` for the value of every `name=value` that an `env` or the launcher's own options set.

    Covers `-x NAME[=v]`, `-E NAME[=v]`, `-e NAME=v`, `--env NAME=v`, `--env=NAME=v`, hydra's `-env NAME v`
    and `-genv NAME v`, and `env NAME=v`. `kind`: the launcher's, as in mpi_libraries.LauncherMpi.
    """
    edited = list(words)
    for at, word in enumerate(words):
        before = words[at - 1].lstrip("-") if at and words[at - 1].startswith("-") else ""
        option, _, assignment = word.partition("=") if word.startswith("-") else ("", "", word)
        by_option = (option.lstrip("-") if option else before) in ASSIGNING
        own, equals, value = assignment.partition("=")
        if own != name:
            continue
        if (
            by_option
            and kind not in ("flux", "pals", "jsrun")
            and before in ("env", "genv")
            and not equals
            and at + 1 < len(words)
        ):
            edited[at + 1] = join(words[at + 1])
        elif (by_option and (equals or before in ("x", "E"))) or (
            equals and "env" in map(os.path.basename, words[:at])
        ):
            edited[at] = f"{option}={name}={join(value)}" if option else f"{name}={join(value)}"
    return edited


def join_preload(ours: str, users: str | None) -> str:
    """LD_PRELOAD with `ours` behind the user's own entries, each once.

    Sanitizers want to be first, and a tool in front sees the program's calls. An MPI library among them is
    what ours has to be in front of.
    """
    own = [
        entry
        for entry in (users or "").replace(" ", ":").split(":")
        if entry and entry not in ours.split(":")
    ]
    at = next(
        (
            index
            for index, entry in enumerate(own)
            if re.match(r"libmpi(ch)?(_\w+)?\.so", os.path.basename(entry))
        ),
        len(own),
    )
    return ":".join(dict.fromkeys([*own[:at], *ours.split(":"), *own[at:]]))


def _skip_options(line: LaunchLine, begin: int, end: int) -> int:
    """Index of the first word in [begin, end) that is neither a launcher option nor its value."""
    words, at = line.words, begin
    own = _OF_LAUNCHER.get(line.launcher_stem or "", "").split()
    while at < end and words[at].startswith("-"):
        name = words[at].lstrip("-")
        taken = 1 if name in own else VALUES.get(name, 0)
        if name in ("env", "genv") and at + 1 < end and "=" in words[at + 1]:
            taken = 1  # `--env NAME=VALUE`; hydra's has two words
        at += 1 if "=" in name else 1 + taken
    if at < end and executable(words[at]) is None:  # an option we do not know took a value
        at = _next_program(words, at, end)
    return min(at, end)


def _next_program(words: list[str] | tuple[str, ...], begin: int, end: int) -> int:
    """Index of the next word in [begin, end) that can be run; `end` when there is none."""
    for at in range(begin, end):
        word = words[at]
        if not word.startswith("-") and "=" not in word and (is_launcher(word) or executable(word)):
            return at
    return end
