#include "bodies.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "admission.h"

enum { NAME_BYTES = 32, ANYBODY = 0600 };

static void name_of(char* name, ino_t number) { snprintf(name, NAME_BYTES, "%" PRIu64, (uint64_t)number); }

/* --- layouts of files and folders, as texts --- */

static int read_text(const struct striped* striped, ino_t number, char* text) {
  char name[NAME_BYTES];
  name_of(name, number);
  const int fd = openat(striped->layouts, name, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  const ssize_t length = read(fd, text, LAYOUT_TEXT_BYTES - 1);
  close(fd);
  if (length < 0) return EIO;
  text[length] = '\0';
  return 0;
}

static int write_text(const struct striped* striped, ino_t number, const char* text) {
  char name[NAME_BYTES];
  name_of(name, number);
  const int fd = openat(striped->layouts, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, ANYBODY);
  if (fd < 0) return errno;
  const size_t length = strlen(text);
  const int failed = write(fd, text, length) != (ssize_t)length;
  close(fd);
  return failed ? EIO : 0;
}

struct layout_wish folder_wish(struct striped* striped, const struct inode* folder) {
  char text[LAYOUT_TEXT_BYTES];
  struct layout_wish wish;
  if (read_text(striped, folder->number, text) != 0 || layout_read(&wish, text, striped->target_count) != 0)
    return (struct layout_wish){0};
  return wish;
}

int set_folder_wish(struct striped* striped, const struct inode* folder, const struct layout_wish* wish) {
  char text[LAYOUT_TEXT_BYTES];
  layout_print_wish(wish, text);
  return write_text(striped, folder->number, text);
}

void forget_folder(struct striped* striped, ino_t number) {
  char name[NAME_BYTES];
  name_of(name, number);
  unlinkat(striped->layouts, name, 0);
}

static int write_layout(struct striped* striped, ino_t number, const struct layout_wish* wish,
                        const struct layout_wish* folder) {
  const struct layout_wish otherwise = {
      .unit_bytes = folder->unit_bytes > 0 ? folder->unit_bytes : striped->by_default.unit_bytes,
      .count = folder->count > 0 ? folder->count : striped->by_default.count,
      .targets_given = folder->targets_given};
  struct layout_wish both = otherwise;
  memcpy(both.targets, folder->targets, sizeof both.targets);
  const struct layout layout = layout_make(wish, &both, striped->target_count, striped->next_first++);
  char text[LAYOUT_TEXT_BYTES];
  layout_print(&layout, text);
  return write_text(striped, number, text);
}

int body_make(struct striped* striped, const struct inode* folder, const struct inode* inode) {
  const struct layout_wish nothing = {0}, wish = folder_wish(striped, folder);
  return write_layout(striped, inode->number, &nothing, &wish);
}

/* --- objects --- */

struct target* target_of_object(struct striped* striped, const struct body* body, int object) {
  return &striped->targets[body->layout.targets[object]];
}

static int open_object(struct striped* striped, struct body* body, int object, ino_t number) {
  const int target = body->layout.targets[object];
  char name[NAME_BYTES];
  name_of(name, number);
  struct stat attributes;
  const int fd = openat(striped->folders[target], name, O_RDWR | O_CREAT | O_CLOEXEC, ANYBODY);
  if (fd < 0) return errno;
  if (fstat(fd, &attributes) != 0) {
    close(fd);
    return EIO;
  }
  struct inode* inode = &body->objects[object];
  *inode = (struct inode){
      .fd = fd, .number = attributes.st_ino, .stored_bytes = (int64_t)attributes.st_blocks * 512, .opens = 1};
  pthread_mutex_init(&inode->lock, NULL);
  return 0;
}

static void close_objects(struct body* body, int count) {
  for (int i = 0; i < count; ++i) {
    close(body->objects[i].fd);
    pthread_mutex_destroy(&body->objects[i].lock);
  }
}

/* The file's layout as it is written, and its objects. */
static int load(struct striped* striped, struct body* body, ino_t number) {
  char text[LAYOUT_TEXT_BYTES];
  struct layout_wish wish;
  const int error = read_text(striped, number, text);
  if (error != 0) return error;
  if (layout_read(&wish, text, striped->target_count) != 0 || wish.unit_bytes == 0 || wish.targets_given == 0)
    return EIO;
  body->layout = layout_make(&wish, &wish, striped->target_count, 0);
  for (int i = 0; i < body->layout.count; ++i) {
    const int failed = open_object(striped, body, i, number);
    if (failed != 0) {
      close_objects(body, i);
      return failed;
    }
  }
  return 0;
}

static struct body* make_body(struct striped* striped, ino_t number, int* error) {
  struct body* body = calloc(1, sizeof *body);
  *error = body == NULL ? ENOMEM : load(striped, body, number);
  if (*error != 0) {
    free(body);
    return NULL;
  }
  pthread_rwlock_init(&body->lock, NULL);
  locks_init(&body->locks);
  return body;
}

static struct body* body_of(struct striped* striped, struct inode* inode, int* error) {
  pthread_mutex_lock(&inode->lock);
  *error = 0;
  if (inode->body == NULL) inode->body = make_body(striped, inode->number, error);
  struct body* body = inode->body;
  pthread_mutex_unlock(&inode->lock);
  return body;
}

struct body* body_enter(struct striped* striped, struct inode* inode, int* error) {
  struct body* body = body_of(striped, inode, error);
  if (body == NULL) return NULL;
  pthread_rwlock_rdlock(&body->lock);
  if (body->layout.count > 0) return body;
  pthread_rwlock_unlock(&body->lock);
  *error = EIO; /* its objects could not be made after it was laid out anew */
  return NULL;
}

void body_leave(struct body* body) { pthread_rwlock_unlock(&body->lock); }

void body_drop(void* dropped) {
  struct body* body = dropped;
  close_objects(body, body->layout.count);
  locks_free(&body->locks);
  pthread_rwlock_destroy(&body->lock);
  free(body);
}

/* The objects' names go, and their bytes count no more. */
static void remove_objects(struct striped* striped, struct body* body, ino_t number) {
  char name[NAME_BYTES];
  name_of(name, number);
  for (int i = 0; i < body->layout.count; ++i) {
    struct inode* object = &body->objects[i];
    unlinkat(striped->folders[body->layout.targets[i]], name, 0);
    pthread_mutex_lock(&object->lock);
    object->opens = 0;
    pthread_mutex_unlock(&object->lock);
    space_settle(&target_of_object(striped, body, i)->space, object);
  }
}

int body_lay_out(struct striped* striped, struct inode* inode, const struct layout_wish* wish) {
  int error = 0;
  struct body* body = body_of(striped, inode, &error);
  if (body == NULL) return error;
  pthread_rwlock_wrlock(&body->lock);
  struct stat attributes;
  if (fstat(inode->fd, &attributes) != 0) {
    error = errno;
  } else if (attributes.st_size > 0) {
    error = ENOTEMPTY;
  } else {
    const struct layout_wish now = {.unit_bytes = body->layout.unit_bytes, .count = body->layout.count};
    error = write_layout(striped, inode->number, wish, &now);
  }
  if (error == 0) {
    remove_objects(striped, body, inode->number);
    close_objects(body, body->layout.count);
    error = load(striped, body, inode->number);
    if (error != 0) body->layout.count = 0;
    locks_free(&body->locks);
    locks_init(&body->locks);
  }
  pthread_rwlock_unlock(&body->lock);
  return error;
}

/* --- what the shared operations ask for --- */

static void settle(struct target* target, struct inode* inode) {
  struct striped* striped = (struct striped*)target;
  struct stat now;
  int error = 0;
  if (fstat(inode->fd, &now) != 0 || !S_ISREG(now.st_mode) || now.st_nlink > 0) return;
  pthread_mutex_lock(&inode->lock);
  const int64_t opens = inode->opens;
  pthread_mutex_unlock(&inode->lock);
  if (opens > 0) return;
  struct body* body = body_enter(striped, inode, &error);
  if (body != NULL) {
    remove_objects(striped, body, inode->number);
    body_leave(body);
  }
  forget_folder(striped, inode->number);
}

/* An object is longer than it was only when bytes are written: what is behind its end reads as zeros. */
static int shorten(struct striped* striped, struct body* body, int object, int64_t file_bytes) {
  struct inode* inode = &body->objects[object];
  struct stat now;
  const int64_t length = layout_object_bytes(&body->layout, object, file_bytes);
  if (fstat(inode->fd, &now) != 0) return errno;
  if (now.st_size <= length) return 0;
  const int error = ftruncate(inode->fd, length) == 0 ? 0 : errno;
  space_settle(&target_of_object(striped, body, object)->space, inode);
  return error;
}

int admit_to_objects(fuse_req_t request, const struct body* body, enum request_kind kind) {
  struct striped* striped = striped_of(request);
  const int64_t began_ns = monotonic_ns();
  int error = 0;
  for (int i = 0; i < body->layout.count && error == 0; ++i) {
    struct target* target = target_of_object(striped, body, i);
    error = admit_since(target, request, kind, began_ns);
    if (error != 0) ++target->counters.failures;
  }
  return error;
}

static int set_length(fuse_req_t request, struct inode* inode, int64_t length,
                      const struct fuse_file_info* file) {
  struct striped* striped = striped_of(request);
  int error = 0;
  struct body* body = body_enter(striped, inode, &error);
  if (body == NULL) return error;
  error = admit_to_objects(request, body, REQUEST_WRITE);
  char path[PROC_PATH_BYTES];
  proc_path(path, inode->fd);
  if (error == 0 && (file != NULL ? ftruncate((int)file->fh, length) : truncate(path, length)) != 0)
    error = errno;
  for (int i = 0; i < body->layout.count && error == 0; ++i) error = shorten(striped, body, i, length);
  body_leave(body);
  return error;
}

/* All targets together, where one of them has a limit. */
static void limit(struct target* names, struct statvfs* status) {
  struct striped* striped = (struct striped*)names;
  struct statvfs sum = *status;
  sum.f_blocks = sum.f_bfree = sum.f_bavail = 0;
  bool limited = false;
  for (int i = 0; i < striped->target_count; ++i) {
    struct statvfs one = *status;
    space_limit(&striped->targets[i].space, &one);
    limited = limited || one.f_bavail != status->f_bavail || one.f_blocks != status->f_blocks;
    sum.f_blocks += one.f_blocks;
    sum.f_bfree += one.f_bfree;
    sum.f_bavail += one.f_bavail;
  }
  if (limited) *status = sum;
}

const struct content STRIPED_FILES = {set_length, settle, limit};
