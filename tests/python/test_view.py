"""`collio view`: programs without MPI read files in subfiles as ordinary ones, by whatever calls they
make."""

import os
import random
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import redealt
from collio import builds
from collio.subfiles import sets, subfile_set

pytestmark = pytest.mark.skipif(
    not builds.find_library(builds.VIEW_PRELOAD), reason=f"{builds.VIEW_PRELOAD} is not built"
)

PYTHON = """
import mmap, os, subprocess, sys
name, plain = sys.argv[1:3]
data = open(plain, "rb").read()
with open(name, "rb") as file:  # a program that inherits it, with nothing preloaded
    environ = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    told = subprocess.run(["cat"], stdin=file, env=environ, capture_output=True)
    assert told.stdout == data
with open(name, "rb") as file:
    assert file.read() == data
    assert os.pread(file.fileno(), 5000, 777) == data[777:5777]
    assert os.preadv(file.fileno(), [bytearray(3), into := bytearray(2000)], 90) == 2003
    assert into == data[93:2093]
    assert file.seek(-10, os.SEEK_END) == len(data) - 10 and file.read() == data[-10:]
    assert os.lseek(file.fileno(), 5, os.SEEK_DATA) == 5
    assert os.lseek(file.fileno(), 5, os.SEEK_HOLE) == len(data)
    assert os.fstat(file.fileno()).st_size == os.stat(name).st_size == len(data)
    assert os.fstat(file.fileno()).st_ino == os.stat(name).st_ino
    assert os.stat(name).st_blocks * 512 >= len(data)
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert mapped[:] == data
    twin = os.dup(file.fileno())
    os.lseek(file.fileno(), 1000, os.SEEK_SET)
    assert os.read(twin, 50) == data[1000:1050], "duplicates have one position"
for flags in (os.O_WRONLY, os.O_RDWR, os.O_RDONLY | os.O_TRUNC, os.O_WRONLY | os.O_CREAT | os.O_TRUNC):
    try:
        os.open(name, flags)
    except OSError as error:
        assert error.errno == 30
    else:
        raise AssertionError("opened to write")
try:
    os.truncate(name, 3)
except OSError as error:
    assert error.errno == 30
else:
    raise AssertionError("truncated")
for fd in range(3, 200):  # as programs do that become daemons
    try:
        os.close(fd)
    except OSError:
        pass
others = [os.open(plain, os.O_RDONLY) for _ in range(100)]
assert open(name, "rb").read() == data and os.read(others[90], 100) == data[:100]
if len(sys.argv) > 3:  # another program writes to a subfile meanwhile
    before = open(name, "rb").read()
    with open(sys.argv[3], "r+b") as subfile:
        subfile.write(b"changed")
    after = open(name, "rb").read()
    assert len(after) == len(before) and b"changed" in after and b"changed" not in before
print("good")
"""


@pytest.fixture
def files(cli, tmp_path):
    """(a file in subfiles, the same bytes as an ordinary file)."""
    name, plain = tmp_path / "out.nc", tmp_path / "plain"
    plain.write_bytes(random.Random(6).randbytes(2_345_678))
    shutil.copy(plain, name)
    assert cli("split", name, "--subfiles", 4, "--unit", 1000).exit_code == 0
    return name, plain


@pytest.fixture
def view(collio_process):
    return lambda *words: collio_process("view", "--", *words)


def test_programs_read_it_as_one_file(view, files, tmp_path):
    name, plain = files
    assert name.read_bytes().startswith(b"collio placeholder 1 ")
    for words in (
        ["cmp", name, plain],
        ["cp", name, tmp_path / "copy"],
        ["cmp", tmp_path / "copy", plain],
        ["sh", "-c", f"cat < {name} | cmp - {plain}"],
        ["sh", "-c", f"tail -c 3000 {name} > {tmp_path}/a; tail -c 3000 {plain} | cmp - {tmp_path}/a"],
        ["sh", "-c", f"exec cmp /dev/stdin {plain} < {name}"],
    ):
        told = view(*words)
        assert told.returncode == 0, told.stdout + told.stderr
    assert view("stat", "-c", "%s", name).stdout == f"{plain.stat().st_size}\n"
    told = view(sys.executable, "-c", PYTHON, name, plain)
    assert told.returncode == 0 and told.stdout == "good\n", told.stderr
    told = view(
        sys.executable, "-c", PYTHON, name, plain, next(name.with_name("out.nc.collio").glob("*.0001"))
    )
    assert told.stdout == "good\n", told.stderr
    assert "is kept in subfiles and shown to be read; `collio join` makes it an ordinary file" in told.stderr


