"""Who may read files in subfiles, and holes: both stay as they are when files are joined, split and
copied."""

import os
import random
import stat

import pytest

from collio.subfiles import checking, copying, subfile_set


@pytest.fixture(autouse=True)
def usual_mask():
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def private(tmp_path):
    path = tmp_path / "q.raw"
    path.write_bytes(random.Random(7).randbytes(50_000))
    path.chmod(0o600)
    return path


def readable(folder):
    """Files below the folder that others may read."""
    paths = [path for path in folder.rglob("*") if path.is_file() and path.stat().st_mode & 0o077]
    return [path for path in paths if path.parent == folder or path.parent.stat().st_mode & 0o077]


@pytest.mark.parametrize("command", ["split", "join", "cp"])
def test_private_bytes_are_never_readable_by_others(cli, private, tmp_path, monkeypatch, command):
    if command != "split":
        assert cli("split", private, "--subfiles", 3, "--unit", 1000).exit_code == 0
    seen, real = [], copying.os.copy_file_range

    def looks(*words):
        seen.append(readable(tmp_path))
        return real(*words)

    monkeypatch.setattr(copying.os, "copy_file_range", looks)
    words = {
        "split": ["split", private, "--subfiles", 3, "--unit", 1000],
        "join": ["join", private],
        "cp": ["cp", private, tmp_path / "c.raw"],
    }[command]
    assert cli(*words).exit_code == 0
    assert seen and not any(seen) and not readable(tmp_path)


@pytest.mark.parametrize(("mode", "folder"), [(0o600, 0o700), (0o640, 0o750), (0o664, 0o775), (0o644, 0o755)])
def test_modes_follow_the_file(cli, private, tmp_path, mode, folder):
    private.chmod(mode)
    assert cli("split", private, "--subfiles", 2).exit_code == 0
    found = subfile_set.find(private)
    assert found.folder.stat().st_mode & 0o777 == folder
    assert {path.stat().st_mode & 0o777 for path in found.folder.iterdir()} == {mode}
    assert cli("fsck", private).exit_code == 0


def test_owner_group_attributes_and_times_are_kept(cli, private, tmp_path):
    if os.geteuid() == 0:
        os.chown(private, 1234, 2345)
    os.utime(private, ns=(10**18 + 1, 10**18 + 3))
    try:
        os.setxattr(private, "user.note", b"kept")
    except OSError:
        pytest.skip("no extended attributes here")
    before = private.stat()

    def is_kept(path):
        now = path.stat()
        assert (now.st_uid, now.st_gid, now.st_mode, now.st_mtime_ns) == (
            before.st_uid,
            before.st_gid,
            before.st_mode,
            before.st_mtime_ns,
        )
        assert os.getxattr(path, "user.note") == b"kept"

    assert cli("split", private, "--subfiles", 2).exit_code == 0
    is_kept(private)
    assert all(
        (path.stat().st_uid, path.stat().st_gid) == (before.st_uid, before.st_gid)
        for path in subfile_set.find(private).subfiles()
    )
    assert cli("cp", private, tmp_path / "c.raw").exit_code == 0
    is_kept(tmp_path / "c.raw")
    assert cli("join", private).exit_code == 0
    is_kept(private)
    assert cli("cp", private, tmp_path / "d.raw").exit_code == 0
    is_kept(tmp_path / "d.raw")


def test_access_control_lists_are_kept(cli, private):
    acl = b"\2\0\0\0" + b"".join(
        tag.to_bytes(2, "little") + bits.to_bytes(2, "little") + who.to_bytes(4, "little")
        for tag, bits, who in (
            (1, 6, 0xFFFFFFFF),
            (2, 4, 4321),
            (4, 0, 0xFFFFFFFF),
            (16, 4, 0xFFFFFFFF),
            (32, 0, 0xFFFFFFFF),
        )
    )
    try:
        os.setxattr(private, "system.posix_acl_access", acl)
    except OSError:
        pytest.skip("no access control lists here")
    assert cli("split", private, "--subfiles", 2).exit_code == 0
    found = subfile_set.find(private)
    assert all(
        os.getxattr(path, "system.posix_acl_access") == acl
        for path in (private, found.manifest_path, *found.subfiles())
    )
    of_folder = os.getxattr(found.folder, "system.posix_acl_access")
    assert of_folder[4 + 8 + 2] == 5 and stat.S_IMODE(found.folder.stat().st_mode) == 0o750
    assert (
        cli("fsck", private).exit_code == 0
        and cli("join", private).exit_code == 0
        and os.getxattr(private, "system.posix_acl_access") == acl
    )


def test_fsck_says_which_chmod_is_missing(cli, private, tmp_path):
    private.chmod(0o644)
    (tmp_path / "targets").mkdir()
    for options, name in (([], "p.raw"), (["--dirs", tmp_path / "targets"], "t.raw")):
        path = tmp_path / name
        path.write_bytes(b"x" * 5000)
        assert cli("split", path, "--subfiles", 2, "--unit", 1000, *options).exit_code == 0
        for mode in (0o600, 0o664, 0o640):
            path.chmod(mode)
            for _ in range(3):  # some files only come to light behind the folder
                told = cli("fsck", path)
                commands = [
                    line.rpartition("chmod ")[2] for line in told.output.splitlines() if ": chmod " in line
                ]
                assert (told.exit_code == 1) == bool(commands)
                assert not any(os.system(f"chmod {command}") for command in commands)
                if not commands:
                    break
            assert not list(checking.problems(subfile_set.find(path)))
            if mode & 0o077 == 0:
                assert path not in readable(tmp_path) and not readable(tmp_path / "targets")


def test_holes_stay_holes(cli, tmp_path):
    path = tmp_path / "sp.raw"
    with open(path, "wb") as file:
        file.truncate(64 << 20)
        file.seek(30_000_000)
        file.write(b"x")
    if path.stat().st_blocks > 1000:
        pytest.skip("no holes here")
    with open(path, "rb") as file:
        data = file.read()

    def blocks():
        return sum(one.stat().st_blocks * 512 for one in tmp_path.rglob("*") if one.is_file())

    assert cli("split", path, "--subfiles", 3).exit_code == 0 and blocks() < 1 << 20
    assert cli("cp", path, tmp_path / "copy").exit_code == 0 and blocks() < 1 << 20
    assert cli("join", path).exit_code == 0 and blocks() < 1 << 20 and path.read_bytes() == data
    assert (
        cli("cp", path, tmp_path / "copy").exit_code == 0
        and blocks() < 1 << 20
        and (tmp_path / "copy").read_bytes() == data
    )
