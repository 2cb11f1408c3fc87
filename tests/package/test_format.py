"""C and C++ sources are laid out as .clang-format says, so that a change shows only what it changes."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import source_tree

FORMATTER = Path(sys.executable).with_name("clang-format")
ENDINGS = (".c", ".h", ".cpp", ".hpp")


def unformatted(names):
    done = subprocess.run(
        [FORMATTER, "--dry-run", "-Werror", *names], cwd=source_tree.ROOT, capture_output=True, text=True
    )
    if done.returncode == 0:
        return set()
    return {name for name in names if f"{name}:" in done.stderr} or {done.stderr}


def test_sources_are_laid_out_by_clang_format():
    names = [
        str(source_tree.relative(path)) for path in source_tree.repository_files() if path.suffix in ENDINGS
    ]
    assert names
    processes = len(os.sched_getaffinity(0))
    with ThreadPoolExecutor(processes) as pool:
        found = set().union(*pool.map(unformatted, (names[i::processes] for i in range(processes))))
    assert not found, "type: build/venv/bin/clang-format -i " + " ".join(sorted(found))
