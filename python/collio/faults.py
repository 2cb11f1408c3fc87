"""Faults to be injected (`collio_faults`, `COLLIO_FAULTS`), checked before a job starts.

The engine reads the same in src/policy/faults.cpp. Words and limits are from one table; a test lets both judge the same texts.
"""

from __future__ import annotations

import re

from collio import fault_words

ERRORS = ("ZERO", *fault_words.ERRORS)
LARGEST = 2**63 - 1


def wrong_part(text: str) -> str | None:
    """The first part of `text` that is not allowed; None: all is. docs/faults.md has the grammar."""
    if text == "none" or (text.startswith("@") and len(text) > 1):
        return None
    return next((wrong for wrong in map(_wrong_in_rule, text.split("/")) if wrong is not None), None)


def _wrong_in_rule(rule: str) -> str | None:
    who, colon, rest = rule.partition(":")
    where, second, effects = rest.partition(":")
    if not (colon and second):
        return rule
    if not _is_who(who):
        return who or rule
    point = re.match(rf"({'|'.join(fault_words.POINTS)})(?=\d|$)", where)
    if not point or not _is_range(where[point.end():] or "1", 1, open_end=True):
        return where or rule
    return _wrong_in_effects(effects.split(","), moves=point.group(1) in fault_words.POINTS_THAT_MOVE_BYTES, rule=rule)


def _is_who(who: str) -> bool:
    numbers = who.removeprefix("aggregator=")
    return who in ("all", "aggregators") or all(_is_range(part, 0) for part in numbers.split(","))


def _is_range(text: str, low: int, open_end: bool = False) -> bool:
    """N or N-M; with `open_end` also N+."""
    form = re.fullmatch(r"([0-9]+)(?:-([0-9]+)|(\+))?", text)
    if not form or (form.group(3) and not open_end):
        return False
    first, last = _whole(form.group(1)), _whole(form.group(2) or form.group(1))
    return low <= first <= last <= LARGEST


def _whole(digits: str) -> int:
    """Of a number that is too large, the first digits: they are too large as well. Python converts no more than some thousand."""
    return int(digits.lstrip("0")[:20] or "0")


def _wrong_in_effects(effects: list[str], moves: bool, rule: str) -> str | None:
    kinds: set[str] = set()
    for effect in effects:
        kind = _kind_of(effect)
        if kind is None or kind in kinds or ((kind == "short" or effect == "ZERO") and not moves):
            return effect or rule
        kinds.add(kind)
    return None


def _kind_of(effect: str) -> str | None:
    """What an effect sets; None: there is no such effect."""
    if effect in ERRORS:
        return "error"
    key, equals, value = effect.partition("=")
    if key in ("delay", "stuck"):
        return key if re.fullmatch(r"[0-9]+(\.[0-9]*)?|\.[0-9]+", value) and 0 < float(value) <= fault_words.LONGEST_S else None
    if key == "short":
        return key if re.fullmatch(r"[0-9]+", value) and _whole(value) <= LARGEST else None
    if key == "EINTR":
        return key if not equals or (re.fullmatch(r"[0-9]+", value) and 1 <= _whole(value) <= fault_words.MOST_INTERRUPTIONS) else None
    return None