@pytest.fixture(scope="module")
def raw_reads(tmp_path_factory):
    """The program, with liburing where that is installed."""
    compiler = shutil.which("cc") or pytest.skip("no C compiler")
    program = tmp_path_factory.mktemp("programs") / "raw_reads"
    words = [compiler, "-O1", "-o", program, Path(__file__).parent / "programs/raw_reads.c"]
    if subprocess.run([*words, "-DWITH_LIBURING", "-luring"], capture_output=True).returncode != 0:
        subprocess.run(words, check=True)
    return program


@pytest.mark.parametrize("how", ["read", "pread", "readv", "mmap", "sendfile", "open", "openat", "openat2"])
def test_system_calls_read_it(collio_process, raw_reads, files, tmp_path, how):
    _, plain = files
    for path in files[::-1]:  # an ordinary file, too
        told = collio_process("view", "--", "sh", "-c", f"{raw_reads} {how} {path} > {tmp_path}/copy")
        assert told.returncode == 0 and (tmp_path / "copy").read_bytes() == plain.read_bytes(), told.stderr


def test_system_calls_return_its_size(view, raw_reads, files):
    alone = subprocess.run([raw_reads, "sizes", files[1]], capture_output=True, text=True)
    for path in files:
        assert view(raw_reads, "sizes", path).stdout == alone.stdout and set(alone.stdout.split()) == {
            "2345678"
        }


def test_system_calls_do_not_write_it(view, raw_reads, files):
    name, plain = files
    placeholder = name.read_bytes()
    told = view(raw_reads, "write", name)
    assert told.returncode == 4 and name.read_bytes() == placeholder
    assert "is kept in subfiles and shown to be read" in told.stderr
    assert view(raw_reads, "write", plain).returncode == 0 and plain.read_bytes() == b""


@pytest.mark.parametrize("how", ["uring", "liburing"])
def test_rings_fail_instead_of_reading_nothing(view, raw_reads, files, how):
    """The file as an empty one would be a copy without bytes."""
    name, plain = files
    alone = subprocess.run([raw_reads, how, plain], capture_output=True)
    if alone.returncode == 2:
        pytest.skip("liburing is not installed")
    if alone.returncode == 3:
        pytest.skip(f"no io_uring here: {alone.stderr.decode()}")
    assert alone.stdout == plain.read_bytes()[:100_000]
    told = view(raw_reads, how, name)
    assert (
        told.returncode == 3
        and told.stdout == ""
        and "Function not implemented" in told.stderr
        and "`collio mount`" in told.stderr
    )


def test_streams_of_stdio(view, files, tmp_path):
    name, plain = files
    source, program = tmp_path / "streams.c", tmp_path / "streams"
    source.write_text(r"""
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
static char a[70000], b[70000];
int main(int argc, char** argv) {
  FILE *one = fopen(argv[1], "rb"), *two = fopen(argv[2], "rb");
  struct stat about;
  if (!one || !two || fstat(fileno(one), &about) != 0 || argc != 3) return 1;
  for (size_t n = 1; n > 0;) {
    n = fread(a, 1, sizeof a, one);
    if (fread(b, 1, sizeof b, two) != n || memcmp(a, b, n) != 0) return 2;
  }
  if (ftell(one) != about.st_size || fseek(one, 1234567, SEEK_SET) || fseek(two, 1234567, SEEK_SET)) return 3;
  if (fread(a, 1, 5000, one) != 5000 || fread(b, 1, 5000, two) != 5000 || memcmp(a, b, 5000) != 0) return 4;
  if (fclose(one) != 0 || fopen(argv[1], "r+") || fopen(argv[1], "a")) return 5;
  if (!freopen(argv[1], "r", stdin) || fseek(two, 0, SEEK_SET)) return 6;
  for (int c = 0; c != EOF;)
    if ((c = getchar()) != getc(two)) return 7;
  return 0;
}
""")
    compiler = shutil.which("cc") or pytest.skip("no C compiler")
    subprocess.run([compiler, "-O2", "-D_FORTIFY_SOURCE=2", "-o", program, source], check=True)
    told = view(program, name, plain)
    assert told.returncode == 0, told.stderr


