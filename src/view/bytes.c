/* Bytes of views: out of the subfiles, and into the files in memory. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "view/view.h"

enum { most_inherited = 4096 /* descriptors that are looked at before another program starts */ };

/* A descriptor of a subfile. `slot`: null, and to be closed, or the place that it stays in. */
struct taken {
  int fd;
  struct view_subfile* slot;
};

static void put(const struct taken* taken) {
  if (!taken->slot) {
    REAL(close)(taken->fd);
    return;
  }
  view_lock();
  --taken->slot->users;
  view_unlock();
}

/* One that is open already; 0: there is none. */
static int take_open(struct view_subfile* slot, int64_t subfile, struct taken* taken) {
  view_lock();
  const int is = slot->fd >= 0 && slot->number == subfile;
  const struct view_subfile found = *slot;
  slot->users += is;
  view_unlock();
  *taken = (struct taken){found.fd, slot};
  if (!is || view_is_file(found.fd, &found.inside)) return is;
  view_lock();
  if (--slot->users == 0 && slot->fd == found.fd) slot->fd = -1; /* the program's now */
  view_unlock();
  return 0;
}

/* Puts it into the slot, unless another thread uses that. */
static struct taken enter(struct view_subfile* slot, struct view_subfile fresh) {
  view_lock();
  const struct view_subfile before = *slot;
  if (before.users == 0) *slot = fresh;
  view_unlock();
  if (before.users > 0) return (struct taken){fresh.fd, NULL};
  if (view_is_file(before.fd, &before.inside)) REAL(close)(before.fd);
  return (struct taken){fresh.fd, slot};
}

/* errno or 0; the reason was said. */
static int take(struct view* v, int64_t subfile, struct taken* taken) {
  struct view_subfile* slot = &v->open[subfile % view_slots];
  if (take_open(slot, subfile, taken)) return 0;
  char* path = view_subfile_path(&v->set, subfile);
  struct view_subfile fresh = {.number = subfile, .users = 1};
  fresh.fd = path ? view_high(REAL(open)(path, O_RDONLY | O_CLOEXEC)) : -1;
  const int good = fresh.fd >= 0 && view_real_fstat(fresh.fd, &fresh.inside) == 0;
  if (!good) view_say("cannot open %s of %s: %s", path ? path : "a subfile", v->set.path, strerror(errno));
  if (!good && fresh.fd >= 0) REAL(close)(fresh.fd);
  free(path);
  if (good) *taken = enter(slot, fresh);
  return good ? 0 : EIO;
}

ssize_t view_read(struct view* v, void* to, size_t bytes, int64_t offset) {
  const struct view_set* set = &v->set;
  if (offset < 0) return errno = EINVAL, -1;
  if (offset >= set->bytes) return 0;
  if ((int64_t)bytes > set->bytes - offset || bytes > (size_t)1 << 30)
    bytes = (size_t)(set->bytes - offset > 1 << 30 ? 1 << 30 : set->bytes - offset);
  size_t done = 0;
  int error = 0;
  while (done < bytes && error == 0) {
    const struct collio_place place =
        collio_place_of(&set->manifest.layout, offset + (int64_t)done, (int64_t)(bytes - done));
    struct taken taken;
    if ((error = take(v, place.subfile, &taken)) != 0) break;
    error = view_read_place(set, &place, taken.fd, (char*)to + done);
    put(&taken);
    if (error == 0) done += (size_t)place.bytes;
  }
  if (error != 0 && done == 0) return errno = error, -1;
  return (ssize_t)done;
}

int view_fill(struct view* v, int fd, int64_t offset, int64_t bytes) {
  const int64_t last = bytes > v->set.bytes - offset ? v->set.bytes : offset + bytes;
  if (offset < 0 || offset >= last) return 0;
  char link[64], *part = malloc(view_part_bytes);
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const int to = REAL(open)(link, O_RDWR | O_CLOEXEC);
  int error = !part ? ENOMEM : to < 0 || REAL(ftruncate)(to, v->set.bytes) != 0 ? errno : 0;
  for (int64_t p = offset / view_part_bytes; p * view_part_bytes < last && error == 0; ++p) {
    const unsigned char bit = (unsigned char)(1 << p % 8);
    if (__atomic_load_n(&v->filled[p / 8], __ATOMIC_ACQUIRE) & bit) continue;
    const int64_t end = (p + 1) * view_part_bytes < v->set.bytes ? (p + 1) * view_part_bytes : v->set.bytes;
    for (int64_t at = p * view_part_bytes; at < end && error == 0;) {
      const ssize_t n = view_read(v, part, (size_t)(end - at), at);
      if (n <= 0 || REAL(pwrite)(to, part, (size_t)n, at) != n) error = n < 0 ? errno : EIO;
      at += n;
    }
    if (error == 0) __atomic_fetch_or(&v->filled[p / 8], bit, __ATOMIC_RELEASE);
  }
  if (to >= 0) REAL(close)(to);
  free(part);
  return error;
}

/* All of it, in a process that may be a child of vfork(2): it shares memory with its parent, and may have
   closed the descriptors that the view knows. So the view stays as it is. */
static int fill_apart(const struct view* v, int fd) {
  struct view own = *v;
  const size_t bytes = (size_t)(v->set.bytes / view_part_bytes / 8 + 1);
  own.filled = malloc(bytes);
  if (!own.filled) return ENOMEM;
  memcpy(own.filled, v->filled, bytes);
  for (int i = 0; i < view_slots; ++i) own.open[i] = (struct view_subfile){.fd = -1};
  const int error = view_fill(&own, fd, 0, own.set.bytes);
  for (int i = 0; i < view_slots; ++i)
    if (own.open[i].fd >= 0) REAL(close)(own.open[i].fd);
  free(own.filled);
  return error;
}

void view_fill_inherited(void) {
  for (int fd = 0; view_any() && fd < most_inherited; ++fd) {
    VIEW(v, view_of(fd));
    if (!v || (fcntl(fd, F_GETFD) & FD_CLOEXEC) || fill_apart(v, fd) == 0) continue;
    view_say("%s cannot be copied for another program, which gets it closed", v->set.path);
    REAL(close)(fd);
  }
}
