/* Extended attributes of the striped file system, texts all of them:
 *
 *   user.collio.layout         of a file: its layout; may be set while it is empty. Of a folder: what its new
 *                              files get, folders included; there only where it has been set
 *   user.collio.default        of the root: unit and count where no folder says otherwise
 *   user.collio.lock_delay_us  of the root: what the move of a stripe to another node takes
 *   user.collio.counters       of the root
 *   the settings of target K   of .targets/K, as on any target's mount */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bodies.h"
#include "control.h"
#include "reply.h"

static const char LAYOUT[] = "user.collio.layout";

/* The target whose settings a folder shows; NULL: it is an ordinary one. */
static struct target* behind_door(struct striped* striped, const struct inode* inode) {
  for (int i = 0; i < striped->target_count; ++i)
    if (striped->doors[i] == inode) return &striped->targets[i];
  return NULL;
}

static mode_t kind_of(const struct inode* inode) {
  struct stat attributes;
  return fstat(inode->fd, &attributes) == 0 ? attributes.st_mode & S_IFMT : 0;
}

/* --- reading --- */

static int get_layout(struct striped* striped, struct inode* inode, char* text) {
  const mode_t kind = kind_of(inode);
  if (kind == S_IFREG) {
    int error = 0;
    struct body* body = body_enter(striped, inode, &error);
    if (body == NULL) return -error;
    const int length = layout_print(&body->layout, text);
    body_leave(body);
    return length;
  }
  if (kind != S_IFDIR) return -ENODATA;
  const struct layout_wish wish = folder_wish(striped, inode);
  const int length = layout_print_wish(&wish, text);
  return length > 0 ? length : -ENODATA;
}

static int get_of_root(struct striped* striped, const char* name, char* text) {
  const struct counters* sums = &striped->names.counters;
  if (strcmp(name, "user.collio.default") == 0) return layout_print_wish(&striped->by_default, text);
  if (strcmp(name, "user.collio.lock_delay_us") == 0)
    return snprintf(text, MOST_TEXT_BYTES, "%" PRId64, striped->lock_delay_us);
  if (strcmp(name, "user.collio.counters") != 0) return -ENODATA;
  return snprintf(text, MOST_TEXT_BYTES,
                  "targets=%d\nreads=%" PRId64 "\nwrites=%" PRId64 "\nbytes_read=%" PRId64
                  "\nbytes_written=%" PRId64 "\nfailures=%" PRId64 "\nlock_transfers=%" PRId64
                  "\nlock_wait_seconds=%.6f\n",
                  striped->target_count, sums->reads, sums->writes, sums->bytes_read, sums->bytes_written,
                  sums->failures, striped->lock_transfers, (double)striped->lock_waits_ns * 1e-9);
}

static void on_getxattr(fuse_req_t request, fuse_ino_t number, const char* name, size_t room) {
  struct striped* striped = striped_of(request);
  struct inode* inode = inode_at(request, number);
  struct target* target = behind_door(striped, inode);
  char text[MOST_TEXT_BYTES];
  int length = -ENODATA;
  if (target != NULL) {
    length = control_get(target, name, text);
    if (length < 0) length = -ENODATA;
  } else if (strcmp(name, LAYOUT) == 0) {
    length = get_layout(striped, inode, text);
  } else if (number == FUSE_ROOT_ID) {
    length = get_of_root(striped, name, text);
  }
  if (length < 0)
    fuse_reply_err(request, -length);
  else
    reply_value(request, text, (size_t)length, room);
}

/* --- setting --- */

static int set_layout(struct striped* striped, struct inode* inode, const char* text) {
  struct layout_wish wish;
  const mode_t kind = kind_of(inode);
  const int error = layout_read(&wish, text, striped->target_count);
  if (error != 0) return error;
  if (kind == S_IFREG) return body_lay_out(striped, inode, &wish);
  return kind == S_IFDIR ? set_folder_wish(striped, inode, &wish) : ENOTSUP;
}