def test_libraries_read_it(view, tmp_path, cli):
    netcdf, h5py = pytest.importorskip("netCDF4"), pytest.importorskip("h5py")
    values = [float(number) for number in range(5000)]
    for form in ("NETCDF3_CLASSIC", "NETCDF3_64BIT_DATA", "NETCDF4"):
        with netcdf.Dataset(tmp_path / f"{form}.nc", "w", format=form) as data:
            data.createDimension("x", 5000)
            data.createVariable("v", "f8", ("x",))[:] = values
    with h5py.File(tmp_path / "h.h5", "w") as data:
        data["v"] = values
    names = sorted(tmp_path.glob("*.*"))
    for name in names:
        assert cli("split", name, "--subfiles", 3, "--unit", 999).exit_code == 0
    told = view(
        sys.executable,
        "-c",
        "import sys, netCDF4, h5py\n"
        "for name in sys.argv[1:]:\n    with (h5py.File if name.endswith('h5') else netCDF4.Dataset)(name, "
        "'r') as data:\n"
        "        assert list(data['v'][:]) == list(range(5000))\nprint('good')",
        *names,
    )
    assert told.stdout == "good\n", told.stderr


def test_what_is_damaged_does_not_open(view, files):
    name, _ = files
    folder = name.with_name("out.nc.collio")
    manifest = (folder / "manifest").read_bytes()
    placeholder = name.read_bytes()
    subfile = next(folder.glob("*.0002"))
    content = subfile.read_bytes()
    damages = [
        (folder / "manifest", manifest[:at] + bytes([manifest[at] ^ 1]) + manifest[at + 1 :])
        for at in range(0, len(manifest), 9)
    ]
    damages += [
        (folder / "manifest", manifest[:-1]),
        (subfile, content[:-1]),
        (name, b"C" + placeholder[1:]),
        (name, placeholder.replace(b"folder out", b"folder xut")),
    ]
    for path, damaged in damages:
        before = path.read_bytes()
        path.write_bytes(damaged)
        told = view("cat", name)
        path.write_bytes(before)
        assert (
            told.returncode == 1
            and told.stdout == ""
            and "collio view: " in told.stderr
            and "Input/output error" in told.stderr
        ), (path, damaged)


def test_a_join_waits_for_the_program(view, files, collio_process):
    name, plain = files
    script = (
        f"exec 3< {name}; env -u LD_PRELOAD '{sys.executable}' -m collio join {name} 2>&1; cmp "
        f"/dev/fd/3 {plain} && cat <&3 >/dev/null"
    )
    told = view("sh", "-c", script)
    assert "is open in a program" in told.stdout, told.stdout + told.stderr
    assert collio_process("join", name).returncode == 0 and name.read_bytes() == plain.read_bytes()


def test_an_open_waits_for_a_join_under_way(view, files):
    name, plain = files
    found = subfile_set.find(name)
    with ThreadPoolExecutor(1) as threads:
        with subfile_set.alone(name):
            told = threads.submit(view, "cmp", name, plain)
            time.sleep(0.5)
            assert not told.done()
            sets.join(found, found.length())
        assert told.result().returncode == 0, told.result().stderr


def test_what_cannot_be_started_is_told(view, tmp_path):
    told = view(tmp_path / "nothing")
    assert told.returncode == 125 and "no such program" in told.stderr
    compiler = shutil.which("cc") or pytest.skip("no C compiler")
    (tmp_path / "static.c").write_text("int main(void) { return 0; }\n")
    if (
        subprocess.run(
            [compiler, "-static", "-o", tmp_path / "static", tmp_path / "static.c"], capture_output=True
        ).returncode
        != 0
    ):
        pytest.skip("nothing can be linked statically here")
    told = view(tmp_path / "static")
    assert told.returncode == 125 and "is linked statically" in told.stderr
    assert view("sh", "-c", "exit 7").returncode == 7


# --- re-dealt sets --------------------------------------------------------------------------------


