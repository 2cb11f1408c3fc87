/* Open files and their bytes. */
#include "data.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "admission.h"
#include "reply.h"

/* Each thread reads into a buffer of its own, which is freed when the thread ends. */
static pthread_key_t read_buffers;
static pthread_once_t read_buffers_once = PTHREAD_ONCE_INIT;

static void make_key(void) { pthread_key_create(&read_buffers, free); }

char* read_buffer(void) {
  pthread_once(&read_buffers_once, make_key);
  char* buffer = pthread_getspecific(read_buffers);
  if (buffer == NULL) {
    buffer = malloc(LARGEST_REQUEST_BYTES);
    pthread_setspecific(read_buffers, buffer);
  }
  return buffer;
}

/* The kernel passes the offset of every write, so the backing file is not opened for appending; O_DIRECT is
 * for the kernel, too. */
int backing_flags(int flags) {
  return (flags & ~(O_APPEND | O_DIRECT | O_NOFOLLOW | O_CREAT | O_EXCL)) | O_CLOEXEC;
}

/* A new length: a data request. An open file's descriptor may do it where the path may not. */
static int set_length(fuse_req_t request, struct inode* inode, int64_t length,
                      const struct fuse_file_info* file) {
  struct target* target = target_of(request);
  const int refused = admit(target, request, REQUEST_WRITE);
  if (refused != 0) {
    ++target->counters.failures;
    return refused;
  }
  char path[PROC_PATH_BYTES];
  proc_path(path, inode->fd);
  const int done = file != NULL ? ftruncate((int)file->fh, length) : truncate(path, length);
  const int error = done == 0 ? 0 : errno;
  space_settle(&target->space, inode);
  return error;
}

static void settle(struct target* target, struct inode* inode) { space_settle(&target->space, inode); }

static void limit(struct target* target, struct statvfs* status) { space_limit(&target->space, status); }

const struct content WHOLE_FILES = {set_length, settle, limit};

static void on_open(fuse_req_t request, fuse_ino_t number, struct fuse_file_info* file) {
  struct target* target = target_of(request);
  struct inode* inode = inode_at(request, number);
  const int refused = admit(target, request, REQUEST_OPEN);
  if (refused != 0) {
    fail_request(target_of(request), request, refused);
    return;
  }
  char path[PROC_PATH_BYTES];
  proc_path(path, inode->fd);
  const int fd = open(path, backing_flags(file->flags));
  if (fd < 0) {
    fuse_reply_err(request, errno);
    return;
  }
  count_open(inode, 1);
  if ((file->flags & O_TRUNC) != 0) space_settle(&target->space, inode);
  if (reply_open(request, fd) != 0) {
    count_open(inode, -1);
    close(fd);
  }
}

static void on_create(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode,
                      struct fuse_file_info* file) {
  struct target* target = target_of(request);
  const int refused = admit(target, request, REQUEST_OPEN);
  if (refused != 0) {
    fail_request(target_of(request), request, refused);
    return;
  }
  const int folder = inode_at(request, parent)->fd;
  const int fd = openat(folder, name, backing_flags(file->flags) | O_CREAT | (file->flags & O_EXCL), mode);
  struct entry entry;
  const int error = fd < 0 ? errno : give_to_caller(request, folder, name);
  const int failed = error != 0 ? error : enter_name(target, folder, name, &entry);
  if (failed != 0) {
    if (fd >= 0) close(fd);
    fuse_reply_err(request, failed);
    return;
  }
  count_open(entry.inode, 1);
  if ((file->flags & O_TRUNC) != 0) space_settle(&target->space, entry.inode);
  if (reply_create(request, &entry, fd) != 0) {
    count_open(entry.inode, -1);
    close(fd);
    inodes_forget(&target->inodes, entry.inode, 1);
  }
}

static void on_release(fuse_req_t request, fuse_ino_t number, struct fuse_file_info* file) {
  struct inode* inode = inode_at(request, number);
  close((int)file->fh);
  count_open(inode, -1);
  space_settle(&target_of(request)->space, inode);
  fuse_reply_err(request, 0);
}

static void on_read(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset,
                    struct fuse_file_info* file) {
  (void)number;
  struct counters* counters = &target_of(request)->counters;
  ++counters->reads;
  int error = admit(target_of(request), request, REQUEST_READ);
  char* buffer = read_buffer();
  ssize_t bytes = 0;
  if (error == 0) {
    const size_t room = size < LARGEST_REQUEST_BYTES ? size : LARGEST_REQUEST_BYTES;
    bytes = buffer == NULL ? -1 : pread((int)file->fh, buffer, room, offset);
    error = bytes < 0 ? errno : admit_bytes(target_of(request), request, bytes);
  }
  if (error != 0) {
    fail_request(target_of(request), request, error);
    return;
  }
  counters->bytes_read += bytes;
  fuse_reply_buf(request, buffer, (size_t)bytes);
}

static void on_write(fuse_req_t request, fuse_ino_t number, const char* bytes, size_t size, off_t offset,
                     struct fuse_file_info* file) {
  struct target* target = target_of(request);
  ++target->counters.writes;
  int error = admit(target, request, REQUEST_WRITE);
  struct piece piece = {bytes, {offset, (int64_t)size}};
  if (target->faults.short_writes && piece.range.count > 1) piece.range.count /= 2;
  if (error == 0) error = admit_bytes(target_of(request), request, piece.range.count);
  const int64_t written =
      error != 0 ? -error : space_write(&target->space, inode_at(request, number), (int)file->fh, piece);
  if (written < 0) {
    fail_request(target_of(request), request, (int)-written);
    return;
  }
  target->counters.bytes_written += written;
  fuse_reply_write(request, (size_t)written);
}

static void on_fsync(fuse_req_t request, fuse_ino_t number, int data_only, struct fuse_file_info* file) {
  (void)number;
  int error = admit(target_of(request), request, REQUEST_SYNC);
  if (error == 0 && (data_only != 0 ? fdatasync((int)file->fh) : fsync((int)file->fh)) != 0) error = errno;
  if (error != 0) {
    fail_request(target_of(request), request, error);
  } else {
    fuse_reply_err(request, 0);
  }
}

static void on_fallocate(fuse_req_t request, fuse_ino_t number, int mode, off_t offset, off_t length,
                         struct fuse_file_info* file) {
  struct target* target = target_of(request);
  const struct range range = {offset, length};
  int error = admit(target, request, REQUEST_WRITE);
  if (error == 0)
    error = space_allocate(&target->space, inode_at(request, number), (int)file->fh, mode, range);
  if (error != 0) {
    fail_request(target_of(request), request, error);
  } else {
    fuse_reply_err(request, 0);
  }
}

static void on_lseek(fuse_req_t request, fuse_ino_t number, off_t offset, int whence,
                     struct fuse_file_info* file) {
  (void)number;
  const off_t place = lseek((int)file->fh, offset, whence);
  if (place < 0) {
    fuse_reply_err(request, errno);
  } else {
    fuse_reply_lseek(request, place);
  }
}

void data_fill(struct fuse_lowlevel_ops* operations) {
  operations->open = on_open;
  operations->create = on_create;
  operations->release = on_release;
  operations->read = on_read;
  operations->write = on_write;
  operations->fsync = on_fsync;
  operations->fallocate = on_fallocate;
  operations->lseek = on_lseek;
  /* No flush: the kernel then closes without asking. No copy_file_range: the kernel reads and writes instead,
   * which the rate applies to. No locks: the kernel keeps those of a mount itself. */
}
