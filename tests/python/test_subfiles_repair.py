"""`collio join --salvage`, `collio fsck --repair` and `--orphans`: what a crash or a killed tool leaves."""

import os
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import collio
from collio.subfiles import identity, orphans, subfile_set
from collio.subfiles.layout import Deal, Layout


@pytest.fixture
def data():
    return random.Random(8).randbytes(54_321)


@pytest.fixture
def kept(cli, tmp_path, data):
    """A file in subfiles of which no byte was flushed."""
    path = tmp_path / "t.raw"
    path.write_bytes(data)
    assert cli("split", path, "--subfiles", 3, "--unit", 1000).exit_code == 0
    change(path, synced_bytes=0)
    return path


def change(path, **values):
    found = subfile_set.find(path)
    for name, value in values.items():
        setattr(found.manifest, name, value)
    subfile_set.replace_text(found.manifest_path, found.manifest.text())


def shorten(path, subfile, count):
    file = subfile_set.find(path).subfile(subfile)
    os.truncate(file, file.stat().st_size - count)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def settled(monkeypatch):
    monkeypatch.setattr(orphans, "SETTLED_SECONDS", -1)


def test_the_first_byte_that_is_missing():
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    dice = random.Random(seed)
    for _ in range(200):
        count, unit = dice.randrange(1, 6), dice.randrange(1, 4)
        firsts = sorted(dice.sample(range(1, 20), dice.randrange(3)))
        layout = Layout(
            unit,
            count,
            [
                Deal(first, tuple(sorted(dice.sample(range(count), dice.randrange(1, count + 1)))))
                for first in firsts
            ],
        )
        where = [
            (layout.place(byte // unit)[0], layout.place(byte // unit)[1] * unit + byte % unit)
            for byte in range(30 * unit)
        ]
        subfile, length = dice.randrange(count), dice.randrange(8 * unit)
        lacking = layout.lacking(subfile, length)
        expected = next(
            (byte for byte, (number, inside) in enumerate(where) if number == subfile and inside >= length),
            None,
        )
        assert lacking == expected or (expected is None and lacking >= 30 * unit)


@pytest.mark.parametrize("way", ["salvage", "repair"])
def test_bytes_before_the_first_missing_one_are_saved(cli, kept, data, way):
    last = len(data) - 1
    subfile = last // 1000 % 3
    shorten(kept, subfile, 10)
    change(kept, synced_bytes=20_000)
    told = cli("fsck", kept)
    assert (
        told.exit_code == 1
        and "too short" in told.output
        and f"the first {len(data) - 10:,} bytes are there" in told.output
    )
    assert cli("join", kept).exit_code == 1 and cli("join", "--unfinished", kept).exit_code == 1
    told = cli("join", "--salvage", kept) if way == "salvage" else cli("fsck", "--repair", kept)
    assert (
        told.exit_code == 0
        and f"cut after {len(data) - 10:,} bytes; 10 bytes behind them are gone" in told.output
    )
    if way == "repair":
        assert cli("fsck", kept).exit_code == 0 and cli("join", kept).exit_code == 0
    assert kept.read_bytes() == data[:-10] and names(kept.parent) == ["t.raw"]


@pytest.mark.parametrize("command", [["join", "--salvage"], ["fsck", "--repair"]])
def test_a_subfile_that_is_gone(cli, kept, data, command):
    subfile_set.find(kept).subfile(1).unlink()
    told = cli(*command, kept)
    assert told.exit_code == 0 and "cut after 1,000 bytes" in told.output
    assert command[0] == "join" or cli("join", kept).exit_code == 0
    assert kept.read_bytes() == data[:1000] and names(kept.parent) == ["t.raw"]


@pytest.mark.parametrize("command", [["join", "--salvage"], ["fsck", "--repair"]])
def test_nothing_is_cut_where_flushed_bytes_are_missing(cli, kept, command):
    shorten(kept, 0, 2000)
    change(kept, synced_bytes=54_000)
    before = subfile_set.find(kept).lengths()
    told = cli(*command, kept)
    assert told.exit_code == 1 and "54,000 bytes were flushed" in told.output
    assert subfile_set.find(kept).lengths() == before


def test_repair_closes_a_file_that_a_program_left_open(cli, kept, data):
    change(kept, complete=False, file_bytes=1000)
    told = cli("fsck", "--repair", kept)
    assert told.exit_code == 0 and f"closed with {len(data):,} bytes" in told.output
    assert cli("join", kept).exit_code == 0 and kept.read_bytes() == data


def test_a_lost_placeholder_is_made_again(cli, kept, data):
    text, manifest = kept.read_bytes(), subfile_set.find(kept).manifest_path
    os.truncate(kept, 0)
    told = cli("fsck", kept)
    assert (
        told.exit_code == 1
        and "a program emptied it" in told.output
        and f"collio fsck --repair {manifest.parent}" in told.output
    )
    os.utime(kept, (1, 1))
    told = cli("fsck", kept)
    assert told.exit_code == 1 and "its placeholder was lost" in told.output
    assert cli("fsck", "--orphans", "--remove", kept.parent).exit_code == 1 and manifest.exists()
    assert (
        cli("fsck", "--repair", kept).exit_code == 0
        and kept.read_bytes() == text
        and cli("fsck", kept).exit_code == 0
    )
    kept.unlink()
    told = cli("fsck", kept)
    assert (
        told.exit_code == 1
        and "does not exist" in told.output
        and f"collio fsck --repair {manifest.parent}" in told.output
    )
    assert (
        cli("fsck", "--repair", manifest.parent).exit_code == 0
        and cli("join", kept).exit_code == 0
        and kept.read_bytes() == data
    )


def test_a_recovered_file_overwrites_nothing(cli, kept, data):
    kept.unlink()
    kept.write_bytes(b"another file")
    assert cli("fsck", kept).exit_code == 0
    assert cli("fsck", "--repair", kept.with_name("t.raw.collio")).exit_code == 0
    recovered = kept.with_name("t.raw.recovered")
    assert (
        kept.read_bytes() == b"another file"
        and identity.ownership(subfile_set.find(recovered)).standing is identity.Standing.own
    )
    assert "belongs to" in cli("fsck", "--repair", kept.with_name("t.raw.collio")).output
    assert cli("join", recovered).exit_code == 0 and recovered.read_bytes() == data


def test_bytes_written_without_collio_are_told(cli, kept, data):
    with open(kept, "r+b") as file:
        file.seek(2_000_000)
        file.write(b"NEWDATA")
    told = cli("fsck", kept)
    assert told.exit_code == 1 and "a program without collio wrote" in told.output
    assert cli("join", kept).exit_code == 1 and cli("fsck", "--repair", kept).exit_code == 1
    command = re.search(r"truncate -s \d+ \S+", told.output)[0]
    assert (
        os.system(command) == 0
        and cli("fsck", kept).exit_code == 0
        and cli("join", kept).exit_code == 0
        and kept.read_bytes() == data
    )


def test_an_interrupted_join_of_the_engine(cli, kept, data):
    text, head = kept.read_bytes(), len(subfile_set.find(kept).placeholder.head())
    os.truncate(kept, head)
    os.truncate(kept, len(data))
    told = cli("fsck", kept)
    assert told.exit_code == 1 and "a join was interrupted" in told.output
    assert cli("fsck", "--orphans", kept.parent).exit_code == 0
    assert (
        cli("fsck", "--repair", kept).exit_code == 0
        and kept.read_bytes() == text
        and cli("join", kept).exit_code == 0
        and kept.read_bytes() == data
    )


def test_join_tells_of_foreign_files_and_succeeds(cli, kept, data):
    (kept.with_name("t.raw.collio") / "note").touch()
    told = cli("join", kept)
    assert (
        told.exit_code == 0 and "as other files lie in it: note" in told.output and kept.read_bytes() == data
    )


def test_orphans_are_listed_and_removed(cli, kept, tmp_path, settled):
    (tmp_path / "targets").mkdir()
    for name, options in (
        ("a b.raw", ["--dirs", tmp_path / "targets"]),
        ("used.raw", ["--dirs", tmp_path / "targets"]),
    ):
        (tmp_path / name).write_bytes(b"x" * 10_000)
        assert cli("split", tmp_path / name, "--subfiles", 2, *options).exit_code == 0
    assert cli("fsck", "--orphans", tmp_path, tmp_path / "targets").exit_code == 0
    kept.unlink()
    (tmp_path / "a b.raw").unlink()
    (tmp_path / "unused.collio").mkdir()
    lone = tmp_path / "targets/gone.raw.00000000000000aa.0003"
    lone.write_bytes(b"x" * 5000)
    told = cli("fsck", "--orphans", tmp_path, tmp_path / "targets")
    assert told.exit_code == 1 and "used.raw" not in told.output.replace("unused", "")
    commands = [
        line.partition("remove: ")[2] for line in told.output.splitlines() if line.startswith("  remove: ")
    ]
    assert len(commands) == 4 and f"rm {shlex.quote(str(lone))[:-5]}.*" in commands
    assert "bytes on disk in 3 subfiles of" in told.output and "collio fsck --repair" in told.output
    told = cli("fsck", "--orphans", "--remove", tmp_path, tmp_path / "targets")
    assert told.exit_code == 1 and told.output.count("removed") == 3 and lone.exists(), (
        "its manifest may lie elsewhere"
    )
    assert not any(os.system(command) for command in commands[3:])
    assert (
        names(tmp_path) == ["targets", "used.raw", "used.raw.collio"]
        and cli("fsck", tmp_path / "used.raw").exit_code == 0
    )
    assert cli("fsck", "--orphans", tmp_path, tmp_path / "targets").exit_code == 0


def test_what_may_be_in_the_making_stays(cli, kept, tmp_path):
    kept.unlink()
    told = cli("fsck", "--orphans", "--remove", tmp_path)
    assert (
        told.exit_code == 1 and "may be in the making" in told.output and names(tmp_path) == ["t.raw.collio"]
    )


SLOWLY = (
    "import time; from collio.subfiles import copying; copying.MOST_BYTES_AT_ONCE = 1000; "
    "copying.os.copy_file_range = lambda *words, real=copying.os.copy_file_range: (time.sleep(0.01), "
    "real(*words))[1]; from collio.cli import main; main()"
)


def killed(tmp_path, *words):
    """Runs a command, slowed down, and kills it when it copies."""
    before = set(tmp_path.rglob("*"))
    process = subprocess.Popen([sys.executable, "-c", SLOWLY, *map(str, words)])
    deadline = time.monotonic() + 20
    while not any(
        path.is_file() and path.stat().st_blocks and re.search(r"\.joining\.|\.\d{4}$", path.name)
        for path in set(tmp_path.rglob("*")) - before
    ):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL


@pytest.mark.parametrize("command", ["split", "join", "cp"])
@pytest.mark.parametrize("cleaned_by", ["next", "orphans"])
def test_a_killed_tool_leaves_nothing_that_stays(cli, tmp_path, settled, command, cleaned_by):
    path, data = tmp_path / "y.raw", random.Random(9).randbytes(1_000_000)
    path.write_bytes(data)
    split = ["split", path, "--subfiles", "2", "--unit", "1000"]
    if command != "split":
        assert cli(*split).exit_code == 0
    words = {"split": split, "join": ["join", path], "cp": ["cp", path, tmp_path / "z.raw"]}[command]
    killed(tmp_path, *words)
    whole = ["y.raw"] if command == "split" else ["y.raw", "y.raw.collio"]
    assert len(names(tmp_path)) > len(whole)
    if cleaned_by == "orphans":
        told = cli("fsck", "--orphans", "--remove", tmp_path)
        assert (
            told.exit_code == 0
            and "left by a process that was killed" in told.output
            and names(tmp_path) == whole
        )
    assert cli(*words).exit_code == 0
    assert (
        names(tmp_path)
        == {
            "split": ["y.raw", "y.raw.collio"],
            "join": ["y.raw"],
            "cp": ["y.raw", "y.raw.collio", "z.raw", "z.raw.collio"],
        }[command]
    )
    for one in tmp_path.glob("*.raw"):
        assert command == "join" or cli("join", one).exit_code == 0
        assert one.read_bytes() == data


@pytest.mark.parametrize("replaced", [False, True])
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_killed_mv_loses_nothing(cli, kept, data, tmp_path, settled, moment, replaced):
    """Killed before the folder is renamed, or after it: the bytes are at one of the names, and the same
    command ends the work."""
    into, moved = tmp_path / "into", tmp_path / "into/t.raw"
    into.mkdir()
    if replaced:
        moved.write_bytes(b"old")
    kill = "lambda *_: os.kill(os.getpid(), signal.SIGKILL)"
    stop = {
        "before": "pathlib.Path.rename = lambda path, target: os.kill(os.getpid(), signal.SIGKILL) if "
        "path.is_dir() else os.rename(path, target)",
        "after": f"identity.adopt = {kill}",
    }[moment]
    program = (
        "import os, pathlib, signal; from collio.subfiles import identity; from collio.cli import "
        f"main; {stop}; main()"
    )
    assert subprocess.run([sys.executable, "-c", program, "mv", kept, into]).returncode == -signal.SIGKILL
    with collio.open_file(kept if moment == "before" else moved) as file:
        assert file.read() == data
    told = cli("fsck", "--orphans", "--remove", into)
    assert told.exit_code == replaced
    if replaced:
        assert "it has the bytes that t.raw had before" in told.output
        aside, name = map(Path, re.search("recover: mv (.*) (.*)", told.output).groups())
        assert name == moved and aside.read_bytes() == b"old"
        aside.unlink()
    assert cli("mv", kept, into).exit_code == 0 and not kept.exists()
    assert (
        cli("fsck", moved).exit_code == 0
        and cli("join", moved).exit_code == 0
        and moved.read_bytes() == data
        and names(into) == ["t.raw"]
    )


def test_a_mv_that_fails_leaves_all_as_it_was(cli, kept, data, tmp_path, monkeypatch):
    """Onto an ordinary file, a file in subfiles, and a free name."""

    def fails(moved):
        raise OSError(28, "No space left on device")

    into, moved = tmp_path / "into", tmp_path / "into/t.raw"
    into.mkdir()
    for there in ("nothing", "a file", "a set"):
        if there != "nothing":
            moved.write_bytes(b"old" * 1000)
        if there == "a set":
            assert cli("split", moved, "--subfiles", "2", "--unit", "100").exit_code == 0
        before = names(into)
        with monkeypatch.context() as patch:
            patch.setattr("collio.subfiles.identity.adopt", fails)
            assert "No space left" in cli("mv", kept, into).output and names(into) == before
        for path, content in ((kept, data), (moved, b"old" * 1000))[: len(before) + 1]:
            with collio.open_file(path) as file:
                assert file.read() == content
            assert cli("fsck", path).exit_code == 0
    assert cli("mv", kept, into).exit_code == 0 and len(names(into)) == 2
    with collio.open_file(moved) as file:
        assert file.read() == data


def test_split_writes_when_the_placeholder_was_made(kept):
    found = subfile_set.find(kept)
    assert found.manifest.born == identity.born_at(kept) and found.manifest.inode == kept.stat().st_ino
    told = subprocess.run(["stat", "-c", "%W", kept], capture_output=True, text=True).stdout.strip()
    assert told in ("-", "0") or found.manifest.born // 10**9 == int(told)
