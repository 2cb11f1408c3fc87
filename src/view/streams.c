/* Streams of stdio: the C library reads their descriptors by calls that no preload sees, so those of views
   have functions of their own; and execl() with its kin, which it starts alike. */
#define _GNU_SOURCE
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "view/view.h"

#define CALL(type, name, parameters)                      \
  EXPORT type view_call_##name parameters __asm__(#name); \
  type view_call_##name parameters

struct stream {
  struct stream* next;
  FILE* file;
  struct view* view;
  int fd;
};

static struct stream* streams;
static pthread_mutex_t streams_lock = PTHREAD_MUTEX_INITIALIZER;

static ssize_t read_stream(void* cookie, char* to, size_t bytes) {
  const struct stream* s = cookie;
  return view_read_on(s->view, s->fd, to, bytes);
}

static int seek_stream(void* cookie, off64_t* offset, int whence) {
  const struct stream* s = cookie;
  const off_t at = view_seek(s->view, s->fd, *offset, whence);
  if (at < 0) return -1;
  *offset = at;
  return 0;
}

static int close_stream(void* cookie) {
  struct stream* s = cookie;
  pthread_mutex_lock(&streams_lock);
  for (struct stream** at = &streams; *at; at = &(*at)->next)
    if (*at == s) {
      *at = s->next;
      break;
    }
  pthread_mutex_unlock(&streams_lock);
  const int result = close(s->fd);
  free(s);
  return result;
}

static FILE* stream_on(struct view* v, int fd, const char* mode) {
  struct stream* s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->view = v;
  s->fd = fd;
  const cookie_io_functions_t calls = {read_stream, NULL, seek_stream, close_stream};
  s->file = fopencookie(s, mode, calls);
  if (!s->file) return free(s), NULL;
  FILE* const file = s->file;
  pthread_mutex_lock(&streams_lock);
  s->next = streams;
  streams = s;
  pthread_mutex_unlock(&streams_lock);
  return file;
}

static int only_reads(const char* mode) { return mode[0] == 'r' && !strchr(mode, '+'); }

static FILE* open_stream(const char* path, const char* mode) {
  if (!view_is_placeholder(AT_FDCWD, path)) return REAL(fopen)(path, mode);
  if (!only_reads(mode)) return view_refuse(path), NULL;
  const int fd = view_open_any(AT_FDCWD, path, O_RDONLY | (strchr(mode, 'e') ? O_CLOEXEC : 0), 0);
  struct view* v = view_of(fd);
  FILE* file = v ? stream_on(v, fd, "r") : NULL;
  if (!file && fd >= 0) close(fd);
  return file;
}

CALL(FILE*, fopen, (const char* path, const char* mode)) { return open_stream(path, mode); }
CALL(FILE*, fopen64, (const char* path, const char* mode)) { return open_stream(path, mode); }

CALL(FILE*, fdopen, (int fd, const char* mode)) {
  struct view* v = view_of(fd);
  return v && only_reads(mode) ? stream_on(v, fd, "r") : REAL(fdopen)(fd, mode);
}

/* Into a stream that is there: by a descriptor whose bytes are all in memory. */
static FILE* reopen_stream(const char* path, const char* mode, FILE* file) {
  if (!path || !view_is_placeholder(AT_FDCWD, path)) return REAL(freopen)(path, mode, file);
  const int fd =
      only_reads(mode) ? view_open_any(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0) : view_refuse(path);
  struct view* v = view_of(fd);
  const int error = v ? view_fill(v, fd, 0, v->set.bytes) : errno;
  char own[64];
  snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
  FILE* opened = error == 0 ? REAL(freopen)(own, mode, file) : NULL;
  if (fd >= 0) close(fd);
  if (error != 0) fclose(file), errno = error;
  return opened;
}
CALL(FILE*, freopen, (const char* path, const char* mode, FILE* file)) {
  return reopen_stream(path, mode, file);
}
CALL(FILE*, freopen64, (const char* path, const char* mode, FILE* file)) {
  return reopen_stream(path, mode, file);
}

static int number_of(FILE* file) {
  int fd = -1;
  if (!streams) return -1;
  pthread_mutex_lock(&streams_lock);
  for (const struct stream* s = streams; s; s = s->next)
    if (s->file == file) fd = s->fd;
  pthread_mutex_unlock(&streams_lock);
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

/* The words of a call of execl()'s kind, up to the null. `rest` is read twice. */
#define WORDS(first, words)                           \
  va_list rest;                                       \
  size_t count = 1;                                   \
  va_start(rest, first);                              \
  while (va_arg(rest, char*)) ++count;                \
  va_end(rest);                                       \
  char** words = alloca((count + 1) * sizeof(char*)); \
  words[0] = (char*)(uintptr_t)(first);               \
  va_start(rest, first);                              \
  for (size_t i = 1; i <= count; ++i) words[i] = va_arg(rest, char*);

CALL(int, execl, (const char* path, const char* first, ...)) {
  WORDS(first, words)
  va_end(rest);
  view_fill_inherited();
  return REAL(execv)(path, words);
}
CALL(int, execlp, (const char* path, const char* first, ...)) {
  WORDS(first, words)
  va_end(rest);
  view_fill_inherited();
  return REAL(execvp)(path, words);
}
CALL(int, execle, (const char* path, const char* first, ...)) {
  WORDS(first, words)
  char* const* environment = va_arg(rest, char* const*);
  va_end(rest);
  view_fill_inherited();
  return REAL(execve)(path, words, environment);
}
