/* Which file a name is of, as it may be another one later. */
#ifndef COLLIO_VIEW_MOUNT_IDENTITY_H
#define COLLIO_VIEW_MOUNT_IDENTITY_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdint.h>
#include <sys/stat.h>

#include "view/set.h"

enum { most_tries = 8 }; /* of an operation whose name is of another file each time */

/* Which file it is that a name is of. */
struct identity {
  dev_t device;
  ino_t inode;
  uint64_t set; /* 0: an ordinary file */
};

/* A manifest that a file got while it was open. Reads may use its layout until the file is closed. */
struct redealt {
  struct collio_manifest manifest;
  struct redealt* older;
};

/* An open file. */
struct handle {
  struct handle *next, *previous; /* of all */
  char* path;                     /* as it was opened */
  struct identity identity;
  int replaced;            /* atomic: the path is of another file by now */
  int fd;                  /* of a placeholder: locked as in use */
  uint64_t number;         /* from 1 on */
  struct view_set set;     /* as at the open; of an ordinary file: empty */
  struct redealt* redealt; /* atomic: the newest; null: the layout is the set's */
  int64_t bytes;           /* atomic: of the file as last seen */
  struct stat about;       /* as at the open: of the placeholder, or the ordinary file */
};

/* The kernel keeps the pages and the size of a name, not of a file: of two open files of one name, one would
   give its bytes to the other. So handles of this path that are of another file are of no use from now on. */
void note_identity(const char* path, const struct identity* now);

/* Enters an open file in the list of all, with its number, and takes it out. */
void enter_handle(struct handle* h);
void leave_handle(struct handle* h);

/* 1: the file open as `fd` is kept in subfiles; `set` is of them and to be freed. 0: an ordinary file. Else
   -errno: -ESTALE where its name is of another file by now; otherwise the reason was said. */
int read_set(int fd, struct view_set* set);

#endif
