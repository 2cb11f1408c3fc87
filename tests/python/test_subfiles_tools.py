"""`collio cp`, `mv` and `rm`, and what the tools do with copied placeholders and hard links."""

import os
import random
import shutil

import pytest

from collio.subfiles import identity, leftovers, moving, subfile_set


@pytest.fixture
def data():
    return random.Random(6).randbytes(54_321)


@pytest.fixture
def kept(cli, tmp_path, data):
    """Makes a file in subfiles."""

    def kept(name="o.raw", *options):
        path = tmp_path / name
        path.write_bytes(data)
        assert cli("split", path, "--subfiles", 3, "--unit", 1000, *options).exit_code == 0
        return path

    return kept


def content(path):
    with collio_file(path) as file:
        return file.read()


def collio_file(path):
    import collio

    return collio.open_file(path)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_copied_placeholder_is_known_as_one(cli, kept, data, tmp_path):
    path, copy = kept(), tmp_path / "b.raw"
    shutil.copy2(path, copy)
    told = cli("fsck", copy)
    assert (
        told.exit_code == 1
        and f"is a copy of the placeholder {path}" in told.output
        and "collio cp" in told.output
    )
    assert cli("fsck", path).exit_code == 0
    for command in (["join", copy], ["fsck", "--repair", copy]):
        told = cli(*command)
        assert (
            told.exit_code == 1
            and f"copy of the placeholder {path}" in told.output
            and f"collio cp {path} {copy}" in told.output
        )
    told = cli("rm", copy)
    assert told.exit_code == 0 and "the name alone is removed" in told.output and not copy.exists()
    assert cli("fsck", path).exit_code == 0 and content(path) == data


def test_the_set_goes_with_its_last_placeholder(cli, kept, data, tmp_path):
    path, copy = kept(), tmp_path / "b.raw"
    shutil.copy2(path, copy)
    told = cli("rm", path)
    assert told.exit_code == 0 and f"{copy} is a copy of their placeholder and has them now" in told.output
    assert "the next program that writes it" in cli("fsck", copy).output and content(copy) == data
    assert cli("rm", copy).exit_code == 0 and names(tmp_path) == []
    path = kept()
    shutil.copy2(path, copy)
    assert cli("join", path).exit_code == 0 and path.read_bytes() == data and content(copy) == data
    assert cli("fsck", "--repair", copy).exit_code == 0 and cli("join", copy).exit_code == 0
    assert copy.read_bytes() == data and names(tmp_path) == ["b.raw", "o.raw"]


def test_subfiles_in_other_folders_may_be_those_of_another_placeholder(cli, kept, data, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "targets").mkdir()
    path = kept("run/o.raw", "--dirs", tmp_path / "targets")
    shutil.copytree(tmp_path / "run", tmp_path / "backup")
    copy = tmp_path / "backup/o.raw"
    told = cli("fsck", copy)
    assert told.exit_code == 1 and f"its subfiles lie in {tmp_path / 'targets'}" in told.output
    assert cli("join", copy).exit_code == 1 and cli("rm", copy).exit_code == 0 and content(path) == data
    shutil.rmtree(tmp_path / "backup")
    shutil.copytree(tmp_path / "run", tmp_path / "moved")
    shutil.rmtree(tmp_path / "run")
    moved = tmp_path / "moved/o.raw"
    assert cli("fsck", "--repair", moved).exit_code == 0 and cli("fsck", moved).exit_code == 0
    assert (
        cli("join", moved).exit_code == 0 and moved.read_bytes() == data and names(tmp_path / "targets") == []
    )


def test_a_restored_folder_owns_its_subfiles(cli, kept, data, tmp_path):
    (tmp_path / "run").mkdir()
    path = kept("run/o.raw")
    shutil.copytree(tmp_path / "run", tmp_path / "backup")
    restored = tmp_path / "backup/o.raw"
    told = cli("fsck", restored)
    assert told.exit_code == 0 and "was moved from another file system, restored" in told.output
    assert cli("join", restored).exit_code == 0 and restored.read_bytes() == data and content(path) == data


