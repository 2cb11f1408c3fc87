/* Views: files in memory that stand for files in subfiles. */
#define _GNU_SOURCE
#include "view/view.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { low_descriptors = 64 /* left to the program */ };

static struct view* views;
static int live_views; /* atomic */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t sweeping = PTHREAD_MUTEX_INITIALIZER;
static pid_t process; /* a child of vfork(2) shares memory with its parent, but not descriptors */

void view_lock(void) { pthread_mutex_lock(&lock); }
void view_unlock(void) { pthread_mutex_unlock(&lock); }

/* The threads that used something are not in the child. */
static void begin_child(void) {
  for (struct view* v = views; v; v = v->next) {
    v->users = 0;
    for (int i = 0; i < view_slots; ++i) v->open[i].users = 0;
  }
  process = getpid();
  pthread_mutex_init(&sweeping, NULL);
  view_unlock();
}

static void begin(void) __attribute__((constructor));
static void begin(void) {
  process = getpid();
  pthread_atfork(view_lock, view_unlock, begin_child);
}

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

int view_refuse(const char* path) {
  view_say("%s is kept in subfiles and shown to be read; `collio join` makes it an ordinary file", path);
  return errno = EROFS, -1;
}

int view_high(int fd) {
  if (fd < 0) return fd;
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, low_descriptors);
  if (moved < 0) return fd;
  REAL(close)(fd);
  return moved;
}

int view_is_file(int fd, const struct stat* file) {
  struct stat about;
  return fd >= 0 && view_real_fstat(fd, &about) == 0 && about.st_ino == file->st_ino &&
         about.st_dev == file->st_dev;
}

/* --- which are there ------------------------------------------------------------------------------ */

int view_any(void) { return __atomic_load_n(&live_views, __ATOMIC_ACQUIRE) > 0; }

static ino_t inode_of(const struct view* v) { return __atomic_load_n(&v->inode, __ATOMIC_ACQUIRE); }

int view_any_mapped(void) {
  const struct view* v = view_any() ? __atomic_load_n(&views, __ATOMIC_ACQUIRE) : NULL;
  while (v && !(inode_of(v) != 0 && __atomic_load_n(&v->mapped, __ATOMIC_RELAXED))) v = v->next;
  return v != NULL;
}

static struct view* find(ino_t inode) {
  struct view* v = __atomic_load_n(&views, __ATOMIC_ACQUIRE);
  while (v && inode_of(v) != inode) v = v->next;
  return v;
}

struct view* view_of_inode(ino_t inode) {
  struct view* v = inode != 0 && view_any() ? find(inode) : NULL;
  if (!v) return NULL;
  view_lock();
  const int is = v->live && v->inode == inode;
  v->users += is;
  view_unlock();
  return is ? v : NULL;
}

/* Number of the file in memory that this descriptor is of; 0: of another file. */
static ino_t memory_of(int fd) {
  struct stat about;
  if (!view_any() || fd < 0) return 0;
  const int before = errno;
  const struct view* v = view_real_fstat(fd, &about) == 0 ? find(about.st_ino) : NULL;
  errno = before;
  return v && v->inside.st_dev == about.st_dev ? about.st_ino : 0;
}

int view_has(int fd) { return memory_of(fd) != 0; }
struct view* view_of(int fd) { return view_of_inode(memory_of(fd)); }

static int own_memory(ino_t inode) {
  const struct view* v = find(inode);
  return v ? v->memory : -1;
}

void view_put(struct view* const* v) {
  if (!*v) return;
  view_lock();
  --(*v)->users;
  view_unlock();
}

/* --- their begin ---------------------------------------------------------------------------------- */

int view_open(struct view* v, int flags) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", v->memory);
  return REAL(open)(path, O_RDONLY | (flags & O_CLOEXEC));
}

