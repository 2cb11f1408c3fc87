/* Open files of the striped file system and their bytes: a request is cut at stripes, and its parts are
 * served by their targets side by side. */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <string.h>
#include <unistd.h>

#include "admission.h"
#include "bodies.h"
#include "data.h"
#include "reply.h"

enum { MOST_PARTS = LARGEST_REQUEST_BYTES / LEAST_UNIT_BYTES + 2 };

struct parts {
  int count;
  struct stripe_part each[MOST_PARTS];
  double tickets[MOST_PARTS];
};

static void fail(fuse_req_t request, int error) { fail_request(target_of(request), request, error); }

/* --- open and close --- */

/* A file is open when each of its targets has opened its object. */
static int admit_open(fuse_req_t request, struct inode* inode) {
  struct striped* striped = striped_of(request);
  int error = 0;
  struct body* body = body_enter(striped, inode, &error);
  if (body == NULL) return error;
  error = admit_to_objects(request, body, REQUEST_OPEN);
  body_leave(body);
  return error;
}

static void on_open(fuse_req_t request, fuse_ino_t number, struct fuse_file_info* file) {
  struct inode* inode = inode_at(request, number);
  char path[PROC_PATH_BYTES];
  proc_path(path, inode->fd);
  int error = admit_open(request, inode);
  const int fd = error == 0 ? open(path, backing_flags(file->flags) & ~O_TRUNC) : -1;
  if (error == 0 && fd < 0) error = errno;
  if (error == 0 && (file->flags & O_TRUNC) != 0)
    error = STRIPED_FILES.set_length(request, inode, 0, &(struct fuse_file_info){.fh = (uint64_t)fd});
  if (error != 0) {
    if (fd >= 0) close(fd);
    fail(request, error);
    return;
  }
  count_open(inode, 1);
  if (reply_open(request, fd) != 0) {
    count_open(inode, -1);
    close(fd);
  }
}

/* A new file's layout and inode. Returns 0 or an errno. */
static int set_up(fuse_req_t request, struct inode* folder, const char* name, struct entry* entry) {
  struct striped* striped = striped_of(request);
  int error = give_to_caller(request, folder->fd, name);
  if (error == 0) error = enter_name(&striped->names, folder->fd, name, entry);
  if (error != 0) return error;
  error = body_make(striped, folder, entry->inode);
  if (error == 0) error = admit_open(request, entry->inode);
  if (error != 0) inodes_forget(&striped->names.inodes, entry->inode, 1);
  return error;
}

static void on_create(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode,
                      struct fuse_file_info* file) {
  struct inode* folder = inode_at(request, parent);
  struct entry entry;
  const int fd = openat(folder->fd, name, backing_flags(file->flags) | O_CREAT | O_EXCL, mode);
  if (fd < 0) { /* the kernel had just looked: another node has made it meanwhile, and its program may look
                   again */
    fail(request, errno == EEXIST && (file->flags & O_EXCL) == 0 ? ESTALE : errno);
    return;
  }
  const int error = set_up(request, folder, name, &entry);
  if (error != 0) {
    unlinkat(folder->fd, name, 0);
    close(fd);
    fail(request, error);
    return;
  }
  count_open(entry.inode, 1);
  if (reply_create(request, &entry, fd) != 0) {
    count_open(entry.inode, -1);
    close(fd);
    inodes_forget(&target_of(request)->inodes, entry.inode, 1);
  }
}

static void on_mknod(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode, dev_t device) {
  struct inode* folder = inode_at(request, parent);
  struct entry entry;
  int error = mknodat(folder->fd, name, mode, device) == 0 ? 0 : errno;
  if (error == 0 && S_ISREG(mode)) {
    error = set_up(request, folder, name, &entry);
    if (error == 0) inodes_forget(&target_of(request)->inodes, entry.inode, 1);
    if (error != 0) unlinkat(folder->fd, name, 0);
  }
  if (error != 0)
    fail(request, error);
  else
    reply_name(request, folder->fd, name);
}

static void on_release(fuse_req_t request, fuse_ino_t number, struct fuse_file_info* file) {
  struct inode* inode = inode_at(request, number);
  close((int)file->fh);
  count_open(inode, -1);
  STRIPED_FILES.settle(target_of(request), inode);
  fuse_reply_err(request, 0);
}

/* --- bytes --- */

static void cut(struct parts* parts, const struct layout* layout, struct range range) {
  parts->count = 0;
  while (range.count > 0) {
    const struct stripe_part part = layout_part(layout, range);
    parts->each[parts->count++] = part;
    range.offset += part.range.count;
    range.count -= part.range.count;
  }
}

