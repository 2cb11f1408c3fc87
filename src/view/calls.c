/* Opening, reading, seeking, mapping, closing. */
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "storage/subfile_format/mark.h"
#include "view/view.h"

_Static_assert(sizeof(off_t) == 8, "the names with 64 are the same functions");

#define PATH(name) ((struct view_path){AT_FDCWD, name})

int view_is_placeholder(struct view_path path) {
  struct stat about;
  char begin[collio_mark_bytes];
  const int before = errno;
  int found = 0;
  if (view_real_stat(path.folder, path.name, &about, 0) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
    const int fd = REAL(openat)(path.folder, path.name, O_RDONLY | O_CLOEXEC);
    const ssize_t bytes = fd < 0 ? 0 : REAL(pread)(fd, begin, sizeof begin, 0);
    found = bytes == collio_mark_bytes && collio_is_mark(begin, sizeof begin);
    if (fd >= 0) REAL(close)(fd);
  }
  errno = before;
  return found;
}

static int open_really(struct view_path path, struct view_how how) {
  if (!how.openat2) return REAL(openat)(path.folder, path.name, how.flags, how.mode);
#ifdef SYS_openat2
  return (int)REAL(syscall)(SYS_openat2, path.folder, path.name, how.openat2, how.openat2_bytes);
#else
  return errno = ENOSYS, -1;
#endif
}

int view_open_any(struct view_path path, struct view_how how, const void* caller) {
  const int flags = how.flags;
  const int reads = (flags & O_ACCMODE) == O_RDONLY && !(flags & O_TRUNC);
  if (!view_in_job && !reads && !(flags & O_PATH) && view_is_placeholder(path)) return view_refuse(path.name);
  int error = ESTALE;
  for (int tries = 0; tries < 8 && error == ESTALE; ++tries) {
    const int fd = open_really(path, how);
    if (fd < 0 || !reads || (flags & (O_PATH | O_DIRECTORY)) || !view_may_serve()) return fd;
    VIEW(v, view_of_placeholder(fd, caller, &error));
    if (!v && error == 0) return fd;
    REAL(close)(fd); /* the view gets the same number */
    if (v) return view_open(v, flags);
  }
  return errno = error, -1;
}

/* The mode behind the flags, if they want one. */
#define MODE_BEHIND(flags)                                \
  mode_t mode = 0;                                        \
  if ((flags) & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) { \
    va_list rest;                                         \
    va_start(rest, flags);                                \
    mode = va_arg(rest, mode_t);                          \
    va_end(rest);                                         \
  }

#define OPEN(name)                                                   \
  CALL(int, name, (const char* path, int flags, ...)) {              \
    MODE_BEHIND(flags)                                               \
    return view_open_any(PATH(path), VIEW_HOW(flags, mode), CALLER); \
  }
OPEN(open)
OPEN(open64)
#define OPENAT(name)                                                                       \
  CALL(int, name, (int folder, const char* path, int flags, ...)) {                        \
    MODE_BEHIND(flags)                                                                     \
    return view_open_any((struct view_path){folder, path}, VIEW_HOW(flags, mode), CALLER); \
  }
OPENAT(openat)
OPENAT(openat64)
CALL(int, __open_2, (const char* path, int flags)) {
  return view_open_any(PATH(path), VIEW_HOW(flags, 0), CALLER);
}
CALL(int, __open64_2, (const char* path, int flags)) {
  return view_open_any(PATH(path), VIEW_HOW(flags, 0), CALLER);
}
CALL(int, __openat_2, (int folder, const char* path, int flags)) {
  return view_open_any((struct view_path){folder, path}, VIEW_HOW(flags, 0), CALLER);
}
CALL(int, __openat64_2, (int folder, const char* path, int flags)) {
  return view_open_any((struct view_path){folder, path}, VIEW_HOW(flags, 0), CALLER);
}
CALL(int, creat, (const char* path, mode_t mode)) {
  return view_open_any(PATH(path), VIEW_HOW(O_CREAT | O_WRONLY | O_TRUNC, mode), CALLER);
}
CALL(int, creat64, (const char* path, mode_t mode)) {
  return view_open_any(PATH(path), VIEW_HOW(O_CREAT | O_WRONLY | O_TRUNC, mode), CALLER);
}

CALL(int, truncate, (const char* path, off_t bytes)) {
  return !view_in_job && view_is_placeholder(PATH(path)) ? view_refuse(path) : REAL(truncate)(path, bytes);
}
CALL(int, truncate64, (const char* path, off_t bytes)) {
  return !view_in_job && view_is_placeholder(PATH(path)) ? view_refuse(path) : REAL(truncate)(path, bytes);
}

/* Moves a descriptor's position over up to so many bytes of the file, which nobody else who has the position
   reads then. Their number, and where they begin; -1: errno. */
