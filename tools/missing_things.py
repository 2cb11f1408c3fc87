"""Things a machine may lack, and how this process can lose each of them: for itself and all that it starts,
and for nobody else.

A thing is lost in a mount namespace of its own, by a filter of system calls, or by the set of processors. As
root nothing else is needed; other users get a user namespace as well, where the system grants one.
"""

import contextlib
import ctypes
import os
import shutil
import stat
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from common import ROOT, Stop

FUSE_DEVICE = os.makedev(10, 229)
TOOLS = ("perf", "lstopo", "lstopo-no-graphics", "hwloc-ls", "hwloc-info", "hwloc-bind", "hwloc-calc")
TOOL_HEADERS = ("/usr/include/hwloc", "/usr/include/hwloc.h")


INSIDE = os.environ.pop("COLLIO_TEST_NAMESPACE", "") == "1"  # this process has been started again


def enter_namespace() -> None:
    """Starts this program again in a mount namespace of its own, once."""
    if INSIDE:
        return
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    command = ["unshare", *user, "--mount", "--propagation", "private", sys.executable, *sys.argv]
    os.execvpe("unshare", command, {**os.environ, "COLLIO_TEST_NAMESPACE": "1"})


def mount(*words) -> None:
    done = subprocess.run(["mount", *map(str, words)], stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Stop(f"mount {' '.join(map(str, words))}: {done.stderr.strip()}; try as root") from None


# --- /dev ---------------------------------------------------------------------------------------


def without_fuse() -> None:
    with other_devices():
        pass


def with_fuse_of_root() -> None:
    with other_devices() as devices:
        try:
            os.mknod(devices / "fuse", stat.S_IFCHR | 0o600, FUSE_DEVICE)
        except OSError as error:
            raise Stop(f"no /dev/fuse of mode 0600 can be made here: {error}; try as root") from None


@contextlib.contextmanager
def other_devices():
    """A /dev with all that the system's has except fuse, in place once the caller has made its changes."""
    enter_namespace()
    devices = Path(tempfile.mkdtemp(prefix="collio-dev."))
    mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", devices)
    for entry in sorted(Path("/dev").iterdir()):
        place = devices / entry.name
        if entry.is_symlink():
            place.symlink_to(os.readlink(entry))
        elif entry.is_dir():
            place.mkdir()
            mount("--rbind", entry, place)
        elif entry.name != "fuse":
            place.touch()
            mount("--bind", entry, place)
    yield devices
    mount("--move", devices, "/dev")
    devices.rmdir()


def with_small_shm() -> None:
    enter_namespace()
    mount("-t", "tmpfs", "-o", "size=64m,mode=1777", "tmpfs", "/dev/shm")


def with_read_only_shm() -> None:
    """The MPI libraries need /dev/shm, too: MPICH's UCX to start, Open MPI's shared file pointers to open a
    file. They are told of other ways."""
    enter_namespace()
    mount("-t", "tmpfs", "-o", "ro,mode=1777", "tmpfs", "/dev/shm")
    os.environ.update(UCX_TLS="^posix", OMPI_MCA_sharedfp="^sm")


# --- files and programs -------------------------------------------------------------------------


def without_shared() -> None:
    enter_namespace()
    shared = ROOT.parent / "shared"
    if shared.is_dir():
        mount("-t", "tmpfs", "-o", "ro", "tmpfs", shared.resolve())


def without_tools() -> None:
    """perf, and hwloc with its headers: /dev/null is no program, and an empty folder has no headers."""
    enter_namespace()
    for name in TOOLS:
        while (found := shutil.which(name)) is not None:
            mount("--bind", "/dev/null", os.path.realpath(found))
    for header in map(Path, TOOL_HEADERS):
        if header.is_dir():
            mount("-t", "tmpfs", "-o", "ro", "tmpfs", header)
        elif header.exists():
            mount("--bind", "/dev/null", header)


# --- system calls -------------------------------------------------------------------------------

# Numbers of x86-64 and aarch64, by os.uname().machine. The rest has others, and no filter here.
CALLS = {
    "x86_64": {"architecture": 0xC000003E, "io_uring_setup": 425, "unshare": 272, "clone": 56, "clone3": 435},
    "aarch64": {
        "architecture": 0xC00000B7,
        "io_uring_setup": 425,
        "unshare": 97,
        "clone": 220,
        "clone3": 435,
    },
}
EPERM, ENOSYS = 1, 38
CLONE_NEWUSER = 0x10000000
# Classic BPF over struct seccomp_data: number at 0, architecture at 4, the first argument's lower half at 16.
LOAD, IF_EQUAL, IF_BITS, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, ERROR = 0x7FFF0000, 0x00050000
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER_MODE = 38, 22, 2


def without_io_uring() -> None:
    refuse([("io_uring_setup", None, EPERM)])


def without_user_namespaces() -> None:
    """As containers' default filters have it. clone3 takes its flags from memory, where no filter sees them:
    libraries use clone instead."""
    refuse([("unshare", CLONE_NEWUSER, EPERM), ("clone", CLONE_NEWUSER, EPERM), ("clone3", None, ENOSYS)])


def refuse(rules: list) -> None:
    """Each rule is (name of a system call, bits of its first argument or None for any, errno)."""
    numbers = CALLS.get(os.uname().machine)
    if not numbers:
        raise Stop(f"no filter of system calls for {os.uname().machine}")
    program = [(LOAD, 0, 0, 4), (IF_EQUAL, 1, 0, numbers["architecture"]), (RETURN, 0, 0, ALLOW)]
    for name, bits, error in rules:
        body = [(RETURN, 0, 0, ERROR | error)]
        if bits is not None:
            body = [(LOAD, 0, 0, 16), (IF_BITS, 0, 1, bits), *body, (RETURN, 0, 0, ALLOW)]
        program += [(LOAD, 0, 0, 0), (IF_EQUAL, 0, len(body), numbers[name]), *body]
    program.append((RETURN, 0, 0, ALLOW))
    install_filter(b"".join(struct.pack("HBBI", *row) for row in program), len(program))


def install_filter(program: bytes, rows: int) -> None:
    code = ctypes.create_string_buffer(program)
    filter_of_calls = struct.pack("HxxxxxxQ", rows, ctypes.addressof(code))
    control = ctypes.CDLL(None, use_errno=True).prctl
    # Root may filter without this, which would take set-user-id programs their rights.
    if os.geteuid() != 0:
        control(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if control(PR_SET_SECCOMP, FILTER_MODE, ctypes.create_string_buffer(filter_of_calls), 0, 0) != 0:
        raise Stop(f"no filter of system calls may be set here: {os.strerror(ctypes.get_errno())}")


# --- processors ---------------------------------------------------------------------------------


def with_one_core() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


# {name: (what is missing, how to lose it)}. Filters of system calls come last: namespaces need some of those
# calls.
THINGS = {
    "fuse": ("there is no /dev/fuse", without_fuse),
    "fuse-0600": ("/dev/fuse is for root alone", with_fuse_of_root),
    "shm-64m": ("/dev/shm has 64 MiB", with_small_shm),
    "shm-read-only": ("/dev/shm is read-only", with_read_only_shm),
    "cores": ("one core", with_one_core),
    "shared": ("the folder ../shared is empty", without_shared),
    "tools": ("neither perf nor hwloc", without_tools),
    "user-namespaces": ("nobody may make user namespaces", without_user_namespaces),
    "io_uring": ("io_uring_setup is refused with EPERM", without_io_uring),
    "plain-path": ("the clone's path has spaces", lambda: None),
    "root": ("the clone is tested by nobody, an unprivileged user", lambda: None),
}
