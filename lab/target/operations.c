/* Names and attributes: passed through to the backing folder. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reply.h"

static void reply_errno_unless(fuse_req_t request, int succeeded) {
  fuse_reply_err(request, succeeded ? 0 : errno);
}

static void on_lookup(fuse_req_t request, fuse_ino_t parent, const char* name) {
  reply_name(request, inode_at(request, parent)->fd, name);
}

static void on_forget(fuse_req_t request, fuse_ino_t number, uint64_t lookups) {
  inodes_forget(&target_of(request)->inodes, inode_at(request, number), lookups);
  fuse_reply_none(request);
}

static void on_forget_multi(fuse_req_t request, size_t count, struct fuse_forget_data* forgets) {
  for (size_t i = 0; i < count; ++i) {
    inodes_forget(&target_of(request)->inodes, inode_at(request, forgets[i].ino), forgets[i].nlookup);
  }
  fuse_reply_none(request);
}

static void reply_attributes(fuse_req_t request, int fd) {
  struct stat attributes;
  if (fstatat(fd, "", &attributes, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) != 0) {
    fuse_reply_err(request, errno);
  } else {
    fuse_reply_attr(request, &attributes, ATTRIBUTES_HOLD_S);
  }
}

static void on_getattr(fuse_req_t request, fuse_ino_t number, struct fuse_file_info* file) {
  (void)file;
  reply_attributes(request, inode_at(request, number)->fd);
}

static int set_owner(int fd, const struct stat* wanted, int which) {
  const uid_t user = (which & FUSE_SET_ATTR_UID) != 0 ? wanted->st_uid : (uid_t)-1;
  const gid_t group = (which & FUSE_SET_ATTR_GID) != 0 ? wanted->st_gid : (gid_t)-1;
  return fchownat(fd, "", user, group, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
}

static int set_times(const char* path, const struct stat* wanted, int which) {
  struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_OMIT}};
  if ((which & FUSE_SET_ATTR_ATIME) != 0) times[0] = wanted->st_atim;
  if ((which & FUSE_SET_ATTR_MTIME) != 0) times[1] = wanted->st_mtim;
  if ((which & FUSE_SET_ATTR_ATIME_NOW) != 0) times[0].tv_nsec = UTIME_NOW;
  if ((which & FUSE_SET_ATTR_MTIME_NOW) != 0) times[1].tv_nsec = UTIME_NOW;
  return utimensat(AT_FDCWD, path, times, 0) == 0 ? 0 : errno;
}

static void on_setattr(fuse_req_t request, fuse_ino_t number, struct stat* wanted, int which,
                       struct fuse_file_info* file) {
  const int owner = FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID;
  const int times =
      FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_ATIME_NOW | FUSE_SET_ATTR_MTIME_NOW;
  struct inode* inode = inode_at(request, number);
  char path[PROC_PATH_BYTES];
  proc_path(path, inode->fd);
  int error = 0;
  if ((which & FUSE_SET_ATTR_MODE) != 0 && chmod(path, wanted->st_mode) != 0) error = errno;
  if (error == 0 && (which & owner) != 0) error = set_owner(inode->fd, wanted, which);
  if (error == 0 && (which & FUSE_SET_ATTR_SIZE) != 0)
    error = target_of(request)->content->set_length(request, inode, wanted->st_size, file);
  if (error == 0 && (which & times) != 0) error = set_times(path, wanted, which);
  if (error != 0) {
    fuse_reply_err(request, error);
  } else {
    reply_attributes(request, inode->fd);
  }
}

static void on_readlink(fuse_req_t request, fuse_ino_t number) {
  char path[PATH_MAX + 1];
  const ssize_t length = readlinkat(inode_at(request, number)->fd, "", path, PATH_MAX);
  if (length < 0) {
    fuse_reply_err(request, errno);
    return;
  }
  path[length] = '\0';
  fuse_reply_readlink(request, path);
}

/* Answers a request that has made `name`: it becomes the caller's. */
static void reply_made(fuse_req_t request, int folder, const char* name, int made) {
  const int error = made == 0 ? give_to_caller(request, folder, name) : errno;
  if (error != 0) {
    fuse_reply_err(request, error);
  } else {
    reply_name(request, folder, name);
  }
}

