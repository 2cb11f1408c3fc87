"""`collio view` with threads, forks and mappings: what each of them reads, and what is kept of a file after
its last close."""

import os
import random
import shutil
import subprocess
import sys

import pytest

from collio import builds

pytestmark = pytest.mark.skipif(
    not builds.find_library(builds.VIEW_PRELOAD), reason=f"{builds.VIEW_PRELOAD} is not built"
)

BYTES = 3_456_789


@pytest.fixture
def name(cli, tmp_path):
    """A file in subfiles; `plain` beside it has the same bytes."""
    (tmp_path / "plain").write_bytes(random.Random(6).randbytes(BYTES))
    shutil.copy(tmp_path / "plain", tmp_path / "out.nc")
    assert cli("split", tmp_path / "out.nc", "--subfiles", 3, "--unit", 1000).exit_code == 0
    return tmp_path / "out.nc"


@pytest.fixture
def run(collio_process, tmp_path, name):
    """Compiles a program and runs it under `collio view` with the two files; it says what is wrong."""

    def run(source):
        compiler = shutil.which("cc") or pytest.skip("no C compiler")
        (tmp_path / "program.c").write_text(source)
        subprocess.run(
            [compiler, "-O1", "-pthread", "-o", tmp_path / "program", tmp_path / "program.c"], check=True
        )
        told = collio_process("view", "--", "timeout", "60", tmp_path / "program", name, tmp_path / "plain")
        assert told.returncode == 0 and told.stdout == "good\n", (told.returncode, told.stdout, told.stderr)

    return run


