"""The hints collio understands: one table for `collio run`, `collio info` and the documentation.

The engine has the same table in src/policy/hints.*; a test compares the two. A value is checked
here before a job starts, because a misspelt hint found after an hour in the queue is an hour lost.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from collio import faults

SIZE_UNITS = {
    "": 1, "b": 1,
    "k": 1 << 10, "kb": 1 << 10, "kib": 1 << 10,
    "m": 1 << 20, "mb": 1 << 20, "mib": 1 << 20,
    "g": 1 << 30, "gb": 1 << 30, "gib": 1 << 30,
}
"""Suffixes of a size, all powers of two as in ROMIO's and Lustre's own tools."""

OF_OTHER_LAYERS = (
    "ROMIO_HINTS", "MPICH_MPIIO_HINTS", "OMPI_MCA_io_ompio_num_aggregators", "OMPI_MCA_io_ompio_bytes_per_agg", "OMPI_MCA_fs_lustre_stripe_size",
    "OMPI_MCA_fs_lustre_stripe_width", "OMPI_MCA_fcoll",
)
"""Variables of other I/O layers that the engine reads hints from (src/policy/other_settings.*)."""

PASSED_ON_PREFIXES = ("cb_", "romio_", "striping_", "ind_", "nc_")
"""Names of other I/O layers: collio hands them on to the MPI library although it has no use for them."""


class HintError(ValueError):
    """A hint that cannot be used; the message names the value and what is allowed."""


@dataclass(frozen=True)
class Hint:
    """One hint. `allowed` is read by people and by `parse`: words and one range "low..high", by comma."""

    key: str
    default: str
    allowed: str
    meaning: str

    def parse(self, value: str) -> str:
        """`value` as the engine wants it (sizes in bytes). Raises HintError."""
        text = value.strip()
        if self.allowed == FAULTS:
            return _parse_faults(text)
        accepted = _parse_hosts(text) if self.allowed == HOSTS else self._parse_word(text)
        if accepted is None:
            raise HintError(f"{self.key}={value}: not allowed; allowed is {self.allowed}")
        return accepted

    def _parse_word(self, text: str) -> str | None:
        for choice in self.allowed.split(", "):
            low, dots, high = choice.partition("..")
            if not dots and text in (choice, choice.upper() if self.key.startswith("romio_") else choice):
                return text
            number = parse_size(text) if dots else None
            if number is not None and int(low) <= number <= int(high):
                return str(number)
        return None


HOSTS = "comma-separated HOST:COUNT, *:COUNT, *:*"
FAULTS = "none, @FILE, or rules WHO:WHERE:EFFECT with / between them"
_SWITCH = "enable, disable, automatic"
_BYTES, _COUNT = "1..1073741824", "1..1000000"

HINTS: tuple[Hint, ...] = (
    Hint("collio_enable", "enable", "enable, disable", "take over this file's collective calls, or pass them through"),
    Hint("collio_path", "auto", "auto, two_layer, two_phase, independent", "how collective calls move their bytes"),
    Hint("collio_holes", "auto", "auto, piecewise, sieve", "windows with holes: each piece, or read-modify-write"),
    Hint("collio_window", "auto", f"{_BYTES}, auto", "bytes an aggregator serves per round, at most cb_buffer_size"),
    Hint("collio_local_aggregators", "auto", f"{_COUNT}, auto",
         "local aggregators in all; as many as ranks: one layer"),
    Hint("nc_num_aggrs_per_node", "auto", "0..1000000, auto", "local aggregators per node; 0: auto"),
    Hint("collio_nodes_per_group", "1", _COUNT, "nodes whose pieces meet before they go on to aggregators elsewhere"),
    Hint("collio_sends", "synchronous", "synchronous, standard", "between nodes: sends that complete when received, or at once"),
    Hint("collio_schedule", "auto", "auto, none, communication, write, write_communication, write_communication_2, dataflow",
         "what overlaps in the rounds of two_phase"),
    Hint("collio_buffers", "2", "2..64", "windows an aggregator has in memory when rounds overlap; cb_buffer_size is for all of them"),
    Hint("collio_transfer", "two_sided", "auto, two_sided, fence, lock", "how data gets to and from the aggregators of two_phase: messages, or one-sided"),
    Hint("collio_transfer_piece", "512", _BYTES, "bytes of the shortest pieces, on average, that go one-sided; shorter ones go with messages"),
    Hint("collio_storage", "auto", "auto, posix, threads, uring, aio, null",
         "I/O backend: the calling thread, threads, io_uring, POSIX aio"),
    Hint("collio_storage_threads", "2", "1..64", "threads of a process, for collio_storage=threads"),
    Hint("collio_direct", "disable", "enable, disable", "aligned parts go past the page cache (O_DIRECT)"),
    Hint("collio_faults", "none", FAULTS, "faults injected into the calls on the file, for tests and drills"),
    Hint("cb_nodes", "auto", f"{_COUNT}, auto", "number of aggregators in all"),
    Hint("collio_aggregators", "dealt", "dealt, one_per_node, per_numa, per_nic, round_robin, spread, greedy, shortest_path, longest_path, topology_aware, "
         "contention_aware",
         "which ranks aggregate; the last five elect nodes for every call"),
    Hint("collio_assignment", "auto", "auto, in_order, locality_aware, least_hop_bytes, least_congestion",
         "which aggregator serves which file domain"),
    Hint("collio_domains", "even", "even, aligned, static_cyclic, group_cyclic, balanced", "how the span of a call is cut into file domains"),
    Hint("collio_patience", "60", "0..86400", "seconds a rank waits before it names missing ranks on stderr; 0: never"),
    Hint("collio_check", "disable", "enable, disable, strict",
         "look for what the program gets wrong in collective calls; strict: overlapping writes fail"),
    Hint("collio_memory_limit", "auto", "1048576..1099511627776, auto",
         "most bytes of a rank's buffers, shared windows included; auto: cb_buffer_size decides"),
    Hint("cb_buffer_size", "16777216", "1..2147483647", "most bytes of an aggregator's collective buffer; collio's has 1073741824 at most"),
    Hint("cb_config_list", "auto", HOSTS, "most aggregators per host"),
    Hint("romio_cb_write", "automatic", _SWITCH, "collective buffering for writes"),
    Hint("romio_cb_read", "automatic", _SWITCH, "collective buffering for reads"),
    Hint("romio_ds_write", "automatic", _SWITCH, "data sieving for writes with holes"),
    Hint("romio_ds_read", "automatic", _SWITCH, "data sieving for reads with holes"),
    Hint("striping_unit", "auto", "0..1073741824, auto", "bytes to which file domains are aligned; 0: auto"),
    Hint("striping_factor", "auto", "-1, 0..1000000, auto", "servers the file is striped over; 0 and -1: auto; also passed on to the MPI library"),
)

BY_KEY = {hint.key: hint for hint in HINTS}


def parse_size(text: str) -> int | None:
    """Bytes of "4194304", "4MiB" or "512k"; None when it is no size."""
    match = re.fullmatch(r"([0-9]{1,19})\s*([a-zA-Z]*)", text.strip())
    if not match or match.group(2).lower() not in SIZE_UNITS:
        return None
    return int(match.group(1)) * SIZE_UNITS[match.group(2).lower()]


def _parse_hosts(text: str) -> str | None:
    """A cb_config_list: hosts with the most aggregators each may have."""
    entry = r"[^\s,;:]+(:([0-9]{1,6}|\*))?"
    return text if text == "auto" or re.fullmatch(rf"{entry}(,{entry})*", text) else None


def _parse_faults(text: str) -> str:
    """Rules of faults. Raises HintError."""
    wrong = faults.wrong_part(text)
    if wrong is not None:
        raise HintError(f"collio_faults={text}: {wrong!r} is not allowed; allowed is {FAULTS} (docs/faults.md)")
    return text


def check_hint(key: str, value: str) -> tuple[str, str | None]:
    """(value as the engine wants it, warning or None). Raises HintError for what cannot be used."""
    hint = BY_KEY.get(key)
    if hint:
        return hint.parse(value), None
    near = difflib.get_close_matches(key, BY_KEY, n=1)
    suggestion = f"; did you mean {near[0]}?" if near else ""
    if not key.startswith(PASSED_ON_PREFIXES):
        raise HintError(f"{key}={value}: no such hint{suggestion} (`collio info` lists them)")
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
    """[(pattern, hints)] of a COLLIO_SET_FOR value ("PATTERN: key=value, key=value; PATTERN: ..."), unchecked. Raises HintError."""
    return [_decode_rule(rule.strip()) for rule in text.split(";") if rule.strip()]


def _decode_rule(text: str) -> tuple[str, dict[str, str]]:
    pattern, colon, _ = text.partition("=")[0].rpartition(":")
    pairs = [pair.strip() for pair in re.split(rf",(?=\s*{PATH_KEY})", text[len(pattern) + 1:])]
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
    return "; ".join(f"{pattern}: " + ", ".join(f"{key}={value}" for key, value in hints.items()) for pattern, hints in rules)