def test_re_dealt_files(view, tmp_path):
    seed = random.randrange(1 << 32)
    dice = random.Random(seed)
    names = [tmp_path / f"{number}.nc" for number in range(100)]
    for name in names:
        name.with_suffix(".plain").write_bytes(redealt.random_set(dice, name))
    told = view(
        sys.executable,
        "-c",
        "import os, random, sys\n"
        "for name, plain in zip(sys.argv[1::2], sys.argv[2::2]):\n"
        "    with open(name, 'rb') as file, open(plain, 'rb') as other:\n"
        "        assert file.read() == (data := other.read()) and os.stat(name).st_size == len(data), name\n"
        "        for at in [random.randrange(len(data) + 1) for _ in range(50)]:\n"
        "            assert os.pread(file.fileno(), 5000, at) == data[at:at + 5000], (name, at)\n"
        "print('good')",
        *(path for name in names for path in (name, name.with_suffix(".plain"))),
    )
    assert told.stdout == "good\n", f"seed {seed}: {told.stderr}"


def test_length_of_re_dealt_files(view, tmp_path):
    """Of files that are being written: whatever the lengths of the subfiles, they mean the same to all."""
    seed = random.randrange(1 << 32)
    dice, expected = random.Random(seed), {}
    for number in range(100):
        unit, count, name = dice.choice([1, 7, 512]), dice.randrange(1, 9), tmp_path / f"{number}.nc"
        deals, lengths = redealt.random_deals(dice, count), redealt.random_lengths(dice, unit, count)
        for subfile, length in zip(redealt.make(name, b"", unit, count, deals, complete=False), lengths):
            os.truncate(subfile, length)
        expected[name] = redealt.length_by(lengths, unit, count, deals)
    told = view("stat", "-c", "%s", *expected)
    assert told.stdout.split() == [str(length) for length in expected.values()], f"seed {seed}"


def test_a_subfile_shorter_than_its_share_of_a_re_dealt_file(view, tmp_path):
    seed = random.randrange(1 << 32)
    dice, cut = random.Random(seed), {}
    for number in range(100):
        count, name = dice.randrange(1, 9), tmp_path / f"{number}.nc"
        subfiles = redealt.make(
            name, b"x" * dice.randrange(1, 600), 10, count, redealt.random_deals(dice, count)
        )
        cut[name] = dice.choice([subfile for subfile in subfiles if subfile.stat().st_size > 0])
        os.truncate(cut[name], cut[name].stat().st_size - 1)
    told = view("cat", *cut)
    assert told.stdout == "" and all(
        f"{name}.collio/./{subfile.name} is missing or too short" in told.stderr
        for name, subfile in cut.items()
    ), f"seed {seed}"


def test_a_thousand_re_deals(view, tmp_path):
    data, name = random.Random(8).randbytes(300_000), tmp_path / "out.nc"
    redealt.make(name, data, 100, 64, [(3 * number, [number % 64]) for number in range(1, 1001)])
    (tmp_path / "plain").write_bytes(data)
    assert view("cmp", name, tmp_path / "plain").returncode == 0


def test_a_manifest_that_breaks_a_rule_of_re_deals(view, tmp_path):
    name = tmp_path / "out.nc"
    redealt.make(name, bytes(75), 10, 3, [(4, [0, 2])])
    assert view("stat", "-c", "%s", name).stdout == "75\n"
    manifest = tmp_path / "out.nc.collio/manifest"
    refused = redealt.refused_texts()
    for broken, text in refused.items():
        (tmp_path / f"{broken}.nc").write_bytes(
            name.read_bytes().replace(b"out.nc.collio", f"{broken}.collio".encode())
        )
        shutil.copytree(manifest.parent, tmp_path / f"{broken}.collio")
        (tmp_path / f"{broken}.collio/manifest").write_bytes(text)
    told = view("cat", *(tmp_path / f"{broken}.nc" for broken in refused))
    assert told.stdout == ""
    for broken in refused:
        assert f"the manifest {tmp_path}/{broken}.collio/manifest is damaged" in told.stderr, broken
    for version in (0, 3, 10):
        manifest.write_bytes(redealt.manifest_text(10, 3, ["4 0 2"], 75, version))
        assert (
            f"{manifest} is a manifest of another version; this collio reads versions 1 and 2"
            in view("cat", name).stderr
        )
