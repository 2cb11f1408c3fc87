"""What the tools share: where things are, how they speak, and one at a time in build/."""

import contextlib
import fcntl
import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("COLLIO_BUILD") or ROOT / "build").absolute()
sys.path.insert(0, str(ROOT / "python"))

if sys.version_info < (3, 9):  # noqa: UP036 - this is the check
    sys.exit("collio: Python 3.9 or newer is needed; this is " + sys.version.split()[0])


class Stop(Exception):
    """Ends a tool with a message that says what to do."""


def run_as_tool(main) -> None:
    try:
        sys.exit(main())
    except Stop as stop:
        sys.exit(f"collio: {stop}")
    except KeyboardInterrupt:
        sys.exit(130)


def say(line: str) -> None:
    print(f"collio: {line}", flush=True)


def venv_program(name: str) -> Path:
    return BUILD / "venv" / "bin" / name


def program(name: str) -> str:
    """Path of cmake, ctest or ninja: the system's unless only build/venv has one that is new enough."""
    own = venv_program(name)
    found = str(own) if own.exists() else shutil.which(name)
    if not found:
        raise Stop(f"{name} is missing: run tools/bootstrap build")
    return found


@contextlib.contextmanager
def build_lock():
    """Only one tool at a time changes build/."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / ".lock", "w") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another make in this folder")
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield
