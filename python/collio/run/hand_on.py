"""How the ranks get variables, by each launcher's own means.

    hydra    (MPICH, MVAPICH, Intel MPI)  inherited; `-genv` where options such as `-genvnone` keep them back
    openmpi  (mpirun, prterun)            `-x` in every `:`-part; where mca_base_env_list is set, in this:
                                          it excludes `-x`
    slurm    (srun)                       inherited; a narrow `--export` or SLURM_EXPORT_ENV is widened
    flux     (flux run, flux submit)      inherited; `--env=NAME` behind the user's rules, which may remove it
    jsrun                                 `-E NAME=VALUE` in every part
    pals     (Cray's mpiexec)             `--env NAME=VALUE` in every part
    aprun                                 `-e NAME=VALUE`, once for all parts

Sources: the manual pages mpiexec.hydra(1), mpirun(1), prterun(1), srun(1), flux-run(1), aprun(1), the option
table of jsrun in LaunchMON, and job scripts of Aurora and Polaris for PALS.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Callable, NamedTuple

from collio.run import launch_line
from collio.run.launch_line import LaunchLine

ENV_LIST_PARAMETER = "mca_base_env_list"
# hydra options that keep the environment back
_NARROWING = {"genvnone", "genvlist", "genvexcl", "envnone", "envlist", "envexcl"}
_ASSIGNING = {"jsrun": ("-E", True), "pals": ("--env", True), "aprun": ("-e", False)}
"""Option that sets NAME=VALUE in the ranks, and whether it holds for one `:`-part alone."""


class Variable(NamedTuple):
    """A variable for the ranks. `join`: its value, given the value that the command assigns already."""

    name: str
    value: str
    join: Callable[[str], str]


def hand_on(
    line: LaunchLine, kind: str, variables: list[Variable], environ: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """The words and the environment that start the job with `variables` in its ranks. `environ`: the
    launcher's, without them."""
    words = list(line.words)
    for one in variables:
        words = launch_line.edit_assignments(words, one.name, one.join, kind)
    line = LaunchLine(tuple(words), line.launcher)
    if kind == "openmpi":
        return _by_openmpi(line, variables, dict(environ))
    full = {**environ, **{one.name: one.value for one in variables}}
    if kind in _ASSIGNING:
        preload_elsewhere = {name: value for name, value in full.items() if name != "LD_PRELOAD"}
        return _by_assignment(line, kind, variables), preload_elsewhere | _own_preload(environ)
    if kind == "hydra":
        return _by_hydra(line, variables), full
    if kind == "slurm":
        return _by_slurm(line, variables, full)
    return (_by_flux(line, variables) if kind == "flux" else words), full


def _own_preload(environ: Mapping[str, str]) -> dict[str, str]:
    """The launcher keeps the preload it had: collio's is for the ranks."""
    return {"LD_PRELOAD": environ["LD_PRELOAD"]} if "LD_PRELOAD" in environ else {}


def _by_hydra(line: LaunchLine, variables: list[Variable]) -> list[str]:
    words = list(line.words)
    options = [words[at] for begin, end in line.options for at in range(begin, end)]
    if not any(word.lstrip("-") in _NARROWING for word in options if word.startswith("-")):
        return words
    given = [one for one in variables if not _assigned(options, one.name)]
    first = line.contexts[0][0]
    words[first:first] = [part for one in given for part in ("-genv", one.name, one.value)]
    return words


def _by_openmpi(
    line: LaunchLine, variables: list[Variable], environ: dict[str, str]
) -> tuple[list[str], dict[str, str]]:
    words = list(line.words)
    environ |= {one.name: one.value for one in variables if one.name != "LD_PRELOAD"}
    in_words = [at for at in range(2, len(words)) if words[at - 1] == ENV_LIST_PARAMETER]
    parameter = f"OMPI_MCA_{ENV_LIST_PARAMETER}"
    named = [f"LD_PRELOAD={one.value}" if one.name == "LD_PRELOAD" else one.name for one in variables]
    if in_words:
        for at in in_words:
            words[at] = _with(words[at], ";", variables, named)
    elif parameter in environ:
        environ[parameter] = _with(environ[parameter], ";", variables, named)
    else:
        for begin, end in reversed(line.options):
            new = [text for one, text in zip(variables, named) if not _assigned(words[begin:end], one.name)]
            words[begin:begin] = [part for text in new for part in ("-x", text)]
    return words, environ


def _by_slurm(
    line: LaunchLine, variables: list[Variable], environ: dict[str, str]
) -> tuple[list[str], dict[str, str]]:
    words = list(line.words)
    for begin, end in line.options:
        for at in range(begin, end):
            option, equals, value = words[at].partition("=")
            if option == "--export" and equals:
                words[at] = f"--export={_widened(value, variables)}"
            elif at > begin and words[at - 1] == "--export":
                words[at] = _widened(words[at], variables)
    if "SLURM_EXPORT_ENV" in environ:
        environ["SLURM_EXPORT_ENV"] = _widened(environ["SLURM_EXPORT_ENV"], variables)
    return words, environ


def _widened(export: str, variables: list[Variable]) -> str:
    """A value of srun's --export that has the variables too."""
    given = ",".join(part for part in export.split(",") if part not in ("NONE", "NIL"))
    every = "ALL" in given.split(",")
    return _with(given, ",", variables, [one.name for one in variables], add=not every)


def _with(listed: str, separator: str, variables: list[Variable], texts: list[str], add: bool = True) -> str:
    """A list of NAME and NAME=VALUE in which each variable is as the ranks shall have it. `texts`: of those
    it does not set; added, if `add`."""
    text_of = {one.name: text for one, text in zip(variables, texts)}
    join_of = {one.name: one.join for one in variables}
    parts = []
    for part in filter(None, listed.split(separator)):
        name, equals, value = part.partition("=")
        if equals and name in join_of:
            part = f"{name}={join_of[name](value)}"
        elif not equals:
            part = text_of.get(name, part)
        parts.append(part)
        text_of.pop(name, None)
    return separator.join([*parts, *(text_of.values() if add else ())])


def _by_flux(line: LaunchLine, variables: list[Variable]) -> list[str]:
    """A rule that is a name copies the variable, unless an earlier rule has set it; `NAME=VALUE` would expand
    `$` and `{{`."""
    words = list(line.words)
    begin, end = line.options[0]
    behind = begin
    for at in range(begin, end):
        if words[at].split("=")[0] in ("--env", "--env-remove", "--env-file"):
            behind = at + (1 if "=" in words[at] else 2)
    words[behind:behind] = [f"--env={one.name}" for one in variables]
    return words


def _by_assignment(line: LaunchLine, kind: str, variables: list[Variable]) -> list[str]:
    words = list(line.words)
    option, in_each_part = _ASSIGNING[kind]
    options = line.options if in_each_part else line.options[:1]
    for begin, end in reversed(options):
        new = [one for one in variables if not _assigned(words[begin:end], one.name)]
        words[begin:begin] = [part for one in new for part in (option, f"{one.name}={one.value}")]
    return words


def _assigned(options: list[str], name: str) -> bool:
    """Whether launcher options set or name a variable: `-x NAME`, `-genv NAME v`, `-E NAME=v`,
    `--env=NAME=v`."""
    for before, word in zip(["", *options], options):
        after_equals = word.partition("=")[2] if word.startswith("-") else ""
        if after_equals.partition("=")[0] == name or (
            before.lstrip("-") in launch_line.ASSIGNING and word.partition("=")[0] == name
        ):
            return True
    return False
