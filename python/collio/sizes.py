"""Sizes as people write them: "4194304", "4MiB", "512k"."""

from __future__ import annotations

import re

BINARY = {"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "Pi": 1 << 50}
DECIMAL = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15}
_SUFFIXES = {
    "": 1, "b": 1,
    "k": 1 << 10, "kb": 1 << 10, "kib": 1 << 10,
    "m": 1 << 20, "mb": 1 << 20, "mib": 1 << 20,
    "g": 1 << 30, "gb": 1 << 30, "gib": 1 << 30,
}


def parse_size(text: str) -> int | None:
    """Bytes of a hint or an option; None when it is no size. All suffixes are powers of two, as in ROMIO's and Lustre's own tools."""
    match = re.fullmatch(r"([0-9]{1,19})\s*([a-zA-Z]*)", text.strip())
    if not match or match.group(2).lower() not in _SUFFIXES:
        return None
    return int(match.group(1)) * _SUFFIXES[match.group(2).lower()]
