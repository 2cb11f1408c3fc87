"""Rates, sizes and times as people write them ("400Mbit/s", "256MiB", "5us"), and rates as people read them.

Units are exact: k, M, G are powers of ten and Ki, Mi, Gi powers of two, bit and B differ by eight.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from collio.sizes import BINARY, DECIMAL


class UnitError(ValueError):
    """A text that is no such quantity; the message quotes it and says what is allowed."""


@dataclass(frozen=True)
class Quantity:
    """A kind of quantity: its units in terms of the base unit, and the range that makes sense in a machine
    file."""

    name: str
    units: dict[str, Decimal]
    lowest: str
    highest: str
    example: str

    def parse(self, text: str) -> Decimal:
        """The value in base units. Raises UnitError."""
        value = self._value(text)
        if value is None:
            raise UnitError(
                f'"{text}" is no {self.name}; allowed is a number with {", ".join(self.units)}, as in '
                f'"{self.example}"'
            )
        lowest, highest = self._value(self.lowest), self._value(self.highest)
        assert lowest is not None and highest is not None, "both are constants of this file"
        if not lowest <= value <= highest:
            raise UnitError(f'"{text}" is out of range; allowed is "{self.lowest}" to "{self.highest}"')
        return value

    def _value(self, text: str) -> Decimal | None:
        match = re.fullmatch(r"([0-9]{1,19}(?:\.[0-9]{1,19})?) ?([A-Za-z/]+)", text.strip())
        return (
            Decimal(match.group(1)) * self.units[match.group(2)]
            if match and match.group(2) in self.units
            else None
        )


def _scaled(prefixes: dict[str, int], unit: str, per_base: int = 1) -> dict[str, Decimal]:
    return {prefix + unit: Decimal(factor) / per_base for prefix, factor in prefixes.items()}


RATE = Quantity(
    "rate",
    {**_scaled(DECIMAL, "bit/s", per_base=8), **_scaled(DECIMAL, "B/s"), **_scaled(BINARY, "B/s")},
    lowest="1kbit/s",
    highest="10Tbit/s",
    example="400Mbit/s",
)
SIZE = Quantity(
    "size",
    {**_scaled(DECIMAL, "B"), **_scaled(BINARY, "B")},
    lowest="1B",
    highest="1024PiB",
    example="256MiB",
)
TIME = Quantity(
    "time",
    {"ns": Decimal("1e-9"), "us": Decimal("1e-6"), "ms": Decimal("1e-3"), "s": Decimal(1)},
    lowest="0s",
    highest="10s",
    example="5us",
)


def parse_rate(text: str) -> float:
    """Bytes per second of "400Mbit/s", "50MB/s" or "20MiB/s". Raises UnitError."""
    return float(RATE.parse(text))


def parse_size(text: str) -> int:
    """Bytes of "256MiB" or "1GB". Raises UnitError, also for a fraction of a byte."""
    value = SIZE.parse(text)
    if value != int(value):
        raise UnitError(f'"{text}" is no size; allowed is a whole number of bytes')
    return int(value)


def parse_time(text: str) -> float:
    """Seconds of "5us", "1.5ms" or "2s". Raises UnitError."""
    return float(TIME.parse(text))


def format_rate(bytes_per_s: float) -> str:
    """A network's rate, four digits: "400 Mbit/s". `parse_rate` reads it again."""
    return _format(bytes_per_s * 8, "bit/s")


def format_byte_rate(bytes_per_s: float) -> str:
    """A storage's rate, four digits: "100 MB/s". `parse_rate` reads it again."""
    return _format(bytes_per_s, "B/s")


def _format(value: float, unit: str) -> str:
    """Four digits behind the largest prefix that leaves at least 1, after rounding."""
    scales = [(prefix, factor) for prefix, factor in DECIMAL.items() if value >= factor * 0.99995]
    prefix, factor = scales[-1] if scales else ("", 1)
    return f"{float(f'{value / factor:.4g}'):g} {prefix}{unit}"
