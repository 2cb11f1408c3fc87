"""Splits and joins of files that change meanwhile, that fail, or that are stopped."""

import signal
import subprocess
import sys
import time

import pytest

from collio.subfiles import copying, subfile_set
from test_subfiles_tools import WRITER, content, data, kept, names  # noqa: F401


def test_split_refuses_a_file_that_is_open_for_writing(cli, tmp_path, data):
    path = tmp_path / "r.raw"
    path.write_bytes(data)
    with open(path, "r+b"):
        told = cli("split", path, "--subfiles", 2)
    assert (
        told.exit_code == 1
        and "open for writing" in told.output
        and path.read_bytes() == data
        and names(tmp_path) == ["r.raw"]
    )


@pytest.mark.parametrize("leased", [True, False])
def test_what_is_written_while_split_copies_is_not_lost(cli, tmp_path, data, monkeypatch, leased):
    path = tmp_path / "r.raw"
    path.write_bytes(data)
    writers = []
    real = copying.copy_range

    def slowly(*words):
        if not writers:
            writers.append(subprocess.Popen([sys.executable, "-c", WRITER, path]))
            time.sleep(0.5)
        return real(*words)

    monkeypatch.setattr(copying, "copy_range", slowly)
    if not leased:
        from collio.subfiles.steady import Steady

        monkeypatch.setattr(Steady, "_lease", lambda self: False)
    told = cli("split", path, "--subfiles", 2, "--unit", 1000)
    assert told.exit_code == 1 and "by a program meanwhile" in told.output.replace(
        "in a program", "by a program"
    )
    assert (
        writers[0].wait(30) == 0
        and path.read_bytes() == b"CHECKPOINT" + data[10:]
        and names(tmp_path) == ["r.raw"]
    )


def test_what_is_written_while_join_copies_is_not_lost(cli, kept, data, monkeypatch):
    path = kept()
    subfile = subfile_set.find(path).subfile(0)
    real = copying.copy_range

    def changed(*words):
        with open(subfile, "r+b") as file:
            file.write(b"CHECKPOINT")
        return real(*words)

    monkeypatch.setattr(copying, "copy_range", changed)
    assert "changed by a program meanwhile" in cli("join", path).output
    assert content(path) == b"CHECKPOINT" + data[10:]


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_stops_all_copies_and_leaves_nothing(cli, tmp_path, monkeypatch, failure):
    path = tmp_path / "r.raw"
    path.write_bytes(b"x" * 400_000)
    counted = []
    real = copying.copy_range

    def fails(*words):
        counted.append(words)
        if len(counted) == 20:
            raise failure
        time.sleep(0.01)
        return real(*words)

    monkeypatch.setattr(copying, "copy_range", fails)
    told = cli("split", path, "--subfiles", 4, "--unit", 1000)
    assert (
        told.exit_code == 1
        and len(counted) < 60
        and names(tmp_path) == ["r.raw"]
        and path.read_bytes() == b"x" * 400_000
    )


def test_the_interrupt_key_stops_split_at_once(tmp_path):
    path = tmp_path / "r.raw"
    path.write_bytes(b"x" * 2_000_000)
    program = (
        # in a shell's background the key is ignored
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "import time; from collio.subfiles import copying; real = copying.copy_range; "
        "copying.copy_range = lambda *words: (time.sleep(0.02), real(*words)); from collio.cli import main; "
        "main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, "split", path, "--subfiles", "4", "--unit", "1000"],
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 20
    while not (tmp_path / "r.raw.collio/manifest").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    assert process.wait(20) != 0 and time.monotonic() - begin < 3  # the copies take 10 s
    assert names(tmp_path) == ["r.raw"]
