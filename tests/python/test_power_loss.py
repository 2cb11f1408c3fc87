"""What a returned sync promised survives a loss of power after any change to the file system: it is read as
it is, or after the one command that `collio fsck` prints. A file system in memory (lab/power_loss) records
what jobs and commands do, and then becomes, for every number of changes, what would be left of them."""

import subprocess
from pathlib import Path

import pytest
import shared_memory

import collio
from collio.run.own_python import module_command
from collio.subfiles import leftovers
from collio.subfiles.manifest import ManifestError
from lab_power import check_every_loss, power, run_printed  # noqa: F401

STEP_BYTES, STEPS, DELETING = 65536, 3, 5
SUBFILES = ("collio_subfiles=3", "collio_subfile_unit=10000")
NAMES = ("file", "file2", "a/file", "b/file2")
WHOLE = b"".join(bytes([ord("a") + step]) * STEP_BYTES for step in range(1, STEPS + 1))


@pytest.fixture
def synced(real_mpi, tmp_path):
    """Runs the program that writes, syncs and marks; `hints` of `collio run`."""
    program = tmp_path / "synced"
    subprocess.run(
        [
            real_mpi.mpicc,
            "-O1",
            "-rdynamic",
            "-o",
            program,
            Path(__file__).parent / "programs/synced.c",
            "-ldl",
        ],
        check=True,
    )

    def synced(power, *hints, end="", name="file"):
        shared_memory.needed_by_openmpi(real_mpi)
        words = module_command(
            "collio",
            "run",
            *(part for hint in hints for part in ("--set", hint)),
            "--",
            real_mpi.mpiexec,
            "-n",
            "2",
        )
        if real_mpi.family == "openmpi":
            words += ["--oversubscribe"]
        done = subprocess.run(
            [*words, program, power.point / name, power.point, *[end][: len(end)]],
            capture_output=True,
            text=True,
            timeout=100,
        )
        assert done.returncode == 0, done.stderr
        return done.stderr

    return synced


def content(path):
    """The file's bytes as a reader gets them; None if it gets none, with the reason."""
    try:
        with collio.open_file(path) as file:
            return file.read()
    except (OSError, ManifestError):
        return None


def is_there(folder, count):
    """Whether the first `count` bytes are, under one of the names that the file has had."""
    return any(
        found[:count] == WHOLE[:count] for name in NAMES if (found := content(folder / name)) is not None
    )


def what_is_lost(cli, folder, count):
    """ "" if the first `count` bytes are there, after the command that fsck prints where it takes one; else
    what was tried."""
    if is_there(folder, count):
        return ""
    said = cli("fsck", folder / "file").output
    tried = run_printed(cli, said)
    return "" if is_there(folder, count) else f"after {tried}" if tried else f"fsck names no command: {said}"


def check_promises(power, cli):
    return check_every_loss(power, lambda mark: what_is_lost(cli, power.point, STEP_BYTES * min(STEPS, mark)))


@pytest.mark.parametrize(
    "hints",
    [(), SUBFILES, (*SUBFILES, "collio_join=close"), (*SUBFILES, "collio_join=background")],
    ids=["ordinary", "subfiles", "join", "background join"],
)
def test_synced_bytes_survive(power, synced, cli, hints):
    power.record()
    synced(power, *hints)
    assert content(power.point / "file") == WHOLE
    assert check_promises(power, cli) > 10


@pytest.mark.parametrize("slow_from", [1, 2], ids=["between calls", "in a call"])
def test_synced_bytes_survive_a_new_deal(power, synced, cli, slow_from):
    """Of the stripes behind what is written, to the subfiles whose targets are not slow."""
    power.record()
    synced(power, *SUBFILES, "collio_redeal=enable", end=f"slow-{slow_from}")
    assert "re-dealt 1 time" in cli("fsck", power.point / "file").output
    assert content(power.point / "file") == WHOLE
    assert check_promises(power, cli) > 10


