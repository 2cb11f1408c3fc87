"""A node from inside, as hwloc writes it down (`lstopo --of xml`, format 2): packages, memory domains, cores,
network adapters."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from collio.machine_file.errors import MachineFileError
from collio.machine_file.table import show

PROGRAMS = ("lstopo-no-graphics", "lstopo")
MOST_WORDS = 4096
"""Of 32 processors each."""

NETWORK, OPENFABRICS = "2", "3"
"""Values of osdev_type."""


@dataclass(frozen=True)
class Adapter:
    """`numas` are the numbers of the memory domains it is near to, `bus_gbyte_per_s` its bus's rate where
    that is known."""

    name: str
    kind: str
    numas: tuple[int, ...]
    bus: str = ""
    bus_gbyte_per_s: float = 0.0


@dataclass(frozen=True)
class Numa:
    """A memory domain: the kernel's number, bytes, cores that are near to it, number of its package."""

    number: int
    memory_bytes: int
    cores: int
    package: int


@dataclass(frozen=True)
class Inside:
    host: str
    packages: tuple[str, ...]
    numas: tuple[Numa, ...]
    cores: int
    processors: int
    adapters: tuple[Adapter, ...]


@dataclass
class _Object:
    """An element <object>. `attributes` of a bus device are handed down to what it is."""

    attributes: dict[str, str]
    line: int
    parent: _Object | None
    infos: dict[str, str] = field(default_factory=dict)

    @property
    def type(self) -> str:
        return self.attributes.get("type", "")

    def near(self, type_: str) -> _Object | None:
        """The nearest object of a type that this is in."""
        at = self.parent
        while at is not None and at.type != type_:
            at = at.parent
        return at


def this_machine() -> str:
    """The XML of the machine we are on. Raises MachineFileError where hwloc is missing."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        raise MachineFileError(
            f"hwloc is not installed here: found neither {' nor '.join(PROGRAMS)} (package hwloc-nox or "
            "hwloc); a FILE would do"
        )
    done = subprocess.run([program, "--of", "xml"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise MachineFileError(
            f"{program} --of xml: exit code {done.returncode}: {done.stderr.strip()[-200:]}"
        )
    return done.stdout


def read(text: str, file: str) -> Inside:
    """Raises MachineFileError, which names file, line, value and what is allowed."""
    objects = _Parser(file).objects(text)
    machine = next((one for one in objects if one.type == "Machine"), None)
    if machine is None:
        raise MachineFileError(f'{file}: has no object of type "Machine" (is the file complete?)')
    return _Reader(objects, file).read(machine)


class _Parser:
    """Elements with the lines they begin in, which ElementTree does not keep."""

    def __init__(self, file: str):
        self.file = file
        self.found: list[Any] = []
        self.open: list[Any] = [None]
        self.parser = expat.ParserCreate("utf-8")  # whatever it says of itself: it is decoded already
        self.parser.StartElementHandler, self.parser.EndElementHandler = self._start, self._end
        self.parser.EntityDeclHandler = self._entity

    def objects(self, text: str) -> list[_Object]:
        try:
            self.parser.Parse(text.encode(), True)
        except expat.ExpatError as error:
            why = expat.errors.messages[error.code]
            raise MachineFileError(
                f"{self.file}:{error.lineno}: is not XML: {why} (is the file complete?)"
            ) from None
        return self.found

    def fail(self, problem: str) -> MachineFileError:
        return MachineFileError(f"{self.file}:{self.parser.CurrentLineNumber}: {problem}")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "topology" and not attributes.get("version", "").startswith("2."):
            version = show(attributes["version"]) if "version" in attributes else "none"
            raise self.fail(f'topology: version is {version}; allowed is "2.0" and what follows before "3.0"')
        if len(self.found) == 0 and name not in ("topology", "object"):
            raise self.fail(f"<{name}> is not allowed; allowed is hwloc's <topology>")
        if name == "object":
            self.found.append(_Object(attributes, self.parser.CurrentLineNumber, self.open[-1]))
            self.open.append(self.found[-1])
        elif name == "info" and self.open[-1] is not None:
            self.open[-1].infos[attributes.get("name", "")] = attributes.get("value", "")

    def _end(self, name: str) -> None:
        if name == "object":
            self.open.pop()

    def _entity(self, name: str, *_what: object) -> None:
        raise self.fail(f"declares the entity {show(name)}; no entity is allowed")


class _Reader:
    def __init__(self, objects: list[_Object], file: str):
        self.objects, self.file = objects, file

    def read(self, machine: _Object) -> Inside:
        packages = self._of("Package")
        cores = [self._set(one, "cpuset") for one in self._of("Core")]
        numas = tuple(self._numa(one, packages, cores) for one in self._of("NUMANode"))
        return Inside(
            machine.infos.get("HostName", ""),
            tuple(one.infos.get("CPUModel", "package") for one in packages),
            numas,
            len(cores),
            len(self._of("PU")),
            tuple(self._adapters()),
        )

    def _of(self, type_: str) -> list[_Object]:
        return [one for one in self.objects if one.type == type_]

    def _numa(self, one: _Object, packages: list[_Object], cores: list[int]) -> Numa:
        own, package = self._set(one, "cpuset"), one.near("Package")
        return Numa(
            self._number(one, "os_index"),
            self._number(one, "local_memory", 0),
            sum(bool(core & own) for core in cores),
            packages.index(package) if package else -1,
        )

    def _adapters(self) -> list[Adapter]:
        found = []
        kinds = {NETWORK: "network", OPENFABRICS: "openfabrics"}
        numas = [(self._number(one, "os_index"), self._set(one, "cpuset")) for one in self._of("NUMANode")]
        for one in self._of("OSDev"):
            name = one.attributes.get("name", "")
            if one.attributes.get("osdev_type") not in kinds or name == "lo":
                continue
            device, place = one.near("PCIDev"), one.parent
            while place is not None and "cpuset" not in place.attributes:
                place = place.parent
            near = self._set(place, "cpuset") if place else 0
            found.append(
                Adapter(
                    name,
                    kinds[one.attributes["osdev_type"]],
                    tuple(number for number, own in numas if own & near),
                    device.attributes.get("pci_busid", "") if device else "",
                    self._real(device, "pci_link_speed") if device else 0.0,
                )
            )
        return found

    def _fail(self, one: _Object, key: str, allowed: str) -> MachineFileError:
        said = show(one.attributes[key]) if key in one.attributes else "missing"
        return MachineFileError(f"{self.file}:{one.line}: {one.type}: {key} is {said}; allowed is {allowed}")

    def _number(self, one: _Object, key: str, default: int | None = None) -> int:
        if key not in one.attributes and default is not None:
            return default
        if not re.fullmatch("[0-9]{1,18}", one.attributes.get(key, "")):
            raise self._fail(one, key, "a whole number")
        return int(one.attributes[key])

    def _real(self, one: _Object, key: str) -> float:
        try:
            return float(one.attributes.get(key, "0"))
        except ValueError:
            raise self._fail(one, key, "a number") from None

    def _set(self, one: _Object, key: str) -> int:
        """A set of processors as bits: 32 of them a word, the highest word first."""
        words = one.attributes.get(key, "").split(",", MOST_WORDS)
        try:
            numbers = [int(word, 16) if word else 0 for word in words]
        except ValueError:
            numbers = [1 << 32]
        if key not in one.attributes or any(not 0 <= number < 1 << 32 for number in numbers):
            raise self._fail(one, key, "hexadecimal words of 32 bits, as in 0x0000ffff,0xffffffff")
        return sum(number << 32 * place for place, number in enumerate(reversed(numbers)))
