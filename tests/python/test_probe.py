"""`collio probe`: names the targets that are slow, stuck, full or missing, and keeps what it found."""

import contextlib
import json

import pytest
from click.testing import CliRunner

from collio.lab import targets
from collio.lab.targets import TargetSpec, start_target
from collio.probe import program as probe_program
from collio.probe.command import probe
from lab_target import MB, memory, program  # noqa: F401

FAST, SLOW = 60 * MB, 6 * MB


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    try:
        probe_program.find()
    except probe_program.ProbeError as error:
        pytest.skip(str(error))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache/collio/probe.json"


@pytest.fixture
def six(program, memory, tmp_path):
    """The mounts of six targets of the lab."""
    with contextlib.ExitStack() as running:
        yield [
            running.enter_context(
                start_target(program, TargetSpec(f"t{i}", FAST), tmp_path / f"t{i}", memory)
            ).mountpoint
            for i in range(6)
        ]


def run(*words):
    done = CliRunner().invoke(probe, [str(word) for word in words], catch_exceptions=False)
    return done.exit_code, done.output


def verdicts(*words):
    """{last part of a target's path: its row}, and the document."""
    _, output = run("--json", *words)
    document = json.loads(output)
    return {row["target"].rsplit("/", 1)[-1]: row for row in document["targets"]}, document


def quick(mounts):
    return verdicts("--no-cache", "--bytes", "12MiB", "--samples", 3, *mounts)


def test_slow_targets_are_left_out(six):
    for slow in (["t2"], ["t2", "t4"]):
        targets.set_rate(six[int(slow[-1][1])], SLOW)
        rows, document = quick(six)
        assert all(rows[name]["verdict"] == "slow" for name in slow), rows
        assert all(rows[name]["bytes_per_s"] < 2 * SLOW for name in slow), rows
        chosen = [path.rsplit("/", 1)[-1] for path in document["chosen"]]
        assert chosen and not set(chosen) & set(slow), chosen  # busy machines may slow others down, too
    assert all(not list(mount.iterdir()) for mount in six)


def test_a_probe_ends_in_its_time(program, memory, tmp_path):
    """A block takes a second, a sample 16: the rate is that of the blocks so far."""
    with start_target(program, TargetSpec("t0", 4 * MB), tmp_path / "t0", memory) as target:
        rows, document = verdicts(
            "--no-cache", "--bytes", "64MiB", "--samples", 1, "--timeout", 4, target.mountpoint
        )
        assert document["seconds"] < 4.5
        assert 0.9 * 4 * MB < rows["t0"]["bytes_per_s"] < 1.3 * 4 * MB and rows["t0"]["ended_early"] == 1
        targets.set_rate(target.mountpoint, 2 * MB)
        rows, document = verdicts(
            "--no-cache",
            "--bytes",
            "64MiB",
            "--samples",
            1,
            "--timeout",
            1,
            "--target-timeout",
            20,
            target.mountpoint,
        )
    assert document["seconds"] < 1.5 and rows["t0"]["verdict"] == "stuck"
    assert "t0: no sample has ended within the probe's 1 s; the first was at: writing" in rows["t0"]["error"]


def test_stuck_full_and_forbidden_targets_are_told_apart(six):
    targets.stuck(six[0])
    targets.fill(six[1])
    targets.fail(six[2], "open", "EROFS")
    rows, document = verdicts("--no-cache", "--bytes", "12MiB", "--samples", 3, "--target-timeout", 0.5, *six)
    assert [rows[f"t{i}"]["verdict"] for i in range(3)] == ["stuck", "full", "failed"]
    assert "no answer within 0.5 s while making a file" in rows["t0"]["error"]
    assert "No space left on device; free some space there" in rows["t1"]["error"]
    assert "Read-only file system; name a folder that you may write to" in rows["t2"]["error"]
    assert document["chosen"] and not any(f"/t{i}" in path for path in document["chosen"] for i in range(3))


def test_files_in_user_space_are_opened_for_direct_calls(six):
    """Only an open tells such a file system of O_DIRECT. Each of three samples opens its file twice here; the
    first target refuses all but the first."""
    targets.fail(six[0], "open", "EINVAL", after=1)
    rows, _ = quick(six[:2])
    assert rows["t1"]["way"] == "direct"
    assert (rows["t0"]["way"], rows["t0"]["no_direct"]) == ("synced", "O_DIRECT: Invalid argument")


