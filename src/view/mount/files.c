/* Open files and their bytes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "view/mount/descriptors.h"
#include "view/mount/identity.h"
#include "view/mount/mount.h"
#include "view/mount/path.h"
#include "view/mount/say.h"

static struct handle* handle_of(const struct fuse_file_info* file) {
  return (struct handle*)(uintptr_t)file->fh;
}

/* Waits while somebody joins the file, unless the program that opens it is killed. */
static int lock_in_use(int fd) {
  int error;
  while ((error = view_lock_in_use(fd)) == EINTR && !fuse_interrupted()) {}
  return error == EINTR ? EINTR : 0; /* a file system may have no locks */
}

static int64_t bytes_of(const struct handle* h) { return __atomic_load_n(&h->bytes, __ATOMIC_SEQ_CST); }

static const struct collio_subfile_layout* layout_of(const struct handle* h) {
  const struct redealt* newest = __atomic_load_n(&h->redealt, __ATOMIC_SEQ_CST);
  return newest ? &newest->manifest.layout : &h->set.manifest.layout;
}

static pthread_mutex_t redealt_lock = PTHREAD_MUTEX_INITIALIZER; /* two threads may measure one file */

/* Takes over the manifest of a file that a program re-deals while it is open. 0, or -errno. */
static int note_layout(struct handle* h, struct collio_manifest* now) {
  struct redealt* newest = malloc(sizeof *newest);
  if (!newest) return -ENOMEM;
  pthread_mutex_lock(&redealt_lock);
  const int64_t more = now->layout.deal_count - layout_of(h)->deal_count;
  if (more > 0) {
    *newest = (struct redealt){*now, h->redealt};
    now->memory = NULL;
    __atomic_store_n(&h->redealt, newest, __ATOMIC_SEQ_CST);
  }
  pthread_mutex_unlock(&redealt_lock);
  if (more <= 0) free(newest);
  return more < 0 ? -ESTALE : 0; /* fewer: a file made anew */
}

static void free_handle(struct handle* h) {
  for (struct redealt *r = h->redealt, *older; r; r = older) {
    older = r->older;
    free(r->manifest.memory);
    free(r);
  }
  view_free_set(&h->set);
  free(h->path);
  close(h->fd);
  free(h);
}

/* Takes what it needs to know of the file that `h` has open. 0, or -errno. */
static int fill(struct handle* h) {
  char head[collio_head_bytes + 1];
  int kind = view_read_head(h->fd, head);
  if (kind == 1) {
    const int error = lock_in_use(h->fd);
    kind = error != 0 ? -error : read_set(h->fd, &h->set);
    if (kind < 0) memset(&h->set, 0, sizeof h->set);
  }
  if (kind < 0) return kind;
  if (fstat(h->fd, &h->about) != 0) return -errno;
  h->identity = (struct identity){h->about.st_dev, h->about.st_ino, h->set.manifest.identity};
  h->bytes = h->set.bytes;
  if (kind == 1 && !h->set.manifest.complete)
    mount_say("%s: a program is writing this file, or ended before it closed it", h->set.path);
  return 0;
}

static int open_once(const char* path, struct fuse_file_info* file) {
  const int fd = shown_open(path, O_RDONLY | O_NONBLOCK);
  if (fd < 0) return fd;
  struct handle* h = calloc(1, sizeof *h);
  if (!h) return close(fd), -ENOMEM;
  h->fd = fd;
  h->path = strdup(path);
  const int error = h->path ? fill(h) : -ENOMEM;
  if (error != 0) return free_handle(h), error;
  enter_handle(h);
  file->fh = (uintptr_t)h;
  return 0;
}

static int on_open(const char* path, struct fuse_file_info* file) {
  int error = -ESTALE;
  for (int tries = 0; tries < most_tries && error == -ESTALE; ++tries) error = open_once(path, file);
  return error;
}

static int on_release(const char* path, struct fuse_file_info* file) {
  (void)path;
  struct handle* h = handle_of(file);
  leave_handle(h);
  descriptors_drop(h);
  free_handle(h);
  return 0;
}

/* As many as there are: fewer tell the kernel that the file ends. Bytes, or -errno. */
static int read_ordinary(int fd, char* to, size_t bytes, off_t offset) {
  size_t done = 0;
  while (done < bytes) {
    const ssize_t n = pread(fd, to + done, bytes - done, offset + (off_t)done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -errno;
    if (n == 0) break;
    done += (size_t)n;
  }
  return (int)done;
}

/* Looks anew how long the file is, as a program may write to it. 0, or -errno. */
static int measure(struct handle* h) {
  struct view_set now;
  const int kind = read_set(h->fd, &now);
  if (kind <= 0) return kind == 0 ? -ESTALE : kind;
  const int error =
      now.manifest.identity == h->set.manifest.identity ? note_layout(h, &now.manifest) : -ESTALE;
  if (error == 0) __atomic_store_n(&h->bytes, now.bytes, __ATOMIC_SEQ_CST);
  view_free_set(&now);
  return error;
}

static int read_subfiles(struct handle* h, char* to, size_t bytes, off_t offset) {
  if (offset + (off_t)bytes > bytes_of(h)) {
    const int error = measure(h);
    if (error != 0) return error;
  }
  const int64_t left = bytes_of(h) - offset;
  if (left <= 0) return 0;
  if ((int64_t)bytes > left) bytes = (size_t)left;
  const struct collio_subfile_layout* layout = layout_of(h); /* after the length: no older than that */
  for (size_t done = 0; done < bytes;) {
    const struct collio_place place =
        collio_place_of(layout, offset + (int64_t)done, (int64_t)(bytes - done));
    struct taken taken;
    int error = descriptor_take(h, place.subfile, &taken);
    if (error != 0) return -error;
    error = view_read_place(&h->set, &place, taken.fd, to + done);
    descriptor_put(&taken);
    if (error != 0) {
      mount_say("cannot read %lld bytes at %lld of subfile %lld of %s: %s", (long long)place.bytes,
                (long long)place.offset, (long long)place.subfile, h->set.path, strerror(error));
      return -EIO;
    }
    done += (size_t)place.bytes;
  }
  return (int)bytes;
}

static int on_read(const char* path, char* to, size_t bytes, off_t offset, struct fuse_file_info* file) {
  (void)path;
  struct handle* h = handle_of(file);
  if (__atomic_load_n(&h->replaced, __ATOMIC_SEQ_CST)) return -ESTALE;
  return h->identity.set != 0 ? read_subfiles(h, to, bytes, offset) : read_ordinary(h->fd, to, bytes, offset);
}

/* Only to data and holes; a file in subfiles passes for one without holes. */
static off_t on_lseek(const char* path, off_t offset, int whence, struct fuse_file_info* file) {
  (void)path;
  const struct handle* h = handle_of(file);
  if (h->identity.set == 0) {
    const off_t at = lseek(h->fd, offset, whence);
    return at < 0 ? -errno : at;
  }
  const int64_t bytes = bytes_of(h);
  if (offset < 0 || offset >= bytes) return -ENXIO;
  return whence == SEEK_DATA ? offset : bytes;
}

void files_fill(struct fuse_operations* operations) {
  operations->open = on_open;
  operations->release = on_release;
  operations->read = on_read;
  operations->lseek = on_lseek;
}
