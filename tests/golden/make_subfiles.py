#!/usr/bin/env python3
"""Writes the folder subfiles: files in subfiles as collio 0.1 writes them, which every later one must read.

    python tests/golden/make_subfiles.py

Made without collio: stripes are dealt one by one. Beside each placeholder lies an ordinary file with the same
bytes. The engine, `collio view` and the Python tools read them (tests/unit/golden_subfiles_test.cpp,
tests/python/test_golden_subfiles.py).
"""

import shutil
from dataclasses import dataclass, field
from pathlib import Path

IDENTITY = 0x0123456789ABCDEF
WORDS = (
    b"collio keeps the bytes of this file in several subfiles; the manifest in the folder above says where.\n"
    b"Programs under `collio run` read and write them as this file. `collio join FILE` makes it one file "
    b"again.\n"
)


@dataclass
class Set:
    name: str
    unit: int
    count: int
    size: int
    folders: list[str] = field(default_factory=lambda: ["."])
    deals: list[tuple[int, list[int]]] = field(default_factory=list)
    state: str = "complete"


SETS = [
    Set("plain.nc", 7, 3, 100),
    Set("one", 1 << 20, 1, 40),
    Set("empty", 16, 2, 0),
    Set("100%.nc", 5, 12, 333, [".", "b c", "50%"], state="writing"),
    Set("dealt", 4, 4, 150, deals=[(6, [0, 2, 3]), (13, [3]), (20, [1, 3])]),
]


def checksum(text: bytes) -> int:
    value = 0xCBF29CE484222325
    for byte in text:
        value = (value ^ byte) * 0x100000001B3 % (1 << 64)
    return value


def dealt(one: Set, data: bytes) -> list[bytes]:
    """The bytes of each subfile."""
    subfiles, members, turn = [b""] * one.count, list(range(one.count)), 0
    for stripe in range(-(-len(data) // one.unit)):
        for first, some in one.deals:
            if first == stripe:
                members, turn = some, 0
        subfiles[members[turn % len(members)]] += data[stripe * one.unit : (stripe + 1) * one.unit]
        turn += 1
    return subfiles


def manifest(one: Set, name: str) -> bytes:
    lines = [
        f"collio subfiles {2 if one.deals else 1}",
        f"identity {IDENTITY:016x}",
        f"state {one.state}",
        f"base {name}",
        "inode 00000000deadbeef",
        "born 1700000000123456789",
        f"unit {one.unit}",
        f"subfiles {one.count}",
        *("folder " + folder.replace("%", "%25") for folder in one.folders),
        *(f"deal {' '.join(map(str, (first, *members)))}" for first, members in one.deals),
        f"bytes {one.size}",
        f"synced {one.size // 2}",
        "",
    ]
    text = "\n".join(lines).encode()
    return text + b"checksum %016x\n" % checksum(text)


def write(place: Path, one: Set) -> None:
    name = one.name.replace("%", "%25")
    data = b"".join(b"%05d " % i for i in range(one.size))[: one.size]
    folder = place / f"{one.name}.collio"
    folder.mkdir(parents=True)
    (folder / "manifest").write_bytes(manifest(one, name))
    head = f"collio placeholder 1 {IDENTITY:016x}\nfolder {name}.collio\n"
    (place / one.name).write_bytes(head.encode() + WORDS)
    (place / f"{one.name}.bytes").write_bytes(data)
    for number, part in enumerate(dealt(one, data)):
        home = folder / one.folders[number % len(one.folders)]
        home.mkdir(exist_ok=True)
        (home / f"{one.name}.{IDENTITY:016x}.{number:04}").write_bytes(part)


def main() -> None:
    place = Path(__file__).parent / "subfiles"
    shutil.rmtree(place, ignore_errors=True)
    for one in SETS:
        write(place, one)


if __name__ == "__main__":
    main()
