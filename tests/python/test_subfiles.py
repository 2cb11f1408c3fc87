"""Files in subfiles without MPI: `collio split`, `join` and `fsck`, and files that a job wrote under `collio
run`."""

import fcntl
import json
import os
import random
import struct

import pytest

from collio.subfiles import manifest, subfile_set

RANKS = 3


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "out.nc"
    path.write_bytes(random.Random(5).randbytes(12_345))
    return path


@pytest.mark.parametrize(("count", "unit"), [(1, 1000), (4, 100), (5, "1MiB"), (3, 4115)])
def test_split_and_join_give_the_same_bytes(cli, file, tmp_path, count, unit):
    data, elsewhere = file.read_bytes(), tmp_path / "else"
    elsewhere.mkdir()
    file.chmod(0o640)
    dirs = ["--dirs", f"{tmp_path}/out.nc.collio:{elsewhere}"] if count == 4 else []
    if dirs:
        assert "is no folder" in cli("split", file, "--subfiles", count, *dirs).output
        dirs = ["--dirs", elsewhere]
    assert cli("split", file, "--subfiles", count, "--unit", unit, *dirs).exit_code == 0
    found = subfile_set.find(file)
    assert (
        sum(found.lengths()) == len(data)
        and found.length() == len(data)
        and file.read_bytes().startswith(b"collio placeholder 1 ")
    )
    assert (
        cli("fsck", file).exit_code == 0
        and "kept in subfiles already" in cli("split", file, "--subfiles", 2).output
    )
    assert cli("join", file).exit_code == 0
    assert file.read_bytes() == data and file.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["else", "out.nc"]


def test_what_is_missing_or_damaged_is_told_and_nothing_is_lost(cli, file):
    data = file.read_bytes()
    cli("split", file, "--subfiles", 3, "--unit", 1000)
    found = subfile_set.find(file)
    lost = found.subfile(1)
    content = lost.read_bytes()
    for damage, word in ((lost.unlink, "missing"), (lambda: lost.write_bytes(content[:-1]), "too short")):
        damage()
        told = cli("fsck", file)
        assert told.exit_code == 1 and f"{word}: {lost}" in told.output
        assert cli("join", file).exit_code == 1 and found.subfile(0).exists()
    lost.write_bytes(content)
    found.manifest.complete = False
    subfile_set.replace_text(found.manifest_path, found.manifest.text())
    assert cli("fsck", file).exit_code == 1 and "--unfinished" in cli("join", file).output
    assert cli("join", file, "--unfinished").exit_code == 0 and file.read_bytes() == data


def test_every_changed_byte_of_a_manifest_is_an_error():
    text = manifest.Manifest(7, True, b"a\nb%", 3, 1000, 2, [b".", b"/x y"], 5, 4).text()
    assert manifest.parse(text, "m").base == b"a\nb%"
    for at in range(len(text)):
        for damaged in (
            text[:at] + bytes([text[at] ^ 1]) + text[at + 1 :],
            text[:at],
            text[:at] + text[at + 1 :],
        ):
            with pytest.raises(manifest.ManifestError):
                manifest.parse(damaged, "m")


def test_a_damaged_placeholder_is_no_ordinary_file(cli, file):
    cli("split", file, "--subfiles", 3, "--unit", 1000)
    text = file.read_bytes()
    for at in range(len(manifest.MARK)):
        for damaged in (text[:at] + bytes([text[at] ^ 0x20]) + text[at + 1 :], text[: at + 1]):
            file.write_bytes(damaged)
            for command in (["fsck", file], ["join", file], ["split", file, "--subfiles", 2]):
                told = cli(*command)
                assert told.exit_code == 1 and "placeholder" in told.output and file.read_bytes() == damaged
    file.write_bytes(text)
    assert cli("fsck", file).exit_code == 0
    small = file.with_name("small")
    small.write_bytes(b"collio")
    assert "an ordinary file of 6 bytes" in cli("fsck", small).output


def test_a_file_that_is_open_is_not_joined(cli, file):
    data = file.read_bytes()
    cli("split", file, "--subfiles", 3, "--unit", 1000)
    with open(file, "rb") as used:
        fcntl.fcntl(
            used,
            fcntl.F_OFD_SETLK,
            struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, subfile_set.USE_BYTE, 1, 0),
        )
        told = cli("join", file)
        assert told.exit_code == 1 and "is open in a program" in told.output and subfile_set.find(file)
    assert cli("join", file).exit_code == 0 and file.read_bytes() == data


