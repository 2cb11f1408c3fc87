"""`collio run` stands in front of every job: it loads nothing that only other commands, or the job's end,
need, and asks no other program in vain."""

import shutil
import subprocess
import sys

import pytest

from collio.run import command, start_job

LATER = (
    "click",
    "dataclasses",
    "inspect",
    "subprocess",
    "rich",
    "numpy",
    "netCDF4",
    "jinja2",
    "json.tool",
    "json",
    "argparse",
    "hashlib",
    "difflib",
    "collio.report.text",
    "collio.topology",
    "collio.bench",
)
NO_LAUNCHER = """
import os, sys
from pathlib import Path
from collio import builds
builds.PACKAGED = Path(sys.argv[1])
os.execvpe = lambda *words: sys.exit("started")
starts = ("subprocess.Popen", "os.fork", "os.posix_spawn")
sys.addaudithook(lambda event, words: event in starts and print(event, words))
from collio.run.start import main
sys.argv = ["collio", "run", "--", sys.argv[2]]
main()
"""


def run(code, *words):
    done = subprocess.run([sys.executable, "-c", code, *map(str, words)], capture_output=True, text=True)
    return done.stdout.strip(), done.stderr.strip()


def test_run_imports_little():
    code = (
        f"import sys, collio.run.start, collio.run.start_job; print([name for name in {LATER!r} if name "
        "in sys.modules])"
    )
    assert run(code) == ("[]", "")


@pytest.mark.parametrize(
    "words",
    [
        "./app",
        "-- ./app",
        "mpiexec -n 2 ./app -v",
        "--set a=b --set c=d -- x",
        "--set=a=b=c x",
        "--mpi mpich -v x",
        "--machine=m --verbose -- x -- y",
        "-v --mpi= x",
    ],
)
def test_plain_command_lines_are_read_as_click_reads_them(words, monkeypatch):
    read = []
    monkeypatch.setattr(command, "start_job", read.append)
    command.run.main(words.split(), standalone_mode=False)
    assert read == [start_job.read_quickly(words.split())]


@pytest.mark.parametrize(
    "words",
    [
        "",
        "--",
        "--help",
        "--set",
        "--report f x",
        "--dry-run x",
        "--threads multiple x",
        "-vv x",
        "--verbose=1 x",
        "--unknown x",
    ],
)
def test_other_command_lines_are_left_to_click(words):
    assert start_job.read_quickly(words.split()) is None


def test_package_asks_no_other_program_about_one_that_knows_no_mpi(tmp_path):
    assert run(NO_LAUNCHER, tmp_path, shutil.which("true")) == ("", "started")


def test_only_the_page_needs_jinja():
    assert run("import sys, collio.report.command; print('jinja2' in sys.modules)") == ("False", "")