static int set_of_root(struct striped* striped, const char* name, const char* text) {
  if (strcmp(name, "user.collio.counters") == 0 || strcmp(name, "user.collio.default") == 0) return EPERM;
  if (strcmp(name, "user.collio.lock_delay_us") != 0) return ENOTSUP;
  const int64_t delay_us = read_number(text, 0);
  if (delay_us < 0 || delay_us > INT64_C(3600000000)) return EINVAL;
  striped->lock_delay_us = delay_us;
  return 0;
}

static void on_setxattr(fuse_req_t request, fuse_ino_t number, const char* name, const char* value,
                        size_t size, int flags) {
  (void)flags;
  struct striped* striped = striped_of(request);
  struct inode* inode = inode_at(request, number);
  struct target* target = behind_door(striped, inode);
  char text[LONGEST_VALUE_BYTES + 1];
  int error = ENOTSUP;
  if (!copy_text(text, value, size))
    error = EINVAL;
  else if (target != NULL)
    error = control_set(target, name, text);
  else if (strcmp(name, LAYOUT) == 0)
    error = set_layout(striped, inode, text);
  else if (number == FUSE_ROOT_ID)
    error = set_of_root(striped, name, text);
  fuse_reply_err(request, error);
}

/* A folder's own layout may be taken back. */
static void on_removexattr(fuse_req_t request, fuse_ino_t number, const char* name) {
  struct striped* striped = striped_of(request);
  struct inode* inode = inode_at(request, number);
  const int is_there = strcmp(name, LAYOUT) == 0 && kind_of(inode) == S_IFDIR;
  if (is_there) forget_folder(striped, inode->number);
  fuse_reply_err(request, is_there ? 0 : ENOTSUP);
}

static void on_listxattr(fuse_req_t request, fuse_ino_t number, size_t room) {
  struct striped* striped = striped_of(request);
  struct inode* inode = inode_at(request, number);
  char names[MOST_TEXT_BYTES], text[MOST_TEXT_BYTES];
  size_t length = 0;
  if (behind_door(striped, inode) != NULL) {
    length = control_names(names);
  } else if (get_layout(striped, inode, text) > 0) {
    memcpy(names, LAYOUT, sizeof LAYOUT);
    length = sizeof LAYOUT;
  }
  reply_value(request, names, length, room);
}

/* --- folders: a new one gets its parent's layout --- */

static void on_mkdir(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode) {
  struct striped* striped = striped_of(request);
  struct inode* folder = inode_at(request, parent);
  struct entry entry;
  int error = mkdirat(folder->fd, name, mode) == 0 ? 0 : errno;
  if (error == 0) error = give_to_caller(request, folder->fd, name);
  if (error == 0) error = enter_name(&striped->names, folder->fd, name, &entry);
  if (error != 0) {
    fuse_reply_err(request, error);
    return;
  }
  const struct layout_wish wish = folder_wish(striped, folder);
  if (wish.unit_bytes > 0 || wish.count > 0)
    set_folder_wish(striped, entry.inode, &wish);
  else
    forget_folder(striped, entry.inode->number);
  inodes_forget(&striped->names.inodes, entry.inode, 1);
  reply_name(request, folder->fd, name);
}

static void on_rmdir(fuse_req_t request, fuse_ino_t parent, const char* name) {
  const int folder = inode_at(request, parent)->fd;
  struct stat attributes;
  const int known = fstatat(folder, name, &attributes, AT_SYMLINK_NOFOLLOW) == 0;
  const int error = unlinkat(folder, name, AT_REMOVEDIR) == 0 ? 0 : errno;
  if (error == 0 && known) forget_folder(striped_of(request), attributes.st_ino);
  fuse_reply_err(request, error);
}

void attributes_fill_striped(struct fuse_lowlevel_ops* operations) {
  operations->getxattr = on_getxattr;
  operations->setxattr = on_setxattr;
  operations->removexattr = on_removexattr;
  operations->listxattr = on_listxattr;
  operations->mkdir = on_mkdir;
  operations->rmdir = on_rmdir;
}