@pytest.mark.parametrize(
    "commands",
    [
        ["join FILE"],
        ["join FILE", "split FILE --subfiles 2 --unit 1000"],
        ["mv FILE FILE2", "mv FILE2 FILE"],
        ["cp FILE FILE2", "rm FILE2"],
    ],
    ids=lambda commands: " ".join(words.split()[0] for words in commands),
)
def test_synced_bytes_survive_the_tools(power, synced, cli, commands):
    power.record()
    synced(power, *SUBFILES)
    for words in commands:
        done = cli(*words.replace("FILE", str(power.point / "file")).split())
        assert done.exit_code == 0, done.output
    assert content(power.point / "file") == WHOLE
    assert check_promises(power, cli) > 10


@pytest.mark.parametrize("there", ["nothing", "a file", "a set"])
def test_synced_bytes_survive_a_move_to_another_folder(power, synced, cli, there, monkeypatch):
    """They are at one of the two names, whatever was there, and the same command ends an interrupted move."""
    power.record()
    old, new = power.point / "a/file", power.point / "b/file2"
    for path in (old, new):
        path.parent.mkdir()
    if there != "nothing":
        new.write_bytes(b"old" * 1000)
    if there == "a set":
        assert cli("split", new, "--subfiles", "2", "--unit", "1000").exit_code == 0
    synced(power, *SUBFILES, name="a/file")
    done = cli("mv", old, new)
    assert done.exit_code == 0 and content(new) == WHOLE, done.output
    assert sorted(path.name for path in power.point.rglob("*file*")) == sorted(
        path.name for path in (new, *new.parent.glob("*.collio*"), *new.parent.rglob("file.*"))
    )

    monkeypatch.setattr(leftovers, "_start_of", lambda process: 1)  # later calls are another process's

    def what_is_wrong(_):
        if not is_there(power.point, len(WHOLE)):
            return f"at neither name: {[cli('fsck', path).output for path in (old, new)]}"
        if content(old) == content(new) == WHOLE:
            return ""  # the folder has two names: no real file system leaves that
        new.parent.mkdir(exist_ok=True)
        again = cli("mv", old, new) if old.exists() else None
        return (
            "" if content(new) == WHOLE and not old.exists() else f"collio mv again: {again and again.output}"
        )

    assert check_every_loss(power, what_is_wrong, STEPS + 1) > 10


def left_of_it(folder):
    """All files of the set and their folders, and the file unless it is empty."""
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("file*")
        if path != folder / "file" or path.stat().st_size
    )


def what_is_half_deleted(cli, folder):
    """ "" if the file is whole, or nothing is left of it, after the command that fsck prints where it takes
    one; else what was tried."""
    if content(folder / "file") == WHOLE or not left_of_it(folder):
        return ""
    there, said = left_of_it(folder), cli("fsck", folder / "file").output
    tried = run_printed(cli, said)
    if content(folder / "file") == WHOLE or not left_of_it(folder):
        return ""
    return (
        f"{there}: {f'after {tried}' if tried else f'fsck names no command: {said}'}; left: "
        f"{left_of_it(folder)}"
    )


@pytest.mark.parametrize("folders", [(), ("t0", "t1")], ids=["beside", "elsewhere"])
@pytest.mark.parametrize("how", ["delete", "delete-on-close", "rm"])
def test_a_deleted_file_is_whole_or_gone(power, synced, cli, how, folders):
    power.record()
    for folder in folders:
        (power.point / folder).mkdir()
    hints = [
        *SUBFILES,
        *(
            [f"collio_subfile_dirs={':'.join(str(power.point / folder) for folder in folders)}"]
            if folders
            else []
        ),
    ]
    synced(power, *hints, end="" if how == "rm" else how)
    if how == "rm":
        (power.point / f"mark-{DELETING}").touch()
        assert cli("rm", power.point / "file").exit_code == 0
    assert not left_of_it(power.point)
    assert check_every_loss(power, lambda _: what_is_half_deleted(cli, power.point), DELETING) > 10
