/* A folder shown read-only, with files in subfiles as ordinary ones (docs/design/subfiles-tools.md, "Mount").
 *
 *   main.c  options, the mount's life      tree.c  names, attributes, folders
 *   files.c  open files and their bytes    descriptors.c  those of subfiles
 */
#ifndef COLLIO_VIEW_MOUNT_H
#define COLLIO_VIEW_MOUNT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdint.h>
#include <sys/stat.h>

#include "view/set.h"

enum { most_tries = 8 }; /* of an operation whose name is of another file each time */

struct fuse_operations; /* of libfuse */

struct shown {
  int root; /* O_PATH: the folder */
  dev_t device;
  int others; /* users other than the one who mounts are let in */
};
extern struct shown shown;

/* Which file it is that a name is of. */
struct identity {
  dev_t device;
  ino_t inode;
  uint64_t set; /* 0: an ordinary file */
};

/* A layout that a file got while it was open. Reads may use it until the file is closed. */
struct redealt {
  struct view_layout layout;
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

/* Says why something fails: on stderr in the foreground, else to syslog. */
void mount_say(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* Opens what `path` names below the folder; follows no link, so that nothing outside is reached. Negative:
 * -errno. */
int tree_open(const char* path, int flags);

/* 1: the file open as `fd` is kept in subfiles; `set` is of them and to be freed. 0: an ordinary file. Else
   -errno: -ESTALE where its name is of another file by now; otherwise the reason was said. */
int read_set(int fd, struct view_set* set);

/* A descriptor of a subfile, to be given back. 0, or errno: the reason was said. */
struct taken {
  int fd, slot;
};
int descriptor_take(const struct handle* h, int64_t subfile, struct taken* taken);
void descriptor_put(const struct taken* taken);
/* Closes all that the handle has. */
void descriptors_drop(const struct handle* h);

void tree_fill(struct fuse_operations* operations);
void files_fill(struct fuse_operations* operations);

#endif
