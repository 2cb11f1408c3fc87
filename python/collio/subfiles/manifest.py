"""Placeholders and manifests, as text: the same rules as src/storage/subfile_format/.

A placeholder stands under the file's name and gives the folder of the manifest and an identity. A manifest is
used only if it is exactly the text that its values give, checksum included.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from collio.subfiles.layout import Deal, Layout

MANIFEST_LINES = (b"collio subfiles 1\n", b"collio subfiles 2\n")  # the second: of one with deals
MOST_DEALS = 1000
PLACEHOLDER_LINE = "collio placeholder 1 "
MARK = b"collio placeholder "
MARK_DAMAGE = 3  # up to this many wrong bytes the file is a damaged placeholder
MOST_HEAD_BYTES = 1024
EXPLANATION = (
    "collio keeps the bytes of this file in several subfiles; the manifest in the folder above says where.\n"
    "Programs under `collio run` read and write them as this file. `collio join FILE` makes it one file "
    "again.\n"
)
FORM = re.compile(
    rb"collio subfiles [12]\nidentity ([0-9a-f]{16})\nstate (complete|writing)\nbase ([^\n]+)\ninode "
    rb"([0-9a-f]{16})\nborn (N)\nunit (N)\nsubfiles (N)\n"
    rb"((?:folder [^\n]+\n)+)((?:deal N(?: N)+\n)*)bytes (N)\nsynced (N)\nchecksum [0-9a-f]{16}\n".replace(
        b"N", rb"\d{1,19}"
    )
)


class ManifestError(Exception):
    """A placeholder or manifest that cannot be used, with its path."""


@dataclass
class Manifest:
    """Sizes in bytes. `folders`: dealt to the subfiles in turn; relative ones begin at the manifest's folder.
    `born`: when the inode was made, in ns; 0: unknown.

    `deals`: the re-deals, in the order of the file. `layout` keeps those that it was first asked for.
    """

    identity: int
    complete: bool
    base: bytes
    inode: int
    unit: int
    count: int
    folders: list[bytes] = field(default_factory=lambda: [b"."])
    file_bytes: int = 0
    synced_bytes: int = 0
    born: int = 0
    deals: list[Deal] = field(default_factory=list)

    def text(self) -> bytes:
        lines = [
            b"identity %016x" % self.identity,
            b"state " + (b"complete" if self.complete else b"writing"),
            b"base " + escape(self.base),
        ]
        lines += [
            b"inode %016x" % self.inode,
            b"born %d" % self.born,
            b"unit %d" % self.unit,
            b"subfiles %d" % self.count,
        ]
        lines += [b"folder " + escape(folder) for folder in self.folders]
        lines += [
            b"deal " + b" ".join(b"%d" % number for number in (deal.first, *deal.members))
            for deal in self.deals
        ]
        lines += [b"bytes %d" % self.file_bytes, b"synced %d" % self.synced_bytes]
        text = MANIFEST_LINES[bool(self.deals)] + b"".join(line + b"\n" for line in lines)
        return text + b"checksum %016x\n" % checksum(text)

    @cached_property
    def layout(self) -> Layout:
        return Layout(self.unit, self.count, self.deals)

    def is_allowed(self) -> bool:
        firsts, members = [0, *(deal.first for deal in self.deals)], [deal.members for deal in self.deals]
        return (
            self.unit > 0
            and self.count > 0
            and len(self.deals) <= MOST_DEALS
            and _ascend(firsts)
            and firsts[-1] < 1 << 63
            and all(_ascend(some) and some[-1] < self.count for some in members)
        )


def _ascend(numbers: Sequence[int]) -> bool:
    return all(a < b for a, b in zip(numbers, numbers[1:]))


def checksum(text: bytes) -> int:
    """FNV-1a, 64 bits."""
    value = 0xCBF29CE484222325
    for byte in text:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def escape(text: bytes) -> bytes:
    return b"".join(
        b"%%%02x" % byte if byte < 0x20 or byte in (0x7F, 0x25) else bytes([byte]) for byte in text
    )


def unescape(text: bytes) -> bytes:
    return re.sub(rb"%([0-9a-f]{2})", lambda found: bytes([int(found[1], 16)]), text)


def parse(text: bytes, path: str) -> Manifest:
    """Raises ManifestError."""
    if text.startswith(b"collio subfiles ") and not text.startswith(MANIFEST_LINES):
        raise ManifestError(f"{path} is a manifest of another version; this collio reads versions 1 and 2")
    found = FORM.fullmatch(text)
    if found:
        identity, state, base, inode, born, unit, count, folders, deals, file_bytes, synced = found.groups()
        manifest = Manifest(
            int(identity, 16),
            state == b"complete",
            unescape(base),
            int(inode, 16),
            int(unit),
            int(count),
            [unescape(line.removeprefix(b"folder ")) for line in folders.splitlines()],
            int(file_bytes),
            int(synced),
            int(born),
            [
                Deal(first, tuple(members))
                for first, *members in (map(int, line.split()[1:]) for line in deals.splitlines())
            ],
        )
        if manifest.text() == text and manifest.is_allowed():
            return manifest
    raise ManifestError(
        f"{path} is no manifest of collio's subfiles, or is damaged: its checksum does not match its content"
    )


@dataclass
class Placeholder:
    """What stands under the file's name."""

    identity: int
    folder: bytes

    def head(self) -> bytes:
        return PLACEHOLDER_LINE.encode() + b"%016x\nfolder " % self.identity + escape(self.folder) + b"\n"

    def text(self) -> bytes:
        return self.head() + EXPLANATION.encode()


def parse_placeholder(begin: bytes, path: str) -> Placeholder | None:
    """None: a file that begins so is an ordinary one. Raises ManifestError."""
    if not begin.startswith(MARK):
        if len(begin) >= len(MARK) and sum(a != b for a, b in zip(begin, MARK)) <= MARK_DAMAGE:
            raise ManifestError(f"{path} is a placeholder of collio's subfiles whose first bytes are damaged")
        return None
    found = re.match(rb"collio placeholder 1 ([0-9a-f]{16})\nfolder ([^\n/]+)\n", begin)
    if not found:
        raise ManifestError(
            f"{path} is a placeholder of collio's subfiles that is damaged, or of another version"
        )
    return Placeholder(int(found[1], 16), unescape(found[2]))
