/* Names turned into inodes, and the answers about them. */
#ifndef COLLIO_LAB_REPLY_H
#define COLLIO_LAB_REPLY_H

#include <sys/stat.h>

#include "target.h"

extern const double
    ATTRIBUTES_HOLD_S; /* how long the kernel may believe names and attributes; it sees all changes itself */

struct entry {
  struct inode* inode;
  struct stat attributes;
};

/* The inode of a name in a folder, with one lookup more. Returns 0 or an errno. */
int enter_name(struct target* target, int folder, const char* name, struct entry* entry);

/* Makes the caller the owner of what has been made for it, if this process may. Returns 0 or an errno. */
int give_to_caller(fuse_req_t request, int folder, const char* name);

/* Answers a lookup, mkdir, symlink, ... with the entry of a name, or with the error. */
void reply_name(fuse_req_t request, int folder, const char* name);

/* Answers open and create: every read and write comes here (direct_io), writes to one file at once. Nonzero
 * if the caller is gone. */
int reply_open(fuse_req_t request, int fd);
int reply_create(fuse_req_t request, const struct entry* entry, int fd);

#endif
