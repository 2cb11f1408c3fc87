/* Which file a name is of, and open files whose name is of another by now. */
#include "view/mount/identity.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "view/mount/path.h"
#include "view/mount/say.h"

int read_set(int fd, struct view_set* set) {
  char head[collio_head_bytes + 1], again[collio_head_bytes + 1], path[4096];
  struct stat about;
  const int kind = view_read_head(fd, head);
  if (kind <= 0) return kind;
  if (fstat(fd, &about) != 0) return -errno;
  int error = view_path_of(fd, path);
  if (error != 0) return -error;
  error = view_read_set(set, path, head, shown.others ? &about : NULL);
  if (error == 0) return 1;
  /* It may have been joined, removed or made anew meanwhile: that is no damage. */
  const int same = view_read_head(fd, again) == 1 && strcmp(again, head) == 0;
  if (same && !view_is_elsewhere(fd, path)) {
    mount_say("%s", set->why ? set->why : strerror(ENOMEM));
    error = EIO;
  } else {
    error = ESTALE;
  }
  view_free_set(set);
  return -error;
}

static struct handle* handles;
static pthread_mutex_t handles_lock = PTHREAD_MUTEX_INITIALIZER;

static void mark_replaced(const char* path, const struct identity* now) {
  for (struct handle* h = handles; h; h = h->next)
    if ((h->identity.device != now->device || h->identity.inode != now->inode ||
         h->identity.set != now->set) &&
        strcmp(h->path, path) == 0)
      __atomic_store_n(&h->replaced, 1, __ATOMIC_SEQ_CST);
}

void note_identity(const char* path, const struct identity* now) {
  pthread_mutex_lock(&handles_lock);
  mark_replaced(path, now);
  pthread_mutex_unlock(&handles_lock);
}

void enter_handle(struct handle* h) {
  static uint64_t last_number;
  pthread_mutex_lock(&handles_lock);
  mark_replaced(h->path, &h->identity);
  h->number = ++last_number;
  h->next = handles;
  if (handles) handles->previous = h;
  handles = h;
  pthread_mutex_unlock(&handles_lock);
}

void leave_handle(struct handle* h) {
  pthread_mutex_lock(&handles_lock);
  if (h->next) h->next->previous = h->previous;
  *(h->previous ? &h->previous->next : &handles) = h->next;
  pthread_mutex_unlock(&handles_lock);
}