static int64_t take_bytes(const struct view* v, int fd, size_t bytes, off_t* at) {
  const off_t now = REAL(lseek)(fd, 0, SEEK_CUR);
  if (now < 0) return -1;
  *at = now;
  const int64_t left = v->set.bytes - now;
  if (left <= 0 || bytes == 0) return 0;
  const int64_t taken = (int64_t)bytes < left && bytes < (size_t)1 << 30 ? (int64_t)bytes
                        : left < 1 << 30                                 ? left
                                                                         : 1 << 30;
  const off_t end = REAL(lseek)(fd, taken, SEEK_CUR);
  *at = end - taken;
  return end < 0 ? -1 : taken;
}

static void give_back(int fd, int64_t taken, ssize_t read) {
  const int before = errno;
  if (read < taken) REAL(lseek)(fd, (read < 0 ? 0 : read) - taken, SEEK_CUR);
  errno = before;
}

ssize_t view_read_on(struct view* v, int fd, void* to, size_t bytes) {
  off_t at;
  const int64_t taken = take_bytes(v, fd, bytes, &at);
  if (taken <= 0) return taken;
  const ssize_t n = view_read(v, to, (size_t)taken, at);
  give_back(fd, taken, n);
  return n;
}

off_t view_seek(struct view* v, int fd, off_t offset, int whence) {
  if (whence == SEEK_END) return REAL(lseek)(fd, v->set.bytes + offset, SEEK_SET);
  if (whence != SEEK_DATA && whence != SEEK_HOLE) return REAL(lseek)(fd, offset, whence);
  if (offset < 0 || offset >= v->set.bytes) return errno = ENXIO, -1;
  return REAL(lseek)(fd, whence == SEEK_DATA ? offset : v->set.bytes, SEEK_SET);
}

CALL(ssize_t, read, (int fd, void* to, size_t bytes)) {
  VIEW(v, view_of(fd));
  return v ? view_read_on(v, fd, to, bytes) : REAL(read)(fd, to, bytes);
}
CALL(ssize_t, __read_chk, (int fd, void* to, size_t bytes, size_t room)) {
  if (bytes > room) abort();
  return view_call_read(fd, to, bytes);
}
CALL(ssize_t, pread, (int fd, void* to, size_t bytes, off_t offset)) {
  VIEW(v, view_of(fd));
  return v ? view_read(v, to, bytes, offset) : REAL(pread)(fd, to, bytes, offset);
}
CALL(ssize_t, pread64, (int fd, void* to, size_t bytes, off_t offset)) {
  return view_call_pread(fd, to, bytes, offset);
}
CALL(ssize_t, __pread_chk, (int fd, void* to, size_t bytes, off_t offset, size_t room)) {
  if (bytes > room) abort();
  return view_call_pread(fd, to, bytes, offset);
}
CALL(ssize_t, __pread64_chk, (int fd, void* to, size_t bytes, off_t offset, size_t room)) {
  if (bytes > room) abort();
  return view_call_pread(fd, to, bytes, offset);
}

static ssize_t read_into(struct view* v, const struct iovec* into, int count, off_t offset) {
  ssize_t all = 0;
  for (int i = 0; i < count; ++i) {
    const ssize_t n = view_read(v, into[i].iov_base, into[i].iov_len, offset + all);
    if (n < 0) return all > 0 ? all : n;
    all += n;
    if ((size_t)n < into[i].iov_len) break;
  }
  return all;
}

static ssize_t read_into_on(struct view* v, int fd, const struct iovec* into, int count) {
  size_t bytes = 0;
  off_t at;
  for (int i = 0; i < count; ++i) bytes += into[i].iov_len;
  const int64_t taken = take_bytes(v, fd, bytes, &at);
  ssize_t all = taken < 0 ? -1 : 0;
  for (int i = 0; i < count && all < taken; ++i) {
    const int64_t left = taken - all;
    const size_t room = (int64_t)into[i].iov_len < left ? into[i].iov_len : (size_t)left;
    const ssize_t n = view_read(v, into[i].iov_base, room, at + all);
    if (n < 0 && all == 0) all = -1;
    if (n < 0) break;
    all += n;
    if ((size_t)n < room) break;
  }
  give_back(fd, taken, all);
  return all;
}

CALL(ssize_t, readv, (int fd, const struct iovec* into, int count)) {
  VIEW(v, view_of(fd));
  return v ? read_into_on(v, fd, into, count) : REAL(readv)(fd, into, count);
}
#define PREADV(name)                                                                      \
  CALL(ssize_t, name, (int fd, const struct iovec* into, int count, off_t offset)) {      \
    VIEW(v, view_of(fd));                                                                 \
    return v ? read_into(v, into, count, offset) : REAL(preadv)(fd, into, count, offset); \
  }