def test_cp_makes_a_whole_copy(cli, kept, data, tmp_path):
    path, plain = kept(), tmp_path / "plain"
    plain.write_bytes(data)
    os.utime(plain, ns=(1_000_000_007, 2_000_000_011))
    plain.chmod(0o640)
    (tmp_path / "into").mkdir()
    told = cli("cp", path, plain, tmp_path / "into")
    assert told.exit_code == 0, told.output
    copy = tmp_path / "into/o.raw"
    assert (tmp_path / "into/plain").read_bytes() == data
    assert (tmp_path / "into/plain").stat().st_mtime_ns == 2_000_000_011 and (
        tmp_path / "into/plain"
    ).stat().st_mode & 0o777 == 0o640
    assert cli("fsck", copy).exit_code == 0 and content(copy) == data
    assert subfile_set.find(copy).manifest.identity != subfile_set.find(path).manifest.identity
    assert cli("rm", path).exit_code == 0 and content(copy) == data
    assert cli("cp", copy, tmp_path / "b.raw").exit_code == 0  # beside nothing
    assert cli("cp", plain, tmp_path / "b.raw").exit_code == 0  # in place of a set
    assert (tmp_path / "b.raw").read_bytes() == data and names(tmp_path) == ["b.raw", "into", "plain"]


def test_cp_gives_a_copied_placeholder_bytes_of_its_own(cli, kept, data, tmp_path):
    path, copy = kept(), tmp_path / "b.raw"
    shutil.copy2(path, copy)
    assert cli("cp", path, copy).exit_code == 0
    with open(subfile_set.find(copy).subfile(0), "r+b") as file:
        file.write(b"changed")
    assert (
        cli("fsck", copy).exit_code == 0 and content(path) == data and content(copy) == b"changed" + data[7:]
    )


def test_cp_and_mv_refuse_what_they_must(cli, kept, tmp_path):
    path = kept()
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(path)
    for words, word in (
        (["cp", path, tmp_path / "link"], "same file"),
        (["cp", tmp_path / "folder", tmp_path / "x"], "is a folder"),
        (["mv", path, path], "same file"),
        (["cp", path, tmp_path / "link", tmp_path / "y"], "is no folder"),
        (["mv", tmp_path / "no", tmp_path / "x"], "does not exist"),
        (["cp", path, path, tmp_path / "folder"], "several files would become"),
        (["rm", tmp_path / "folder"], "is a folder"),
    ):
        told = cli(*words)
        assert told.exit_code == 1 and word in told.output, told.output
    subfile_set.find(path).subfile(1).unlink()
    assert "missing" in cli("cp", path, tmp_path / "x").output and names(tmp_path) == [
        "folder",
        "link",
        "o.raw",
        "o.raw.collio",
    ]


@pytest.mark.parametrize("command", ["rm", "mv", "cp"])
def test_a_file_that_is_moved_before_the_lock_keeps_its_subfiles(
    cli, kept, data, tmp_path, monkeypatch, command
):
    """Subfiles in folders of their own stay where they are when their file is moved."""
    elsewhere, other = tmp_path / "elsewhere", tmp_path / "other"
    elsewhere.mkdir()
    other.mkdir()
    path = kept("o.raw", "--dirs", elsewhere)
    (tmp_path / "new.raw").write_bytes(b"new")
    locked = moving.locked

    def moves_first(*words):
        monkeypatch.setattr(moving, "locked", locked)
        assert cli("mv", path, other).exit_code == 0
        path.write_bytes(b"another")
        return locked(*words)

    monkeypatch.setattr(moving, "locked", moves_first)
    told = cli("rm", path) if command == "rm" else cli(command, tmp_path / "new.raw", path)
    assert told.exit_code == 1 and "was changed by a program meanwhile: try again" in told.output
    assert content(other / path.name) == data and path.read_bytes() == b"another"


