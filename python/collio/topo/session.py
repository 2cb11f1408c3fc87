"""A running collio_lab_pingpong that measures what it is asked for, one request after another."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import tempfile
import time

from collio import plain_json
from collio.plain_json import JsonObject
from collio.run import launch
from collio.topo.grouping import Pair

PROGRAM = "collio_lab_pingpong"
FLOW_MS = 100
LEAST_MESSAGE_BYTES, MOST_MESSAGE_BYTES = 64 << 10, 4 << 20
MESSAGE_S = 0.002
"""What a message takes at the rate measured so far: short of the flow, so that a flow ends in time."""

STDERR_TAIL_CHARS = 600


class MeasureError(Exception):
    """The network cannot be measured; the message says why."""


class Session:
    """Use as a context: leaving it ends the job. `hosts` are the nodes' names; all else is by their
    numbers."""

    def __init__(self, job: launch.Job, timeout_s: float):
        self.job, self.timeout_s = job, timeout_s
        self.hosts: list[str] = []
        self.latencies = self.flows = 0
        self._fastest_bytes_per_s = 0.0

    def __enter__(self) -> Session:
        self._errors = tempfile.TemporaryFile("w+", errors="replace")
        try:
            self._process = subprocess.Popen(
                self.job.words,
                env=self.job.environ,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                start_new_session=True,
            )
        except OSError as error:
            raise MeasureError(f"cannot start {self.job.words[0]}: {error.strerror}") from None
        assert self._process.stdin and self._process.stdout, "both are pipes"
        self._input, self._output = self._process.stdin, self._process.stdout
        self._begun = b""
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._output, selectors.EVENT_READ)
        try:
            self.hosts = self._line().get("nodes", [])
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_what: object) -> None:
        with contextlib.suppress(OSError):
            self._input.close()
        for number in (None, signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
                if number is not None:
                    os.killpg(self._process.pid, number)
                self._process.wait(5)
                break
        self._output.close()
        self._selector.close()
        self._errors.close()

    def latency_s(self, source: int, destination: int) -> float:
        self.latencies += 1
        return float(self._ask([(source, destination)], 0)[0]["latency_s"])

    def rates(self, flows: list[Pair]) -> list[float]:
        """Bytes a second of each of these flows at once."""
        return [line["bytes_per_s"] for line in self._flow(flows)]

    def total(self, flows: list[Pair]) -> float:
        """Bytes a second of all together, until the last is done."""
        lines = self._flow(flows)
        return float(sum(line["bytes"] for line in lines) / max(line["seconds"] for line in lines))

    def _flow(self, flows: list[Pair]) -> list[JsonObject]:
        self.flows += len(flows)
        lines = self._ask(flows, FLOW_MS)
        self._fastest_bytes_per_s = max(self._fastest_bytes_per_s, *(line["bytes_per_s"] for line in lines))
        return lines

    def _ask(self, flows: list[Pair], milliseconds: int) -> list[JsonObject]:
        message = min(
            MOST_MESSAGE_BYTES, max(LEAST_MESSAGE_BYTES, int(self._fastest_bytes_per_s * MESSAGE_S))
        )
        request = f"{','.join(f'{a}-{b}' for a, b in flows)} {milliseconds} {message}\n"
        try:
            self._input.write(request.encode())
            self._input.flush()
        except OSError:
            raise self._failed() from None
        return [self._line() for _ in flows]

    def _line(self) -> JsonObject:
        """The next line of JSON; other lines are launchers' chatter."""
        end = time.monotonic() + self.timeout_s
        while True:
            text, newline, rest = self._begun.partition(b"\n")
            if not newline:
                self._more(end)
                continue
            self._begun = rest
            with contextlib.suppress(ValueError):
                line = plain_json.parse(text.decode(errors="replace"))
                if isinstance(line, dict):
                    return line

    def _more(self, end: float) -> None:
        if not self._selector.select(max(0.0, end - time.monotonic())):
            raise MeasureError(f"{PROGRAM}: no answer after {self.timeout_s:g} s")
        part = os.read(self._output.fileno(), 1 << 16)
        if not part:
            raise self._failed()
        self._begun += part

    def _failed(self) -> MeasureError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        self._errors.seek(0)
        said = self._errors.read().strip()[-STDERR_TAIL_CHARS:] or "nothing on standard error"
        return MeasureError(f"{PROGRAM} ended with exit code {self._process.returncode}: {said}")
