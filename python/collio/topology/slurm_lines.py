"""Lines of Slurm's topology.conf: KEY=VALUE pairs, keys in any case, comments from "#", a line goes on after
"\\"."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from collio.machine_file.errors import MachineFileError
from collio.machine_file.table import close_match, show
from collio.topology.hostlist import HostListError, expand_hosts

KEYS = {
    name.lower(): name for name in ("SwitchName", "Switches", "Nodes", "LinkSpeed", "BlockName", "BlockSizes")
}
_PAIR = re.compile(r'\s*(?P<key>\w+)\s*=\s*(?P<value>"[^"]*"|[^\s"]+)')


@dataclass(frozen=True)
class Line:
    """One of the file, with its number. `values` is by the keys as KEYS spells them."""

    file: str
    number: int
    values: dict[str, str] = field(default_factory=dict)

    def fail(self, problem: str) -> MachineFileError:
        return MachineFileError(f"{self.file}:{self.number}: {problem}")

    def only(self, *keys: str) -> None:
        for key in self.values:
            if key not in keys:
                raise self.fail(
                    f"{key} is not allowed beside {next(iter(self.values))}; allowed are {', '.join(keys)}"
                )

    def hosts(self, key: str) -> list[str]:
        """The names of a list; none where the key is not there. Raises MachineFileError."""
        try:
            return expand_hosts(self.values[key]) if key in self.values else []
        except HostListError as error:
            raise self.fail(f"{key}={error}") from None

    def name(self, key: str) -> str:
        names = self.hosts(key)
        if len(names) != 1:
            raise self.fail(f"{key}={self.values[key]} is {len(names)} names; allowed is one")
        return names[0]

    def numbers(self, key: str) -> list[int]:
        """Whole numbers above 0, between commas."""
        words = self.values[key].split(",")
        if not all(re.fullmatch(r"[1-9]\d{0,8}", word) for word in words):
            raise self.fail(
                f"{key}={self.values[key]} is not allowed; allowed are whole numbers above 0, as in "
                f"{key}=18,36"
            )
        return list(map(int, words))


def read_lines(text: str, file: str) -> list[Line]:
    """All that say something. Raises MachineFileError."""
    lines, begun, begin = [], "", 0
    for number, raw in enumerate(text.splitlines(), 1):
        said = raw.split("#", 1)[0].rstrip()
        begin = begin if begun else number
        if said.endswith("\\"):
            begun += said[:-1] + " "
            continue
        if (begun + said).strip():
            lines.append(_line(begun + said, file, begin))
        begun = ""
    if begun:
        raise MachineFileError(f'{file}:{begin}: goes on after its "\\", but the file ends')
    return lines


def _line(text: str, file: str, number: int) -> Line:
    line, at = Line(file, number), 0
    while text[at:].strip():
        pair = _PAIR.match(text, at)
        if not pair:
            raise line.fail(f"{show(text[at:].strip())} is not allowed; allowed are pairs KEY=VALUE")
        key = KEYS.get(pair["key"].lower())
        if key is None:
            near = close_match(pair["key"].lower(), KEYS, KEYS.__getitem__)
            raise line.fail(f"{pair['key']}: no such key; {near}allowed are {', '.join(KEYS.values())}")
        if key in line.values:
            raise line.fail(f"{key} is there twice")
        line.values[key] = pair["value"].strip('"')
        at = pair.end()
    return line
