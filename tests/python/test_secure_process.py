"""A program with more rights than its caller believes no variable of the caller's environment."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from collio import builds

ROOT = Path(__file__).parents[2]
STRANGER = 12345


@pytest.fixture
def folder():
    """One that other users may look into."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)


@pytest.fixture
def run(folder):
    """Runs a program that is linked with the preloaded library, as somebody else; gives its effective
    user."""
    interposer = builds.find_library(builds.INTERPOSER) or pytest.skip("collio is not built")
    compiler = shutil.which("cc") or pytest.skip("no C compiler")
    shutil.copy(interposer, folder)
    (folder / "mpi.c").write_text("int stands_in_for_mpi(void) { return 0; }\n")
    (folder / "program.c").write_text(
        '#include <stdio.h>\n#include <unistd.h>\nint main(void) { printf("%d", (int)geteuid()); return 0; '
        "}\n"
    )
    for words in (
        ["-shared", "-fPIC", "-Wl,-soname,libmpi.so.0", "-o", "libmpi.so.0", "mpi.c"],
        [
            "-o",
            "program",
            "program.c",
            "-Wl,--no-as-needed",
            "-L.",
            f"-l:{interposer.name}",
            "-l:libmpi.so.0",
            "-Wl,--unresolved-symbols=ignore-all",
            f"-Wl,-rpath,{folder}",
        ],
    ):
        subprocess.run([compiler, *words], cwd=folder, check=True)

    def run(mode, **variables):
        os.chmod(folder / "program", mode)
        done = subprocess.run(
            [folder / "program"],
            env={"PMI_RANK": "0", **variables},
            user=STRANGER,
            group=STRANGER,
            extra_groups=[],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return int(done.stdout)

    return run


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes programs of another user")
def test_a_setuid_program_writes_no_report(run, folder):
    report = folder / "report"
    report.touch(0o666)
    report.chmod(0o666)
    variables = {"COLLIO_EXITS": "1", "COLLIO_REPORT": str(report)}
    assert run(0o755, **variables) == STRANGER and '"at_exit"' in report.read_text()
    report.write_text("")
    report.chmod(0o600)
    if run(0o4755, **variables) != 0:
        pytest.skip("this file system ignores setuid")
    assert report.read_text() == ""


def test_no_variable_is_read_otherwise():
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for name in ("src", "include", "pio")
        for path in sorted((ROOT / name).rglob("*"))
        if path.suffix in (".c", ".cpp", ".h", ".hpp")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if re.search(r"(?<!secure_)\bgetenv\s*\(", line)
    ]
    assert not found, f"secure_getenv() is what programs with more rights than their callers need: {found}"
