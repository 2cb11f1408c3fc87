/* Views: files in memory that stand for files in subfiles. */
#define _GNU_SOURCE
#include "view/view.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
  part_bytes = 1 << 20,  /* of the file, copied into memory at once */
  most_inherited = 4096, /* descriptors that are looked at before another program starts */
  low_descriptors = 64   /* left to the program */
};

static struct view* views;
static pthread_mutex_t views_lock = PTHREAD_MUTEX_INITIALIZER;

void view_say(const char* format, ...) {
  char text[2048];
  va_list rest;
  va_start(rest, format);
  int length = snprintf(text, sizeof text, "collio view: ");
  const int more = vsnprintf(text + length, sizeof text - 1 - (size_t)length, format, rest);
  va_end(rest);
  if (more < 0) return;
  length += more;
  if ((size_t)length > sizeof text - 2) length = sizeof text - 2;
  text[length++] = '\n';
  const int before = errno;
  if (write(STDERR_FILENO, text, (size_t)length) < 0) { /* nobody hears it */
  }
  errno = before;
}

/* Descriptors of this library's own are out of the program's way. */
static int high(int fd) {
  if (fd < 0) return fd;
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, low_descriptors);
  if (moved < 0) return fd;
  close(fd);
  return moved;
}

static int is_file(int fd, const struct stat* file) {
  struct stat about;
  return fd >= 0 && view_real_fstat(fd, &about) == 0 && about.st_ino == file->st_ino &&
         about.st_dev == file->st_dev;
}

struct view* view_of(int fd) {
  struct stat about;
  if (!views || fd < 0) return NULL;
  const int before = errno;
  struct view* v = NULL;
  if (view_real_fstat(fd, &about) == 0)
    for (v = views; v; v = v->next)
      if (v->inside.st_ino == about.st_ino && v->inside.st_dev == about.st_dev) break;
  errno = before;
  return v;
}

int view_open(struct view* v, int flags) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", v->memory);
  return REAL(open)(path, O_RDONLY | (flags & O_CLOEXEC));
}

