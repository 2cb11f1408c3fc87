"""What `collio mount` shows of files that change, are damaged or lie on a slow target; and what its process
keeps."""

import contextlib
import errno
import os
import random
import shutil
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import redealt
from collio.lab import targets
from collio.subfiles import sets, subfile_set
from lab_target import error_of, memory, program, target, wait_until  # noqa: F401
from mounted_folder import BYTES, UNIT, Mounted, can_mount, make, mounted  # noqa: F401


def reads(path):
    return error_of(path.read_bytes)


# --- changes meanwhile ----------------------------------------------------------------------------


def test_a_file_that_is_rewritten(mounted, make):
    for size in (BYTES, 700_000, 700_000, 0, 3_000_000):
        data = make(data=random.randbytes(size))
        assert (mounted.point / "out.nc").stat().st_size == size and (
            mounted.point / "out.nc"
        ).read_bytes() == data
        shutil.rmtree(mounted.folder / "out.nc.collio")
        (mounted.folder / "out.nc").unlink()
        assert not (mounted.point / "out.nc").exists()


def test_a_subfile_that_is_written_to(mounted, make):
    """Its size stays, so that only an open can tell."""
    data = bytearray(make())
    first = subfile_set.find(mounted.folder / "out.nc").subfiles()[0]
    for number in range(50):
        with open(first, "r+b") as file:
            file.write(b"%03d" % number)
        data[:3] = b"%03d" % number
        assert (mounted.point / "out.nc").read_bytes() == data


@pytest.mark.parametrize("in_subfiles", [True, False])
def test_a_file_that_is_replaced_while_it_is_open(mounted, make, in_subfiles):
    """The kernel has one set of pages for a name: who has the old file open must not give its bytes to
    others."""
    name, shown, size = mounted.folder / "out.nc", mounted.point / "out.nc", 3_000_000
    old, new = make("old", random.randbytes(size)), random.randbytes(size)
    if in_subfiles:
        make("new", new)
    else:
        (mounted.folder / "new").write_bytes(new)
    (mounted.folder / "old").rename(name)
    with open(shown, "rb", buffering=0) as before:
        assert os.pread(before.fileno(), 1000, 0) == old[:1000]
        (mounted.folder / "new").rename(name)
        with open(shown, "rb", buffering=0) as after:
            assert os.pread(after.fileno(), 1000, 0) == new[:1000]
            for at in range(50_000, size, 100_000):
                with contextlib.suppress(OSError):
                    assert os.pread(before.fileno(), 1000, at) == new[at : at + 1000], (
                        "what others have read lies in the kernel's pages"
                    )
                assert os.pread(after.fileno(), 1000, at) == new[at : at + 1000]
        assert error_of(os.pread, before.fileno(), 1000, size - 500) == "ESTALE"
    assert shown.read_bytes() == new


def test_a_file_that_grows_while_it_is_open(mounted, make):
    data = make(data=random.randbytes(2 * UNIT), subfiles=2)
    with open(mounted.point / "out.nc", "rb") as file:
        assert file.read() == data
        with open(subfile_set.find(mounted.folder / "out.nc").subfiles()[0], "ab") as first:
            first.write(b"more")
        assert os.fstat(file.fileno()).st_size == len(data) + 4
        assert file.read() == b"more"


def test_a_file_that_is_re_dealt_while_it_is_open(mounted):
    name, data = mounted.folder / "out.nc", random.randbytes(3_000_000)
    deals = [(700, [0, 2, 3]), (701, [2]), (2000, [0, 1, 2, 3])]
    redealt.make(name, data[: 600 * UNIT + 7], UNIT, 4, [], complete=False)
    with open(mounted.point / "out.nc", "rb", buffering=0) as file:
        assert file.readall() == data[: 600 * UNIT + 7]
        for number, end in ((1, 700 * UNIT + 500), (3, len(data)), (3, len(data))):
            redealt.make(name, data[:end], UNIT, 4, deals[:number], complete=end == len(data))
            assert os.fstat(file.fileno()).st_size == end
            assert os.pread(file.fileno(), end, 0) == data[:end]
    assert (mounted.point / "out.nc").read_bytes() == data


def test_joins_while_mounted(mounted, make, cli):
    data, name = make(), mounted.folder / "out.nc"
    with open(mounted.point / "out.nc", "rb") as file:
        assert file.read(100) == data[:100]
        told = cli("join", name)
        assert told.exit_code == 1 and "is open in a program" in told.output
        assert file.read() == data[100:]
    wait_until(lambda: cli("join", name).exit_code == 0)  # the kernel tells of the close a little later
    assert name.read_bytes() == (mounted.point / "out.nc").read_bytes() == data
    assert os.listdir(mounted.point) == ["out.nc"]


