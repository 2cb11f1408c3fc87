"""A lab's private namespaces (network, mounts, host name, IPC, processes) that one command lives in.

When the first process inside ends, the kernel ends every process in there, and with them go the network and
the mounts. It gets SIGKILL when its launcher dies, however that dies. So there is no daemon, and nothing is
left to take down; only the entry that `collio lab top` and `collio lab target` find a lab by can stay behind
(registry.py), and `collio lab clean` removes it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Callable

from collio.run.own_python import module_command

HOME = Path("/run/lab")
"""Inside of a lab: everything of its own. /run is private there, so the path is the same in every lab."""

GRAPH_FILE = HOME / "machine.json"
"""The machine, expanded. It appears when the lab is up, so it also tells that."""

HANDED_ON = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
ENDS_WITHIN_S = 15
_PR_SET_PDEATHSIG = 1
TOOLS = {
    "unshare": "util-linux",
    "nsenter": "util-linux",
    "mount": "mount",
    "ip": "iproute2",
    "tc": "iproute2",
    "sysctl": "procps",
    "hostname": "hostname",
}


class NamespaceError(Exception):
    """This machine or this user cannot have a lab; the message says what is missing."""


def missing() -> str | None:
    """What keeps this user from a lab here; None when nothing does. Tries it, so it takes some
    milliseconds."""
    path = _path()
    absent = sorted(
        {
            f"{tool} (package {package})"
            for tool, package in TOOLS.items()
            if not shutil.which(tool, path=path)
        }
    )
    if absent:
        return f"not found: {', '.join(absent)}"
    probe = [*_unshare(), "ip", "link", "add", "probe", "type", "bridge"]
    tried = subprocess.run(probe, capture_output=True, text=True, env={**os.environ, "PATH": path})
    if tried.returncode == 0:
        return None
    why = tried.stderr.strip().splitlines()[-1] if tried.stderr.strip() else f"exit code {tried.returncode}"
    return (
        f"private namespaces are refused ({why}); a lab needs root, or a kernel that lets users have user "
        "namespaces "
        "(kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns, "
        "user.max_user_namespaces)"
    )


def enter(module: str, arguments: list[str], environ: dict[str, str], started: Callable[[int], None]) -> int:
    """Runs `python -m module arguments` as the first process in new namespaces; its exit code (128 + n for
    signal n).

    `started` is called with the process number of the `unshare` that holds them. Signals are forwarded to the
    first process. If it does not end, or cannot receive them yet, the namespaces are killed.
    """
    child: subprocess.Popen[bytes] | None = None
    received = []

    def end(number: int, _frame: object) -> None:
        received.append(number)
        if child is not None:
            _hand_on(child, number)

    heard = [number for number in HANDED_ON if signal.getsignal(number) != signal.SIG_IGN]  # nohup means it
    before = {number: signal.signal(number, end) for number in heard}
    before[signal.SIGALRM] = signal.signal(
        signal.SIGALRM, lambda _number, _frame: child.kill() if child else None
    )
    try:
        child = subprocess.Popen(
            [*_unshare(), *module_command(module, *arguments)],
            env={**environ, "PATH": _path()},
            preexec_fn=_die_with_parent,
        )
        if received:
            child.kill()
        started(child.pid)
        code = child.wait()
    except BaseException:
        if child is not None:
            child.kill()
        raise
    finally:
        signal.alarm(0)
        for number, handler in before.items():
            signal.signal(number, handler)
    if received and code == -signal.SIGKILL:
        return 128 + received[0]
    return code if code >= 0 else 128 - code


def seen(pid: int, path: Path) -> Path:
    """A path inside of the namespaces that process `pid` (a number outside) is in, as it is seen from
    outside."""
    return Path(f"/proc/{pid}/root") / path.relative_to("/")


def first_process(unshare: int) -> int | None:
    """Number, outside, of the first process in the namespaces that `unshare` holds; None when it is not (or
    no longer) there."""
    try:
        children = [
            pid
            for task in Path(f"/proc/{unshare}/task").iterdir()
            for pid in (task / "children").read_text().split()
        ]
    except OSError:
        return None
    return int(children[0]) if children else None


def join(pid: int, words: list[str]) -> list[str]:
    """The command that runs `words` in the namespaces that process `pid` (a number outside) is the first one
    of."""
    user = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
    return [
        "nsenter",
        "--target",
        str(pid),
        *user,
        "--net",
        "--mount",
        "--uts",
        "--ipc",
        "--pid",
        f"--wd={os.getcwd()}",
        "--",
        *words,
    ]


def look_inside(pid: int) -> None:
    """From now on this process sees the files of the namespaces that process `pid` (a number outside) is the
    first one of.

    Looking through /proc/PID/root would not do: a target that a user mounted answers only in that user's
    namespace. Needs a process of one thread. Raises NamespaceError.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        opened = [
            os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY)
            for name in (["mnt"] if os.geteuid() == 0 else ["user", "mnt"])
        ]
    except OSError as error:
        raise NamespaceError(f"{error.filename}: {error.strerror}") from None
    for namespace in opened:
        if libc.setns(namespace, 0) != 0:
            raise NamespaceError(f"cannot enter the lab: {os.strerror(ctypes.get_errno())}")


def make_private() -> None:
    """First thing inside: mounts stay here, and /run (where `ip netns` keeps its names) is the lab's own."""
    for words in (["--make-rprivate", "/"], ["-t", "tmpfs", "tmpfs", "/run"]):
        done = subprocess.run(["mount", *words], capture_output=True, text=True)
        if done.returncode:
            raise NamespaceError(f"mount {' '.join(words)}: {done.stderr.strip()}")
    HOME.mkdir()


def _unshare() -> list[str]:
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return [
        "unshare",
        *user,
        "--net",
        "--mount",
        "--uts",
        "--ipc",
        "--pid",
        "--fork",
        "--kill-child=SIGKILL",
        "--mount-proc",
    ]


def _path() -> str:
    """PATH with the folders of system tools, which users' often lacks."""
    return os.pathsep.join(
        [os.environ.get("PATH", ""), "/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin", "/bin"]
    )


def _die_with_parent() -> None:
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _hand_on(child: subprocess.Popen[bytes], number: int) -> None:
    """A signal for the first process inside, which has ENDS_WITHIN_S then. While it builds the lab there is
    nothing that it would have to put in order; and the first process of a PID namespace does not even get
    signals it has no handler for."""
    pid = first_process(child.pid)
    if pid is None or not os.path.exists(seen(pid, GRAPH_FILE)):
        child.kill()
        return
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
    signal.alarm(ENDS_WITHIN_S)
