/* Descriptors of subfiles. All open files share a fixed number of slots; the one unused for longest is closed
   for the next. No lock is held while a file is opened, read or closed: its target may be slow. */
#include "view/mount/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "view/mount/path.h"
#include "view/mount/say.h"

enum { slot_count = 256 };

static struct slot {
  uint64_t handle; /* 0: free */
  int64_t subfile;
  int fd, users;
  uint64_t last_use;
} slots[slot_count];
static uint64_t uses;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Who lets others in may read files that these may not, and a name may lead to any: see view_is_part(). */
static int check(const struct handle* h, int fd) {
  struct stat about;
  if (fstat(fd, &about) != 0) return errno;
  if (!S_ISREG(about.st_mode)) return EINVAL;
  return shown.others && !view_is_part(&about, &h->about) ? EPERM : 0;
}

/* Negative: -errno, and the reason was said. */
static int open_subfile(const struct handle* h, int64_t subfile) {
  char* path = view_subfile_path(&h->set, subfile);
  const int flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | (shown.others ? O_NOFOLLOW : 0);
  const int fd = path ? open(path, flags) : -1;
  const int error = !path ? ENOMEM : fd < 0 ? errno : check(h, fd);
  if (error != 0)
    mount_say("cannot open %s of %s: %s", path ? path : "a subfile", h->set.path,
              error == EPERM && fd >= 0 ? "it " VIEW_NO_PART : strerror(error));
  free(path);
  if (error == 0) return fd;
  if (fd >= 0) close(fd);
  return -EIO;
}

/* The slot of a subfile, used once more; null: it has none. Locked. */
static struct slot* find(uint64_t handle, int64_t subfile) {
  for (struct slot* s = slots; s < slots + slot_count; ++s)
    if (s->handle == handle && s->subfile == subfile) {
      ++s->users;
      s->last_use = ++uses;
      return s;
    }
  return NULL;
}

/* The slot to use next, free or not; null: all are in use. Locked. */
static struct slot* find_idle(void) {
  struct slot* best = NULL;
  for (struct slot* s = slots; s < slots + slot_count; ++s)
    if (s->users == 0 && (!best || s->last_use < best->last_use)) best = s;
  return best;
}

int descriptor_take(const struct handle* h, int64_t subfile, struct taken* taken) {
  pthread_mutex_lock(&lock);
  struct slot* s = find(h->number, subfile);
  if (s) *taken = (struct taken){s->fd, (int)(s - slots)};
  pthread_mutex_unlock(&lock);
  if (s) return 0;
  const int fd = open_subfile(h, subfile);
  if (fd < 0) return -fd;
  int unused = -1;
  pthread_mutex_lock(&lock);
  if ((s = find(h->number, subfile)) != NULL) { /* another thread was faster */
    unused = fd;
  } else if ((s = find_idle()) != NULL) {
    if (s->handle != 0) unused = s->fd;
    *s = (struct slot){h->number, subfile, fd, 1, ++uses};
  }
  *taken = s ? (struct taken){s->fd, (int)(s - slots)} : (struct taken){fd, -1};
  pthread_mutex_unlock(&lock);
  if (unused >= 0) close(unused);
  return 0;
}

void descriptor_put(const struct taken* taken) {
  if (taken->slot < 0) {
    close(taken->fd);
    return;
  }
  pthread_mutex_lock(&lock);
  --slots[taken->slot].users;
  pthread_mutex_unlock(&lock);
}

void descriptors_drop(const struct handle* h) {
  int unused[slot_count], count = 0;
  pthread_mutex_lock(&lock);
  for (struct slot* s = slots; s < slots + slot_count; ++s)
    if (s->handle == h->number) {
      unused[count++] = s->fd;
      *s = (struct slot){0};
    }
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < count; ++i) close(unused[i]);
}