def test_an_open_waits_for_a_join_under_way(mounted, make):
    data = make()
    found = subfile_set.find(mounted.folder / "out.nc")
    with ThreadPoolExecutor(1) as threads:
        with subfile_set.alone(mounted.folder / "out.nc"):
            told = threads.submit((mounted.point / "out.nc").read_bytes)
            time.sleep(0.3)
            assert not told.done()
            sets.join(found, found.length())
        assert told.result(10) == data
    assert mounted.said() == ""


def test_a_program_that_waits_for_a_join_can_be_killed(mounted, make):
    make()
    with subfile_set.alone(mounted.folder / "out.nc"):
        waiting = subprocess.Popen(["cat", mounted.point / "out.nc"], stdout=subprocess.DEVNULL)
        time.sleep(0.3)
        assert waiting.poll() is None
        waiting.terminate()
        assert waiting.wait(5) != 0


# --- damage ---------------------------------------------------------------------------------------


def test_damage_is_an_error_and_never_bytes(mounted, make):
    data = make()
    name, shown = mounted.folder / "out.nc", mounted.point / "out.nc"
    folder = mounted.folder / "out.nc.collio"
    manifest, placeholder = (folder / "manifest").read_bytes(), name.read_bytes()
    subfile = next(folder.glob("*.0002"))
    content = subfile.read_bytes()
    damages = [
        (folder / "manifest", manifest[:at] + bytes([manifest[at] ^ 1]) + manifest[at + 1 :])
        for at in range(0, len(manifest), 9)
    ]
    damages += [
        (folder / "manifest", b""),
        (subfile, content[:-1]),
        (name, b"C" + placeholder[1:]),
        (name, placeholder[:11]),
        (name, placeholder.replace(b"folder out", b"folder xut")),
    ]
    for path, damaged in damages:
        before, said = path.read_bytes(), mounted.said()
        path.write_bytes(damaged)
        assert reads(shown) == "EIO", (path, damaged)
        assert mounted.said().removeprefix(said).startswith("collio mount: "), (path, damaged)
        path.write_bytes(before)
        assert shown.read_bytes() == data
    subfile.rename(subfile.with_name("away"))
    assert reads(shown) == "EIO" and "missing or too short" in mounted.said()


def test_a_subfile_that_is_cut_while_it_is_open(mounted, make):
    make(subfiles=2, unit=1 << 20)
    with open(mounted.point / "out.nc", "rb", buffering=0) as file:
        assert len(os.pread(file.fileno(), 10, 0)) == 10
        os.truncate(subfile_set.find(mounted.folder / "out.nc").subfiles()[1], 100)
        assert error_of(os.pread, file.fileno(), 10, (1 << 20) + 500_000) == "EIO"


@pytest.fixture
def shared(mounted, make):
    """A mount by root that lets others in, of a folder in which everything of `out.nc` belongs to a user."""
    if os.geteuid() != 0:
        pytest.skip("only root lets others in, and has files of other users")
    make()
    found = subfile_set.find(mounted.folder / "out.nc")
    for path in (mounted.folder / "out.nc", found.folder, found.folder / "manifest", *found.subfiles()):
        os.chown(path, VICTIM, VICTIM)
    (mounted.folder.parent / "others").mkdir()
    other = Mounted(mounted.folder, mounted.folder.parent / "others", "--allow-other")
    assert len((other.point / "out.nc").read_bytes()) == BYTES
    yield other, found
    other.end()


VICTIM, ATTACKER = 12345, 12346


def test_others_get_no_file_of_another_user_s(shared):
    other, found = shared
    for path, said in (
        (found.subfiles()[1], "belongs to another user"),
        (found.folder / "manifest", "it or its folder belongs to another user"),
        (found.folder, "it or its folder belongs to another user"),
    ):
        os.chown(path, ATTACKER, ATTACKER)
        assert reads(other.point / "out.nc") == error_of(os.stat, other.point / "out.nc") == "EIO", path
        os.chown(path, VICTIM, VICTIM)
        assert said in other.said().splitlines()[-1], path
    assert len((other.point / "out.nc").read_bytes()) == BYTES


