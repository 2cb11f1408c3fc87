"""For tests of re-dealt sets: files in subfiles whose stripes go to fewer subfiles from some stripe on. Made
without collio's arithmetic."""

import os
from collections import Counter

from collio.subfiles.manifest import EXPLANATION, checksum

IDENTITY = 0x1234567890ABCDEF


def table(count, deals, stripes):
    """(subfile, row) of each stripe, dealt one by one."""
    rows, places = Counter(), []
    for stripe in range(stripes):
        first, members = [
            (0, range(count)),
            *[(first, members) for first, members in deals if first <= stripe],
        ][-1]
        subfile = members[(stripe - first) % len(members)]
        places.append((subfile, rows[subfile]))
        rows[subfile] += 1
    return places


def random_deals(dice, count, most_first=40):
    firsts = sorted(dice.sample(range(1, most_first), dice.randrange(1, 6)))
    return [(first, sorted(dice.sample(range(count), dice.randrange(1, count + 1)))) for first in firsts]


def manifest_text(unit, count, deal_lines, file_bytes, version=None, *, complete=True):
    """`deal_lines`: texts behind "deal "."""
    version = version if version is not None else 2 if deal_lines else 1
    lines = [
        f"collio subfiles {version}",
        f"identity {IDENTITY:016x}",
        f"state {'complete' if complete else 'writing'}",
        "base out.nc",
        "inode 0000000000000000",
        "born 0",
        f"unit {unit}",
        f"subfiles {count}",
        "folder .",
        *[f"deal {line}" for line in deal_lines],
        f"bytes {file_bytes}",
        "synced 0",
        "",
    ]
    text = "\n".join(lines).encode()
    return text + b"checksum %016x\n" % checksum(text)


def lines_of(deals):
    return [" ".join(map(str, (first, *members))) for first, members in deals]


def make(path, data, unit, count, deals, *, complete=True):
    """A file of that name with these bytes in subfiles; of one that is being written, the manifest promises
    no bytes. Paths of the subfiles."""
    folder = path.with_name(f"{path.name}.collio")
    folder.mkdir(exist_ok=True)
    subfiles = [folder / f"out.nc.{IDENTITY:016x}.{number:04}" for number in range(count)]
    contents = [bytearray() for _ in subfiles]
    for stripe, (subfile, _) in enumerate(table(count, deals, -(-len(data) // unit))):
        contents[subfile] += data[stripe * unit : (stripe + 1) * unit]
    for subfile, content in zip(subfiles, contents):
        with open(subfile, "r+b" if subfile.exists() else "wb") as file:  # the same inode: it may be open
            file.write(content)
    replace_manifest(
        folder / "manifest",
        manifest_text(unit, count, lines_of(deals), len(data) if complete else 0, complete=complete),
    )
    if not path.exists():
        path.write_text(f"collio placeholder 1 {IDENTITY:016x}\nfolder {folder.name}\n{EXPLANATION}")
    return subfiles


def replace_manifest(path, text):
    path.with_name("new").write_bytes(text)
    os.replace(path.with_name("new"), path)


REFUSED = {
    "first is 0": ["0 0 1"],
    "first again": ["4 0", "4 1"],
    "first descends": ["4 0", "3 1"],
    "first past 63 bits": [f"{1 << 63} 0"],
    "first past 64 bits": [f"{(1 << 64) + 4} 0"],
    "member again": ["4 0 0"],
    "members descend": ["4 2 0"],
    "no such member": ["4 0 3"],
    "member past 64 bits": [f"4 {1 << 64}"],
    "negative member": ["4 -1"],
    "no member": ["4"],
    "leading zero of first": ["04 0"],
    "leading zero of member": ["4 00 1"],
    "two spaces": ["4  0 1"],
    "space at the end": ["4 0 "],
    "sign": ["+4 0"],
    "escaped digit": ["4 %30"],
    "no number": ["4 x"],
    "nothing": [""],
    "too many": [f"{first} 0" for first in range(1, 1002)],
}
"""Deal lines that make a manifest of 3 subfiles a damaged one."""


def refused_texts(unit=10, count=3, file_bytes=75):
    """Manifests that break one rule each, by its name."""
    texts = {name: manifest_text(unit, count, lines, file_bytes) for name, lines in REFUSED.items()}
    texts["version 2 without deals"] = manifest_text(unit, count, [], file_bytes, version=2)
    texts["version 1 with deals"] = manifest_text(unit, count, ["4 0 2"], file_bytes, version=1)
    text = (
        manifest_text(unit, count, ["4 0 2"], file_bytes)
        .split(b"checksum")[0]
        .replace(b"folder .\ndeal 4 0 2\n", b"deal 4 0 2\nfolder .\n")
    )
    texts["deals before folders"] = text + b"checksum %016x\n" % checksum(text)
    return texts


def random_set(dice, path):
    """Makes a file in subfiles of random deals; its bytes."""
    unit, count = dice.choice([1, 7, 512, 4096]), dice.randrange(1, 9)
    # a file of a "c" may be a placeholder that was cut
    data = dice.randbytes(dice.choice([0, 1, unit, dice.randrange(60 * unit)])).replace(b"c", b"d")
    make(path, data, unit, count, random_deals(dice, count))
    return data


def random_lengths(dice, unit, count):
    """Of subfiles; often only one has bytes."""
    alone = dice.choice([None, dice.randrange(count)])
    return [
        dice.choice([0, dice.randrange(30 * unit), unit * dice.randrange(30)])
        if alone in (None, number)
        else 0
        for number in range(count)
    ]


def length_by(lengths, unit, count, deals):
    """Bytes of a file whose subfiles have these lengths: up to the last byte that a stripe has. No deal
    begins behind stripe 1000."""
    ends = [
        stripe * unit + min(unit, lengths[subfile] - row * unit)
        for stripe, (subfile, row) in enumerate(table(count, deals, 1000))
        if row * unit < lengths[subfile]
    ]
    return max(ends, default=0)
