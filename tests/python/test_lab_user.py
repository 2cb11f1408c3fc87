"""Labs of users who are not root: in a user namespace, with the same networks, targets and clean end."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid

import pytest

from lab_stage import AT_MOST_S, MARK, SETTLES_WITHIN_S, has_fuse, marked, some_mpi  # noqa: F401

NOBODY = 65534
WHY_NOT = "import click, rich; from collio.lab import namespaces; print(namespaces.missing())"


class User:
    """Runs `python WORDS...` as a user who is not root, whose temporary files are in `folder`."""

    def __init__(self, folder):
        self.folder, self.mark = folder, uuid.uuid4().hex
        self.prefix = (
            [] if os.geteuid() else ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        )
        kept = {name: value for name, value in os.environ.items() if name != "XDG_RUNTIME_DIR"}
        packages = os.pathsep.join(path for path in sys.path if path)
        self.environ = {
            **kept,
            "PYTHONPATH": packages,
            "PYTHONDONTWRITEBYTECODE": "1",
            "TMPDIR": folder,
            "HOME": folder,
            MARK: self.mark,
        }

    def start(self, *words):
        return subprocess.Popen(
            [*self.prefix, "env", *words],
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environ,
        )

    def run(self, *words):
        """Exit code, standard output, standard error."""
        process = self.start(*words)
        said = process.communicate(timeout=AT_MOST_S)
        return process.returncode, *said

    def why_no_targets(self):
        """None if this user can mount storage targets. Root can where /dev/fuse has mode 0600."""
        if not has_fuse():
            return "they are not built, or there is no /dev/fuse"
        code, _, errors = self.run(self.python, "-c", "import os; os.open('/dev/fuse', os.O_RDWR)")
        return errors.strip().rpartition("\n")[2] if code else None


@pytest.fixture(scope="module")
def user():
    """A user, and in `python` one that this user can run: root's may be where nobody else looks."""
    if os.geteuid() == 0 and not shutil.which("setpriv"):
        pytest.skip("no setpriv, to become a user who is not root")
    one = User(tempfile.mkdtemp(dir="/tmp"))
    if os.geteuid() == 0:
        os.chown(one.folder, NOBODY, NOBODY)
    why = "no Python that such a user can run"
    for one.python in (sys.executable, "/usr/bin/python3"):
        code, said, _ = one.run(one.python, "-c", WHY_NOT)
        if code == 0:
            why = said.strip()
            break
    if why != "None":
        pytest.skip(f"users who are not root cannot have a lab here: {why}")
    yield one
    for pid, _ in marked(one.mark):
        os.kill(pid, signal.SIGKILL)
    shutil.rmtree(one.folder)


def test_user_has_a_lab(user, real_mpi):
    code, out, errors = user.run(
        user.python, "-m", "collio", "lab", "run", "-m", "pair", "--mpi", real_mpi.id, "--", "hostname"
    )
    assert code == 0, errors
    assert sorted(out.split()) == ["node0", "node0", "node1", "node1"]


@pytest.mark.parametrize("machine", ["pair", "tree-oversubscribed"])
def test_user_reaches_and_ends_a_lab(user, some_mpi, machine):
    has_targets = machine == "tree-oversubscribed"
    if has_targets and (why := user.why_no_targets()):
        pytest.skip(f"no storage targets for users here: {why}")
    program = "hostname && exec sleep 100"
    launcher = user.start(
        user.python,
        "-m",
        "collio",
        "lab",
        "run",
        "-m",
        machine,
        "--ranks",
        "1",
        "--mpi",
        some_mpi.id,
        "--",
        "sh",
        "-c",
        program,
    )
    first = launcher.stdout.readline()
    if not first and "cannot be mounted" in (said := launcher.communicate(timeout=AT_MOST_S)[1]):
        pytest.skip(f"no storage targets for users here: {said}")
    assert first.startswith("node")  # of whichever node says it first
    code, out, errors = user.run(user.python, "-m", "collio", "lab", "top", "--once", "--every", "0.1")
    # the busiest ways alone are named
    assert code == 0 and re.search(r"node\d to |to node\d", out), out + errors
    if has_targets:
        code, out, errors = user.run(
            user.python, "-m", "collio", "lab", "target", "slow", "3", "--to", "5MB/s"
        )
        assert code == 0 and out.startswith("target3: 5 MB/s"), errors
    launcher.kill()
    launcher.communicate(timeout=AT_MOST_S)
    end = time.monotonic() + SETTLES_WITHIN_S
    while left := marked(user.mark):
        assert time.monotonic() < end, left
        time.sleep(0.05)
    assert (
        user.run(user.python, "-m", "collio", "lab", "clean")[1] == f"removed: 0 ({machine})\nrunning: none\n"
    )
    assert set(os.listdir(user.folder)) <= {".cache"}  # a link, where this build's own path has spaces
