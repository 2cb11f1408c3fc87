"""Labs that cannot be built, or cannot run the command: one line that names what is wrong, exit code 125."""

import os
import shutil
import subprocess
import sys

import pytest

from lab_stage import AT_MOST_S, MACHINE, skip_without_labs, some_mpi  # noqa: F401

CANNOT_RUN = 125


@pytest.fixture
def refusal(collio_process):
    """What `collio lab run WORDS...` says when it refuses: its one line."""

    def run(*words, **keywords):
        done = collio_process("lab", "run", *words, **keywords)
        assert done.returncode == CANNOT_RUN, done.stderr
        assert done.stderr.startswith("collio lab: ") and done.stderr.count("\n") == 1, done.stderr
        assert done.stdout == ""
        return done.stderr[len("collio lab: ") : -1]

    return run


# --- known before a lab is built ------------------------------------------------------------------


def test_machine_that_is_not_there(refusal):
    said = refusal("-m", "rack4x3", "--", "true")
    assert said.startswith(
        "rack4x3: no such file, and no preset; did you mean rack4x2? presets are dragonfly-small, pair"
    )


def test_machine_file_with_a_mistake(refusal, tmp_path):
    file = tmp_path / "machine.toml"
    file.write_text(MACHINE.replace("count = 2", "count = 0"))
    assert refusal("-m", file, "--", "true").startswith(f"{file}: nodes.count: 0 is not allowed; allowed is")


def test_more_ranks_than_the_machine_has(refusal, cli):
    wanted = "--ranks 5: machine pair has 4 ([nodes] count and ranks in its file)"
    assert refusal("-m", "pair", "--ranks", "5", "--", "true") == wanted
    result = cli("bench", "interleave", "--lab", "pair", "--ranks", "5")
    assert result.exit_code == 1 and wanted in result.output


def test_report_that_cannot_be_written(refusal, tmp_path):
    file = tmp_path / "none" / "report.json"
    assert refusal("-m", "pair", "--report", file, "--", "true") == f"--report {file}: cannot write there"


def test_hint_that_is_none(refusal):
    assert "cb_nodes" in refusal("-m", "pair", "--set", "cb_nodes=many", "--", "true")


# --- known inside ---------------------------------------------------------------------------------


@pytest.fixture
def lab(some_mpi):
    """Words that make the refusal come from inside of a lab."""
    skip_without_labs()
    return ["-m", "pair", "--mpi", some_mpi.id]


def test_program_that_is_not_there(refusal, lab):
    assert (
        refusal(*lab, "--", "no-such-program", "-x")
        == "program not found: no-such-program is no program on PATH"
    )
    assert refusal(*lab, "--", "./no-such-program") == "program not found: ./no-such-program"


def test_launcher_as_the_program(refusal, lab):
    assert (
        refusal(*lab, "--", "mpiexec", "-n", "2", "./app")
        == "mpiexec: the lab starts the ranks itself; give the program only"
    )


def test_mpi_that_is_not_there(refusal, lab):
    said = refusal("-m", "pair", "--mpi", "mvapich-9", "--", "hostname")
    assert said.startswith("no MPI named 'mvapich-9'; found: ") and lab[-1] in said


def test_program_that_does_not_tell_its_mpi(refusal, lab):
    assert "hostname is linked with no MPI; say it with --mpi (found: " in refusal(
        "-m", "pair", "--", "hostname"
    )


def test_collio_that_is_not_built(refusal, lab, tmp_path):
    said = refusal(*lab, "--", "hostname", env={**os.environ, "COLLIO_BUILD": str(tmp_path)})
    assert said.startswith(f"no build of collio for {lab[-1]} ({tmp_path}") and "`make build`" in said


def test_targets_without_their_program(refusal, lab, tmp_path):
    said = refusal(
        "-m", "tree-oversubscribed", "--", "hostname", env={**os.environ, "COLLIO_BUILD": str(tmp_path)}
    )
    assert (
        said
        == "collio_lab_target is not built (libfuse3-dev, then `make build`); the machine file has storage "
        "targets"
    )


# --- machines and users that cannot have one ------------------------------------------------------


def in_namespace(script, *options):
    """Runs `collio lab run` after a script in a namespace of its own, as root there: exit code and what it
    said."""
    words = [
        "unshare",
        *options,
        "sh",
        "-c",
        f'{script} && exec "$@"',
        "sh",
        sys.executable,
        "-m",
        "collio",
        "lab",
        "run",
        "-m",
        "pair",
        "--",
        "true",
    ]
    done = subprocess.run(words, capture_output=True, text=True, timeout=AT_MOST_S)
    return done.returncode, done.stderr


def test_missing_tool_is_named():
    if os.geteuid() != 0:
        pytest.skip("needs root, to hide a program in a mount namespace")
    code, said = in_namespace(
        f"mount --bind /dev/null {os.path.realpath(shutil.which('unshare'))}", "--mount"
    )
    assert (code, said) == (
        CANNOT_RUN,
        "collio lab: no lab can be built here: not found: unshare (package util-linux)\n",
    )


def test_kernel_that_refuses_is_quoted():
    skip_without_labs()
    if subprocess.run(["unshare", "--user", "--map-root-user", "true"], capture_output=True).returncode != 0:
        pytest.skip("nobody may make user namespaces here")
    code, said = in_namespace("echo 0 > /proc/sys/user/max_net_namespaces", "--user", "--map-root-user")
    assert code == CANNOT_RUN
    assert (
        said.startswith("collio lab: no lab can be built here: private namespaces are refused (unshare: ")
        and "a lab needs root, or " in said
    )
