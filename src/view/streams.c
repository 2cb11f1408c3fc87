/* Streams of stdio: the C library reads their descriptors by calls that no preload sees, so those of views
   have functions of their own. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "view/view.h"

struct stream {
  struct stream* next;
  FILE* file;
  int fd;
};

static struct stream* streams;

static ssize_t read_stream(void* cookie, char* to, size_t bytes) {
  const struct stream* s = cookie;
  VIEW(v, view_of(s->fd));
  return v ? view_read_on(v, s->fd, to, bytes) : (errno = EBADF, -1);
}

static int seek_stream(void* cookie, off64_t* offset, int whence) {
  const struct stream* s = cookie;
  VIEW(v, view_of(s->fd));
  const off_t at = v ? view_seek(v, s->fd, *offset, whence) : (errno = EBADF, -1);
  if (at < 0) return -1;
  *offset = at;
  return 0;
}

static int close_stream(void* cookie) {
  struct stream* s = cookie;
  view_lock();
  for (struct stream** at = &streams; *at; at = &(*at)->next)
    if (*at == s) {
      *at = s->next;
      break;
    }
  view_unlock();
  const int result = view_close(s->fd);
  free(s);
  return result;
}

static FILE* stream_on(int fd, const char* mode) {
  struct stream* s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->fd = fd;
  const cookie_io_functions_t calls = {read_stream, NULL, seek_stream, close_stream};
  s->file = fopencookie(s, mode, calls);
  if (!s->file) return free(s), NULL;
  FILE* const file = s->file;
  view_lock();
  s->next = streams;
  streams = s;
  view_unlock();
  return file;
}

static int only_reads(const char* mode) { return mode[0] == 'r' && !strchr(mode, '+'); }

static FILE* open_placeholder(const char* path, const char* mode, const void* caller) {
  const int flags = O_RDONLY | (strchr(mode, 'e') ? O_CLOEXEC : 0);
  const int fd = view_open_any((struct view_path){AT_FDCWD, path}, VIEW_HOW(flags, 0), caller);
  if (fd < 0) return NULL;
  FILE* file = view_has(fd) ? stream_on(fd, "r") : REAL(fdopen)(fd, mode);
  if (!file) view_close(fd);
  return file;
}

static FILE* open_stream(const char* path, const char* mode, const void* caller) {
  char head[collio_head_bytes + 1];
  if (!only_reads(mode)) {
    if (!view_in_job && view_is_placeholder((struct view_path){AT_FDCWD, path}))
      return view_refuse(path), NULL;
    return REAL(fopen)(path, mode);
  }
  FILE* file = REAL(fopen)(path, mode);
  if (!file || !view_may_serve() || view_read_head(REAL(fileno)(file), head) <= 0) return file;
  fclose(file);
  return open_placeholder(path, mode, caller);
}

CALL(FILE*, fopen, (const char* path, const char* mode)) { return open_stream(path, mode, CALLER); }
CALL(FILE*, fopen64, (const char* path, const char* mode)) { return open_stream(path, mode, CALLER); }

CALL(FILE*, fdopen, (int fd, const char* mode)) {
  return view_has(fd) && only_reads(mode) ? stream_on(fd, "r") : REAL(fdopen)(fd, mode);
}

/* Into a stream that is there: by a descriptor whose bytes are all in memory. */
static FILE* reopen_stream(const char* path, const char* mode, FILE* file, const void* caller) {
  const struct view_path at = {AT_FDCWD, path};
  if (!path || !view_may_serve() || (view_in_job && !only_reads(mode)) || !view_is_placeholder(at))
    return REAL(freopen)(path, mode, file);
  const int fd =
      only_reads(mode) ? view_open_any(at, VIEW_HOW(O_RDONLY | O_CLOEXEC, 0), caller) : view_refuse(path);
  VIEW(v, view_of(fd));
  const int error = v ? view_fill(v, fd, 0, v->set.bytes) : fd < 0 ? errno : 0;
  char own[64];
  snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
  FILE* opened = error == 0 ? REAL(freopen)(own, mode, file) : NULL;
  if (fd >= 0) view_close(fd);
  if (error != 0) fclose(file), errno = error;
  return opened;
}
CALL(FILE*, freopen, (const char* path, const char* mode, FILE* file)) {
  return reopen_stream(path, mode, file, CALLER);
}
CALL(FILE*, freopen64, (const char* path, const char* mode, FILE* file)) {
  return reopen_stream(path, mode, file, CALLER);
}

static int number_of(FILE* file) {
  int fd = -1;
  if (!streams) return -1;
  view_lock();
  for (const struct stream* s = streams; s; s = s->next)
    if (s->file == file) fd = s->fd;
  view_unlock();
  return fd;
}
CALL(int, fileno, (FILE * file)) {
  const int fd = number_of(file);
  return fd >= 0 ? fd : REAL(fileno)(file);
}
CALL(int, fileno_unlocked, (FILE * file)) {
  const int fd = number_of(file);
  return fd >= 0 ? fd : REAL(fileno)(file);
}
