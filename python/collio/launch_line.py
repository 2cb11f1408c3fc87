"""Reads and edits a launch command: wrapper words, the launcher, its options, the program.

    timeout 60 mpiexec --bind-to core -n 4 env A=1 ./app in.nc : -n 1 ./other
               ^ launcher                  ^ first context     ^ second context

Nothing here starts a process or knows a particular MPI library.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

WRAPPERS = frozenset(
    "env nice ionice nohup numactl taskset time timeout setsid stdbuf chrt strace ltrace valgrind perf hwloc-bind".split()
)
"""Programs that run the program named further on in their own arguments."""

_ONE = (
    "n np c N ppn perhost hosts host H hostfile machinefile machine f configfile wdir path launcher launcher-exec"
    " bind-to map-by rank-by membind rmk iface ranks-per-proc x envlist genvlist am tune app output"
    " output-filename stdin prefix report-uri timeout p A t J j w m o e i nodes ntasks cpus-per-task partition"
    " account time job-name nodelist ntasks-per-node mem mpi export cpu-bind distribution"
).split()
_TWO = "env genv mca gmca omca pmca prtemca pmixmca".split()
VALUES = {**{name: 1 for name in _ONE}, **{name: 2 for name in _TWO}}
"""How many further words an option of hydra, Open MPI's launchers or srun takes."""


@dataclass(frozen=True)
class LaunchLine:
    """A command split at its launcher. `launcher` is None when the program is started directly."""

    words: tuple[str, ...]
    launcher: int | None

    @property
    def launcher_word(self) -> str | None:
        return None if self.launcher is None else self.words[self.launcher]

    @property
    def contexts(self) -> list[tuple[int, int]]:
        """[begin, end) of each `:`-separated part of the launcher's arguments, or of the whole command."""
        first = 0 if self.launcher is None else self.launcher + 1
        if self.launcher is None:
            return [(first, len(self.words))]
        cuts = [i for i in range(first, len(self.words)) if self.words[i] == ":"]
        begins = [first] + [cut + 1 for cut in cuts]
        return list(zip(begins, cuts + [len(self.words)]))


def is_launcher(word: str) -> bool:
    """Whether a word names an MPI launcher (mpiexec, mpirun.openmpi, orterun, srun, …)."""
    name = os.path.basename(word)
    stem = name.replace("-", ".").split(".")[0]
    return stem in ("mpiexec", "mpirun", "orterun", "prterun", "prun", "srun", "jsrun", "aprun", "ibrun")


def read_launch_line(words: list[str]) -> LaunchLine:
    """Finds the launcher: the first word, or one behind wrappers such as `timeout 60`."""
    at = 0
    while at < len(words):
        if is_launcher(words[at]):
            return LaunchLine(tuple(words), at)
        if os.path.basename(words[at]) not in WRAPPERS:
            break
        at = _next_program(words, at + 1, len(words))
    return LaunchLine(tuple(words), None)


def programs(line: LaunchLine) -> list[Path]:
    """The executables the contexts run, wrappers skipped; a context whose program is not found adds none."""
    found = []
    for begin, end in line.contexts:
        at = _skip_options(line.words, begin, end) if line.launcher is not None else begin
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


def edit_assignments(words: list[str], name: str, value: str) -> tuple[list[str], bool]:
    """Puts `value` in front of every `name=…` that an `env` or the launcher's own options set.

    Returns the new words and whether a launcher option set the name already. Covers
    `-x NAME[=v]`, `-env NAME v`, `-genv NAME v` and `env NAME=v`.
    """
    edited, by_option = list(words), False
    for at, word in enumerate(words):
        before = words[at - 1].lstrip("-") if at and words[at - 1].startswith("-") else ""
        if before == "x" and word.split("=")[0] == name:
            edited[at] = f"{name}={join_preload(value, word.partition('=')[2])}"
            by_option = True
        elif before in ("env", "genv") and word == name and at + 1 < len(words):
            edited[at + 1] = join_preload(value, words[at + 1])
            by_option = True
        elif word.startswith(f"{name}=") and "env" in map(os.path.basename, words[:at]):
            edited[at] = f"{name}={join_preload(value, word.partition('=')[2])}"
    return edited, by_option


def join_preload(first: str, rest: str | None) -> str:
    """LD_PRELOAD with `first` in front; entries already there stay, in order, once."""
    entries = [first] + (rest or "").replace(" ", ":").split(":")
    return ":".join(dict.fromkeys(entry for entry in entries if entry))


def _skip_options(words: tuple[str, ...], begin: int, end: int) -> int:
    """Index of the first word in [begin, end) that is neither a launcher option nor its value."""
    at = begin
    while at < end and words[at].startswith("-"):
        name = words[at].lstrip("-")
        at += 1 if "=" in name else 1 + VALUES.get(name, 0)
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
