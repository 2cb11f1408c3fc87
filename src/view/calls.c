/* Opening, reading, seeking, mapping; and the start of other programs. */
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include "storage/subfiles/mark.h"
#include "view/view.h"

_Static_assert(sizeof(off_t) == 8, "the names with 64 are the same functions");

/* Defines what the C library calls `name`. */
#define CALL(type, name, parameters)                      \
  EXPORT type view_call_##name parameters __asm__(#name); \
  type view_call_##name parameters

static pthread_mutex_t position_lock = PTHREAD_MUTEX_INITIALIZER;

int view_is_placeholder(int folder, const char* path) {
  struct stat about;
  char begin[collio_mark_bytes];
  const int before = errno;
  int found = 0;
  if (view_real_stat(folder, path, &about, 0) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
    const int fd = REAL(openat)(folder, path, O_RDONLY | O_CLOEXEC);
    const ssize_t bytes = fd < 0 ? 0 : REAL(pread)(fd, begin, sizeof begin, 0);
    found = bytes == collio_mark_bytes && collio_is_mark(begin, sizeof begin);
    if (fd >= 0) close(fd);
  }
  errno = before;
  return found;
}

int view_open_any(int folder, const char* path, int flags, mode_t mode) {
  const int reads = (flags & O_ACCMODE) == O_RDONLY && !(flags & O_TRUNC);
  if (!reads && !(flags & O_PATH) && view_is_placeholder(folder, path)) return view_refuse(path);
  int error = ESTALE;
  for (int tries = 0; tries < 8 && error == ESTALE; ++tries) {
    const int fd = REAL(openat)(folder, path, flags, mode);
    if (fd < 0 || !reads || (flags & (O_PATH | O_DIRECTORY))) return fd;
    struct view* v = view_of_placeholder(fd, &error);
    if (!v && error == 0) return fd;
    close(fd); /* the view gets the same number */
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

#define OPEN(name)                                      \
  CALL(int, name, (const char* path, int flags, ...)) { \
    MODE_BEHIND(flags)                                  \
    return view_open_any(AT_FDCWD, path, flags, mode);  \
  }
OPEN(open)
OPEN(open64)
#define OPENAT(name)                                                \
  CALL(int, name, (int folder, const char* path, int flags, ...)) { \
    MODE_BEHIND(flags)                                              \
    return view_open_any(folder, path, flags, mode);                \
  }
OPENAT(openat)
OPENAT(openat64)
CALL(int, __open_2, (const char* path, int flags)) { return view_open_any(AT_FDCWD, path, flags, 0); }
CALL(int, __open64_2, (const char* path, int flags)) { return view_open_any(AT_FDCWD, path, flags, 0); }
CALL(int, __openat_2, (int folder, const char* path, int flags)) {
  return view_open_any(folder, path, flags, 0);
}
CALL(int, __openat64_2, (int folder, const char* path, int flags)) {
  return view_open_any(folder, path, flags, 0);
}
CALL(int, creat, (const char* path, mode_t mode)) {
  return view_open_any(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
CALL(int, creat64, (const char* path, mode_t mode)) {
  return view_open_any(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

CALL(int, truncate, (const char* path, off_t bytes)) {
  return view_is_placeholder(AT_FDCWD, path) ? view_refuse(path) : REAL(truncate)(path, bytes);
}
CALL(int, truncate64, (const char* path, off_t bytes)) {
  return view_is_placeholder(AT_FDCWD, path) ? view_refuse(path) : REAL(truncate)(path, bytes);
}

ssize_t view_read_on(struct view* v, int fd, void* to, size_t bytes) {
  pthread_mutex_lock(&position_lock);
  const off_t at = REAL(lseek)(fd, 0, SEEK_CUR);
  const ssize_t n = at < 0 ? -1 : view_read(v, to, bytes, at);
  if (n > 0) REAL(lseek)(fd, at + n, SEEK_SET);
  pthread_mutex_unlock(&position_lock);
  return n;
}

off_t view_seek(struct view* v, int fd, off_t offset, int whence) {
  if (whence == SEEK_END) return REAL(lseek)(fd, v->set.bytes + offset, SEEK_SET);
  if (whence != SEEK_DATA && whence != SEEK_HOLE) return REAL(lseek)(fd, offset, whence);
  if (offset < 0 || offset >= v->set.bytes) return errno = ENXIO, -1;
  return REAL(lseek)(fd, whence == SEEK_DATA ? offset : v->set.bytes, SEEK_SET);
}

CALL(ssize_t, read, (int fd, void* to, size_t bytes)) {
  struct view* v = view_of(fd);
  return v ? view_read_on(v, fd, to, bytes) : REAL(read)(fd, to, bytes);
}
CALL(ssize_t, __read_chk, (int fd, void* to, size_t bytes, size_t room)) {
  if (bytes > room) abort();
  return view_call_read(fd, to, bytes);
}
CALL(ssize_t, pread, (int fd, void* to, size_t bytes, off_t offset)) {
  struct view* v = view_of(fd);
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

/* `offset` -1: at the descriptor's position. */
static ssize_t read_into(struct view* v, int fd, const struct iovec* into, int count, off_t offset) {
  ssize_t all = 0;
  for (int i = 0; i < count; ++i) {
    const ssize_t n = offset < 0 ? view_read_on(v, fd, into[i].iov_base, into[i].iov_len)
                                 : view_read(v, into[i].iov_base, into[i].iov_len, offset + all);
    if (n < 0) return all > 0 ? all : n;
    all += n;
    if ((size_t)n < into[i].iov_len) break;
  }
  return all;
}

CALL(ssize_t, readv, (int fd, const struct iovec* into, int count)) {
  struct view* v = view_of(fd);
  return v ? read_into(v, fd, into, count, -1) : REAL(readv)(fd, into, count);
}
#define PREADV(name)                                                                          \
  CALL(ssize_t, name, (int fd, const struct iovec* into, int count, off_t offset)) {          \
    struct view* v = view_of(fd);                                                             \
    if (v && offset < 0) return errno = EINVAL, -1;                                           \
    return v ? read_into(v, fd, into, count, offset) : REAL(preadv)(fd, into, count, offset); \
  }
PREADV(preadv)
PREADV(preadv64)
#define PREADV2(name)                                                                                 \
  CALL(ssize_t, name, (int fd, const struct iovec* into, int count, off_t offset, int flags)) {       \
    struct view* v = view_of(fd);                                                                     \
    return v ? read_into(v, fd, into, count, offset) : REAL(preadv2)(fd, into, count, offset, flags); \
  }
PREADV2(preadv2)
PREADV2(preadv64v2)

CALL(off_t, lseek, (int fd, off_t offset, int whence)) {
  struct view* v = whence == SEEK_SET || whence == SEEK_CUR ? NULL : view_of(fd);
  return v ? view_seek(v, fd, offset, whence) : REAL(lseek)(fd, offset, whence);
}
CALL(off_t, lseek64, (int fd, off_t offset, int whence)) { return view_call_lseek(fd, offset, whence); }

CALL(void*, mmap, (void* at, size_t bytes, int protection, int flags, int fd, off_t offset)) {
  struct view* v = flags & MAP_ANONYMOUS ? NULL : view_of(fd);
  const int error = v ? view_fill(v, fd, offset, (int64_t)bytes) : 0;
  if (error != 0) return errno = error, MAP_FAILED;
  return REAL(mmap)(at, bytes, protection, flags, fd, offset);
}
CALL(void*, mmap64, (void* at, size_t bytes, int protection, int flags, int fd, off_t offset)) {
  return view_call_mmap(at, bytes, protection, flags, fd, offset);
}

/* The kernel would move bytes that memory does not have. Programs read then. */
CALL(ssize_t, copy_file_range, (int in, off_t* at, int out, off_t* to, size_t bytes, unsigned flags)) {
  return view_of(in) ? (errno = EINVAL, -1) : REAL(copy_file_range)(in, at, out, to, bytes, flags);
}
CALL(ssize_t, sendfile, (int out, int in, off_t* at, size_t bytes)) {
  return view_of(in) ? (errno = EINVAL, -1) : REAL(sendfile)(out, in, at, bytes);
}
CALL(ssize_t, sendfile64, (int out, int in, off_t* at, size_t bytes)) {
  return view_of(in) ? (errno = EINVAL, -1) : REAL(sendfile)(out, in, at, bytes);
}
CALL(ssize_t, splice, (int in, off_t* at, int out, off_t* to, size_t bytes, unsigned flags)) {
  return view_of(in) ? (errno = EINVAL, -1) : REAL(splice)(in, at, out, to, bytes, flags);
}
CALL(int, aio_read, (struct aiocb * what)) {
  return view_of(what->aio_fildes) ? (errno = ENOSYS, -1) : REAL(aio_read)(what);
}
CALL(int, aio_read64, (struct aiocb * what)) { return view_call_aio_read(what); }
CALL(int, lio_listio, (int mode, struct aiocb* const list[], int count, struct sigevent* event)) {
  for (int i = 0; i < count; ++i)
    if (list[i] && view_of(list[i]->aio_fildes)) return errno = ENOSYS, -1;
  return REAL(lio_listio)(mode, list, count, event);
}
CALL(int, lio_listio64, (int mode, struct aiocb* const list[], int count, struct sigevent* event)) {
  return view_call_lio_listio(mode, list, count, event);
}

/* Another program gets descriptors, and may read them in any way. */
CALL(int, execve, (const char* path, char* const words[], char* const environment[])) {
  view_fill_inherited();
  return REAL(execve)(path, words, environment);
}
CALL(int, execv, (const char* path, char* const words[])) {
  view_fill_inherited();
  return REAL(execv)(path, words);
}
CALL(int, execvp, (const char* path, char* const words[])) {
  view_fill_inherited();
  return REAL(execvp)(path, words);
}
CALL(int, execvpe, (const char* path, char* const words[], char* const environment[])) {
  view_fill_inherited();
  return REAL(execvpe)(path, words, environment);
}
CALL(int, fexecve, (int fd, char* const words[], char* const environment[])) {
  view_fill_inherited();
  return REAL(fexecve)(fd, words, environment);
}
CALL(int, posix_spawn,
     (pid_t * id, const char* path, const posix_spawn_file_actions_t* files, const posix_spawnattr_t* how,
      char* const words[], char* const environment[])) {
  view_fill_inherited();
  return REAL(posix_spawn)(id, path, files, how, words, environment);
}
CALL(int, posix_spawnp,
     (pid_t * id, const char* path, const posix_spawn_file_actions_t* files, const posix_spawnattr_t* how,
      char* const words[], char* const environment[])) {
  view_fill_inherited();
  return REAL(posix_spawnp)(id, path, files, how, words, environment);
}
CALL(int, system, (const char* command)) {
  view_fill_inherited();
  return REAL(system)(command);
}
CALL(FILE*, popen, (const char* command, const char* mode)) {
  view_fill_inherited();
  return REAL(popen)(command, mode);
}
