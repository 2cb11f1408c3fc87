#include "space.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/falloc.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK_BYTES = 4096, WALK_DESCRIPTORS = 32, STAT_BLOCK_BYTES = 512 };

static int64_t found_bytes; /* the sum of the walk at the start; nftw passes nothing through */

static int add_file(const char* path, const struct stat* attributes, int kind, struct FTW* place) {
  (void)path;
  (void)place;
  /* A file with several names is met as often. */
  if (kind == FTW_F && S_ISREG(attributes->st_mode) && attributes->st_nlink > 0) {
    found_bytes += (int64_t)attributes->st_blocks * STAT_BLOCK_BYTES / (int64_t)attributes->st_nlink;
  }
  return 0;
}

int space_init(struct space* space, const char* backing, int64_t capacity_bytes) {
  *space = (struct space){.capacity_bytes = capacity_bytes};
  pthread_rwlock_init(&space->near_limit, NULL);
  found_bytes = 0;
  if (nftw(backing, add_file, WALK_DESCRIPTORS, FTW_PHYS | FTW_MOUNT) != 0) return errno;
  space->stored_bytes = found_bytes;
  return 0;
}

void space_settle(struct space* space, struct inode* inode) {
  struct stat now;
  pthread_mutex_lock(&inode->lock);
  if (fstat(inode->fd, &now) == 0 && S_ISREG(now.st_mode)) {
    const bool gone = now.st_nlink == 0 && inode->opens == 0;
    const int64_t bytes = gone ? 0 : (int64_t)now.st_blocks * STAT_BLOCK_BYTES;
    space->stored_bytes += bytes - inode->stored_bytes;
    inode->stored_bytes = bytes;
  }
  pthread_mutex_unlock(&inode->lock);
}

/* What may be stored; INT64_MAX without a limit. */
static int64_t limit_bytes(struct space* space) {
  const int64_t capacity_bytes = space->capacity_bytes;
  if (space->full) return 0;
  return capacity_bytes == NO_CAPACITY ? INT64_MAX : capacity_bytes;
}

/* Whether `bytes` more bytes fit. If so, they are reserved. */
static bool reserve(struct space* space, int64_t bytes) {
  const int64_t limit = limit_bytes(space);
  if (limit == INT64_MAX) {
    space->reserved_bytes += bytes;
    return true;
  }
  const int64_t wanted = (space->reserved_bytes += bytes) + space->stored_bytes;
  if (wanted <= limit) return true;
  space->reserved_bytes -= bytes;
  return false;
}

/* The whole blocks that a range touches, in bytes. */
static int64_t touched_bytes(struct range range) {
  const int64_t first = range.offset / BLOCK_BYTES;
  const int64_t end = (range.offset + range.count + BLOCK_BYTES - 1) / BLOCK_BYTES;
  return (end - first) * BLOCK_BYTES;
}

/* The part of a piece from `start` on. */
static struct piece rest_of(struct piece piece, int64_t start) {
  return (struct piece){piece.bytes + start, {piece.range.offset + start, piece.range.count - start}};
}

/* Writes until all is written or the backing file system refuses. Returns the bytes written, or -errno. */
static int64_t write_all(int fd, struct piece piece) {
  int64_t done = 0;
  while (done < piece.range.count) {
    const struct piece rest = rest_of(piece, done);
    const ssize_t now = pwrite(fd, rest.bytes, (size_t)rest.range.count, rest.range.offset);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) return done > 0 ? done : now == 0 ? -EIO : -errno;
    done += now;
  }
  return done;
}

/* Writes a piece within one block unless that takes the target over its limit. Returns the bytes written, or
 * -errno. */
static int64_t write_block(struct space* space, struct inode* inode, int fd, struct piece piece) {
  struct stat before;
  if (fstat(fd, &before) != 0) return -errno;
  const int64_t stored_before = space->stored_bytes;
  const int64_t done = write_all(fd, piece);
  space_settle(space, inode);
  if (done < 0 || space->stored_bytes <= stored_before || space->stored_bytes <= limit_bytes(space))
    return done;
  /* The block is new, or there would not be more stored than before. */
  const off_t block = piece.range.offset / BLOCK_BYTES * BLOCK_BYTES;
  if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, block, BLOCK_BYTES) != 0) return -errno;
  if (before.st_size < piece.range.offset + done && ftruncate(fd, before.st_size) != 0) return -errno;
  space_settle(space, inode);
  return -ENOSPC;
}

static int64_t write_block_by_block(struct space* space, struct inode* inode, int fd, struct piece piece) {
  int64_t done = 0;
  while (done < piece.range.count) {
    struct piece next = rest_of(piece, done);
    const int64_t in_block = BLOCK_BYTES - next.range.offset % BLOCK_BYTES;
    if (next.range.count > in_block) next.range.count = in_block;
    const int64_t now = write_block(space, inode, fd, next);
    if (now < 0) return done > 0 ? done : now;
    done += now;
  }
  return done;
}

int64_t space_write(struct space* space, struct inode* inode, int fd, struct piece piece) {
  const int64_t bytes = touched_bytes(piece.range);
  pthread_rwlock_rdlock(&space->near_limit);
  const bool fits = reserve(space, bytes);
  int64_t done = 0;
  if (fits) {
    done = write_all(fd, piece);
    space_settle(space, inode);
    space->reserved_bytes -= bytes;
  }
  pthread_rwlock_unlock(&space->near_limit);
  if (fits) return done;
  pthread_rwlock_wrlock(&space->near_limit);
  done = write_block_by_block(space, inode, fd, piece);
  pthread_rwlock_unlock(&space->near_limit);
  return done;
}

int space_allocate(struct space* space, struct inode* inode, int fd, int mode, struct range range) {
  const bool takes = (mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_COLLAPSE_RANGE)) == 0;
  const int64_t bytes = takes ? touched_bytes(range) : 0;
  if (!takes) {
    const int error = fallocate(fd, mode, range.offset, range.count) == 0 ? 0 : errno;
    space_settle(space, inode);
    return error;
  }
  /* fallocate is all or nothing: what may not fit is refused, though some of it may be there already. */
  pthread_rwlock_wrlock(&space->near_limit);
  int error = ENOSPC;
  if (reserve(space, bytes)) {
    error = fallocate(fd, mode, range.offset, range.count) == 0 ? 0 : errno;
    space_settle(space, inode);
    space->reserved_bytes -= bytes;
  }
  pthread_rwlock_unlock(&space->near_limit);
  return error;
}

void space_limit(struct space* space, struct statvfs* status) {
  const int64_t limit = limit_bytes(space);
  if (limit == INT64_MAX) return;
  const int64_t unit = status->f_frsize > 0 ? (int64_t)status->f_frsize : BLOCK_BYTES;
  const int64_t stored = space->stored_bytes;
  /* A target that is made full keeps its size: it is what it holds, if no capacity is set. */
  const int64_t size = space->full && space->capacity_bytes == NO_CAPACITY ? stored : space->capacity_bytes;
  const int64_t left = limit > stored ? (limit - stored) / unit : 0;
  status->f_blocks = (fsblkcnt_t)(size / unit);
  if ((fsblkcnt_t)left < status->f_bfree) status->f_bfree = (fsblkcnt_t)left;
  if ((fsblkcnt_t)left < status->f_bavail) status->f_bavail = (fsblkcnt_t)left;
}
