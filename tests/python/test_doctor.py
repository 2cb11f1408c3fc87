"""`collio doctor` with the MPI libraries of this machine: all well, and one thing wrong at a time."""

import json
import shutil
import subprocess
import sys

import pytest
import shared_memory

from collio.builds import Build

RANKS = 2
pytestmark = shared_memory.needed
"""Else it is wrong in every finding."""
IN_SMALL_MEMORY = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o size=$0 tmpfs /dev/shm && exec "$@"']


@pytest.fixture
def examine(real_mpi, collio_process, tmp_path):
    """Runs the doctor; gives the exit code and the findings by name."""

    def run(*words, launcher=real_mpi.mpiexec, timeout_s=60):
        done = collio_process(
            "doctor", "--json", "--dir", tmp_path, "--timeout", timeout_s, "--", launcher, *words, "-n", RANKS
        )
        document = json.loads(done.stdout)
        assert done.returncode == (0 if document["well"] else 1), done.stderr
        assert not list(tmp_path.glob("collio-doctor-*"))
        return done.returncode, {finding["name"]: finding for finding in document["findings"]}

    return run


def wrong(found):
    """Names of what is wrong; each has a remedy."""
    names = {name for name, finding in found.items() if finding["state"] == "wrong"}
    assert all(found[name]["remedy"] for name in names)
    return names


def script(path, *lines):
    path.write_text("#!/bin/sh\n" + "\n".join(lines) + "\n")
    path.chmod(0o755)
    return path


def test_all_is_well(real_mpi, examine):
    code, found = examine()
    assert code == 0 and not wrong(found)
    assert list(found) == [
        "MPI",
        "collio",
        "job",
        "preload",
        "engine",
        "collective I/O",
        "shared memory",
        "io_uring",
        "file system",
        "locks",
        "hints",
        "versions",
    ]
    assert real_mpi.id in found["MPI"]["found"] and f"{RANKS} ranks on 1 node" in found["job"]["found"]
    assert found["engine"]["found"] == f"libcollio_engine_{real_mpi.family}.so"
    assert (
        "write_at_all by" in found["collective I/O"]["found"]
        and "read_at_all by" in found["collective I/O"]["found"]
    )


def test_job_that_prints_but_never_ends(real_mpi, examine, tmp_path):
    """What its ranks printed is read all the same."""
    launcher = script(
        tmp_path / "mpiexec",
        f'case "$*" in --version) exec {real_mpi.mpiexec} --version ;; esac',
        f'{real_mpi.mpiexec} "$@"',
        "sleep 1000",
    )
    code, found = examine(launcher=launcher, timeout_s=8)
    assert code == 1 and wrong(found) == {"job"}
    assert (
        found["job"]["found"] == f"{RANKS} of {RANKS} ranks printed their lines, but it did not end in time"
    )


def test_the_table(real_mpi, collio_process, tmp_path):
    done = collio_process("doctor", "--dir", tmp_path, "--mpi", real_mpi.id)
    assert done.returncode == 0, done.stdout
    assert "✓  preload" in done.stdout and "✗" not in done.stdout


def test_hints_in_force(examine, monkeypatch):
    monkeypatch.setenv("COLLIO_HINTS", "cb_buffer_size=1048576")
    code, found = examine()
    assert code == 0 and found["hints"]["found"] == "cb_buffer_size=1048576"


def test_launcher_option_that_keeps_the_environment_back(real_mpi, examine):
    """collio hands its variables on by -genv then."""
    if real_mpi.family != "mpich":
        pytest.skip("an option of hydra's")
    code, found = examine("-genvnone")
    assert code == 0 and not wrong(found)


def test_launcher_that_keeps_the_environment_back(real_mpi, examine, tmp_path):
    """Neither the preload nor any other variable of collio's arrives."""
    for_ranks = 'env -u LD_PRELOAD -u COLLIO_DOCTOR -u COLLIO_REPORT "$@"'
    inner = script(tmp_path / "without", f"exec {for_ranks}")
    lines = [
        f'case "$*" in --version) exec {real_mpi.mpiexec} --version;; esac',
        "shift $(($# - 2))",
        f'exec {real_mpi.mpiexec} -n {RANKS} {inner} "$@"',
    ]
    code, found = examine(launcher=script(tmp_path / "mpiexec", *lines))
    assert code == 1 and wrong(found) == {"preload"}
    assert (
        "the environment was not handed on" in found["preload"]["found"]
        and "ranks 0, 1" in found["preload"]["found"]
    )


def test_preload_that_the_node_drops(real_mpi, examine, tmp_path):
    inner = script(tmp_path / "without", 'exec env -u LD_PRELOAD "$@"')
    lines = [
        f'case "$*" in --version) exec {real_mpi.mpiexec} --version;; esac',
        "shift $(($# - 2))",
        f'exec {real_mpi.mpiexec} -n {RANKS} {inner} "$@"',
    ]
    code, found = examine(launcher=script(tmp_path / "mpiexec", *lines))
    assert (
        code == 1
        and wrong(found) == {"preload"}
        and "though other variables arrived" in found["preload"]["found"]
    )