def test_findings_are_kept(tmp_path, cache):
    folder = tmp_path / "here"
    folder.mkdir()
    first, _ = verdicts(folder, "--bytes", "1MiB")
    assert "age_s" not in first["here"] and first["here"]["bytes"] > 0
    second, document = verdicts(folder, "--bytes", "1MiB")
    assert second["here"]["age_s"] < 60 and document["bytes_written"] == 0
    assert second["here"]["samples_bytes_per_s"] == first["here"]["samples_bytes_per_s"]
    fresh, _ = verdicts(folder, "--bytes", "1MiB", "--again")
    assert "age_s" not in fresh["here"]
    kept, _ = verdicts(folder, "--bytes", "1MiB")
    assert kept["here"]["samples_bytes_per_s"] == fresh["here"]["samples_bytes_per_s"], (
        "what is measured again replaces what was kept"
    )
    for other in (
        ["--bytes", "2MiB"],
        ["--bytes", "1MiB", "--buffered"],
        ["--bytes", "1MiB", "--samples", 6],
    ):
        assert "age_s" not in verdicts(folder, *other)[0]["here"], other
    cache.write_text(cache.read_text().replace("1", "2"))
    again, document = verdicts(folder, "--bytes", "1MiB")
    assert "age_s" not in again["here"] and "probe.json is ignored" in document["remarks"][0]


def test_table_and_exit_code(tmp_path):
    folder = tmp_path / "here"
    folder.mkdir()
    code, output = run("--no-cache", "--bytes", "1MiB", folder)
    assert code == 0 and "1 of 1 targets: 1 write" in output and "chosen" in output
    code, output = run("--no-cache", "--bytes", "1MiB", folder, tmp_path / "none")
    assert code == 1 and "No such file or directory; make the folder, or leave this target out" in " ".join(
        output.split()
    )
    code, output = run("--threshold", 2, folder)
    assert code == 2 and "--threshold" in output


# --- before a file in subfiles is made -------------------------------------------------------------


@pytest.fixture
def job(real_mpi, compiled, collio_process, tmp_path):
    """Writes a file in six subfiles in some folders under `collio run`; the report's record of it, or what
    was said."""
    report = tmp_path / "report.json"

    def write(path, folders, *hints, expect=0):
        words = [
            "collio_subfiles=6",
            "collio_subfile_unit=10000",
            f"collio_subfile_dirs={':'.join(map(str, folders))}",
            *hints,
        ]
        settings = [word for hint in words for word in ("--set", hint)]
        done = collio_process(
            "run",
            *settings,
            "--report",
            report,
            "--",
            real_mpi.mpiexec,
            "-n",
            3,
            compiled(real_mpi, "steps"),
            path,
            1000,
            20,
            1,
        )
        assert (done.returncode == 0) == (expect == 0), done.stderr
        return done.stderr if expect else json.loads(report.read_text())["files"][0]

    return write


def test_subfiles_go_to_folders_that_are_fast_enough(six, job, collio_process, tmp_path):
    folders = six[:4]
    targets.set_rate(folders[1], SLOW)
    targets.fill(folders[2])
    plain, data = tmp_path / "plain", tmp_path / "data"
    assert "probe" not in job(plain, [tmp_path]) and collio_process("join", plain).returncode == 0
    file = job(data, folders, "collio_probe=enable")
    found = file["probe"]
    assert file["subfiles"]["folders"] == [str(folders[0]), str(folders[3])], found
    assert file["hints"]["collio_subfile_dirs"] == f"{folders[0]}:{folders[3]}"
    assert (
        found["left_out"][0].startswith(f"{folders[1]}: slow, ")
        and "No space left on device" in found["left_out"][1]
    )
    assert (
        found["why"].startswith("2 of 4 targets: 2 write ")
        and found["age_seconds"] == 0
        and found["bytes"] > 0
    )
    assert sum(len(list(folder.iterdir())) for folder in folders) == 6 and not list(folders[1].iterdir())
    assert collio_process("join", data).returncode == 0 and data.read_bytes() == plain.read_bytes()
    told = " ".join(collio_process("report", tmp_path / "report.json").stdout.split())
    assert "targets probed: 2 of 4 targets" in told and "left out: " in told
    targets.set_rate(folders[1], FAST)  # rates hold for ten minutes
    again = job(tmp_path / "again", folders, "collio_probe=enable")
    assert (
        again["subfiles"]["folders"] == file["subfiles"]["folders"]
        and 0 < again["probe"]["age_seconds"] < 120
    )
    assert "probe" not in job(tmp_path / "again", folders, "collio_probe=enable")  # it is there


def test_no_folder_for_subfiles_is_an_error_on_all_ranks(six, job, tmp_path):
    for folder in six[:2]:
        targets.fill(folder)
    said = job(tmp_path / "data", six[:2], "collio_probe=enable", expect=1)
    assert "no target can be used" in said and "free some space there" in said
    file = job(tmp_path / "other", [tmp_path], "collio_probe=enable", "collio_subfile_dirs=auto")
    assert "collio_subfile_dirs names no folders to choose among" in " ".join(file["warnings"])
