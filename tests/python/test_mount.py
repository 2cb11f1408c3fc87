"""`collio mount`: any program reads files in subfiles as ordinary ones, by whatever calls it makes."""

import contextlib
import errno
import mmap
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import redealt
from collio import builds
from collio.run import mount as command
from collio.subfiles import subfile_set
from lab_target import error_of, is_mounted, wait_until
from mounted_folder import BYTES, UNIT, Mounted, can_mount, make, mounted  # noqa: F401

# --- bytes ----------------------------------------------------------------------------------------


def test_bytes_of_all_kinds_of_reads(mounted, make):
    data, name = make(), mounted.point / "out.nc"
    assert name.read_bytes() == data
    dice = random.Random(7)
    with open(name, "rb") as file:
        for _ in range(300):
            at, count = dice.randrange(BYTES), dice.choice([1, UNIT, UNIT - 1, 4096, 100_000])
            assert os.pread(file.fileno(), count, at) == data[at : at + count]
        assert (
            os.pread(file.fileno(), 10, BYTES) == b"" and os.pread(file.fileno(), 10, BYTES - 3) == data[-3:]
        )
        for flags in (mmap.MAP_SHARED, mmap.MAP_PRIVATE):
            with mmap.mmap(file.fileno(), 0, flags=flags, prot=mmap.PROT_READ) as mapped:
                assert mapped[:] == data
        assert (
            os.lseek(file.fileno(), 5, os.SEEK_DATA) == 5
            and os.lseek(file.fileno(), 5, os.SEEK_HOLE) == BYTES
        )


