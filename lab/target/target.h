/* A storage target of the lab: the state that all requests of one mount share.
 *
 * Every call of a program becomes a request (direct_io). Requests are served by many threads, one each:
 *   operations.c, folders.c  names, attributes, folders      data.c  open files, bytes
 *   admission.c   what a data request goes through before it is served: stuck, delay, failures, rate
 *   pace.c        the rate     faults.c  what goes wrong     space.c  the capacity     inodes.c  what the
 * kernel knows control.c     all of it as extended attributes of the mount's root */
#ifndef COLLIO_LAB_TARGET_H
#define COLLIO_LAB_TARGET_H

#include <fuse_lowlevel.h>

#include "faults.h"
#include "inodes.h"
#include "pace.h"
#include "space.h"

enum { LARGEST_REQUEST_BYTES = 1 << 20 }; /* of one read or write; the kernel cuts longer calls up */

/* What the target has done since it was mounted. */
struct counters {
  _Atomic int64_t reads, writes; /* requests, failed ones included */
  _Atomic int64_t bytes_read, bytes_written;
  _Atomic int64_t failures;  /* data requests that were answered with an error */
  _Atomic int64_t waited_ns; /* sum over requests: stuck, delay and rate */
  _Atomic int64_t waiting;   /* requests that wait now */
};

struct target;

/* What the files of a mount consist of: a file of the backing folder each (data.c), or objects on several
 * targets (lab/striped). */
struct content {
  /* A new length, of a file that may be open as `file`. Returns 0 or an errno. */
  int (*set_length)(fuse_req_t request, struct inode* inode, int64_t length,
                    const struct fuse_file_info* file);
  void (*settle)(struct target* target, struct inode* inode);   /* after a change of links */
  void (*limit)(struct target* target, struct statvfs* status); /* what the backing's statfs says, limited */
};

struct target {
  struct fuse_session* session;
  const struct content* content;
  struct inodes inodes;
  struct pace pace;
  struct faults faults;
  struct space space;
  struct counters counters;
};

/* The target that a request is for. */
static inline struct target* target_of(fuse_req_t request) { return fuse_req_userdata(request); }

/* The inode of the kernel's number. */
static inline struct inode* inode_at(fuse_req_t request, fuse_ino_t number) {
  return inode_of(&target_of(request)->inodes, number);
}

/* Fills the table of libfuse's callbacks. */
void operations_fill(struct fuse_lowlevel_ops* operations); /* operations.c */
void folders_fill(struct fuse_lowlevel_ops* operations);    /* folders.c */

#endif
