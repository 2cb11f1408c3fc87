"""One run of a program whose output collio reads: ended in time, and with this process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass

from collio import plain_json
from collio.plain_json import JsonObject
from collio.run.launch import Job

STDERR_TAIL_CHARS = 600


@dataclass(frozen=True)
class Printed:
    """The JSON lines of one run, or what went wrong."""

    lines: list[JsonObject]
    error: str | None = None


def run_job(job: Job, timeout_s: float) -> Printed:
    """Starts a job, waits for it, reads the JSON lines on its standard output."""
    code, output, errors = output_of(job, timeout_s)
    if code is None:
        return Printed([], f"not done after {timeout_s:g} s")
    lines = [parsed for line in output.splitlines() if (parsed := _json_object(line)) is not None]
    said = [text for line in lines for text in line.get("errors", ())]
    if code:
        tail = "; ".join(said) or errors.strip()[-STDERR_TAIL_CHARS:] or "nothing on standard error"
        return Printed(lines, f"exit code {code}: {tail}")
    return Printed(lines, None if lines else "no result printed")


def output_of(job: Job, timeout_s: float) -> tuple[int | None, str, str]:
    """Exit code, standard output and standard error of a job. The code is None where it was ended after
    `timeout_s`; what it had printed is given all the same."""
    process = subprocess.Popen(
        job.words,
        env=job.environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        return None, *_end(process)
    except BaseException:
        _end(process)
        raise
    return process.returncode, output, errors


def end_with_its_runs(*numbers: int) -> None:
    """Makes signals (SIGTERM and SIGHUP) end this process like Ctrl-C does: the running launcher ended, files
    removed."""

    def end(received: int, _frame: object) -> None:
        # one is enough: a second would interrupt the putting in order
        signal.signal(received, signal.SIG_IGN)
        sys.exit(128 + received)

    for number in numbers or (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup means it
            signal.signal(number, end)


def _json_object(line: str) -> JsonObject | None:
    if not line.startswith("{"):
        return None
    try:
        parsed: JsonObject = plain_json.parse(line)
    except ValueError:
        return None
    return parsed


def _end(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Ends a launcher and, through it or directly, its ranks. Gives what they printed until then."""
    printed = "", ""
    for number, patience_s in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
        try:
            os.killpg(process.pid, number)
            printed = process.communicate(timeout=patience_s)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue
    return printed
