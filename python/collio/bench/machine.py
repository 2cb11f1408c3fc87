"""The machine a result came from, without its name."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from pathlib import Path

from collio.mpi_libraries import repository
from collio.plain_json import JsonObject


def describe(folder: Path) -> JsonObject:
    """Processor, cores, memory, kernel, and the file system `folder` lies on."""
    return {
        "cpu": _cpu_model(),
        "cores": cores(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "kernel": f"{platform.system()} {platform.release()}",
        "file_system": file_system(folder),
    }


def cores() -> int:
    """Cores that this process may use, or as many as the quota of its container is worth."""
    mine = len(os.sched_getaffinity(0))
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return max(1, min(mine, int(quota) // int(period)))
    except (OSError, ValueError):  # no file, or "max"
        return mine


def file_system(folder: Path) -> str:
    """Type of the file system of an existing folder ("tmpfs", "ext4"); "unknown" where /proc does not
    tell."""
    wanted = os.path.realpath(folder)
    best = ("", "unknown")
    try:
        lines = Path("/proc/self/mountinfo").read_text().splitlines()
    except OSError:
        return best[1]
    for line in lines:  # id parent dev root MOUNT-POINT options... - TYPE source options
        left, _, right = line.partition(" - ")
        point = re.sub(r"\\(\d{3})", lambda code: chr(int(code.group(1), 8)), left.split()[4])
        inside = point == "/" or wanted == point or wanted.startswith(point + "/")
        if inside and len(point) >= len(best[0]):
            best = (point, right.split()[0])
    return best[1]


def free_bytes(folder: Path) -> int:
    """Bytes a file in `folder` may still take; on tmpfs never more than the memory that is available."""
    stat = os.statvfs(folder)
    free = stat.f_bavail * stat.f_frsize
    return min(free, _available_memory()) if file_system(folder) in ("tmpfs", "ramfs") else free


def commit() -> str | None:
    """Short name of the checkout's commit, "+" when it has changes; None outside of one."""

    def git(*words: str) -> str | None:
        try:
            done = subprocess.run(
                ["git", "-C", str(repository()), *words], capture_output=True, text=True, timeout=10
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    name = git("rev-parse", "--short", "HEAD")
    return (
        f"{name}+"
        if name and git("status", "--porcelain", "--untracked-files=no", "--", "src", "include")
        else name
    )


def _cpu_model() -> str:
    try:
        match = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        match = None
    return match.group(1).strip() if match else platform.machine()


def _available_memory() -> int:
    match = re.search(r"^MemAvailable:\s*(\d+) kB", Path("/proc/meminfo").read_text(), re.MULTILINE)
    return int(match.group(1)) * 1024 if match else 1 << 62
