"""The file of `collio run --report auto`: named after the batch job, so that runs keep their reports."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from pathlib import Path

JOB_IDS = ("SLURM_JOB_ID", "PBS_JOBID", "FLUX_JOB_ID", "LSB_JOBID")
AUTO = "auto"


def claim(wanted: Path, environ: Mapping[str, str]) -> Path:
    """`wanted`, or where its name is "auto", a new empty file in the same folder: collio-JOBID.json, with -2,
    -3, ... for further runs of the job, which may start at the same time. Raises OSError."""
    if wanted.name != AUTO:
        return wanted
    stem = f"collio-{job_id(environ) or time.strftime('%Y%m%dT%H%M%S') + f'-{os.getpid()}'}"
    count, path = 1, wanted.with_name(f"{stem}.json")
    while not _is_made(path):
        count += 1
        path = wanted.with_name(f"{stem}-{count}.json")
    return path


def job_id(environ: Mapping[str, str]) -> str:
    """Of Slurm, PBS, Flux or LSF, in letters of file names; empty outside of their jobs."""
    found = next((environ[name] for name in JOB_IDS if environ.get(name)), "")
    if found and found == environ.get("LSB_JOBID") and environ.get("LSB_JOBINDEX", "0") != "0":
        found += f"-{environ['LSB_JOBINDEX']}"
    return re.sub(r"[^A-Za-z0-9.]+", "-", found).strip("-.")


def _is_made(path: Path) -> bool:
    """False where there is one already."""
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True
