"""`collio run` stands in front of every job: it loads nothing that only other commands, or the job's end, need."""

import subprocess
import sys

LATER = ("rich", "numpy", "netCDF4", "jinja2", "json.tool", "collio.report.text", "collio.topology", "collio.bench")


def test_run_imports_little():
    code = f"import sys, collio.cli, collio.run.command; print([name for name in {LATER!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_only_the_page_needs_jinja():
    code = "import sys, collio.report.command; print('jinja2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.strip() == "False"