static int same(const struct stat* a, const struct stat* b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
         a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* One that the process has of this file as it is now, used once more; null: it has none. */
static struct view* find_same(const struct view_set* set, const struct stat* about) {
  struct view* v = NULL;
  view_lock();
  for (v = views; v; v = v->next)
    if (v->live && same(&v->about, about) && v->set.stamp == set->stamp && v->set.bytes == set->bytes) break;
  if (v) ++v->users, ++v->opens;
  view_unlock();
  if (!v || view_is_file(v->memory, &v->inside)) return v;
  view_put(&v);
  return NULL;
}

/* One that is not live and nobody else's. */
static struct view* take_unused(void) {
  view_lock();
  struct view* v = views;
  while (v && (v->live || v->users > 0)) v = v->next;
  if (v) v->users = 1;
  view_unlock();
  if (v || !(v = calloc(1, sizeof *v))) return v;
  v->users = 1;
  view_lock();
  v->next = views;
  __atomic_store_n(&views, v, __ATOMIC_RELEASE);
  view_unlock();
  return v;
}

/* Gives back all that a view has, except the place in the list. */
static void empty(struct view* v) {
  if (view_is_file(v->memory, &v->inside)) REAL(close)(v->memory);
  if (view_is_file(v->placeholder, &v->about)) REAL(close)(v->placeholder);
  for (int i = 0; i < view_slots; ++i)
    if (view_is_file(v->open[i].fd, &v->open[i].inside)) REAL(close)(v->open[i].fd);
  free(v->filled);
  view_free_set(&v->set);
  view_lock();
  v->users = 0;
  view_unlock();
}

/* A view of the set, which it owns from now on, used once. Null: errno. */
static struct view* make(struct view_set* set, int placeholder) {
  struct view* v = take_unused();
  if (!v) return view_free_set(set), errno = ENOMEM, NULL;
  v->set = *set;
  v->mapped = 0;
  v->filled = calloc((size_t)(set->bytes / view_part_bytes / 8 + 1), 1);
  v->memory = view_high(memfd_create(COLLIO_VIEW_MEMORY, MFD_CLOEXEC));
  v->placeholder = view_high(fcntl(placeholder, F_DUPFD_CLOEXEC, 0));
  for (int i = 0; i < view_slots; ++i) v->open[i] = (struct view_subfile){.fd = -1};
  if (!v->filled || v->memory < 0 || v->placeholder < 0 || view_real_fstat(v->memory, &v->inside) != 0 ||
      view_real_fstat(placeholder, &v->about) != 0) {
    const int error = errno;
    if (v->memory >= 0) REAL(close)(v->memory);
    if (v->placeholder >= 0) REAL(close)(v->placeholder);
    v->memory = v->placeholder = -1;
    empty(v);
    return errno = error, NULL;
  }
  view_lock();
  v->live = 1;
  __atomic_store_n(&v->inode, v->inside.st_ino, __ATOMIC_RELEASE);
  view_unlock();
  __atomic_fetch_add(&live_views, 1, __ATOMIC_ACQ_REL);
  return v;
}

/* The set of the placeholder; errno, and the reason was said. */
static int read_set(struct view_set* set, const char* path, const char* head) {
  const int error = view_read_set(set, path, head, NULL);
  if (error != 0) view_say("%s", set->why ? set->why : strerror(ENOMEM));
  return error;
}

struct view* view_of_placeholder(int fd, const void* caller, int* error) {
  struct stat about;
  struct view_set set;
  char path[4096], head[collio_head_bytes + 1];
  *error = 0;
  if (view_read_head(fd, head) <= 0 || !view_serves(caller)) return NULL;
  while (view_lock_in_use(fd) == EINTR) {}
  /* It may have been joined meanwhile. */
  const int kind = view_read_head(fd, head);
  if (kind <= 0) return *error = -kind, NULL;
  if ((*error = view_path_of(fd, path)) != 0) return NULL;
  if (view_is_elsewhere(fd, path)) return *error = ESTALE, NULL;
  if ((*error = read_set(&set, path, head)) != 0) return view_free_set(&set), NULL;
  if (!set.manifest.complete && !view_in_job)
    view_say("%s: a program is writing this file, or ended before it closed it", path);
  view_sweep();
  struct view* v = view_real_fstat(fd, &about) == 0 ? find_same(&set, &about) : NULL;
  if (v) return view_free_set(&set), v;
  v = make(&set, fd);
  if (!v) *error = errno;
  return v;
}

int64_t view_bytes_of(int fd, const void* caller) {
  char path[4096], head[collio_head_bytes + 1];
  struct view_set set;
  if (view_read_head(fd, head) <= 0 || !view_serves(caller) || view_path_of(fd, path) != 0) return -1;
  const int64_t bytes = read_set(&set, path, head) == 0 ? set.bytes : -1;
  view_free_set(&set);
  return bytes;
}

/* --- their end ------------------------------------------------------------------------------------ */

/* Whether mappings count: some view has been mapped. */
static int begin_look(void) {
  int maps = 0;
  view_lock();
  for (struct view* v = views; v; v = v->next) {
    v->seen = v->users == 0 ? v->opens : v->opens - 1;
    maps |= v->live && __atomic_load_n(&v->mapped, __ATOMIC_RELAXED);
  }
  view_unlock();
  return maps;
}

/* Takes a view out that nobody has opened since begin_look(). */
static int take_out(struct view* v) {
  view_lock();
  const int ends = v->live && v->users == 0 && v->opens == v->seen;
  if (ends) {
    v->live = 0;
    v->users = 1;
    __atomic_store_n(&v->inode, 0, __ATOMIC_RELEASE);
  }
  view_unlock();
  return ends;
}

static void sweep(void) {
  static struct view_used used;
  if (!view_look(&used, begin_look(), own_memory)) return;
  for (struct view* v = __atomic_load_n(&views, __ATOMIC_ACQUIRE); v; v = v->next) {
    if (view_is_used(&used, inode_of(v)) || !take_out(v)) continue;
    __atomic_fetch_sub(&live_views, 1, __ATOMIC_ACQ_REL);
    empty(v);
  }
}

void view_sweep(void) {
  static int wanted;
  if (!view_any() || getpid() != process) return;
  const int before = errno;
  __atomic_store_n(&wanted, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&wanted, __ATOMIC_SEQ_CST) && pthread_mutex_trylock(&sweeping) == 0) {
    __atomic_store_n(&wanted, 0, __ATOMIC_SEQ_CST);
    sweep();
    pthread_mutex_unlock(&sweeping);
  }
  errno = before;
}
