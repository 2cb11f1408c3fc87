/* Reading folders. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target.h"

struct folder {
  DIR* stream;
  struct dirent* ahead; /* read, but there was no room for it */
  off_t place;          /* of `ahead`, or of the next one */
  pthread_mutex_t lock;
};

static struct folder* folder_of(const struct fuse_file_info* file) {
  return (struct folder*)(uintptr_t)file->fh;
}

static void close_folder(struct folder* folder) {
  closedir(folder->stream);
  pthread_mutex_destroy(&folder->lock);
  free(folder);
}

static void on_opendir(fuse_req_t request, fuse_ino_t number, struct fuse_file_info* file) {
  const int fd =
      openat(inode_of(&target_of(request)->inodes, number)->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) {
    fuse_reply_err(request, errno);
    return;
  }
  struct folder* folder = calloc(1, sizeof *folder);
  DIR* stream = folder != NULL ? fdopendir(fd) : NULL;
  if (stream == NULL) {
    free(folder);
    close(fd);
    fuse_reply_err(request, ENOMEM);
    return;
  }
  folder->stream = stream;
  pthread_mutex_init(&folder->lock, NULL);
  file->fh = (uintptr_t)folder;
  if (fuse_reply_open(request, file) != 0) close_folder(folder);
}

/* Fills `buffer` with entries from `offset` on. Returns the bytes filled in, or -errno. */
static ssize_t fill(fuse_req_t request, struct folder* folder, char* buffer, size_t size, off_t offset) {
  if (offset != folder->place) {
    seekdir(folder->stream, offset);
    folder->ahead = NULL;
    folder->place = offset;
  }
  size_t filled = 0;
  for (;;) {
    errno = 0;
    if (folder->ahead == NULL) folder->ahead = readdir(folder->stream);
    if (folder->ahead == NULL) return errno != 0 && filled == 0 ? -errno : (ssize_t)filled;
    const struct stat attributes = {.st_ino = folder->ahead->d_ino,
                                    .st_mode = (mode_t)folder->ahead->d_type << 12};
    const off_t next = folder->ahead->d_off;
    const size_t entry =
        fuse_add_direntry(request, buffer + filled, size - filled, folder->ahead->d_name, &attributes, next);
    if (entry > size - filled) return (ssize_t)filled;
    filled += entry;
    folder->ahead = NULL;
    folder->place = next;
  }
}

static void on_readdir(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset,
                       struct fuse_file_info* file) {
  (void)number;
  struct folder* folder = folder_of(file);
  char* buffer = malloc(size);
  if (buffer == NULL) {
    fuse_reply_err(request, ENOMEM);
    return;
  }
  pthread_mutex_lock(&folder->lock);
  const ssize_t filled = fill(request, folder, buffer, size, offset);
  pthread_mutex_unlock(&folder->lock);
  if (filled < 0) {
    fuse_reply_err(request, (int)-filled);
  } else {
    fuse_reply_buf(request, buffer, (size_t)filled);
  }
  free(buffer);
}

static void on_releasedir(fuse_req_t request, fuse_ino_t number, struct fuse_file_info* file) {
  (void)number;
  close_folder(folder_of(file));
  fuse_reply_err(request, 0);
}

void folders_fill(struct fuse_lowlevel_ops* operations) {
  operations->opendir = on_opendir;
  operations->readdir = on_readdir;
  operations->releasedir = on_releasedir;
}
