/* The capacity of a target: how many bytes its files hold on the backing file system (blocks, not lengths:
 * holes are free), and what a write beyond it gets: ENOSPC, or as much as fits.
 *
 * Where there is room enough for the whole request it is written at once; its bytes are reserved meanwhile.
 * Near the limit writes go one after the other and block by block, and a block that turns out to exceed the
 * limit is given back. So overwriting what is there works on a full target, as on a disk. */
#ifndef COLLIO_LAB_SPACE_H
#define COLLIO_LAB_SPACE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/statvfs.h>

#include "inodes.h"

struct space {
  _Atomic int64_t capacity_bytes; /* NO_CAPACITY: the backing file system's */
  atomic_bool full;               /* nothing more fits, whatever the capacity */
  _Atomic int64_t stored_bytes;   /* of all files */
  _Atomic int64_t reserved_bytes; /* of writes under way */
  pthread_rwlock_t near_limit;    /* shared: writes that fit; exclusive: those that may not */
};

enum { NO_CAPACITY = -1 };

/* Counts what the folder `backing` holds already. Returns 0 or an errno. */
int space_init(struct space* space, const char* backing, int64_t capacity_bytes);

struct range { /* bytes of a file */
  int64_t offset;
  int64_t count;
};

struct piece { /* what is written there */
  const char* bytes;
  struct range range;
};

/* Writes to `fd`, a file of this inode. Returns the bytes written, or -errno. */
int64_t space_write(struct space* space, struct inode* inode, int fd, struct piece piece);

/* fallocate(2) within the capacity. Returns 0 or an errno. */
int space_allocate(struct space* space, struct inode* inode, int fd, int mode, struct range range);

/* Counts an inode anew after its blocks, its links or its opens have changed. An unlinked file that nobody
 * has open counts nothing. */
void space_settle(struct space* space, struct inode* inode);

/* What statfs says, with the capacity. */
void space_limit(struct space* space, struct statvfs* status);

#endif
