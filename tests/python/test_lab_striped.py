"""The lab's striped file system, and what collio makes of the layout of a file there: bytes, layouts, locks,
failures."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy
import pytest
import shared_memory

from collio import mpi_libraries
from collio.builds import Build
from collio.lab import striped, targets
from collio.lab.striped import StripedSpec, start_striped
from collio.lab.targets import TargetError, TargetSpec
from lab_target import MIB, access_at_random, error_of, memory, opened, program, wait_until  # noqa: F401

RANKS = 4


@pytest.fixture
def mounted(program, memory, tmp_path):
    """The file system over four targets. A node is a process, as tests make no network namespaces."""
    built = [Build.of(mpi).program(striped.PROGRAM) for mpi in mpi_libraries.find_mpi_libraries()]
    spec = StripedSpec(tuple(TargetSpec(f"target{index}") for index in range(4)), 65536, 3, 0.0, "process")
    with start_striped(
        next(path for path in built if path.exists()), spec, tmp_path / "striped", memory
    ) as running:
        yield running


def bytes_at(length):
    """What programs/steps.c writes."""
    place = numpy.arange(length, dtype=numpy.int64)
    return ((place >> 12) * 31 + place * 7).astype(numpy.uint8).tobytes()


# --- the file system -------------------------------------------------------------------------------


def test_bytes_pass_through_unchanged(mounted):
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    dice, expected, path = random.Random(seed), bytearray(), mounted.mountpoint / "file"
    with opened(path) as fd:
        striped.set_layout(path, "unit=131072 targets=2,0")
        for _ in range(120):
            access_at_random(
                fd, dice, expected, (dice.randrange(2 * MIB), dice.choice([1, 511, 4096, 100_003, 1_500_000]))
            )
        assert os.pwrite(fd, b"both targets" * 20_000, 0) == 240_000  # however short the file has become
        expected[:240_000] = b"both targets" * 20_000
    assert path.read_bytes() == expected
    stored = [targets.status(striped.control(mounted.mountpoint, number)).bytes_stored for number in range(4)]
    assert stored[0] > 0 and stored[2] > 0 and stored[1] == stored[3] == 0
    path.unlink()
    wait_until(
        lambda: (
            sum(
                targets.status(striped.control(mounted.mountpoint, number)).bytes_stored
                for number in range(4)
            )
            == 0
        )
    )


def test_layouts_are_set_on_empty_files_and_inherited_from_folders(mounted):
    root = mounted.mountpoint
    (root / "first").touch()
    (root / "second").touch()
    assert striped.layout(root / "first") == {"unit": "65536", "targets": "0,1,2"}
    assert striped.layout(root / "second") == {"unit": "65536", "targets": "1,2,3"}
    assert striped.layout(root) == {}
    striped.set_layout(root / "first", "count=2")
    assert striped.layout(root / "first")["targets"].count(",") == 1
    (root / "first").write_bytes(b"x")
    with pytest.raises(TargetError, match="while the file is empty"):
        striped.set_layout(root / "first", "count=3")
    for wrong in ("unit=1000", "targets=0,0", "targets=4", "count=0", "unit=65536 nonsense", ""):
        with pytest.raises(TargetError, match="allowed"):
            striped.set_layout(root / "second", wrong)
    (root / "folder").mkdir()
    striped.set_layout(root / "folder", "unit=262144 targets=3,1")
    (root / "folder" / "inner").mkdir()
    (root / "folder" / "inner" / "file").touch()
    assert striped.layout(root / "folder" / "inner" / "file") == {"unit": "262144", "targets": "3,1"}
    os.removexattr(root / "folder", "user.collio.layout")
    assert striped.layout(root / "folder") == {}


def test_a_call_meets_the_rates_of_its_targets_side_by_side(mounted):
    root = mounted.mountpoint
    for number in range(4):
        targets.set_rate(striped.control(root, number), 20e6)
    seconds = {}
    for layout, size in (("targets=0,1,2,3", 8 * MIB), ("targets=0", 2 * MIB)):
        (root / layout).touch()
        striped.set_layout(root / layout, layout)
        with opened(root / layout) as fd:
            begin = time.monotonic()
            assert os.pwrite(fd, bytes(size), 0) == size
            seconds[layout] = time.monotonic() - begin
    assert all(took > 0.95 * (2 * MIB / 20e6 - 0.01) for took in seconds.values())
    # one after the other it would be four times as long
    assert seconds["targets=0,1,2,3"] < 2 * MIB * 4 / 20e6 * 0.7


def test_one_target_fails_fills_and_is_stuck(mounted):
    root, second = mounted.mountpoint, striped.control(mounted.mountpoint, 1)
    with opened(root / "file") as fd:
        targets.fail(second, "write", "EIO")
        assert os.pwrite(fd, bytes(150_000), 0) == 65536  # up to the stripe on the target that fails
        assert error_of(os.pwrite, fd, b"x", 65536) == "EIO" and os.pwrite(fd, b"x", 0) == 1
        targets.heal(second)
        targets.set_capacity(second, 32768)
        assert os.pwrite(fd, bytes(150_000), 0) == 65536 + 32768
        assert error_of(os.pwrite, fd, bytes(4096), 65536 + 32768) == "ENOSPC"
        targets.set_capacity(second, None)
        targets.stuck(second)
        writer = subprocess.Popen(
            [
                sys.executable,
                "-c",
                "import os, sys; os.pwrite(os.open(sys.argv[1], os.O_WRONLY), bytes(100), 65536)",
                root / "file",
            ]
        )
        wait_until(lambda: targets.status(second).waiting == 1)
        assert os.pread(fd, 1, 0) == bytes(1)  # other targets serve on
        writer.send_signal(signal.SIGKILL)
        assert writer.wait(5) == -signal.SIGKILL
        targets.heal(second)


def test_stripes_move_between_nodes_for_a_price(mounted):
    path = mounted.mountpoint / "file"
    striped.set_lock(mounted.mountpoint, 0.05)
    write = (
        "import os, sys; fd = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT); [os.pwrite(fd, "
        "bytes(1000), at) for at in (0, 0, 70000, 300000)]"
    )
    seconds = []
    for _ in range(2):
        begin = time.monotonic()
        subprocess.run([sys.executable, "-c", write, path], check=True)
        seconds.append(time.monotonic() - begin)
    status = striped.status(mounted.mountpoint)
    assert status.lock_transfers == 3 and status.lock_wait_seconds >= 0.15 and seconds[1] >= 0.15


def test_a_file_whose_objects_cannot_be_made_is_an_error(mounted, memory):
    path = mounted.mountpoint / "file"
    path.touch()
    path.write_bytes(bytes(200_000))  # makes the objects
    path.write_bytes(b"")
    (folder,) = (entry.parent.parent for entry in memory.rglob("target0/*"))
    (in_place,) = (folder / "target3" / entry.name for entry in (folder / "target0").iterdir())
    in_place.mkdir()
    with opened(path) as fd:
        assert error_of(os.setxattr, path, "user.collio.layout", b"targets=3") == "EISDIR"
        for call in (lambda: os.pwrite(fd, b"x", 0), lambda: os.pread(fd, 1, 0), lambda: os.ftruncate(fd, 5)):
            assert error_of(call) == "EIO"
    in_place.rmdir()
    striped.set_layout(path, "targets=3")
    path.write_bytes(b"again")
    assert path.read_bytes() == b"again"


# --- under collio ----------------------------------------------------------------------------------


def steps(job, mounted, name, *words, hints=(), expect=0):
    """Runs programs/steps.c on RANKS ranks that are a node each; the report's file and the lock transfers."""
    mpi, run, written, report = job
    settings = [word for hint in hints for word in ("--set", hint)]
    before = striped.status(mounted.mountpoint).lock_transfers
    done = run(
        "run",
        *settings,
        "--report",
        report,
        "--",
        mpi.mpiexec,
        "-n",
        RANKS,
        written,
        mounted.mountpoint / name,
        *words,
    )
    assert done.returncode == expect, done.stderr
    if expect:
        return done.stderr
    (file,) = json.loads(report.read_text())["files"]
    return file, striped.status(mounted.mountpoint).lock_transfers - before


