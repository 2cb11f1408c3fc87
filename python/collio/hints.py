"""The hints collio understands: checks of their values, and their forms in the environment.

`hint_table` has the hints, made of the engine's own table. A value is checked here before a job starts,
because a misspelt hint found after an hour in the queue is an hour lost.
"""

from __future__ import annotations

import re

from collio import faults, hint_table
from collio.sizes import parse_size, unit_advice

OF_OTHER_LAYERS = (
    "ROMIO_HINTS",
    "MPICH_MPIIO_HINTS",
    "OMPI_MCA_io_ompio_num_aggregators",
    "OMPI_MCA_io_ompio_bytes_per_agg",
    "OMPI_MCA_fs_lustre_stripe_size",
    "OMPI_MCA_fs_lustre_stripe_width",
    "OMPI_MCA_fcoll",
)
"""Variables of other I/O layers that the engine reads hints from (src/policy/hints/other_settings.*)."""

PASSED_ON_PREFIXES = ("cb_", "romio_", "striping_", "ind_", "nc_")
"""Names of other I/O layers: collio hands them on to the MPI library although it has no use for them."""


class HintError(ValueError):
    """A hint that cannot be used; the message names the value and what is allowed."""


class Hint(hint_table.Row):
    """One hint. `allowed` is read by people and by `parse`: words and one range "low..high", by comma."""

    __slots__ = ()

    def parse(self, value: str) -> str:
        """`value` as the engine wants it (sizes in bytes). Raises HintError."""
        text = value.strip()
        if self.kind == "Faults":
            return _parse_faults(text)
        by_kind = {"Hosts": _parse_hosts, "Folders": _parse_folders}.get(self.kind, self._parse_word)
        accepted = by_kind(text)
        if accepted is None:
            raise HintError(f"{self.key}={value}: not allowed; allowed is {self.allowed}{unit_advice(text)}")
        return accepted

    def _parse_word(self, text: str) -> str | None:
        for choice in self.allowed.split(", "):
            low, dots, high = choice.partition("..")
            if not dots and text in (choice, choice.upper() if self.kind == "RomioChoice" else choice):
                return text
            number = parse_size(text) if dots else None
            if number is not None and int(low) <= number <= int(high):
                return str(number)
        return None


HINTS = tuple(Hint(*row) for row in hint_table.ROWS)
BY_KEY = {hint.key: hint for hint in HINTS}


def choices(key: str) -> tuple[str, ...]:
    """The words that a hint takes."""
    return tuple(BY_KEY[key].allowed.split(", "))


def _parse_hosts(text: str) -> str | None:
    """A cb_config_list: hosts with the most aggregators each may have."""
    entry = r"[^\s,;:]+(:([0-9]{1,6}|\*))?"
    return text if text == "auto" or re.fullmatch(rf"{entry}(,{entry})*", text) else None


def _parse_folders(text: str) -> str | None:
    """Paths with colons between them."""
    return text if text and all(text.split(":")) and not set(text) & set(";\n") else None


def _parse_faults(text: str) -> str:
    """Rules of faults. Raises HintError."""
    wrong = faults.wrong_part(text)
    if wrong is not None:
        raise HintError(f"collio_faults={text}: {wrong} (docs/faults.md)")
    return text


def check_hint(key: str, value: str) -> tuple[str, str | None]:
    """(value as the engine wants it, warning or None). Raises HintError for what cannot be used."""
    hint = BY_KEY.get(key)
    if hint:
        return hint.parse(value), None
    import difflib  # for a misspelt hint alone

    near = difflib.get_close_matches(key, BY_KEY, n=1)
    suggestion = f"; did you mean {near[0]}?" if near else ""
    if not key.startswith(PASSED_ON_PREFIXES):
        raise HintError(f"{key}={value}: no such hint{suggestion} (`collio info --all` lists them)")
    if not value or set(key + value) & set(";\n"):
        raise HintError(f"{key}={value}: a hint is one key and one value without ';'")
    return value, f"{key} is no hint of collio; it is passed on to the MPI library{suggestion}"


def split_assignment(text: str) -> tuple[str, str]:
    """("key", "value") of "key=value". Raises HintError."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip() or not value.strip():
        raise HintError(f"{text!r}: a hint is written key=value")
    return key.strip(), value.strip()


def decode_hints(text: str) -> dict[str, str]:
    """Hints of a COLLIO_HINTS value ("key=value;key=value"), unchecked."""
    pairs = (part.partition("=") for part in text.split(";") if part.strip())
    return {key.strip(): value.strip() for key, _, value in pairs}


def encode_hints(hints: dict[str, str]) -> str:
    """COLLIO_HINTS for the ranks."""
    return ";".join(f"{key}={value}" for key, value in hints.items())


PATH_KEY = r"[A-Za-z0-9_]+="
"""A key with its sign: only a comma before one ends a value in COLLIO_SET_FOR."""


def decode_path_hints(text: str) -> list[tuple[str, dict[str, str]]]:
    """[(pattern, hints)] of a COLLIO_SET_FOR value ("PATTERN: key=value, key=value; PATTERN: ..."),
    unchecked. Raises HintError."""
    return [_decode_rule(rule.strip()) for rule in text.split(";") if rule.strip()]


def _decode_rule(text: str) -> tuple[str, dict[str, str]]:
    pattern, colon, _ = text.partition("=")[0].rpartition(":")
    pairs = [pair.strip() for pair in re.split(rf",(?=\s*{PATH_KEY})", text[len(pattern) + 1 :])]
    if not colon or not pattern.strip() or not all(re.match(rf"{PATH_KEY}.", pair) for pair in pairs):
        raise HintError(f"{text!r}: hints for files by path are written PATTERN: key=value, key=value")
    return pattern.strip(), dict(split_assignment(pair) for pair in pairs)


def encode_path_hints(rules: list[tuple[str, dict[str, str]]]) -> str:
    """COLLIO_SET_FOR for the ranks. Raises HintError for a pattern or value that cannot be written there."""
    for pattern, hints in rules:
        if set(pattern) & set(";=\n"):
            raise HintError(f"{pattern!r}: a pattern has neither ';' nor '='")
        for key, value in hints.items():
            if ";" in value or re.search(rf",\s*{PATH_KEY}", value):
                raise HintError(f"{key}={value}: a value for files by path has neither ';' nor ',key='")
    return "; ".join(
        f"{pattern}: " + ", ".join(f"{key}={value}" for key, value in hints.items())
        for pattern, hints in rules
    )
