/* Names, attributes and folders, as they are; but folders of subfiles are hidden, and a placeholder has the
   size of its file. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "view/mount/identity.h"
#include "view/mount/mount.h"
#include "view/mount/path.h"

enum {
  most_placeholder_bytes = 4096 /* longer files are none, or are being joined and have the right size */
};

/* Whether an entry is a folder of subfiles: it has their manifest. */
static int is_hidden(int folder, const char* name) {
  char manifest[NAME_MAX + 16];
  if (!strstr(name, ".collio")) return 0;
  snprintf(manifest, sizeof manifest, "%s/manifest", name);
  return faccessat(folder, manifest, F_OK, 0) == 0;
}

/* Numbers of other file systems below the folder are mixed, so that two files differ in them. */
static void give_number(struct stat* about) {
  if (about->st_dev != shown.device)
    about->st_ino = (about->st_ino ^ about->st_dev << 32) * 0x9e3779b97f4a7c15u;
}

/* Attributes of the file that is open as `fd`, as programs see them. 0, or as of read_set(). */
static int file_attributes(int fd, struct stat* about, struct identity* identity) {
  struct view_set set;
  if (fstat(fd, about) != 0) return -errno;
  *identity = (struct identity){about->st_dev, about->st_ino, 0};
  const int kind = about->st_size > most_placeholder_bytes ? 0 : read_set(fd, &set);
  if (kind <= 0) return kind;
  identity->set = set.manifest.identity;
  about->st_size = set.bytes;
  about->st_blocks = (set.bytes + 511) / 512; /* fewer would pass for a file of holes */
  if (view_is_newer(set.modified, about->st_mtim)) about->st_mtim = set.modified;
  if (view_is_newer(set.modified, about->st_ctim)) about->st_ctim = set.modified;
  view_free_set(&set);
  return 0;
}

/* The same of a name, or of what has no bytes that tell anything. */
static int look(const char* path, struct stat* about, struct identity* identity) {
  int fd = shown_open(path, O_PATH);
  if (fd < 0) return fd;
  int error = fstat(fd, about) == 0 ? 0 : -errno;
  if (error == 0 && S_ISDIR(about->st_mode) && strstr(strrchr(path, '/'), ".collio") &&
      faccessat(fd, "manifest", F_OK, 0) == 0)
    error = -ENOENT;
  close(fd);
  if (error != 0) return error;
  *identity = (struct identity){about->st_dev, about->st_ino, 0};
  if (!S_ISREG(about->st_mode) || about->st_size > most_placeholder_bytes || about->st_size == 0) return 0;
  fd = shown_open(path, O_RDONLY | O_NONBLOCK);
  if (fd == -EACCES) return 0; /* nobody can open it here */
  if (fd < 0) return fd;
  error = file_attributes(fd, about, identity);
  close(fd);
  return error;
}

static int on_getattr(const char* path, struct stat* about, struct fuse_file_info* file) {
  struct identity identity;
  int error = -ESTALE;
  if (file) {
    const struct handle* h = (struct handle*)(uintptr_t)file->fh;
    if (!__atomic_load_n(&h->replaced, __ATOMIC_SEQ_CST)) error = file_attributes(h->fd, about, &identity);
    if (error == 0 && identity.set != h->identity.set) error = -ESTALE;
  } else {
    for (int tries = 0; tries < most_tries && error == -ESTALE; ++tries) error = look(path, about, &identity);
    if (error == 0) note_identity(path, &identity);
  }
  if (error == 0) give_number(about);
  return error;
}

static int on_readlink(const char* path, char* to, size_t room) {
  const int fd = shown_open(path, O_PATH);
  if (fd < 0) return fd;
  const ssize_t length = readlinkat(fd, "", to, room - 1);
  const int error = length < 0 ? -errno : 0;
  if (length >= 0) to[length] = '\0';
  close(fd);
  return error;
}

static int on_opendir(const char* path, struct fuse_file_info* file) {
  const int fd = shown_open(path, O_RDONLY | O_DIRECTORY);
  if (fd < 0) return fd;
  DIR* names = fdopendir(fd);
  const int error = names ? 0 : -errno;
  if (!names) close(fd);
  file->fh = (uintptr_t)names;
  return error;
}

static int on_readdir(const char* path, void* to, fuse_fill_dir_t add, off_t offset,
                      struct fuse_file_info* file, enum fuse_readdir_flags flags) {
  (void)path, (void)offset, (void)flags;
  DIR* names = (DIR*)(uintptr_t)file->fh;
  struct stat about = {.st_dev = shown.device};
  rewinddir(names);
  for (errno = 0;; errno = 0) {
    const struct dirent* one = readdir(names);
    if (!one) return -errno;
    if (is_hidden(dirfd(names), one->d_name)) continue;
    about.st_ino = one->d_ino;
    about.st_mode = DTTOIF(one->d_type);
    if (add(to, one->d_name, &about, 0, 0) != 0) return -ENOMEM;
  }
}

static int on_releasedir(const char* path, struct fuse_file_info* file) {
  (void)path;
  closedir((DIR*)(uintptr_t)file->fh);
  return 0;
}

static int on_statfs(const char* path, struct statvfs* about) {
  (void)path;
  return fstatvfs(shown.root, about) == 0 ? 0 : -errno;
}

/* A path for calls that take no descriptor of this kind. Negative: -errno. */
static int open_link(const char* path, char link[64]) {
  const int fd = shown_open(path, O_PATH);
  if (fd >= 0) snprintf(link, 64, "/proc/self/fd/%d", fd);
  return fd;
}

static int on_getxattr(const char* path, const char* name, char* to, size_t room) {
  char link[64];
  const int fd = open_link(path, link);
  if (fd < 0) return fd;
  const ssize_t bytes = getxattr(link, name, to, room);
  const int error = bytes < 0 ? -errno : (int)bytes;
  close(fd);
  return error;
}

static int on_listxattr(const char* path, char* to, size_t room) {
  char link[64];
  const int fd = open_link(path, link);
  if (fd < 0) return fd;
  const ssize_t bytes = listxattr(link, to, room);
  const int error = bytes < 0 ? -errno : (int)bytes;
  close(fd);
  return error;
}

void tree_fill(struct fuse_operations* operations) {
  operations->getattr = on_getattr;
  operations->readlink = on_readlink;
  operations->opendir = on_opendir;
  operations->readdir = on_readdir;
  operations->releasedir = on_releasedir;
  operations->statfs = on_statfs;
  operations->getxattr = on_getxattr;
  operations->listxattr = on_listxattr;
}