def test_engine_that_is_missing(real_mpi, examine, tmp_path, monkeypatch):
    build, there = tmp_path / "build" / real_mpi.id, Build.of(real_mpi)
    for folder, path in (("lib", there.interposer), ("bin", there.program("collio_doctor"))):
        (build / folder).mkdir(parents=True)
        shutil.copy2(path, build / folder)
    monkeypatch.setenv("COLLIO_BUILD", str(tmp_path / "build"))
    code, found = examine()
    assert code == 1 and wrong(found) == {"engine"}
    assert (
        f"libcollio_engine_{real_mpi.family}.so" in found["engine"]["found"]
        and "cannot be loaded" in found["engine"]["found"]
    )


def test_build_that_is_missing(real_mpi, examine, tmp_path, monkeypatch):
    monkeypatch.setenv("COLLIO_BUILD", str(tmp_path / "empty"))
    code, found = examine()
    assert code == 1 and wrong(found) == {"collio"} and found["collio"]["remedy"] == "`make build` makes it"


@pytest.mark.parametrize("size", ["2m", "16m"])
def test_shared_memory_that_is_small(real_mpi, tmp_path, size):
    """With 2 MiB MPICH does not start, which is a finding as well."""
    if real_mpi.family == "openmpi" and size == "16m":
        pytest.skip("Open MPI leaves enough of it")
    if subprocess.run([*IN_SMALL_MEMORY, size, "true"], capture_output=True).returncode != 0:
        pytest.skip("not allowed to mount here")
    words = [
        sys.executable,
        "-m",
        "collio",
        "doctor",
        "--json",
        "--dir",
        tmp_path,
        "--",
        real_mpi.mpiexec,
        "-n",
        "2",
    ]
    done = subprocess.run(
        [*IN_SMALL_MEMORY, size, *map(str, words)], capture_output=True, text=True, timeout=120
    )
    document = json.loads(done.stdout)
    found = {finding["name"]: finding for finding in document["findings"]}
    assert (
        done.returncode == 1
        and "shared memory" in wrong(found)
        and "free in /dev/shm" in found["shared memory"]["found"]
    )


@pytest.mark.parametrize(
    "said, remedy",
    [
        ("There are not enough slots available in the system", "--oversubscribe"),
        ("has detected an attempt to run as root.", "OMPI_ALLOW_RUN_AS_ROOT=1"),
    ],
)
def test_what_a_launcher_refuses_has_a_remedy(real_mpi, examine, tmp_path, said, remedy):
    version = f'[ "$1" = --version ] && exec {real_mpi.mpiexec} --version'
    code, found = examine(launcher=script(tmp_path / "mpiexec", version, f"echo '{said}' >&2", "exit 1"))
    assert code == 1 and said in found["job"]["found"] and remedy in found["job"]["remedy"]


def test_collio_that_is_turned_off(examine, monkeypatch):
    monkeypatch.setenv("COLLIO_ENABLE", "0")
    code, found = examine()
    assert (
        code == 1
        and wrong(found) == {"collective I/O"}
        and "COLLIO_ENABLE=0" in found["collective I/O"]["found"]
    )


def test_launcher_of_another_mpi(real_mpi, examine):
    code, found = examine(launcher="cat")
    assert code == 1 and wrong(found) == {"MPI"} and "no launcher" in found["MPI"]["found"]


def test_job_that_fails(real_mpi, examine):
    code, found = examine("--no-such-option-of-any-launcher")
    scarce = shutil.disk_usage("/dev/shm").free < 64 << 20  # which may be why a job does not start
    assert code == 1 and wrong(found) == {"job", *(["shared memory"] if scarce else [])}


def test_folder_that_cannot_be_written_to(collio_process, tmp_path, real_mpi):
    done = collio_process("doctor", "--json", "--dir", "/proc", "--mpi", real_mpi.id)
    last = json.loads(done.stdout)["findings"][-1]
    assert done.returncode == 1 and last["name"] == "file system" and last["remedy"]


def test_pnetcdf_of_a_program(collio_process, tmp_path, real_mpi):
    library, program, source = tmp_path / "libpnetcdf.so.4", tmp_path / "program", tmp_path / "inside.c"
    source.write_text('const char* ncmpi(void) { return "PNETCDF_HINTS"; }')
    named = f"-Wl,-soname,{library.name}"
    subprocess.run(["cc", "-shared", named, "-o", library, source], check=True)
    calls = "const char* ncmpi(void); int main(void) { return !ncmpi(); }"
    words = ["doctor", "--json", "--dir", "/proc", "--mpi", real_mpi.id, "--program", program]

    def said(text, *files):
        command = ["cc", f"-Wl,-rpath,{tmp_path}", "-o", program, "-x", "c", "-", "-x", "none", *files]
        subprocess.run(command, check=True, input=text, text=True)
        return json.loads(collio_process(*words).stdout)["findings"][-1]

    shared, own = said(calls, library), said(calls, source)
    assert shared["name"] == "PnetCDF" and str(library) in shared["found"] and shared["state"] == "well"
    assert own["state"] == "note" and "libpnetcdf.so" in own["remedy"]
    none = said("int main(void) { return 0; }")
    assert none["state"] == "well" and "not used" in none["found"]
