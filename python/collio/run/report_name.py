"""The file of `collio run --report auto`: named after the batch job, so that runs keep their reports."""

from __future__ import annotations

import glob
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path

JOB_IDS = ("SLURM_JOB_ID", "PBS_JOBID", "FLUX_JOB_ID", "LSB_JOBID")
AUTO = "auto"


def of(wanted: Path, environ: Mapping[str, str]) -> Path:
    """`wanted`, or where its name is "auto", a new file in the same folder: collio-JOBID.json, with -2, -3,
    ... for further runs of the job."""
    if wanted.name != AUTO:
        return wanted
    stem = f"collio-{job_id(environ) or time.strftime('%Y%m%dT%H%M%S') + f'-{os.getpid()}'}"
    count, path = 1, wanted.with_name(f"{stem}.json")
    while _is_taken(path):
        count += 1
        path = wanted.with_name(f"{stem}-{count}.json")
    return path


def job_id(environ: Mapping[str, str]) -> str:
    """Of Slurm, PBS, Flux or LSF, in letters of file names; empty outside of their jobs."""
    found = next((environ[name] for name in JOB_IDS if environ.get(name)), "")
    if found and found == environ.get("LSB_JOBID") and environ.get("LSB_JOBINDEX", "0") != "0":
        found += f"-{environ['LSB_JOBINDEX']}"
    return re.sub(r"[^A-Za-z0-9.]+", "-", found).strip("-.")


def _is_taken(path: Path) -> bool:
    """By a report, or by the lines of a run that has not ended."""
    return path.exists() or any(path.parent.glob(f".{glob.escape(path.name)}.*.lines"))