def test_mappings_that_grow(run):
    run(r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
static char* data;
static void compare(const char* mapped, size_t from, size_t bytes, const char* what) {
  if (mapped == MAP_FAILED || memcmp(mapped, data + from, bytes) != 0)
    exit((printf("%s differs\n", what), 1));
}
int main(int argc, char** argv) {
  struct stat about;
  const int fd = open(argv[1], O_RDONLY), plain = open(argv[2], O_RDONLY);
  const size_t page = 4096;
  fstat(plain, &about);
  const size_t all = about.st_size;
  data = mmap(NULL, all, PROT_READ, MAP_PRIVATE, plain, 0);
  char* one = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
  compare(mremap(one, page, all, MREMAP_MAYMOVE), 0, all, "a mapping that grew");
  char* two = mmap(NULL, 2 * page, PROT_READ, MAP_SHARED, open(argv[1], O_RDONLY), 300 * page);
  char* to = mmap(NULL, 600 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  two = mremap(two + page, page, 500 * page, MREMAP_MAYMOVE | MREMAP_FIXED, to);
  compare(two, 301 * page, 500 * page, "the end of a mapping, elsewhere");
  const int last = open(argv[1], O_RDONLY);
  char* three = mmap(NULL, page, PROT_READ, MAP_SHARED, last, 0);
  close(last);
  compare(mremap(three, 0, 400 * page, MREMAP_MAYMOVE), 0, 400 * page, "a second mapping of a closed file");
  char* own = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  own = mremap(own, page, 9 * page, MREMAP_MAYMOVE);
  own[8 * page] = 1;
  puts("good");
  return argc != 3;
}
""")


def test_children_of_threads_that_read(run):
    """No lock of the parent's stays locked in the child."""
    run(r"""
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static const char* path;
static void* reader(void* unused) {
  static __thread char bytes[1 << 20];
  for (int fd = open(path, O_RDONLY), n = 0;; ++n) {
    if (read(fd, bytes, sizeof bytes) <= 0) lseek(fd, 0, SEEK_SET);
    if (n % 50 == 0) {
      FILE* file = fopen(path, "r");
      if (file) fileno(file), getc(file), fclose(file);
    }
  }
  return unused;
}
int main(int argc, char** argv) {
  pthread_t threads[2];
  path = argv[1];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, reader, NULL);
  usleep(50000);
  const int fd = open(path, O_RDONLY);
  for (int n = 0; n < 400; ++n) {
    const pid_t child = fork();
    if (child == 0) {
      char byte;
      alarm(5);
      FILE* file = fopen(path, "r");
      if (pread(fd, &byte, 1, 3000) != 1 || read(fd, &byte, 1) != 1) _exit(1);
      _exit(!file || fileno(file) < 0 || fclose(file) != 0);
    }
    int state;
    waitpid(child, &state, 0);
    if (state != 0) exit((printf("child %d: state %d\n", n, state), 1));
  }
  puts("good");
  fflush(stdout);
  _exit(argc != 3);
}
""")


def test_threads_and_processes_that_share_a_position(run):
    """Each byte goes to one of them, once."""
    run(
        r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
static int fd;
static char *data, *read_once; /* how often each byte of the file was read */
static size_t all;
static void* reader(void* unused) {
  char a[777], b[333];
  struct iovec into[2] = {{a, sizeof a}, {b, sizeof b}};
  for (ssize_t n; (n = readv(fd, into, 2)) != 0;) {
    if (n < 0) exit((perror("readv"), 1));
    char both[sizeof a + sizeof b];
    memcpy(both, a, sizeof a);
    memcpy(both + sizeof a, b, sizeof b);
    char* at = memmem(data, all, both, n); /* random bytes: they are in one place */
    if (!at) exit((puts("these are not one after another in the file"), 1));
    for (ssize_t i = 0; i < n; ++i) __atomic_fetch_add(&read_once[at - data + i], 1, __ATOMIC_RELAXED);
  }
  return unused;
}
int main(int argc, char** argv) {
  struct stat about;
  pthread_t threads[3];
  fd = open(argv[1], O_RDONLY);
  fstat(fd, &about);
  all = 400000; /* the last ones */
  data = mmap(NULL, about.st_size, PROT_READ, MAP_PRIVATE, open(argv[2], O_RDONLY), 0);
  data += about.st_size - all;
  read_once = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  lseek(fd, -(off_t)all, SEEK_END);
  const pid_t child = fork();
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, reader, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  if (child == 0) _exit(0);
  int state = 1;
  waitpid(child, &state, 0);
  for (size_t i = 0; i < all; ++i)
    if (read_once[i] != 1) exit((printf("byte %zu was read %d times\n", i, read_once[i]), 1));
  if (lseek(fd, 0, SEEK_CUR) != about.st_size) exit((puts("the position is not at the end"), 1));
  puts("good");
  return state != 0 || argc != 3;
}
""".replace("#include <fcntl.h>", "#define _GNU_SOURCE\n#include <fcntl.h>", 1)
    )


AFTER_CLOSE = """
import ctypes, fcntl, gc, mmap, os, struct, subprocess, sys
name, plain = sys.argv[1:3]
data = open(plain, "rb").read()
libc = ctypes.CDLL(None, use_errno=True)
WHO = '''
import fcntl, struct, sys
with open(sys.argv[1], "r+b") as file:
    try:
        # F_OFD_SETLK: what a join needs
        fcntl.fcntl(file, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 1 << 61 | 17, 1, 0))
        print("free")
    except BlockingIOError:
        print("held")
'''
def use():
    environ = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    words = [sys.executable, "-c", WHO, name]
    return subprocess.run(words, env=environ, capture_output=True, text=True, check=True).stdout.strip()
def descriptors():
    return len(os.listdir("/proc/self/fd"))
before = descriptors()
def check(what):
    gc.collect()
    assert use() == "free" and descriptors() == before, (what, use(), descriptors(), before)

file = open(name, "rb")
assert file.read(4000) == data[:4000] and use() == "held"
twin = os.dup(file.fileno())
file.close()
assert use() == "held" and os.pread(twin, 10, 5) == data[5:15]
os.close(twin)
check("close")

first, second = os.open(name, os.O_RDONLY), os.open(plain, os.O_RDONLY)
os.dup2(second, first)
assert use() == "free" and os.pread(first, 10, 5) == data[5:15]
os.close(first), os.close(second)
check("dup2")

first = os.open(name, os.O_RDONLY)
assert os.read(first, 3) == data[:3]
os.closerange(first, first + 1)
check("closerange")
if hasattr(libc, "close_range"):
    first = os.open(name, os.O_RDONLY)
    assert libc.close_range(first, first, 0) == 0
    check("close_range")

first = os.open(name, os.O_RDONLY)
mapped = mmap.mmap(first, 0, prot=mmap.PROT_READ)
os.close(first)
assert use() == "held" and mapped[:] == data
mapped.close()
check("munmap")

libc.fopen.restype, libc.fclose.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
stream = libc.fopen(os.fsencode(name), b"r")
assert stream and use() == "held"
libc.fclose(stream)
check("fclose")

for _ in range(300):  # a view that ended makes room for the next one
    with open(name, "rb") as one, open(name, "rb") as two:
        assert one.read(3000) == data[:3000] and two.read() == data
check("many opens")
with open(name, "rb") as file:
    if os.fork() == 0:
        file.close()
        os._exit(0)
    os.wait()
    assert file.read() == data and use() == "held"
    subprocess.run(["true"], close_fds=True)
    os.waitpid(os.posix_spawn("/bin/true", ["true"], os.environ), 0)
    assert file.seek(0) == 0 and file.read() == data and use() == "held"
check("a child's close")
print("good")
"""


def test_nothing_is_kept_after_the_last_close(collio_process, name, tmp_path):
    told = collio_process("view", "--", sys.executable, "-c", AFTER_CLOSE, name, tmp_path / "plain")
    assert told.stdout == "good\n", told.stderr


def test_a_shell_that_closed_a_file_lets_it_be_joined(collio_process, name, tmp_path):
    script = (
        f"exec 3< {name}; cmp <(head -c 100 <&3) <(head -c 100 {tmp_path}/plain); exec 3<&-; env -u "
        f"LD_PRELOAD '{sys.executable}' -m collio join {name}; test -e {name}"
    )
    told = collio_process("view", "--", shutil.which("bash") or pytest.skip("no bash"), "-c", script)
    assert told.returncode == 0, told.stdout + told.stderr
    assert (
        name.read_bytes() == (tmp_path / "plain").read_bytes()
        and os.listdir(tmp_path).count("out.nc.collio") == 0
    )