static int same(const struct stat* a, const struct stat* b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
         a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* A view of the set, which it owns from now on; null: errno, and the set is as it was. */
static struct view* make(const struct view_set* set, int placeholder) {
  struct view* v = calloc(1, sizeof *v);
  if (!v) return NULL;
  v->set = *set;
  v->filled = calloc((size_t)(set->bytes / part_bytes / 8 + 1), 1);
  v->memory = high(memfd_create("collio view", MFD_CLOEXEC));
  v->placeholder = high(fcntl(placeholder, F_DUPFD_CLOEXEC, 0));
  pthread_mutex_init(&v->lock, NULL);
  for (int i = 0; i < 64; ++i) v->open[i].fd = -1;
  if (v->filled && v->memory >= 0 && v->placeholder >= 0 && view_real_fstat(v->memory, &v->inside) == 0 &&
      view_real_fstat(placeholder, &v->about) == 0)
    return v;
  const int error = errno;
  if (v->memory >= 0) close(v->memory);
  if (v->placeholder >= 0) close(v->placeholder);
  free(v->filled);
  free(v);
  errno = error;
  return NULL;
}

/* The set of the placeholder; errno, and the reason was said. */
static int read_set(struct view_set* set, const char* path, const char* head) {
  const int error = view_read_set(set, path, head, NULL);
  if (error != 0) view_say("%s", set->why ? set->why : strerror(ENOMEM));
  return error;
}

static struct view* make_locked(int fd, int* error) {
  struct stat about;
  struct view_set set;
  char path[4096], head[view_head_bytes + 1];
  while (view_lock_in_use(fd) == EINTR) {}
  /* It may have been joined meanwhile. */
  const int kind = view_read_head(fd, head);
  if (kind <= 0) return *error = -kind, NULL;
  if ((*error = view_path_of(fd, path)) != 0) return NULL;
  if (view_is_elsewhere(fd, path)) return *error = ESTALE, NULL;
  if ((*error = read_set(&set, path, head)) != 0) return view_free_set(&set), NULL;
  if (!set.complete) view_say("%s: a program is writing this file, or ended before it closed it", path);
  for (struct view* v = views; v && view_real_fstat(fd, &about) == 0; v = v->next)
    if (same(&v->about, &about) && v->set.stamp == set.stamp && v->set.bytes == set.bytes &&
        is_file(v->memory, &v->inside))
      return view_free_set(&set), v;
  struct view* v = make(&set, fd);
  if (!v) return *error = errno, view_free_set(&set), NULL;
  v->next = views;
  __atomic_store_n(&views, v, __ATOMIC_RELEASE);
  return v;
}

struct view* view_of_placeholder(int fd, int* error) {
  char head[view_head_bytes + 1];
  *error = 0;
  if (view_read_head(fd, head) <= 0) return NULL;
  pthread_mutex_lock(&views_lock);
  struct view* v = make_locked(fd, error);
  pthread_mutex_unlock(&views_lock);
  return v;
}

int64_t view_bytes_of(int fd) {
  char path[4096], head[view_head_bytes + 1];
  struct view_set set;
  if (view_read_head(fd, head) <= 0 || view_path_of(fd, path) != 0) return -1;
  const int64_t bytes = read_set(&set, path, head) == 0 ? set.bytes : -1;
  view_free_set(&set);
  return bytes;
}

/* A subfile, open. -1: errno, and the reason was said. */
static int open_subfile(struct view* v, int64_t subfile) {
  struct view_subfile* o = &v->open[subfile % 64];
  if (is_file(o->fd, &o->inside)) {
    if (o->number == subfile) return o->fd;
    close(o->fd);
  }
  char* path = view_subfile_path(&v->set, subfile);
  o->fd = path ? high(REAL(open)(path, O_RDONLY | O_CLOEXEC)) : -1;
  o->number = subfile;
  if (o->fd < 0 || view_real_fstat(o->fd, &o->inside) != 0)
    view_say("cannot open %s of %s: %s", path ? path : "a subfile", v->set.path, strerror(errno));
  free(path);
  return o->fd;
}

ssize_t view_read(struct view* v, void* to, size_t bytes, int64_t offset) {
  const struct view_set* set = &v->set;
  if (offset < 0) return errno = EINVAL, -1;
  if (offset >= set->bytes) return 0;
  if ((int64_t)bytes > set->bytes - offset || bytes > (size_t)1 << 30)
    bytes = (size_t)(set->bytes - offset > 1 << 30 ? 1 << 30 : set->bytes - offset);
  size_t done = 0;
  int error = 0;
  pthread_mutex_lock(&v->lock);
  while (done < bytes && error == 0) {
    const struct view_place place =
        view_place_of(&set->layout, offset + (int64_t)done, (int64_t)(bytes - done));
    const int fd = open_subfile(v, place.subfile);
    error = fd < 0 ? EIO : view_read_place(set, &place, fd, (char*)to + done);
    if (error == 0) done += place.bytes;
  }
  pthread_mutex_unlock(&v->lock);
  if (error != 0 && done == 0) return errno = error, -1;
  return (ssize_t)done;
}

int view_fill(struct view* v, int fd, int64_t offset, int64_t bytes) {
  const int64_t last = bytes > v->set.bytes - offset ? v->set.bytes : offset + bytes;
  if (offset < 0 || offset >= last) return 0;
  char link[64], *part = malloc(part_bytes);
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const int to = REAL(open)(link, O_RDWR | O_CLOEXEC);
  int error = !part ? ENOMEM : to < 0 || REAL(ftruncate)(to, v->set.bytes) != 0 ? errno : 0;
  for (int64_t p = offset / part_bytes; p * part_bytes < last && error == 0; ++p) {
    const unsigned char bit = (unsigned char)(1 << p % 8);
    if (__atomic_load_n(&v->filled[p / 8], __ATOMIC_ACQUIRE) & bit) continue;
    const int64_t end = (p + 1) * part_bytes < v->set.bytes ? (p + 1) * part_bytes : v->set.bytes;
    for (int64_t at = p * part_bytes; at < end && error == 0;) {
      const ssize_t n = view_read(v, part, (size_t)(end - at), at);
      if (n <= 0 || REAL(pwrite)(to, part, (size_t)n, at) != n) error = n < 0 ? errno : EIO;
      at += n;
    }
    if (error == 0) __atomic_fetch_or(&v->filled[p / 8], bit, __ATOMIC_RELEASE);
  }
  if (to >= 0) close(to);
  free(part);
  return error;
}

/* All of it, in a process that may be a child of vfork(2): it shares memory with its parent, and may have
   closed the descriptors that the view knows. So the view stays as it is. */
static int fill_apart(const struct view* v, int fd) {
  struct view own = *v;
  const size_t bytes = (size_t)(v->set.bytes / part_bytes / 8 + 1);
  own.filled = malloc(bytes);
  if (!own.filled) return ENOMEM;
  memcpy(own.filled, v->filled, bytes);
  pthread_mutex_init(&own.lock, NULL);
  for (int i = 0; i < 64; ++i) own.open[i].fd = -1;
  const int error = view_fill(&own, fd, 0, own.set.bytes);
  for (int i = 0; i < 64; ++i)
    if (own.open[i].fd >= 0) close(own.open[i].fd);
  free(own.filled);
  return error;
}

void view_fill_inherited(void) {
  for (int fd = 0; views && fd < most_inherited; ++fd) {
    const struct view* v = view_of(fd);
    if (!v || (fcntl(fd, F_GETFD) & FD_CLOEXEC) || fill_apart(v, fd) == 0) continue;
    view_say("%s cannot be copied for another program, which gets it closed", v->set.path);
    close(fd);
  }
}

int view_refuse(const char* path) {
  view_say("%s is kept in subfiles and shown to be read; `collio join` makes it an ordinary file", path);
  return errno = EROFS, -1;
}
