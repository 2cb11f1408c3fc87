"""`collio run` stands in front of every job: it loads nothing that only other commands, or the job's end, need, and asks no other program in vain."""

import shutil
import subprocess
import sys

LATER = (
    "rich", "numpy", "netCDF4", "jinja2", "json.tool", "json", "argparse", "hashlib", "difflib", "collio.report.text", "collio.topology", "collio.bench",
)
NO_LAUNCHER = """
import os, sys
from pathlib import Path
from collio import builds
builds.PACKAGED = Path(sys.argv[1])
os.execvpe = lambda *words: sys.exit("started")
sys.addaudithook(lambda event, words: event in ("subprocess.Popen", "os.fork", "os.posix_spawn") and print(event, words))
from collio.cli import main
main(["run", "--", sys.argv[2]])
"""


def run(code, *words):
    done = subprocess.run([sys.executable, "-c", code, *map(str, words)], capture_output=True, text=True)
    return done.stdout.strip(), done.stderr.strip()


def test_run_imports_little():
    code = f"import sys, collio.cli, collio.run.command; print([name for name in {LATER!r} if name in sys.modules])"
    assert run(code) == ("[]", "")


def test_package_asks_no_other_program_about_one_that_knows_no_mpi(tmp_path):
    assert run(NO_LAUNCHER, tmp_path, shutil.which("true")) == ("", "started")


def test_only_the_page_needs_jinja():
    assert run("import sys, collio.report.command; print('jinja2' in sys.modules)") == ("False", "")
