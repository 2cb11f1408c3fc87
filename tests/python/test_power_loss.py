"""What a returned sync promised survives a loss of power after any change to the file system: it is read as it is, or after the one command
that `collio fsck` prints. A file system in memory (lab/power_loss) records what jobs and commands do, and then becomes, for every number of
changes, what would be left of them."""

import re
import subprocess
import tempfile
from pathlib import Path

import pytest
import shared_memory

import collio
from collio import builds
from collio.run.own_python import module_command
from lab_target import is_mounted, wait_until

PROGRAM = "collio_lab_power_loss"
STEP_BYTES, STEPS = 65536, 3
WHOLE = b"".join(bytes([ord("a") + step]) * STEP_BYTES for step in range(1, STEPS + 1))
HOW = ("names", "flushed", "all")
COMMAND = re.compile(r"collio (fsck --repair|join --salvage) (\S+)")


class Power:
    """The mounted file system."""

    def __init__(self, point):
        self.point, self.control = point, point / ".power"

    def record(self):
        self.control.write_text("record")

    def steps(self):
        return self.control.read_text().splitlines()

    def lose(self, count, how):
        self.control.write_text(f"lose {count} {how}")


@pytest.fixture
def power():
    program = builds.find_program(PROGRAM)
    if program is None:
        pytest.skip(f"{PROGRAM} is not built (no libfuse 3)")
    with tempfile.TemporaryDirectory() as point:
        process = subprocess.Popen([program, point], stderr=subprocess.PIPE, text=True)
        wait_until(lambda: is_mounted(point) or process.poll() is not None)
        if process.poll() is not None:
            pytest.skip(f"FUSE cannot be mounted here: {process.stderr.read()}")
        try:
            yield Power(Path(point))
        finally:
            process.terminate()
            process.wait(10)


@pytest.fixture
def synced(real_mpi, tmp_path):
    """Runs the program that writes, syncs and marks; `hints` of `collio run`."""
    program = tmp_path / "synced"
    subprocess.run([real_mpi.mpicc, "-O1", "-o", program, Path(__file__).parent / "programs/synced.c"], check=True)

    def synced(power, *hints):
        shared_memory.needed_by_openmpi(real_mpi)
        words = module_command("collio", "run", *(part for hint in hints for part in ("--set", hint)), "--", real_mpi.mpiexec, "-n", "2")
        if real_mpi.family == "openmpi":
            words += ["--oversubscribe"]
        done = subprocess.run([*words, program, power.point / "file", power.point], capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, done.stderr

    return synced


def promised(steps):
    """Bytes that the marks among some changes vouch for."""
    marks = [int(name.removeprefix("mark-")) for line in steps if (name := line.split()[-1]).startswith("mark-")]
    return STEP_BYTES * min(STEPS, max(marks, default=0))


def content(path):
    """The file's bytes as a reader gets them; None if it gets none, with the reason."""
    try:
        with collio.open_file(path) as file:
            return file.read()
    except (OSError, ValueError):
        return None


def is_there(folder, count):
    """Whether the first `count` bytes are, under one of the names that the file has had."""
    return any(found[:count] == WHOLE[:count] for name in ("file", "file2") if (found := content(folder / name)) is not None)


def what_is_lost(cli, folder, count):
    """"" if the first `count` bytes are there, after the command that fsck prints where it takes one; else what was tried."""
    if is_there(folder, count):
        return ""
    said = cli("fsck", folder / "file").output
    asked = COMMAND.search(said)
    if not asked:
        return f"fsck names no command: {said}"
    repaired = cli(*asked[1].split(), asked[2])
    return "" if is_there(folder, count) else f"after {asked[0]}: {repaired.output}"


def check_every_loss(power, cli):
    """Loses power after each change, in each way. Returns the losses that were looked at."""
    steps, lost, looked_at = power.steps(), [], 0
    for count in range(len(steps) + 1):
        bytes_there = promised(steps[:count])
        if not bytes_there:
            continue
        for how in HOW:
            power.lose(count, how)
            looked_at += 1
            if why := what_is_lost(cli, power.point, bytes_there):
                lost.append((count, how, bytes_there, steps[count - 1], why))
    assert not lost, f"{len(lost)} of {looked_at} losses of power lost bytes; the first: {lost[0]}"
    return looked_at


@pytest.mark.parametrize("hints", [(), ("collio_subfiles=3",), ("collio_subfiles=3", "collio_join=close"), ("collio_subfiles=3", "collio_join=background")],
                         ids=["ordinary", "subfiles", "join", "background join"])
def test_synced_bytes_survive(power, synced, cli, hints):
    power.record()
    synced(power, *hints)
    assert content(power.point / "file") == WHOLE
    assert check_every_loss(power, cli) > 10


@pytest.mark.parametrize("commands", [["join FILE"], ["join FILE", "split FILE --subfiles 2 --unit 1000"], ["mv FILE FILE2", "mv FILE2 FILE"], ["cp FILE FILE2", "rm FILE2"]],
                         ids=lambda commands: " ".join(words.split()[0] for words in commands))
def test_synced_bytes_survive_the_tools(power, synced, cli, commands):
    power.record()
    synced(power, "collio_subfiles=3")
    for words in commands:
        done = cli(*words.replace("FILE", str(power.point / "file")).split())
        assert done.exit_code == 0, done.output
    assert content(power.point / "file") == WHOLE
    assert check_every_loss(power, cli) > 10


