"""What a shared object is called and needs, read from its file: no tool of the system is asked."""

from __future__ import annotations

import mmap
import struct


def elf_names(path: str) -> tuple[str | None, list[str]]:
    """(soname or None, needed sonames) of a 64-bit little-endian ELF file; (None, []) for other files.

    Source: System V ABI, chapters 4 (object files) and 5 (dynamic section).
    """
    try:
        with open(path, "rb") as stream:
            if stream.read(6) != b"\x7fELF\x02\x01":
                return None, []
            # the few pages that matter, of MPI libraries of 100 MB
            with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as image:
                return _dynamic_names(image)
    except (OSError, struct.error, IndexError, ValueError, OverflowError):
        return None, []


def _dynamic_names(image: mmap.mmap) -> tuple[str | None, list[str]]:
    pt_load, pt_dynamic = 1, 2
    dt_needed, dt_strtab, dt_soname = 1, 5, 14
    (header_offset,) = struct.unpack_from("<Q", image, 32)
    entry_size, entry_count = struct.unpack_from("<HH", image, 54)
    segments = []  # (type, file offset, address, bytes in file)
    for index in range(entry_count):
        kind, _, offset, address, _, size = struct.unpack_from(
            "<IIQQQQ", image, header_offset + index * entry_size
        )
        segments.append((kind, offset, address, size))
    dynamic = [(offset, size) for kind, offset, _, size in segments if kind == pt_dynamic]
    if not dynamic:
        return None, []
    offset, size = dynamic[0]
    entries = [struct.unpack_from("<QQ", image, offset + at) for at in range(0, size, 16)]
    table = [value for tag, value in entries if tag == dt_strtab][0]
    base = [
        file_offset + table - address
        for kind, file_offset, address, bytes_in_file in segments
        if kind == pt_load and address <= table < address + bytes_in_file
    ][0]

    def name(at: int) -> str:
        end = image.find(b"\0", base + at)
        if end < 0:
            raise ValueError("a name without an end")
        return image[base + at : end].decode()

    sonames = [name(value) for tag, value in entries if tag == dt_soname]
    return (sonames[0] if sonames else None), [name(value) for tag, value in entries if tag == dt_needed]
