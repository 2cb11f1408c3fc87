#include "reply.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <unistd.h>

/* Linux 6.2: without it the kernel lets in one write to a file at a time. libfuse passes it on from
 * release 3.15; the answers to open and create are written here, so that it is there with any release. Older
 * kernels ignore it. */
#ifndef FOPEN_PARALLEL_DIRECT_WRITES
#define FOPEN_PARALLEL_DIRECT_WRITES (1 << 6)
#endif

const double ATTRIBUTES_HOLD_S = 1.0;

int enter_name(struct target* target, int folder, const char* name, struct entry* entry) {
  const int fd = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return errno;
  if (fstat(fd, &entry->attributes) != 0) {
    const int error = errno;
    close(fd);
    return error;
  }
  entry->inode = inodes_enter(&target->inodes, fd, &entry->attributes);
  return entry->inode == NULL ? ENOMEM : 0;
}

int give_to_caller(fuse_req_t request, int folder, const char* name) {
  const struct fuse_ctx* caller = fuse_req_ctx(request);
  if (geteuid() != 0 || (caller->uid == 0 && caller->gid == 0)) return 0;
  struct stat parent;
  if (fstat(folder, &parent) != 0) return errno;
  const gid_t group = (parent.st_mode & S_ISGID) != 0 ? parent.st_gid : caller->gid;
  return fchownat(folder, name, caller->uid, group, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
}

void reply_name(fuse_req_t request, int folder, const char* name) {
  struct target* target = target_of(request);
  struct entry entry;
  const int error = enter_name(target, folder, name, &entry);
  if (error != 0) {
    fuse_reply_err(request, error);
    return;
  }
  const struct fuse_entry_param answer = {.ino = inode_number(&target->inodes, entry.inode),
                                          .attr = entry.attributes,
                                          .attr_timeout = ATTRIBUTES_HOLD_S,
                                          .entry_timeout = ATTRIBUTES_HOLD_S};
  if (fuse_reply_entry(request, &answer) != 0) inodes_forget(&target->inodes, entry.inode, 1);
}

static struct fuse_open_out open_answer(int fd) {
  return (struct fuse_open_out){.fh = (uint64_t)fd,
                                .open_flags = FOPEN_DIRECT_IO | FOPEN_PARALLEL_DIRECT_WRITES};
}

int reply_open(fuse_req_t request, int fd) {
  const struct fuse_open_out answer = open_answer(fd);
  return fuse_reply_buf(request, (const char*)&answer, sizeof answer);
}

static struct fuse_attr kernel_attributes(const struct stat* from) {
  return (struct fuse_attr){.ino = from->st_ino,
                            .size = (uint64_t)from->st_size,
                            .blocks = (uint64_t)from->st_blocks,
                            .atime = (uint64_t)from->st_atim.tv_sec,
                            .mtime = (uint64_t)from->st_mtim.tv_sec,
                            .ctime = (uint64_t)from->st_ctim.tv_sec,
                            .atimensec = (uint32_t)from->st_atim.tv_nsec,
                            .mtimensec = (uint32_t)from->st_mtim.tv_nsec,
                            .ctimensec = (uint32_t)from->st_ctim.tv_nsec,
                            .mode = from->st_mode,
                            .nlink = (uint32_t)from->st_nlink,
                            .uid = from->st_uid,
                            .gid = from->st_gid,
                            .rdev = (uint32_t)from->st_rdev,
                            .blksize = (uint32_t)from->st_blksize};
}

int reply_create(fuse_req_t request, const struct entry* entry, int fd) {
  const struct {
    struct fuse_entry_out entry;
    struct fuse_open_out open;
  } answer = {.entry = {.nodeid = inode_number(&target_of(request)->inodes, entry->inode),
                        .entry_valid = (uint64_t)ATTRIBUTES_HOLD_S,
                        .attr_valid = (uint64_t)ATTRIBUTES_HOLD_S,
                        .attr = kernel_attributes(&entry->attributes)},
              .open = open_answer(fd)};
  return fuse_reply_buf(request, (const char*)&answer, sizeof answer);
}