@pytest.fixture
def job(real_mpi, compiled, collio_process, tmp_path, monkeypatch):
    monkeypatch.setenv("COLLIO_RANKS_PER_NODE", "1")
    return real_mpi, collio_process, compiled(real_mpi, "steps"), tmp_path / "report.json"


SHAPE = (30_011, 80, 3)
LENGTH = 30_011 * 80 * 3 * RANKS
ASKED = ("striping_unit=1048576", "striping_factor=4")


@shared_memory.needed
def test_layouts_are_set_respected_and_save_locks(job, mounted, monkeypatch):
    file, with_layout = steps(job, mounted, "respected", *SHAPE, *ASKED)
    assert striped.layout(mounted.mountpoint / "respected")["unit"] == "1048576"
    assert file["layout"]["unit_bytes"] == MIB and file["layout"]["count"] == 4
    assert file["layout"]["asked"] == "striping_unit=1048576 striping_factor=4 set at creation"
    assert all("are dealt to 4 aggregators" in call["reason"] for call in file["calls"]), file["calls"]
    assert (mounted.mountpoint / "respected").read_bytes() == bytes_at(LENGTH)
    with monkeypatch.context() as set_for:
        set_for.setenv("COLLIO_RANKS_PER_NODE", "2")
        file, _ = steps(job, mounted, "layers", *SHAPE, *ASKED, hints=["collio_path=two_layer"])
    assert all(call["path"] == "two_layer" and "are dealt to" in call["reason"] for call in file["calls"]), (
        file["calls"]
    )
    assert (mounted.mountpoint / "layers").read_bytes() == bytes_at(LENGTH)
    (mounted.mountpoint / "ignored").touch()
    striped.set_layout(mounted.mountpoint / "ignored", "unit=1048576 count=4")
    file, without = steps(job, mounted, "ignored", *SHAPE, hints=["collio_layout=disable"])
    assert file["layout"]["unit_bytes"] == 0 and "collio_layout=disable" in file["layout"]["source"]
    assert (mounted.mountpoint / "ignored").read_bytes() == bytes_at(LENGTH)
    print(f"lock transfers: {with_layout} with the layout, {without} without")
    assert with_layout < without


