"""The job of `collio run --report`: watched to its end. Imported only then, as every job waits for what is
imported."""

from __future__ import annotations

import os
import signal
import subprocess

from collio.run.launch import Job, LaunchError

FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)


def supervise(job: Job) -> int:
    """Runs the job to its end, hands signals on, returns its exit code (128 + n for signal n). Raises
    LaunchError."""
    waiting: list[int] = []
    child: subprocess.Popen[bytes] | None = None

    def hand_on(number: int, _frame: object) -> None:
        if number in (signal.SIGINT, signal.SIGQUIT) and _typed_at_terminal():
            return  # the terminal sent it to the job as well
        if child is None:
            waiting.append(number)
        elif child.poll() is None:
            child.send_signal(number)

    before = {number: signal.signal(number, hand_on) for number in FORWARDED}
    try:
        child = subprocess.Popen(job.words, env=job.environ)
        for number in waiting:
            child.send_signal(number)
        code = child.wait()
    except OSError as error:
        raise LaunchError(f"cannot start {job.words[0]}: {error.strerror}") from None
    finally:
        for number, handler in before.items():
            if handler is not None:  # None: a library preloaded into this process had set the handler
                signal.signal(number, handler)
    return code if code >= 0 else 128 - code


def _typed_at_terminal() -> bool:
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False
