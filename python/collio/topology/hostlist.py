"""Lists of hosts as Slurm writes them: "n[001-003,7],login" is n001, n002, n003, n7, login; "r[0-1]c[0-1]" is
four."""

from __future__ import annotations

import itertools
import re

MOST = 65536
"""Hosts of one list."""


class HostListError(ValueError):
    """A text that is no such list; the message quotes it and says what is allowed."""


def expand_hosts(text: str) -> list[str]:
    """All names, in order. Raises HostListError."""
    hosts: list[str] = []
    for part in _split(text):
        hosts += _expand(part, text, MOST - len(hosts))
    return hosts


def compress_hosts(names: list[str]) -> str:
    """The list in short, names in their order: numbers that follow each other behind one prefix become
    ranges."""
    groups: list[tuple[str, list[list[str]]]] = []
    for prefix, digits in map(_cut, names):
        if not groups or groups[-1][0] != prefix or not digits:
            groups.append((prefix, [[digits]]))
        elif _follows(groups[-1][1][-1][-1], digits):
            groups[-1][1][-1].append(digits)
        else:
            groups[-1][1].append([digits])
    return ",".join(prefix + _brackets(runs) for prefix, runs in groups)


def _split(text: str) -> list[str]:
    """At the commas outside of brackets."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign == "[") - (sign == "]")
        if depth not in (0, 1):
            break
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    if depth:
        raise HostListError(
            f'"{text}": its brackets do not match; allowed are lists like n[001-128,140],login'
        )
    if not all(parts):
        raise HostListError(f'"{text}" has an empty name; allowed are lists like n[001-128,140],login')
    return parts


def _expand(part: str, text: str, most: int) -> list[str]:
    pieces = re.split(r"\[([^\]]*)\]", part)  # name, numbers, name, numbers, name
    if any(re.search(r"[\s,\[\]=]", name) for name in pieces[::2]):
        raise HostListError(f'"{text}" has the name "{part}"; allowed are lists like n[001-128,140],login')
    choices = [[piece] if index % 2 == 0 else _numbers(piece, text) for index, piece in enumerate(pieces)]
    count = 1
    for choice in choices:
        count *= len(choice)
    if count > most:
        raise HostListError(f'"{text}" has more than {MOST} names')
    return ["".join(names) for names in itertools.product(*choices)]


def _numbers(text: str, whole: str) -> list[str]:
    """ "001-003,7" -> 001, 002, 003, 7."""
    found: list[str] = []
    for one in text.split(","):
        match = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", one)
        first, last = (int(match.group(1)), int(match.group(2) or match.group(1))) if match else (1, 0)
        if match is None or first > last:
            raise HostListError(
                f'"{whole}" has "{one}" in its brackets; allowed are numbers and ranges, as in n[001-128,140]'
            )
        if last - first >= MOST:
            raise HostListError(f'"{whole}" has more than {MOST} names')
        found += [f"{number:0{len(match.group(1))}d}" for number in range(first, last + 1)]
    return found


def _cut(name: str) -> tuple[str, str]:
    """A name and the digits at its end."""
    digits = re.search(r"\d{0,9}$", name)
    at = digits.start() if digits else len(name)
    return name[:at], name[at:]


def _follows(before: str, digits: str) -> bool:
    """Whether a number is the next one, written alike: with as many digits, or both without zeros in
    front."""
    alike = len(before) == len(digits) or "0" not in (before[:1], digits[:1])
    return bool(before) and alike and int(digits) == int(before) + 1


def _brackets(runs: list[list[str]]) -> str:
    ranges = [run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    return ranges[0] if len(runs) == len(runs[0]) == 1 else f"[{','.join(ranges)}]"
