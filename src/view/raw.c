/* System calls that programs make by syscall(2): on files that are shown they do what the functions of the
   same names do. Opens pass through until this library has begun: allocators read files so before.
   io_uring and the kernel's aio do not start: they would read the files in memory, which are empty, without a
   call that a preload sees. Programs then make other calls, or say why they end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#ifdef SYS_openat2
#include <linux/openat2.h>
#endif

#include "view/view.h"

_Static_assert(sizeof(long) == sizeof(off_t), "an offset is one argument");

enum { most_arguments = 6 };

static int refuse_rings(void) {
  static int said;
  if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
    view_say(
        "io_uring and aio are not available: they would read files in subfiles as empty ones. "
        "`collio mount` shows these files to all calls");
  return ENOSYS;
}

static int starts_ring(long number) {
#ifdef SYS_io_uring_setup
  if (number == SYS_io_uring_setup) return 1;
#endif
  return number == SYS_io_setup;
}

/* Calls on files, by the functions of this library. 0: another call. */
static int call_function(long number, const long* a, long* result) {
  const int fd = (int)a[0];
  void* const at = (void*)a[1];
  const size_t count = (size_t)a[2];
  switch (number) {
    case SYS_read:
      return *result = read(fd, at, count), 1;
    case SYS_pread64:
      return *result = pread(fd, at, count, a[3]), 1;
    case SYS_readv:
      return *result = readv(fd, at, (int)count), 1;
    case SYS_preadv:
      return *result = preadv(fd, at, (int)count, a[3]), 1;
    case SYS_preadv2:
      return *result = preadv2(fd, at, (int)count, a[3], (int)a[5]), 1;
    case SYS_lseek:
      return *result = lseek(fd, a[1], (int)count), 1;
    case SYS_sendfile:
      return *result = sendfile(fd, (int)a[1], (off_t*)a[2], (size_t)a[3]), 1;
    case SYS_copy_file_range:
      return *result = copy_file_range(fd, at, (int)a[2], (off_t*)a[3], (size_t)a[4], (unsigned)a[5]), 1;
    case SYS_splice:
      return *result = splice(fd, at, (int)a[2], (off_t*)a[3], (size_t)a[4], (unsigned)a[5]), 1;
    case SYS_mmap:
      return *result = (long)mmap((void*)a[0], (size_t)a[1], (int)a[2], (int)a[3], (int)a[4], a[5]), 1;
    case SYS_fstat:
      return *result = fstat(fd, at), 1;
    case SYS_close:
      return *result = view_close(fd), 1;
    default:
      return 0;
  }
}

static int has_begun;
static void begin(void) __attribute__((constructor));
static void begin(void) { has_begun = 1; }

/* The same of calls that open files, or cut them. */
static int call_open(long number, const long* a, const void* caller, long* result) {
  const struct view_path here = {AT_FDCWD, (const char*)a[0]}, there = {(int)a[0], (const char*)a[1]};
  struct view_how how;
  switch (number) {
#ifdef SYS_open
    case SYS_open:
      how = VIEW_HOW((int)a[1], (mode_t)a[2]);
      return *result = view_open_any(here, how, caller), 1;
    case SYS_creat:
      how = VIEW_HOW(O_CREAT | O_WRONLY | O_TRUNC, (mode_t)a[1]);
      return *result = view_open_any(here, how, caller), 1;
#endif
    case SYS_openat:
      how = VIEW_HOW((int)a[2], (mode_t)a[3]);
      return *result = view_open_any(there, how, caller), 1;
#ifdef SYS_openat2
    case SYS_openat2: {
      const struct open_how* const wanted = (const struct open_how*)a[2];
      if (!wanted || (size_t)a[3] < sizeof *wanted) return 0;
      how = (struct view_how){(int)wanted->flags, (mode_t)wanted->mode, wanted, (size_t)a[3]};
      return *result = view_open_any(there, how, caller), 1;
    }
#endif
    case SYS_truncate:
      return *result = truncate(here.name, a[1]), 1;
    default:
      return 0;
  }
}

/* The same of calls on names. */
static int call_by_name(long number, const long* a, const void* caller, long* result) {
  const struct view_path here = {AT_FDCWD, (const char*)a[0]}, there = {(int)a[0], (const char*)a[1]};
  switch (number) {
#ifdef SYS_stat
    case SYS_stat:
      return *result = view_stat_any(here, (struct stat*)a[1], 0, caller), 1;
    case SYS_lstat:
      return *result = view_stat_any(here, (struct stat*)a[1], AT_SYMLINK_NOFOLLOW, caller), 1;
#endif
    case SYS_newfstatat:
      return *result = view_stat_any(there, (struct stat*)a[2], (int)a[3], caller), 1;
    case SYS_statx: {
      const struct view_statx_call call = {(int)a[2], (unsigned)a[3], (struct statx*)a[4]};
      return *result = view_statx_any(there, call, caller), 1;
    }
    default:
      (void)here;
      return 0;
  }
}

CALL(long, syscall, (long number, ...)) {
  long a[most_arguments], result = 0;
  va_list rest;
  va_start(rest, number);
  for (int i = 0; i < most_arguments; ++i) a[i] = va_arg(rest, long);
  va_end(rest);
  if (starts_ring(number)) return errno = refuse_rings(), -1;
  if (call_by_name(number, a, CALLER, &result)) return result;
  if (has_begun && call_open(number, a, CALLER, &result)) return result;
  if (view_any() && call_function(number, a, &result)) return result;
  return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* Of liburing and libaio, which make their system calls themselves. */
#define RING(name, parameters)                           \
  EXPORT int view_ring_##name parameters __asm__(#name); \
  int view_ring_##name parameters { return -refuse_rings(); }
RING(io_uring_setup, (void))
RING(io_uring_queue_init, (void))
RING(io_uring_queue_init_params, (void))
RING(io_uring_queue_init_mem, (void))
RING(io_setup, (void))
RING(io_queue_init, (void))