static void on_mkdir(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode) {
  const int folder = inode_at(request, parent)->fd;
  reply_made(request, folder, name, mkdirat(folder, name, mode));
}

static void on_mknod(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode, dev_t device) {
  const int folder = inode_at(request, parent)->fd;
  reply_made(request, folder, name, mknodat(folder, name, mode, device));
}

static void on_symlink(fuse_req_t request, const char* to, fuse_ino_t parent, const char* name) {
  const int folder = inode_at(request, parent)->fd;
  reply_made(request, folder, name, symlinkat(to, folder, name));
}

static void on_link(fuse_req_t request, fuse_ino_t number, fuse_ino_t parent, const char* name) {
  const int folder = inode_at(request, parent)->fd;
  char path[PROC_PATH_BYTES];
  proc_path(path, inode_at(request, number)->fd);
  if (linkat(AT_FDCWD, path, folder, name, AT_SYMLINK_FOLLOW) != 0) {
    fuse_reply_err(request, errno);
  } else {
    reply_name(request, folder, name);
  }
}

/* The inode of a name that is about to lose its file, with a lookup of our own; NULL if the kernel does not
 * know it. */
static struct inode* about_to_go(struct target* target, int folder, const char* name) {
  struct stat attributes;
  if (fstatat(folder, name, &attributes, AT_SYMLINK_NOFOLLOW) != 0) return NULL;
  return inodes_find(&target->inodes, &attributes);
}

static void count_gone(struct target* target, struct inode* inode) {
  if (inode == NULL) return;
  target->content->settle(target, inode);
  inodes_forget(&target->inodes, inode, 1);
}

static void on_unlink(fuse_req_t request, fuse_ino_t parent, const char* name) {
  struct target* target = target_of(request);
  const int folder = inode_at(request, parent)->fd;
  struct inode* inode = about_to_go(target, folder, name);
  const int error = unlinkat(folder, name, 0) == 0 ? 0 : errno;
  count_gone(target, inode);
  fuse_reply_err(request, error);
}

static void on_rmdir(fuse_req_t request, fuse_ino_t parent, const char* name) {
  reply_errno_unless(request, unlinkat(inode_at(request, parent)->fd, name, AT_REMOVEDIR) == 0);
}

static void on_rename(fuse_req_t request, fuse_ino_t parent, const char* name, fuse_ino_t new_parent,
                      const char* new_name, unsigned flags) {
  struct target* target = target_of(request);
  const int folder = inode_at(request, parent)->fd, new_folder = inode_at(request, new_parent)->fd;
  struct inode* replaced = about_to_go(target, new_folder, new_name);
  const int error = renameat2(folder, name, new_folder, new_name, flags) == 0 ? 0 : errno;
  count_gone(target, replaced);
  fuse_reply_err(request, error);
}

static void on_statfs(fuse_req_t request, fuse_ino_t number) {
  (void)number;
  struct target* target = target_of(request);
  struct statvfs status;
  if (fstatvfs(target->inodes.root.fd, &status) != 0) {
    fuse_reply_err(request, errno);
    return;
  }
  target->content->limit(target, &status);
  fuse_reply_statfs(request, &status);
}

void operations_fill(struct fuse_lowlevel_ops* operations) {
  operations->lookup = on_lookup;
  operations->forget = on_forget;
  operations->forget_multi = on_forget_multi;
  operations->getattr = on_getattr;
  operations->setattr = on_setattr;
  operations->readlink = on_readlink;
  operations->mkdir = on_mkdir;
  operations->mknod = on_mknod;
  operations->symlink = on_symlink;
  operations->link = on_link;
  operations->unlink = on_unlink;
  operations->rmdir = on_rmdir;
  operations->rename = on_rename;
  operations->statfs = on_statfs;
}