@pytest.mark.parametrize(
    ("count", "unit", "size"),
    [
        (1, 1, 1),
        (3, 1, 5000),
        (4, 4096, 4096),
        (4, 4096, 8 * 4096),
        (7, 100_000, 250_000),
        (3, 1 << 20, 0),
        (400, 512, 300_000),
    ],
)
def test_bytes_at_the_borders_of_stripes(mounted, make, count, unit, size):
    data = make(data=random.Random(size).randbytes(size), subfiles=count, unit=unit)
    name = mounted.point / "out.nc"
    assert name.stat().st_size == size and name.read_bytes() == data
    with open(name, "rb") as file:
        for border in range(unit, size, max(unit, size // 50)):
            assert os.pread(file.fileno(), 3, border - 1) == data[border - 1 : border + 2]


def test_bytes_of_re_dealt_files(mounted):
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    dice = random.Random(seed)
    for number in range(100):
        data = redealt.random_set(dice, mounted.folder / f"{number}.nc")
        with open(mounted.point / f"{number}.nc", "rb", buffering=0) as file:
            for at in [dice.randrange(len(data) + 1) for _ in range(20)]:
                assert os.pread(file.fileno(), 3000, at) == data[at : at + 3000], number
            assert os.fstat(file.fileno()).st_size == len(data) and file.readall() == data, number


def test_programs_without_any_library(mounted, make, tmp_path):
    data = make()
    (tmp_path / "sum.c").write_text(r"""
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char** argv) {
  static unsigned char bytes[70000];
  unsigned long sum = 0;
  const int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
  for (long n; (n = read(fd, bytes, sizeof bytes)) != 0;) {
    if (n < 0) return 1;
    for (long i = 0; i < n; ++i) sum = sum * 31 + bytes[i];
  }
  printf("%lu", sum);
  return 0;
}
""")
    compiler = shutil.which("cc") or pytest.skip("no C compiler")
    if (
        subprocess.run(
            [compiler, "-O2", "-static", "-o", tmp_path / "sum", tmp_path / "sum.c"], capture_output=True
        ).returncode
        != 0
    ):
        pytest.skip("nothing can be linked statically here")
    (tmp_path / "plain").write_bytes(data)
    sums = [
        subprocess.run([tmp_path / "sum", path], capture_output=True, check=True).stdout
        for path in (mounted.point / "out.nc", tmp_path / "plain")
    ]
    assert sums[0] == sums[1]


def test_the_usual_tools(mounted, make, tmp_path):
    (tmp_path / "plain").write_bytes(make())
    for words in (
        ["cmp", mounted.point / "out.nc", tmp_path / "plain"],
        ["cp", "-r", mounted.point, tmp_path / "copy"],
        ["cmp", tmp_path / "copy/out.nc", tmp_path / "plain"],
        ["sh", "-c", f"tar cf - -C {mounted.point} . | tar xOf - ./out.nc | cmp - {tmp_path}/plain"],
    ):
        assert subprocess.run(words).returncode == 0
    assert os.listdir(tmp_path / "copy") == ["out.nc"]


def test_libraries_read_it(mounted, make, cli):
    netcdf, h5py = pytest.importorskip("netCDF4"), pytest.importorskip("h5py")
    values = [float(number) for number in range(5000)]
    with netcdf.Dataset(mounted.folder / "classic.nc", "w", format="NETCDF3_64BIT_DATA") as data:
        data.createDimension("x", 5000)
        data.createVariable("v", "f8", ("x",))[:] = values
    with h5py.File(mounted.folder / "h.h5", "w") as data:
        data["v"] = values
    for name in ("classic.nc", "h.h5"):
        assert cli("split", mounted.folder / name, "--subfiles", 3, "--unit", 999).exit_code == 0
    with netcdf.Dataset(mounted.point / "classic.nc") as data:
        assert list(data["v"][:]) == values
    with h5py.File(mounted.point / "h.h5") as data:
        assert list(data["v"][:]) == values


def test_holes_are_zeros(mounted, make):
    data = bytearray(make(data=bytes(300_000)))
    third = subfile_set.find(mounted.folder / "out.nc").subfiles()[2]
    os.truncate(third, 0)
    os.truncate(third, 75_000)  # all of it a hole
    with open(subfile_set.find(mounted.folder / "out.nc").subfiles()[0], "r+b") as first:
        first.seek(10 * UNIT)
        first.write(b"here")
    data[40 * UNIT : 40 * UNIT + 4] = b"here"
    assert (mounted.point / "out.nc").read_bytes() == data


# --- names and attributes -------------------------------------------------------------------------


def test_folder_is_shown_as_it_is(mounted, make):
    make()
    folder, point = mounted.folder, mounted.point
    (folder / "sub").mkdir()
    (folder / "sub/plain").write_bytes(b"plain")
    (folder / "sub/plain").chmod(0o640)
    os.utime(folder / "sub/plain", ns=(1_000, 2_000_000_001))
    (folder / "link").symlink_to("sub/plain")
    os.link(folder / "sub/plain", folder / "twin")
    (folder / "my.collio").mkdir()  # of the user's own
    (folder / "my.collio/file").touch()
    assert sorted(os.listdir(point)) == ["link", "my.collio", "out.nc", "sub", "twin"]
    assert os.readlink(point / "link") == "sub/plain" and (point / "link").read_bytes() == b"plain"
    shown, real = (point / "twin").stat(), (folder / "twin").stat()
    for field in ("st_ino", "st_mode", "st_uid", "st_gid", "st_size", "st_blocks", "st_nlink", "st_mtime_ns"):
        assert getattr(shown, field) == getattr(real, field), field
    assert error_of(os.stat, point / "out.nc.collio") == error_of(os.stat, point / "nothing") == "ENOENT"
    assert error_of(os.stat, point / ("n" * 256)) == "ENAMETOOLONG"
    assert os.statvfs(point).f_blocks == os.statvfs(folder).f_blocks
    with contextlib.suppress(OSError):  # a file system without attributes
        os.setxattr(folder / "twin", "user.word", b"value")
        assert (
            os.listxattr(point / "twin") == ["user.word"]
            and os.getxattr(point / "twin", "user.word") == b"value"
        )


def test_size_and_blocks_are_the_file_s(mounted, make):
    make()
    shown = (mounted.point / "out.nc").stat()
    assert shown.st_size == BYTES and shown.st_blocks == (BYTES + 511) // 512
    newest = max(path.stat().st_mtime_ns for path in subfile_set.find(mounted.folder / "out.nc").subfiles())
    assert shown.st_mtime_ns >= newest
    with open(mounted.point / "out.nc", "rb") as file:
        assert os.fstat(file.fileno()).st_size == BYTES


def test_nothing_can_be_written(mounted, make):
    data = make()
    (mounted.folder / "plain").write_bytes(b"plain")
    for name in (mounted.point / "out.nc", mounted.point / "plain"):
        for flags in (os.O_WRONLY, os.O_RDWR, os.O_RDONLY | os.O_TRUNC, os.O_WRONLY | os.O_CREAT):
            assert error_of(os.open, name, flags) == "EROFS"
        assert (
            error_of(os.truncate, name, 3)
            == error_of(os.unlink, name)
            == error_of(os.chmod, name, 0o600)
            == "EROFS"
        )
        assert error_of(os.rename, name, mounted.point / "other") == "EROFS"
    assert error_of(os.mkdir, mounted.point / "new") == error_of((mounted.point / "new").touch) == "EROFS"
    assert (mounted.point / "out.nc").read_bytes() == data


# --- the command ----------------------------------------------------------------------------------


@pytest.fixture
def places(can_mount, tmp_path):
    for name in ("a,b", "at"):
        (tmp_path / name).mkdir()
    (tmp_path / "a,b/file").write_bytes(b"here")
    return tmp_path / "a,b", tmp_path / "at"


def test_the_command_mounts_and_says_how_it_ends(collio_process, places):
    folder, point = places
    told = collio_process("mount", folder, point)
    assert told.returncode == 0, told.stderr
    assert (point / "file").read_bytes() == b"here"
    words = told.stdout.strip().split("to end it: ")[1].split()
    assert subprocess.run(words).returncode == 0 and not is_mounted(point)
    assert f"{folder} is shown at {point}" in told.stdout


def test_the_command_stays_in_the_foreground(places):
    folder, point = places
    process = subprocess.Popen([sys.executable, "-m", "collio", "mount", "--foreground", folder, point])
    wait_until(lambda: is_mounted(point))
    assert os.listdir(point) == ["file"]
    process.terminate()
    assert process.wait(10) == 0 and not is_mounted(point)


def test_the_command_refuses_what_cannot_be(cli, places, monkeypatch, tmp_path):
    folder, point = places
    (folder / "inside").mkdir()
    for words, code, said in (
        ((tmp_path / "none", point), 2, "does not exist"),
        ((folder / "file", point), 2, "is a file"),
        ((folder, tmp_path / "none"), 1, "No such file or directory"),
        ((point, folder), 1, "is not empty: it has "),
        ((folder, folder / "inside"), 1, "is inside"),
        ((folder, folder / "file"), 1, "Not a directory"),
    ):
        told = cli("mount", *words)
        assert (told.exit_code, said in told.output) == (code, True), told.output
    monkeypatch.setattr(command, "DEVICE", tmp_path / "none")
    assert "load the module fuse" in cli("mount", folder, point).output
    monkeypatch.setattr(command, "DEVICE", tmp_path)
    monkeypatch.setattr(command.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(command.shutil, "which", lambda name: None)
    assert "install the package fuse3" in cli("mount", folder, point).output
    monkeypatch.setattr(builds, "find_program", lambda name: None)
    for packaged, said in ((True, "wheels have none"), (False, "`make build` makes it")):
        monkeypatch.setattr(builds, "is_packaged", lambda packaged=packaged: packaged)
        told = cli("mount", folder, point)
        assert told.exit_code == 1 and said in told.output and "libfuse 3" in told.output


def test_a_signal_right_after_the_mount_takes_it_away(places):
    for _ in range(60):
        Mounted(*places).end()


def test_a_mount_whose_process_died_is_told(cli, places):
    folder, point = places
    one = Mounted(folder, point)
    one.process.kill()
    one.process.wait()
    told = cli("mount", folder, point)
    assert (
        told.exit_code == 1 and os.strerror(errno.ENOTCONN) in told.output and "fusermount3 -u" in told.output
    )
    assert subprocess.run([*told.output.strip().split("take a dead mount away: ")[1].split()]).returncode == 0
    assert not is_mounted(Path(point))
