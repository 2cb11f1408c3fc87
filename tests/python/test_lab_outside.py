"""What `collio lab top`, `target` and `clean` do to a running lab, and what they say where there is none."""

import re
import sys

import pytest

from lab_stage import AT_MOST_S, has_fuse, some_mpi, stage, wait_until  # noqa: F401

TRAFFIC = """
import pathlib, socket, sys, time
if socket.gethostname() == "node0":
    with socket.create_server(("", 7777)) as server:
        connection, _ = server.accept()
    pathlib.Path(sys.argv[1]).touch()
    while connection.recv(1 << 20):
        pass
else:
    while True:
        try:
            connection = socket.create_connection(("node0", 7777))
            break
        except OSError:
            time.sleep(0.05)
    while True:
        connection.sendall(bytes(50_000))
        time.sleep(0.02)
"""
"""node1 sends up to 2.5 MB/s to node0."""


@pytest.fixture(scope="module")
def lab(stage, some_mpi):
    """The launcher of a lab with traffic from node1 to node0."""
    program, up = stage.folder / "traffic.py", stage.folder / "up"
    program.write_text(TRAFFIC)
    process = stage.start(
        "lab", "run", "-m", stage.machine, "--mpi", some_mpi.id, "--", sys.executable, program, up
    )
    wait_until(up.exists, process)
    yield process
    if process.poll() is None:
        process.terminate()
        process.communicate(timeout=AT_MOST_S)


def act(stage, *words):
    """Does something to a target; the first line of what `collio lab target` says."""
    code, said = stage.run("lab", "target", *words)
    assert code == 0, said
    return said.splitlines()[0]


def error(stage, *words):
    """What `collio lab WORDS` says when it refuses."""
    code, said = stage.run("lab", *words)
    assert code == 1, said
    assert said.startswith("Error: ") and said.count("\n") == 1
    return said[len("Error: ") : -1]


def test_without_a_lab_they_say_so(stage):
    assert error(stage, "top", "--once") == "no lab runs (of this user)"
    assert error(stage, "target", "--lab", "2", "heal", "0") == "no lab runs (of this user)"


def test_top_shows_what_goes_over_links(stage, lab):
    code, said = stage.run("lab", "top", "--once", "--every", "0.5")
    assert code == 0, said
    ways = {
        name: float(count) * {"B": 1, "KiB": 1024, "MiB": 1 << 20}[unit]
        for name, count, unit in re.findall(r"^(\w+ to \w+) +200 Mbit/s +([\d.]+) (\w+)", said, re.MULTILINE)
    }
    assert list(ways)[0] in ("node1 to switch", "switch to node0")
    assert ways["node1 to switch"] > 100_000 > ways["node0 to switch"]
    assert ways["switch to node0"] > 100_000 > ways["switch to node1"]


def test_targets_are_set_while_the_lab_runs(stage, lab):
    if not has_fuse():
        pytest.skip("no storage targets: they are not built, or there is no /dev/fuse")
    assert act(stage, "show", "target1") == "target1: 20 MB/s, capacity 64 MiB"
    assert act(stage, "slow", "1", "--to", "5MB/s") == "target1: 5 MB/s, capacity 64 MiB"
    assert act(stage, "fail", "1", "--with", "ENOSPC", "--on", "write", "--on", "sync", "--after", "2") == (
        "target1: 5 MB/s, capacity 64 MiB, fails: write,sync ENOSPC after 2"
    )
    assert (
        act(stage, "fill", "1") == "target1: 5 MB/s, capacity 64 MiB, fails: write,sync ENOSPC after 2, full"
    )
    assert act(stage, "stick", "1").endswith("full, stuck")
    assert act(stage, "--lab", "0", "heal", "1") == "target1: 5 MB/s, capacity 64 MiB"
    assert act(stage, "slow", "1", "--to", "none") == "target1: no limit, capacity 64 MiB"
    assert act(stage, "show", "0") == "target0: 20 MB/s, capacity 64 MiB"


def test_what_cannot_be_is_refused_in_one_line(stage, lab):
    assert error(stage, "target", "--lab", "3", "show", "0") == "no lab 3 runs; running: 0 (small)"
    has = "target0, target1" if has_fuse() else "no storage targets"
    for name, meant in (("7", "target7"), ("../../target0", "../../target0")):
        assert error(stage, "target", "fill", name) == f"lab 0 (small) has no {meant}; it has {has}"
    if has_fuse():
        assert error(stage, "target", "slow", "0", "--to", "fast").startswith(
            '"fast" is no rate; allowed is a number with bit/s'
        )
        assert (
            error(stage, "target", "slow", "0", "--to", "0MB/s")
            == '"0MB/s" is out of range; allowed is "1kbit/s" to "10Tbit/s"'
        )
        assert error(stage, "target", "fail", "0", "--with", "EFOO").startswith(
            "fail: write EFOO; allowed: read, write, open or sync"
        )


def test_top_ends_with_the_lab(stage, lab):
    top = stage.start("lab", "top", "--every", "0.1")
    assert "bytes over links" in top.stdout.readline()
    lab.terminate()
    lab.communicate(timeout=AT_MOST_S)
    _, errors = top.communicate(timeout=AT_MOST_S)
    assert (top.returncode, errors) == (0, "lab 0 (small) has ended\n")