/* Asks the targets of all parts. From the first on that refuses, parts are left out; its errno. */
static int admit_parts(fuse_req_t request, struct body* body, struct parts* parts, enum request_kind kind) {
  struct striped* striped = striped_of(request);
  const int64_t began_ns = monotonic_ns();
  uint64_t asked = 0;
  for (int i = 0; i < parts->count; ++i) {
    const int object = parts->each[i].object;
    if ((asked >> object & 1) != 0) continue;
    asked |= UINT64_C(1) << object;
    struct target* target = target_of_object(striped, body, object);
    if (kind == REQUEST_READ)
      ++target->counters.reads;
    else
      ++target->counters.writes;
    const int error = admit_since(target, request, kind, began_ns);
    if (error == 0) continue;
    ++target->counters.failures;
    parts->count = i;
    return error;
  }
  return 0;
}

/* Waits for the rates of all targets, side by side. Returns 0 or an errno. */
static int await_parts(fuse_req_t request, struct body* body, struct parts* parts) {
  struct striped* striped = striped_of(request);
  int error = 0;
  for (int i = 0; i < parts->count; ++i)
    parts->tickets[i] =
        queue_bytes(target_of_object(striped, body, parts->each[i].object), parts->each[i].range.count);
  for (int i = 0; i < parts->count && error == 0; ++i)
    error = await_bytes(target_of_object(striped, body, parts->each[i].object), request, parts->tickets[i]);
  return error;
}

static int read_part(const struct inode* object, struct range range, char* to) {
  const ssize_t bytes = pread(object->fd, to, (size_t)range.count, range.offset);
  if (bytes < 0) return errno;
  memset(to + bytes, 0, (size_t)(range.count - bytes)); /* a hole, up to the file's end */
  return 0;
}

static int read_parts(fuse_req_t request, struct body* body, struct range range, char* to) {
  struct parts parts;
  cut(&parts, &body->layout, range);
  int error = admit_parts(request, body, &parts, REQUEST_READ);
  if (error == 0) error = await_parts(request, body, &parts);
  for (int i = 0; i < parts.count && error == 0; ++i) {
    const struct stripe_part* part = &parts.each[i];
    error = read_part(&body->objects[part->object], part->range, to);
    to += part->range.count;
    target_of_object(striped_of(request), body, part->object)->counters.bytes_read += part->range.count;
  }
  return error;
}

static void on_read(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset,
                    struct fuse_file_info* file) {
  struct striped* striped = striped_of(request);
  struct stat now;
  int error = 0;
  char* buffer = read_buffer();
  struct body* body = body_enter(striped, inode_at(request, number), &error);
  ++striped->names.counters.reads;
  if (error == 0 && buffer == NULL) error = ENOMEM;
  if (error == 0 && fstat((int)file->fh, &now) != 0) error = errno;
  struct range range = {offset, size < LARGEST_REQUEST_BYTES ? (int64_t)size : LARGEST_REQUEST_BYTES};
  if (error == 0) {
    if (range.count > now.st_size - offset) range.count = now.st_size - offset;
    if (range.count > 0) error = read_parts(request, body, range, buffer);
  }
  if (body != NULL) body_leave(body);
  if (error != 0) {
    fail(request, error);
    return;
  }
  if (range.count < 0) range.count = 0;
  striped->names.counters.bytes_read += range.count;
  fuse_reply_buf(request, buffer, (size_t)range.count);
}

/* The bytes written, up to the first that were not, or -errno. */
static int64_t write_parts(fuse_req_t request, struct body* body, struct piece piece) {
  struct striped* striped = striped_of(request);
  struct parts parts;
  cut(&parts, &body->layout, piece.range);
  const struct stripe_part last = parts.each[parts.count - 1];
  const struct stripes stripes = {parts.each[0].stripe, last.stripe - parts.each[0].stripe + 1};
  int64_t done = 0;
  int error = take_locks(striped, request, &body->locks, stripes);
  if (error != 0) return -error;
  const int refused = admit_parts(request, body, &parts, REQUEST_WRITE);
  error = await_parts(request, body, &parts);
  for (int i = 0; i < parts.count && error == 0; ++i) {
    struct stripe_part part = parts.each[i];
    struct target* target = target_of_object(striped, body, part.object);
    const int64_t wanted = part.range.count;
    if (target->faults.short_writes && wanted > 1) part.range.count /= 2;
    const int64_t written =
        space_write(&target->space, &body->objects[part.object], body->objects[part.object].fd,
                    (struct piece){piece.bytes + done, part.range});
    if (written < 0) {
      ++target->counters.failures;
      error = (int)-written;
      break;
    }
    target->counters.bytes_written += written;
    done += written;
    if (written < wanted) return done;
  }
  if (done > 0) return done;
  return -(error != 0 ? error : refused);
}