def test_others_get_no_secret_through_a_planted_manifest(shared, tmp_path):
    """In a folder that several users may write to. All lies in the user's own names, so only its owner
    tells."""
    other, found = shared
    secret = tmp_path / "secret"
    secret.write_bytes(b"private key" * 10_000)
    secret.chmod(0o600)
    os.chown(secret, VICTIM, VICTIM)
    shutil.copytree(found.folder, tmp_path / "own")
    found.folder.rename(found.folder.with_name("away"))
    for path in (tmp_path / "own", *(tmp_path / "own").iterdir()):
        os.chown(path, ATTACKER, ATTACKER)
    for subfile in (tmp_path / "own").glob("out.nc.*"):
        subfile.unlink()
        subfile.symlink_to(secret)
    (tmp_path / "own").rename(found.folder)
    assert reads(other.point / "out.nc") == error_of(os.stat, other.point / "out.nc") == "EIO"


def test_others_get_no_secret_in_place_of_a_subfile(shared, tmp_path):
    other, found = shared
    subfile = found.subfiles()[2]
    secret = tmp_path / "secret"
    subfile.rename(secret)  # as long as it should be
    secret.chmod(0o600)
    for put in (lambda: subfile.symlink_to(secret), lambda: os.link(secret, subfile)):
        put()
        assert reads(other.point / "out.nc") == error_of(os.stat, other.point / "out.nc") == "EIO"
        subfile.unlink()
    assert "or fewer users may read it" in other.said()
    os.link(secret, subfile)
    secret.chmod(0o644)
    with open(other.point / "out.nc", "rb", buffering=0) as file:
        subfile.unlink()
        subfile.symlink_to(secret)  # once it is open, before it is read
        assert error_of(os.pread, file.fileno(), 10, 2 * UNIT) == "EIO"


def test_a_manifest_too_long_is_not_read(mounted, make):
    make()
    manifest = mounted.folder / "out.nc.collio/manifest"
    os.truncate(manifest, (1 << 24) + 1)
    assert reads(mounted.point / "out.nc") == error_of(os.stat, mounted.point / "out.nc") == "EIO"
    assert f"{manifest} cannot be read: {os.strerror(errno.EFBIG)}" in mounted.said()


# --- a server that lives long ---------------------------------------------------------------------


def test_opens_and_closes_leave_no_descriptor(mounted, make):
    data = make(subfiles=400, unit=100)
    before = mounted.descriptors()
    for number in range(300):
        with open(mounted.point / "out.nc", "rb") as file:
            assert os.pread(file.fileno(), 5000, number * 7000) == data[number * 7000 : number * 7000 + 5000]
    os.listdir(mounted.point)
    wait_until(lambda: mounted.descriptors() == before)


def test_descriptors_of_subfiles_are_bounded(mounted, make):
    data = make(subfiles=700, unit=100)
    before = mounted.descriptors()
    with contextlib.ExitStack() as files, ThreadPoolExecutor(8) as threads:
        opened = [files.enter_context(open(mounted.point / "out.nc", "rb", buffering=0)) for _ in range(3)]
        dice = random.Random(8)
        places = [(dice.choice(opened), dice.randrange(BYTES)) for _ in range(400)]
        for (_, at), read in zip(
            places, threads.map(lambda place: os.pread(place[0].fileno(), 20_000, place[1]), places)
        ):
            assert read == data[at : at + 20_000]
        wait_until(lambda: mounted.descriptors() <= before + len(opened) + 256)  # read-ahead goes on
    wait_until(lambda: mounted.descriptors() == before)


def test_a_slow_target_holds_nobody_up(mounted, make, target, tmp_path):
    slow = target()
    (tmp_path / "fast").mkdir()
    make("out.nc", random.randbytes(8 << 20), 2, 4 << 20, "--dirs", f"{slow.mountpoint}:{tmp_path}/fast")
    (mounted.folder / "plain").write_bytes(b"plain")
    targets.set_delay(slow.mountpoint, 1_000_000)
    told = {}
    with open(mounted.point / "out.nc", "rb", buffering=0) as file:

        def read(offset):
            began = time.monotonic()
            assert len(os.pread(file.fileno(), 1000, offset)) == 1000
            told[offset] = time.monotonic() - began

        held_up = threading.Thread(target=read, args=(0,))
        held_up.start()
        time.sleep(0.1)
        read(5 << 20)
        began = time.monotonic()
        assert (mounted.point / "plain").read_bytes() == b"plain"
        took = time.monotonic() - began
        held_up.join()
        targets.set_delay(slow.mountpoint, 0)
    assert told[0] > 0.9 and told[5 << 20] < 0.6 and took < 0.6, (told, took)
