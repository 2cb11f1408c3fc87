"""Sizes as people write them: "4194304", "4MiB", "512k".

KiB, MiB, GiB are powers of two everywhere, kB, MB, GB powers of ten. Hints and options take k, m, g as powers
of two, as ROMIO's and Lustre's tools do, and refuse kB, MB, GB, which mean either to their readers. Machine
files (`machine_file.units`) take both kinds with their B.
"""

from __future__ import annotations

import re

BINARY = {"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "Pi": 1 << 50}
DECIMAL = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15}
_SUFFIXES = {
    "": 1,
    "b": 1,
    "k": 1 << 10,
    "kib": 1 << 10,
    "m": 1 << 20,
    "mib": 1 << 20,
    "g": 1 << 30,
    "gib": 1 << 30,
}
_SIZE = re.compile(r"([0-9]{1,19})\s*([a-zA-Z]*)")


def parse_size(text: str) -> int | None:
    """Bytes of a hint or an option; None when it is no size."""
    match = _SIZE.fullmatch(text.strip())
    if not match or match.group(2).lower() not in _SUFFIXES:
        return None
    return int(match.group(1)) * _SUFFIXES[match.group(2).lower()]


def unit_advice(text: str) -> str:
    """What to say of a size in kB, MB or GB, with a semicolon before it; "" for any other text."""
    match = _SIZE.fullmatch(text.strip())
    if not match or match.group(2).lower() not in ("kb", "mb", "gb"):
        return ""
    return f"; write {match.group(2)[0].upper()}iB, or {match.group(2)[0].lower()}, for powers of two"