/* The file's length and time after a write that ended at `end`. Returns 0 or an errno. */
static int note_written(struct inode* inode, int fd, int64_t end) {
  const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_NOW}};
  struct stat now;
  int error = 0;
  pthread_mutex_lock(&inode->lock);
  if (fstat(fd, &now) != 0 || (now.st_size < end && ftruncate(fd, end) != 0)) error = errno;
  pthread_mutex_unlock(&inode->lock);
  futimens(fd, times);
  return error;
}

static void on_write(fuse_req_t request, fuse_ino_t number, const char* bytes, size_t size, off_t offset,
                     struct fuse_file_info* file) {
  struct striped* striped = striped_of(request);
  struct inode* inode = inode_at(request, number);
  int error = 0;
  int64_t written = 0;
  struct body* body = body_enter(striped, inode, &error);
  ++striped->names.counters.writes;
  if (error == 0 && size > 0) {
    written = write_parts(request, body, (struct piece){bytes, {offset, (int64_t)size}});
    if (written < 0) error = (int)-written;
    if (written > 0) error = note_written(inode, (int)file->fh, offset + written);
  }
  if (body != NULL) body_leave(body);
  if (error != 0) {
    fail(request, error);
    return;
  }
  striped->names.counters.bytes_written += written;
  fuse_reply_write(request, (size_t)written);
}

static void on_fsync(fuse_req_t request, fuse_ino_t number, int data_only, struct fuse_file_info* file) {
  (void)data_only;
  (void)file;
  struct striped* striped = striped_of(request);
  int error = 0;
  struct body* body = body_enter(striped, inode_at(request, number), &error);
  const int64_t began_ns = monotonic_ns();
  for (int i = 0; body != NULL && i < body->layout.count && error == 0; ++i) {
    struct target* target = target_of_object(striped, body, i);
    error = admit_since(target, request, REQUEST_SYNC, began_ns);
    if (error != 0) ++target->counters.failures;
    if (error == 0 && fsync(body->objects[i].fd) != 0) error = errno;
  }
  if (body != NULL) body_leave(body);
  if (error != 0)
    fail(request, error);
  else
    fuse_reply_err(request, 0);
}

/* Room for a range, in each object for its part of it. Only that: holes are punched elsewhere. */
static int allocate(fuse_req_t request, struct body* body, struct range range) {
  struct striped* striped = striped_of(request);
  const int64_t began_ns = monotonic_ns();
  for (int i = 0; i < body->layout.count; ++i) {
    struct target* target = target_of_object(striped, body, i);
    const int64_t from = layout_object_bytes(&body->layout, i, range.offset),
                  to = layout_object_bytes(&body->layout, i, range.offset + range.count);
    int error = to > from ? admit_since(target, request, REQUEST_WRITE, began_ns) : 0;
    if (error == 0 && to > from)
      error = space_allocate(&target->space, &body->objects[i], body->objects[i].fd, 0,
                             (struct range){from, to - from});
    if (error == 0) continue;
    ++target->counters.failures;
    return error;
  }
  return 0;
}

static void on_fallocate(fuse_req_t request, fuse_ino_t number, int mode, off_t offset, off_t length,
                         struct fuse_file_info* file) {
  struct inode* inode = inode_at(request, number);
  int error = 0;
  struct body* body = body_enter(striped_of(request), inode, &error);
  if (error == 0 && (mode & ~FALLOC_FL_KEEP_SIZE) != 0) error = EOPNOTSUPP;
  if (error == 0) error = allocate(request, body, (struct range){offset, length});
  if (error == 0 && (mode & FALLOC_FL_KEEP_SIZE) == 0)
    error = note_written(inode, (int)file->fh, offset + length);
  if (body != NULL) body_leave(body);
  if (error != 0)
    fail(request, error);
  else
    fuse_reply_err(request, 0);
}

void data_fill_striped(struct fuse_lowlevel_ops* operations) {
  operations->open = on_open;
  operations->create = on_create;
  operations->mknod = on_mknod;
  operations->release = on_release;
  operations->read = on_read;
  operations->write = on_write;
  operations->fsync = on_fsync;
  operations->fallocate = on_fallocate;
}