def test_a_damaged_set_stays_when_its_name_goes(cli, kept, data, tmp_path):
    path, new, folder = kept("old.raw"), tmp_path / "new.raw", tmp_path / "old.raw.collio"
    (folder / "manifest").write_bytes(b"X")
    for command in ("rm", "fsck"):
        told = cli(command, path)
        assert (
            told.exit_code == 1
            and f"rm {path}" in told.output
            and f"collio fsck --orphans {tmp_path}" in told.output
        )
    assert path.read_bytes().startswith(b"collio placeholder 1 ")
    new.write_bytes(data)
    with subfile_set.alone(path):
        assert "is open in a program" in cli("cp", new, path).output
    for command, left in (
        ("cp", ["new.raw", "old.raw", "old.raw.collio"]),
        ("mv", ["old.raw", "old.raw.collio"]),
    ):
        placeholder = path.read_bytes()
        told = cli(command, new, path)
        assert told.exit_code == 0 and f"collio fsck --orphans {tmp_path}" in told.output
        assert path.read_bytes() == data and names(tmp_path) == left and len(names(folder)) == 4
        path.write_bytes(placeholder)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_mv_takes_the_subfiles_along(cli, kept, data, tmp_path, elsewhere):
    (tmp_path / "into").mkdir()
    (tmp_path / "targets").mkdir()
    path = kept("o.raw", *(["--dirs", tmp_path / "targets"] if elsewhere else []))
    path.chmod(0o640)
    blocks = subfile_set.find(path).subfile(0).stat().st_ino
    assert cli("mv", path, tmp_path / "n.raw").exit_code == 0 and content(tmp_path / "n.raw") == data
    assert cli("mv", tmp_path / "n.raw", tmp_path / "into").exit_code == 0
    moved = tmp_path / "into/n.raw"
    found = subfile_set.find(moved)
    assert (
        content(moved) == data
        and found.subfile(0).stat().st_ino == blocks
        and moved.stat().st_mode & 0o777 == 0o640
    )
    assert identity.ownership(found).standing is identity.Standing.own and names(tmp_path) == [
        "into",
        "targets",
    ]
    assert (
        cli("join", moved).exit_code == 0
        and moved.read_bytes() == data
        and names(tmp_path / "into") == ["n.raw"]
        and names(tmp_path / "targets") == []
    )


def test_mv_to_another_file_system_copies(cli, kept, data, tmp_path, monkeypatch):
    """Renames between folders fail here as between file systems."""
    real, real_replace = os.rename, os.replace

    def between(kind):
        def renamed(source, target, **more):
            if os.path.dirname(os.path.abspath(source)) != os.path.dirname(os.path.abspath(target)):
                raise OSError(18, "Invalid cross-device link")
            return kind(source, target, **more)

        return renamed

    monkeypatch.setattr(os, "rename", between(real))
    monkeypatch.setattr(os, "replace", between(real_replace))
    (tmp_path / "into").mkdir()
    path, plain, target = kept(), tmp_path / "plain", tmp_path / "into"
    plain.write_bytes(data)
    os.link(path, tmp_path / "second")
    assert "hard links" in cli("mv", path, target).output and content(path) == data
    (tmp_path / "second").unlink()
    assert cli("mv", path, plain, target).exit_code == 0
    assert (
        content(target / "o.raw") == data
        and (target / "plain").read_bytes() == data
        and names(tmp_path) == ["into"]
    )


def test_hard_links(cli, kept, data, tmp_path):
    path, link = kept(), tmp_path / "h.raw"
    os.link(path, link)
    assert "hard links" in cli("join", path).output and content(link) == data
    assert cli("rm", path).exit_code == 0 and content(link) == data and cli("fsck", link).exit_code == 0
    assert cli("join", link).exit_code == 0 and link.read_bytes() == data
    os.link(link, path)
    assert "hard links" in cli("split", path, "--subfiles", 2).output and path.read_bytes() == data


WRITER = "import os, sys; f = os.open(sys.argv[1], os.O_RDWR); os.pwrite(f, b'CHECKPOINT', 0); os.fsync(f)"


def test_a_temporary_name_is_short_enough_and_tells_its_process(tmp_path):
    name = "ü" * 127
    path = leftovers.temporary(tmp_path / name, "joining")
    path.touch()
    (found,) = leftovers.leftovers(tmp_path)
    assert (
        not found.is_dead()
        and found.process == os.getpid()
        and found.kind == "joining"
        and name.startswith(found.name)
    )
    path.unlink()
    other = path.with_name(path.name.replace(f".{os.getpid()}-", f".{os.getpid()}-1"))
    other.touch()
    (found,) = leftovers.leftovers(tmp_path)
    assert found.is_dead(), "the process of this number began at another time"
    leftovers.clean(tmp_path / name)
    assert names(tmp_path) == []


def test_long_names(cli, tmp_path, data):
    for name in ("a" * 240, "ü" * 120, "a" * 255):
        path = tmp_path / name
        path.write_bytes(data)
        assert cli("split", path, "--subfiles", 2).exit_code == 0 and content(path) == data
        assert cli("join", path).exit_code == 0 and path.read_bytes() == data
        path.unlink()
    assert names(tmp_path) == []
