"""Counts, seconds and bytes as people read them."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """ "1 round", "1,200 rounds"."""
    return f"{count:,} {noun if count == 1 else noun + 's'}"


def format_seconds(seconds: float) -> str:
    """Three digits and a unit: "1.23 s", "45.6 ms", "7.8 us"."""
    if seconds <= 0:
        return "0"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale * 0.9995 or unit == "us":
            value = seconds / scale
            digits = 0 if value >= 99.95 else 1 if value >= 9.995 else 2
            return f"{value:.{digits}f} {unit}"
    return "0"


def format_bytes(count: float) -> str:
    """ "133.5 MiB"; whole bytes below 1 KiB."""
    for unit, scale in (("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= scale:
            return f"{count / scale:.4g} {unit}"
    return f"{count:.0f} B"