def test_new_files_are_laid_out_without_breaking_exclusive_creation(job, mounted):
    file, _ = steps(job, mounted, "new", 1000, 4, 1, "exclusive", *ASKED)
    assert (
        "set at creation" in file["layout"]["asked"]
        and striped.layout(mounted.mountpoint / "new")["unit"] == "1048576"
    )
    said = steps(job, mounted, "new", 1000, 4, 1, "exclusive", *ASKED, expect=3)
    assert "open" in said and (mounted.mountpoint / "new").read_bytes() == bytes_at(1000 * 4 * RANKS)
    # one that is there stays as it is
    file, _ = steps(job, mounted, "new", 1000, 4, 1, "striping_unit=65536")
    assert file["layout"]["asked"] == "" and striped.layout(mounted.mountpoint / "new")["unit"] == "1048576"


@pytest.mark.parametrize("modes", ["sequential", "different"])
def test_an_open_that_fails_leaves_no_file(real_mpi, compiled, collio_process, mounted, monkeypatch, modes):
    """The MPI library alone does not make the file either, so neither does the layout that was asked for."""
    monkeypatch.setenv("COLLIO_RANKS_PER_NODE", "1")
    command = [real_mpi.mpiexec, "-n", "2", compiled(real_mpi, "failing_open")]
    alone = subprocess.run(
        [*command, mounted.mountpoint / "alone", modes], capture_output=True, text=True, timeout=60
    )
    hints = ["--set", "striping_factor=2"]
    done = collio_process("run", *hints, "--", *command, mounted.mountpoint / "file", modes)
    if alone.returncode != 0:
        pytest.skip(f"{real_mpi.id} opens such a file")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (mounted.mountpoint / "file").exists() == (mounted.mountpoint / "alone").exists()


def test_new_files_avoid_targets_that_a_probe_found_slow(job, mounted, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for number in range(4):
        targets.set_rate(striped.control(mounted.mountpoint, number), 10e6 if number == 1 else 100e6)

    def targets_of(name, *words, hints=("collio_probe=enable",)):
        file, _ = steps(job, mounted, name, *SHAPE, *words, hints=hints)
        assert (mounted.mountpoint / name).read_bytes() == bytes_at(LENGTH)
        return file, striped.layout(mounted.mountpoint / name)["targets"]

    file, chosen = targets_of("chosen")
    assert (
        chosen == "0,2,3"
        and file["layout"]["asked"] == "targets 0,2,3 set at creation"
        and file["layout"]["targets"] == [0, 2, 3]
    )
    assert file["probe"]["why"].startswith("3 of 4 targets") and [
        text.split(",")[0] for text in file["probe"]["left_out"]
    ] == ["target 1: slow"]
    # no file of the probe
    assert os.listdir(mounted.mountpoint) == ["chosen"] or sorted(os.listdir(mounted.mountpoint)) == [
        ".targets",
        "chosen",
    ]
    file, chosen = targets_of("exclusive", "exclusive")
    assert chosen == "0,2,3" and file["probe"]["age_seconds"] > 0
    file, chosen = targets_of("two", "striping_factor=2", "striping_unit=131072")
    assert len(chosen.split(",")) == 2 and "1" not in chosen and file["layout"]["unit_bytes"] == 131072
    file, _ = targets_of("chosen")  # it is there
    assert "probe" not in file and file["layout"]["asked"] == ""
    file, _ = targets_of("unasked", hints=())
    assert "probe" not in file and file["layout"]["asked"] == ""
