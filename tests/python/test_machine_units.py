"""Rates, sizes and times of machine files."""

import random

import pytest

from collio.machine_file import units


@pytest.mark.parametrize(
    "text, bytes_per_s",
    [
        ("400Mbit/s", 50e6),
        ("1Gbit/s", 125e6),
        ("50MB/s", 50e6),
        ("20MiB/s", 20 * 1048576.0),
        ("2.5 Gbit/s", 312.5e6),
        ("1kbit/s", 125.0),
        ("10Tbit/s", 1.25e12),
        ("1000B/s", 1000.0),
        ("8000bit/s", 1000.0),
        ("1kB/s", 1000.0),
        ("1KiB/s", 1024.0),
        (" 1GB/s ", 1e9),
    ],
)
def test_rates(text, bytes_per_s):
    assert units.parse_rate(text) == bytes_per_s


@pytest.mark.parametrize(
    "text, count",
    [
        ("256MiB", 256 << 20),
        ("1GB", 10**9),
        ("1B", 1),
        ("1.5KiB", 1536),
        ("4096B", 4096),
        ("2TiB", 2 << 40),
        ("1024PiB", 1 << 60),
    ],
)
def test_sizes(text, count):
    assert units.parse_size(text) == count and isinstance(units.parse_size(text), int)


@pytest.mark.parametrize(
    "text, seconds",
    [
        ("5us", 5e-6),
        ("1ms", 1e-3),
        ("2s", 2.0),
        ("0s", 0.0),
        ("1.5 ms", 1.5e-3),
        ("300ns", 3e-7),
        ("10s", 10.0),
    ],
)
def test_times_are_exact(text, seconds):
    assert units.parse_time(text) == seconds


@pytest.mark.parametrize(
    "parse, text",
    [
        (units.parse_rate, text)
        for text in (
            "",
            "400",
            "400Mb/s",
            "400 mbit/s",
            "-5MB/s",
            "fast",
            "1e6B/s",
            "400Mbit",
            "١Mbit/s",
            "1,5Gbit/s",
            "1Gbit/s x",
        )
    ]
    + [(units.parse_size, text) for text in ("5", "5MB/s", "5 mib", "5K")]
    + [(units.parse_time, text) for text in ("5", "5m", "5min", "us")],
)
def test_what_is_no_quantity_is_quoted_with_the_units_allowed(parse, text):
    with pytest.raises(units.UnitError) as error:
        parse(text)
    kind = {units.parse_rate: units.RATE, units.parse_size: units.SIZE, units.parse_time: units.TIME}[parse]
    assert f'"{text}" is no {kind.name}; allowed' in str(error.value)
    assert all(unit in str(error.value) for unit in kind.units) and kind.example in str(error.value)


@pytest.mark.parametrize(
    "parse, text, allowed",
    [
        (units.parse_rate, "0bit/s", '"1kbit/s" to "10Tbit/s"'),
        (units.parse_rate, "999bit/s", '"1kbit/s" to "10Tbit/s"'),
        (units.parse_rate, "11Tbit/s", '"1kbit/s" to "10Tbit/s"'),
        (units.parse_size, "0B", '"1B" to "1024PiB"'),
        (units.parse_size, "1025PiB", '"1B" to "1024PiB"'),
        (units.parse_time, "10.1s", '"0s" to "10s"'),
    ],
)
def test_out_of_range(parse, text, allowed):
    with pytest.raises(units.UnitError) as error:
        parse(text)
    assert str(error.value) == f'"{text}" is out of range; allowed is {allowed}'


def test_part_of_a_byte_is_no_size():
    with pytest.raises(units.UnitError, match="whole number of bytes"):
        units.parse_size("1.0001kB")


@pytest.mark.parametrize(
    "bytes_per_s, bits, plain",
    [
        (50e6, "400 Mbit/s", "50 MB/s"),
        (125e6, "1 Gbit/s", "125 MB/s"),
        (125, "1 kbit/s", "125 B/s"),
        (1e8 / 3, "266.7 Mbit/s", "33.33 MB/s"),
        (124999999, "1 Gbit/s", "125 MB/s"),
        (1.25e12, "10 Tbit/s", "1.25 TB/s"),
    ],
)
def test_rates_are_written_with_four_digits(bytes_per_s, bits, plain):
    assert units.format_rate(bytes_per_s) == bits
    assert units.format_byte_rate(bytes_per_s) == plain


@pytest.mark.parametrize("seed", range(3))
def test_written_rates_are_read_again(seed):
    rng = random.Random(seed)
    for _ in range(300):
        rate = 125 * 10 ** rng.uniform(0, 10)
        for write in (units.format_rate, units.format_byte_rate):
            assert units.parse_rate(write(rate)) == pytest.approx(rate, rel=6e-4)