def test_names_are_flushed_before_anything_is_removed(cli, file, tmp_path, monkeypatch):
    steps = []
    for name in ("fsync", "unlink", "rename", "replace"):
        real = getattr(os, name)
        monkeypatch.setattr(
            os,
            name,
            lambda what, *rest, name=name, real=real, **more: (
                steps.append(
                    (name, os.readlink(f"/proc/self/fd/{what}") if isinstance(what, int) else os.fspath(what))
                ),
                real(what, *rest, **more),
            )[1],
        )
    assert cli("split", file, "--subfiles", 3, "--unit", 1000).exit_code == 0
    placeholder = next(path for _, path in steps if ".splitting." in path)
    assert steps.index(("fsync", placeholder)) < steps.index(("fsync", f"{file}.collio")) and steps[-1] == (
        "fsync",
        str(tmp_path),
    )
    steps.clear()
    assert cli("join", file).exit_code == 0
    removed = next(i for i, (name, path) in enumerate(steps) if name == "unlink" and ".collio/" in path)
    assert ("fsync", str(tmp_path)) in steps[:removed]


def test_a_job_writes_and_reads_them(real_mpi, compiled, collio_process, tmp_path):
    """The same bytes as in an ordinary file, by the engine's manifest and by Python's."""
    data, plain, report = tmp_path / "data", tmp_path / "plain", tmp_path / "r.json"
    run = ["--", real_mpi.mpiexec, "-n", RANKS, compiled(real_mpi, "interleaved")]
    assert collio_process("run", *run, plain).returncode == 0
    hints = ["--set", "collio_subfiles=4", "--set", "collio_subfile_unit=1000"]
    done = collio_process("run", *hints, "--report", report, *run, data)
    assert done.returncode == 0, done.stderr
    (written,) = json.loads(report.read_text())["files"]
    assert written["layout"] == {
        "unit_bytes": 1000,
        "count": 4,
        "targets": [],
        "source": "subfiles",
        "asked": "",
    }
    subfiles = written["subfiles"]
    assert (
        subfiles["count"] == 4
        and subfiles["unit_bytes"] == 1000
        and sum(subfiles["bytes"]) == plain.stat().st_size
        and not subfiles["joined"]
    )
    found = subfile_set.find(data)
    assert found.manifest.text() == found.manifest_path.read_bytes() and found.lengths() == subfiles["bytes"]
    told = collio_process("fsck", data)
    assert told.returncode == 0, told.stdout
    assert collio_process("join", data).returncode == 0 and data.read_bytes() == plain.read_bytes()
    data.unlink()
    done = collio_process("run", *hints, "--set", "collio_join=close", "--report", report, *run, data)
    assert done.returncode == 0 and data.read_bytes() == plain.read_bytes()
    subfiles = json.loads(report.read_text())["files"][0]["subfiles"]
    assert (
        subfiles["joined"]
        and 0 < subfiles["joined_by_kernel"] + subfiles["joined_through_memory"] <= plain.stat().st_size
    )
    assert "joined when closed" in " ".join(collio_process("report", report).stdout.split())
    data.unlink()
    done = collio_process("run", *hints, "--set", "collio_join=background", "--report", report, *run, data)
    # the job ends with the join
    assert (
        done.returncode == 0
        and "stays in its subfiles" not in done.stderr
        and data.read_bytes() == plain.read_bytes()
    )
    subfiles = json.loads(report.read_text())["files"][0]["subfiles"]
    assert subfiles["joining"] and not subfiles["joined"] and not list(tmp_path.glob("*.collio"))
    assert "joined in the background" in " ".join(collio_process("report", report).stdout.split())


def test_a_subfile_for_each_folder(real_mpi, compiled, collio_process, tmp_path):
    data, report = tmp_path / "data", tmp_path / "r.json"
    folders = [tmp_path / name for name in "abc"]
    for folder in folders:
        folder.mkdir()
    run = ["--", real_mpi.mpiexec, "-n", RANKS, compiled(real_mpi, "interleaved"), data]
    dirs = f"collio_subfile_dirs={':'.join(map(str, folders))}"
    done = collio_process("run", "--set", "collio_subfiles=auto", "--set", dirs, "--report", report, *run)
    assert done.returncode == 0, done.stderr
    subfiles = json.loads(report.read_text())["files"][0]["subfiles"]
    assert subfiles["count"] == 3 and [len(list(folder.iterdir())) for folder in folders] == [1, 1, 1]
    data.unlink()
    done = collio_process("run", "--set", "collio_subfiles=auto", *run)
    assert (
        done.returncode == 0
        and "names no folders" in done.stderr
        and not data.read_bytes().startswith(b"collio")
    )