PREADV(preadv)
PREADV(preadv64)
#define PREADV2(name)                                                                             \
  CALL(ssize_t, name, (int fd, const struct iovec* into, int count, off_t offset, int flags)) {   \
    VIEW(v, view_of(fd));                                                                         \
    if (v && offset == -1) return read_into_on(v, fd, into, count);                               \
    return v ? read_into(v, into, count, offset) : REAL(preadv2)(fd, into, count, offset, flags); \
  }
PREADV2(preadv2)
PREADV2(preadv64v2)

CALL(off_t, lseek, (int fd, off_t offset, int whence)) {
  VIEW(v, whence == SEEK_SET || whence == SEEK_CUR ? NULL : view_of(fd));
  return v ? view_seek(v, fd, offset, whence) : REAL(lseek)(fd, offset, whence);
}
CALL(off_t, lseek64, (int fd, off_t offset, int whence)) { return view_call_lseek(fd, offset, whence); }

CALL(void*, mmap, (void* at, size_t bytes, int protection, int flags, int fd, off_t offset)) {
  VIEW(v, flags & MAP_ANONYMOUS ? NULL : view_of(fd));
  if (!v) return REAL(mmap)(at, bytes, protection, flags, fd, offset);
  __atomic_store_n(&v->mapped, 1, __ATOMIC_RELAXED);
  /* In a job nothing sees how a mapping grows: see src/view/job.c. */
  const int error = view_fill(v, fd, offset, view_in_job ? INT64_MAX - offset : (int64_t)bytes);
  if (error != 0) return errno = error, MAP_FAILED;
  return REAL(mmap)(at, bytes, protection, flags, fd, offset);
}
CALL(void*, mmap64, (void* at, size_t bytes, int protection, int flags, int fd, off_t offset)) {
  return view_call_mmap(at, bytes, protection, flags, fd, offset);
}

/* The kernel would move bytes that memory does not have. Programs read then. */
CALL(ssize_t, copy_file_range, (int in, off_t* at, int out, off_t* to, size_t bytes, unsigned flags)) {
  return view_has(in) ? (errno = EINVAL, -1) : REAL(copy_file_range)(in, at, out, to, bytes, flags);
}
CALL(ssize_t, sendfile, (int out, int in, off_t* at, size_t bytes)) {
  return view_has(in) ? (errno = EINVAL, -1) : REAL(sendfile)(out, in, at, bytes);
}
CALL(ssize_t, sendfile64, (int out, int in, off_t* at, size_t bytes)) {
  return view_has(in) ? (errno = EINVAL, -1) : REAL(sendfile)(out, in, at, bytes);
}
CALL(ssize_t, splice, (int in, off_t* at, int out, off_t* to, size_t bytes, unsigned flags)) {
  return view_has(in) ? (errno = EINVAL, -1) : REAL(splice)(in, at, out, to, bytes, flags);
}
CALL(int, aio_read, (struct aiocb * what)) {
  return view_has(what->aio_fildes) ? (errno = ENOSYS, -1) : REAL(aio_read)(what);
}
CALL(int, aio_read64, (struct aiocb * what)) { return view_call_aio_read(what); }
CALL(int, lio_listio, (int mode, struct aiocb* const list[], int count, struct sigevent* event)) {
  for (int i = 0; i < count; ++i)
    if (list[i] && view_has(list[i]->aio_fildes)) return errno = ENOSYS, -1;
  return REAL(lio_listio)(mode, list, count, event);
}
CALL(int, lio_listio64, (int mode, struct aiocb* const list[], int count, struct sigevent* event)) {
  return view_call_lio_listio(mode, list, count, event);
}

/* After the last descriptor nothing of the file is kept, and others may join it. */
int view_close(int fd) {
  const int was = view_has(fd);
  const int result = REAL(close)(fd);
  if (was) view_sweep();
  return result;
}
CALL(int, close, (int fd)) { return view_close(fd); }
CALL(int, dup2, (int fd, int to)) {
  const int was = fd != to && view_has(to);
  const int result = REAL(dup2)(fd, to);
  if (was) view_sweep();
  return result;
}
CALL(int, dup3, (int fd, int to, int flags)) {
  const int was = fd != to && view_has(to);
  const int result = REAL(dup3)(fd, to, flags);
  if (was) view_sweep();
  return result;
}
/* Not in every C library. */
CALL(int, close_range, (unsigned first, unsigned last, int flags)) {
  const int result = (int)REAL(syscall)(SYS_close_range, first, last, flags);
  view_sweep();
  return result;
}
void closefrom(int first);
CALL(void, closefrom, (int first)) {
  REAL(closefrom)(first);
  view_sweep();
}
