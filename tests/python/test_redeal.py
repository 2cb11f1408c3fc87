"""A target of the lab that turns slow while a job writes to it: the rest of the file goes to the others."""

import contextlib
import json
import threading

import pytest

from collio.lab import targets
from collio.lab.targets import TargetSpec, start_target
from lab_target import MB, memory, program  # noqa: F401

FAST, SLOW, BLOCK, BLOCKS, STEPS, RANKS = 30 * MB, 2 * MB, 30_011, 20, 40, 4


@pytest.fixture
def four(program, memory, tmp_path):
    """The mounts of four targets, and the folders behind them."""
    with contextlib.ExitStack() as running:
        folders = [memory / f"behind{i}" for i in range(4)]
        for folder in folders:
            folder.mkdir()
        yield (
            [
                running.enter_context(
                    start_target(program, TargetSpec(f"t{i}", FAST), tmp_path / f"t{i}", folder)
                ).mountpoint
                for i, folder in enumerate(folders)
            ],
            folders,
        )


def slow_down(mount, folder, after_bytes, ended):
    """When the target holds so many bytes."""
    while not ended.wait(0.005):
        if 512 * sum(file.stat().st_blocks for file in folder.rglob("*") if file.is_file()) >= after_bytes:
            targets.set_rate(mount, SLOW)
            return


def byte_at(place):
    return ((place >> 12) * 31 + place * 7) & 255


@pytest.mark.parametrize("length", ["grows", "full-length"])
def test_the_rest_goes_to_the_other_targets(
    four, real_mpi, compiled, collio_process, tmp_path, monkeypatch, length
):
    monkeypatch.setenv("COLLIO_RANKS_PER_NODE", "1")
    mounts, folders = four
    path, report = tmp_path / "data", tmp_path / "report.json"
    hints = [
        "collio_subfiles=auto",
        "collio_redeal=enable",
        f"collio_subfile_dirs={':'.join(map(str, mounts))}",
    ]
    all_bytes, ended = BLOCK * BLOCKS * STEPS * RANKS, threading.Event()
    slowing = threading.Thread(target=slow_down, args=(mounts[2], folders[2], 6 * MB, ended))
    slowing.start()
    try:
        words = [word for hint in hints for word in ("--set", hint)]
        done = collio_process(
            "run",
            *words,
            "--report",
            report,
            "--",
            real_mpi.mpiexec,
            "-n",
            RANKS,
            compiled(real_mpi, "steps"),
            path,
            BLOCK,
            BLOCKS,
            STEPS,
            *[length] * (length != "grows"),
        )
    finally:
        ended.set()
        slowing.join()
    assert done.returncode == 0, done.stderr
    (file,) = json.loads(report.read_text())["files"]
    print("\n".join(file["subfiles"]["redealt"]))
    (told,) = file["subfiles"]["redealt"]
    assert f"without subfile 2 in {mounts[2]}: at most " in told, told
    sizes = file["subfiles"]["bytes"]
    assert sum(sizes) == all_bytes and sizes[2] < 0.7 * min(sizes[0], sizes[1], sizes[3]), sizes
    assert told in " ".join(collio_process("report", report).stdout.split())
    assert collio_process("fsck", path).returncode == 0
    assert collio_process("join", path).returncode == 0
    period = bytes(byte_at(place) for place in range(1 << 20))  # both terms come again after a MiB
    assert path.read_bytes() == (period * (all_bytes // len(period) + 1))[:all_bytes]
