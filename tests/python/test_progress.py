"""Bars on stderr: with the expected end, and only on a terminal."""

import io
import os
import pty
import subprocess
import sys

import pytest
from rich.console import Console

from collio import progress


def shown(terminal, show):
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=100)
    with progress.bar("joining a.nc", 10, console) as bar:
        show(bar)
    return out.getvalue()


def test_a_bar_has_share_and_expected_end():
    def show(bar):
        bar.advance(4)
        bar.print("run 1 took 2 s")

    text = shown(True, show)
    assert "joining a.nc" in text and "40 %" in text and "left:" in text and "run 1 took 2 s" in text


def test_further_steps_make_the_share_smaller():
    def show(bar):
        bar.reach(5)
        bar.expect(10)

    assert "25 %" in shown(True, show)


def test_a_step_that_begins_ends_the_one_before():
    def show(bar):
        for step in "abc":
            bar.begin(step)

    text = shown(True, show)
    assert "20 %" in text and "30 %" not in text


def test_without_a_terminal_nothing_is_printed():
    assert shown(False, lambda bar: (bar.begin("a"), bar.advance(3), bar.print("b"))) == ""


SIMULATE = "simulate interleave --size 64 --pieces 100 --machine switch:4 --ranks 8 --ranks-per-node 2 --json"


@pytest.mark.parametrize("terminal", [True, False])
def test_a_command_shows_it_on_a_terminal_alone(terminal):
    command = [sys.executable, "-m", "collio", *SIMULATE.split()]
    reader, writer = pty.openpty() if terminal else os.pipe()
    with open(reader, "rb", buffering=0) as errors:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=writer, timeout=60)
        os.close(writer)
        text = b""
        try:
            while part := errors.read(1 << 16):
                text += part
        except OSError:  # a terminal's end that no process has open any more
            pass
    assert done.returncode == 0 and done.stdout.startswith(b"{"), text
    assert (b"simulating" in text) == terminal and (terminal or not text)
