"""Texts, bytes and documents near a good one, for readers of files that other programs and people write.

Whatever a reader gets it either accepts or refuses with the project's own error. Mutations come from a seed,
so a failure is seen again.
"""

from __future__ import annotations

import copy
import json
import random
import time
from collections.abc import Iterator
from typing import Any, Callable

LONGEST_S = 5.0
"""Beyond what any of these small inputs takes to read: a reader that takes longer takes for ever."""

NUMBERS = (
    "0",
    "-1",
    "1e999",
    "NaN",
    "-Infinity",
    "9223372036854775808",
    "9" * 5000,
    "0x10",
    "1_1",
    "1.5",
    "²",
    "٣",
    "",
)
WORDS = (
    *NUMBERS,
    "null",
    "true",
    '""',
    "{}",
    "[]",
    "{",
    "}",
    "[",
    "]",
    '"',
    "'",
    "<",
    ">",
    ":",
    ",",
    ";",
    "=",
    "#",
    "\\",
    "/",
    "\0",
    "\x85",
    "\u2028",
    "\ufeff",
    "\\ud800",
    "a" * 3000,
    "[" * 3000,
    '{"a":' * 3000,
    '<?xml version="1.0" encoding="x"?>',
    "\n\n",
    "\r",
    "format",
    "name",
)
VALUES = (
    None,
    True,
    -1,
    0,
    1.5,
    10**400,
    10**19,
    float("inf"),
    float("nan"),
    "",
    "x",
    "\ud800",
    "a\nb",
    [],
    {},
    [None],
    {"x": None},
    [[]],
    -(10**400),
    1e308,
    [1, "x", {}],
)


def texts(good: str, count: int, seed: int = 1) -> Iterator[str]:
    """`count` texts: cut, pieces taken out, put in, doubled and moved, one to four changes each."""
    chance = random.Random(seed)
    for _ in range(count):
        text = good
        for _ in range(chance.choice((1, 1, 2, 4))):
            text = _changed(text, chance)
        yield text


def contents(good: bytes, count: int, seed: int = 1) -> Iterator[bytes]:
    """`count` files' contents: the mutations of `texts`, and in every third one bytes that are no text."""
    chance = random.Random(seed)
    for index, text in enumerate(texts(good.decode("latin-1"), count, seed)):
        content = bytearray(
            text.encode("latin-1", "replace") if index % 3 == 0 else text.encode("utf-8", "replace")
        )
        for _ in range(chance.choice((1, 4)) if index % 3 == 0 else 0):
            if content:
                content[chance.randrange(len(content))] = chance.randrange(256)
        yield bytes(content)


def documents(good: Any, count: int, seed: int = 1) -> Iterator[Any]:
    """`count` documents of JSON or TOML: one to four values of a wrong type or size, absent, or doubled."""
    chance = random.Random(seed)
    for _ in range(count):
        document = copy.deepcopy(good)
        for _ in range(chance.choice((1, 1, 2, 4))):
            places = list(_places(document))
            if not places:
                break
            inside, key = chance.choice(places)
            if chance.randrange(5) == 0:
                del inside[key]
            else:
                inside[key] = copy.deepcopy(
                    chance.choice(VALUES) if chance.randrange(5) else inside[chance.choice(_keys(inside))]
                )
        yield document


def accepted(
    read: Callable[[Any], Any], mutations: Iterator[Any], error: type[Exception] | tuple
) -> tuple[int, int]:
    """(accepted, refused) by a reader; fails when it raises anything but `error`, or takes too long."""
    taken = refused = 0
    for index, one in enumerate(mutations):
        began = time.monotonic()
        try:
            read(one)
            taken += 1
        except error as said:
            assert str(said), f"mutation {index}: an error without a text: {shown(one)}"
            refused += 1
        except BaseException as said:
            raise AssertionError(
                f"mutation {index}: {type(said).__name__}: {said!s:.300}\n{shown(one)}"
            ) from said
        assert time.monotonic() - began < LONGEST_S, f"mutation {index} takes too long: {shown(one)}"
    return taken, refused


def shown(one: Any) -> str:
    """An input as a failure shows it."""
    text = one if isinstance(one, str) else repr(one) if isinstance(one, bytes) else json.dumps(one)
    return text if len(text) <= 4000 else f"{text[:4000]}... ({len(text)} characters)"


def _changed(text: str, chance: random.Random) -> str:
    at, action = chance.randrange(len(text) + 1), chance.randrange(9)
    end = min(len(text), at + chance.choice((1, 1, 2, 8, 60)))
    if action == 0:
        return text[:at]
    if action == 1:
        return text[:at] + text[end:]
    if action == 2:
        return text[:at] + chance.choice(WORDS) + text[at:]
    if action == 3 and at < len(text):
        return text[:at] + chr(ord(text[at]) ^ 1 << chance.randrange(7)) + text[at + 1 :]
    if action == 4:
        return text[:at] + text[at:end] * 2 + text[end:]
    if action == 5:
        lines = text.splitlines(keepends=True) or [""]
        number = chance.randrange(len(lines))
        return "".join(lines[:number] + [lines[number]] * chance.choice((0, 2)) + lines[number + 1 :])
    if action == 6 and text:
        begin = chance.randrange(len(text))
        return text[:at] + text[begin : begin + 40] + text[at:]
    return _with_another_number(text, chance)


def _with_another_number(text: str, chance: random.Random) -> str:
    """A run of digits becomes something else."""
    starts = [
        at for at, sign in enumerate(text) if sign.isdigit() and (at == 0 or not text[at - 1].isdigit())
    ]
    if not starts:
        return text + chance.choice(NUMBERS)
    begin = end = chance.choice(starts)
    while end < len(text) and text[end].isdigit():
        end += 1
    return text[:begin] + chance.choice(NUMBERS) + text[end:]


def _places(document: Any) -> Iterator[tuple[Any, Any]]:
    """(container, key) of every value."""
    for key in _keys(document):
        yield document, key
        yield from _places(document[key])


def _keys(value: Any) -> list:
    return (
        list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    )
