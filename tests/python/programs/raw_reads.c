/* Reads a file without the functions of the C library, and writes its bytes to stdout. Opens it by open(2).

     raw_reads read | pread | readv | mmap | sendfile | uring | liburing FILE
     raw_reads sizes FILE    prints the sizes that calls by name and by a descriptor return
     raw_reads open | openat | openat2 | write FILE    opens it by system calls, too

   2: no such way here. 3: io_uring does not start, with the reason on stderr. 4: a call failed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#ifdef WITH_LIBURING
#include <liburing.h>
#endif

enum { ROOM = 100000 };
static char bytes[ROOM];

static int fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  return 4;
}

static int put(const char* from, long count) {
  while (count > 0) {
    const long n = write(STDOUT_FILENO, from, (size_t)count);
    if (n <= 0) return fail("write");
    from += n, count -= n;
  }
  return 0;
}

static long one_read(const char* how, int fd, long at) {
  struct iovec parts[] = {{bytes, 1000}, {bytes + 1000, ROOM - 1000}};
  if (strcmp(how, "read") == 0) return syscall(SYS_read, fd, bytes, ROOM);
  if (strcmp(how, "pread") == 0) return syscall(SYS_pread64, fd, bytes, ROOM, at);
  if (strcmp(how, "readv") == 0) return syscall(SYS_readv, fd, parts, 2);
  return errno = EINVAL, -1;
}

/* As programs do: if it is not there, by read(2). */
static int by_sendfile(int fd) {
  long n;
  while ((n = syscall(SYS_sendfile, STDOUT_FILENO, fd, NULL, ROOM)) > 0) {}
  while (n < 0 && (n = syscall(SYS_read, fd, bytes, ROOM)) > 0) n = put(bytes, n) == 0 ? -1 : 0;
  return n < 0 ? fail("sendfile") : 0;
}

static int by_calls(const char* how, int fd) {
  long n, at = 0;
  for (; (n = one_read(how, fd, at)) > 0; at += n)
    if (put(bytes, n) != 0) return 4;
  return n < 0 ? fail(how) : 0;
}

static int by_mapping(int fd) {
  const long size = syscall(SYS_lseek, fd, 0L, SEEK_END);
  const long at = syscall(SYS_mmap, NULL, size, PROT_READ, MAP_PRIVATE, fd, 0L);
  return at == -1 ? fail("mmap") : put((const char*)at, size);
}

/* One read by a ring, without a library. */
static int by_ring(int fd) {
  struct io_uring_params about;
  memset(&about, 0, sizeof about);
  const int ring = (int)syscall(SYS_io_uring_setup, 4, &about);
  if (ring < 0) return fail("io_uring_setup"), 3;
  const size_t queue_bytes = about.sq_off.array + about.sq_entries * sizeof(unsigned);
  const size_t done_bytes = about.cq_off.cqes + about.cq_entries * sizeof(struct io_uring_cqe);
  char* queue = mmap(NULL, queue_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
  char* done = mmap(NULL, done_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_CQ_RING);
  struct io_uring_sqe* entries = mmap(NULL, about.sq_entries * sizeof *entries, PROT_READ | PROT_WRITE,
                                      MAP_SHARED, ring, IORING_OFF_SQES);
  if (queue == MAP_FAILED || done == MAP_FAILED || entries == MAP_FAILED) return fail("mmap of a ring");
  memset(entries, 0, sizeof *entries);
  entries->opcode = IORING_OP_READ;
  entries->fd = fd;
  entries->addr = (unsigned long)bytes;
  entries->len = ROOM;
  ((unsigned*)(queue + about.sq_off.array))[0] = 0;
  __atomic_store_n((unsigned*)(queue + about.sq_off.tail), 1, __ATOMIC_RELEASE);
  if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0) return fail("enter");
  const struct io_uring_cqe* end = (const struct io_uring_cqe*)(done + about.cq_off.cqes);
  return end->res < 0 ? (errno = -end->res, fail("read")) : put(bytes, end->res);
}

static int by_liburing(int fd) {
#ifdef WITH_LIBURING
  struct io_uring ring;
  struct io_uring_cqe* end = NULL;
  const int code = io_uring_queue_init(4, &ring, 0);
  if (code < 0) return errno = -code, fail("io_uring_queue_init"), 3;
  io_uring_prep_read(io_uring_get_sqe(&ring), fd, bytes, ROOM, 0);
  if (io_uring_submit(&ring) < 0 || io_uring_wait_cqe(&ring, &end) < 0) return fail("io_uring_submit");
  return end->res < 0 ? (errno = -end->res, fail("read")) : put(bytes, end->res);
#else
  return (void)fd, 2;
#endif
}

static void print_sizes(int folder, const char* name, int flags) {
  struct stat about;
  struct statx more;
  if (syscall(SYS_newfstatat, folder, name, &about, flags) == 0) printf("%lld ", (long long)about.st_size);
  if (syscall(SYS_statx, folder, name, flags, STATX_SIZE, &more) == 0)
    printf("%lld ", (long long)more.stx_size);
}

static int sizes(const char* name) {
  struct stat about;
  print_sizes(AT_FDCWD, name, 0);
#ifdef SYS_stat
  if (syscall(SYS_stat, name, &about) == 0) printf("%lld ", (long long)about.st_size);
  if (syscall(SYS_lstat, name, &about) == 0) printf("%lld ", (long long)about.st_size);
#endif
  const int fd = open(name, O_RDONLY);
  print_sizes(fd, "", AT_EMPTY_PATH);
  if (syscall(SYS_fstat, fd, &about) == 0) printf("%lld ", (long long)about.st_size);
  return 0;
}

static int opened(const char* how, const char* name) {
#ifdef SYS_open
  if (strcmp(how, "open") == 0) return (int)syscall(SYS_open, name, O_RDONLY, 0);
  if (strcmp(how, "write") == 0) return (int)syscall(SYS_open, name, O_WRONLY | O_TRUNC, 0);
#endif
#ifdef SYS_openat2
  const struct open_how plain = {.flags = O_RDONLY, .resolve = RESOLVE_NO_MAGICLINKS};
  if (strcmp(how, "openat2") == 0) return (int)syscall(SYS_openat2, AT_FDCWD, name, &plain, sizeof plain);
#endif
  if (strcmp(how, "openat") == 0) return (int)syscall(SYS_openat, AT_FDCWD, name, O_RDONLY, 0);
  return open(name, O_RDONLY);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  if (strcmp(argv[1], "sizes") == 0) return sizes(argv[2]);
  const int fd = opened(argv[1], argv[2]);
  if (fd < 0) return fail(argv[2]);
  if (strncmp(argv[1], "open", 4) == 0) return by_calls("read", fd);
  if (strcmp(argv[1], "write") == 0) return syscall(SYS_truncate, argv[2], 0L) == 0 ? 0 : fail(argv[2]);
  if (strcmp(argv[1], "mmap") == 0) return by_mapping(fd);
  if (strcmp(argv[1], "sendfile") == 0) return by_sendfile(fd);
  if (strcmp(argv[1], "uring") == 0) return by_ring(fd);
  if (strcmp(argv[1], "liburing") == 0) return by_liburing(fd);
  return by_calls(argv[1], fd);
}
