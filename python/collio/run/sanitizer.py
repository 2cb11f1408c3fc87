"""AddressSanitizer's shared runtime: it ends a program in which another library is preloaded in front of it,
unless it is told not to look.

ASAN_OPTIONS is the runtime's own variable: `key=value:key=value`. collio's preload replaces no function of
the C library, so the order does no harm.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from collio.elf import elf_names

VARIABLE = "ASAN_OPTIONS"
_KEY = "verify_asan_link_order"
_RUNTIME = re.compile(r"libasan\.so|libclang_rt\.asan")


def without_check(options: str) -> str:
    """A value of ASAN_OPTIONS that does not look at the order, unless it names the key."""
    return options if f"{_KEY}=" in options else ":".join([*filter(None, [options]), f"{_KEY}=0"])


def variables(programs: Iterable[Path], environ: Mapping[str, str]) -> dict[str, str]:
    """What the ranks of programs that are linked with the runtime need."""
    if not any(_RUNTIME.match(name) for program in programs for name in elf_names(os.fspath(program))[1]):
        return {}
    return {VARIABLE: without_check(environ.get(VARIABLE, ""))}
