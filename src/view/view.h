/* Files in subfiles, as programs see them that know nothing of collio (docs/design/subfiles.md, "View").
 *
 * A program that opens a placeholder to read gets a descriptor of an empty file in memory. Position,
 * duplicates and locks are the kernel's. read(2) and pread(2) are served from the subfiles. What hands pages
 * to the kernel (mmap, a descriptor that another program inherits) has its bytes copied into that file
 * first; what cannot be served fails.
 */
#ifndef COLLIO_VIEW_VIEW_H
#define COLLIO_VIEW_VIEW_H

#include <pthread.h>
#include <stdio.h>

#include "view/set.h"

#define EXPORT __attribute__((visibility("default")))

/* A file in subfiles that the process has opened. It lives as long as the process. */
struct view {
  struct view* next;
  struct view_set set;
  struct stat about;  /* as programs see it */
  int memory;         /* the file in memory */
  struct stat inside; /* of that */
  int placeholder;    /* open and locked as in use (SetUse, storage/subfiles/look.hpp) */
  pthread_mutex_t lock;
  struct view_subfile {
    int64_t number;
    int fd;
    struct stat inside;  /* a program may have closed the descriptor, and its number be another file's */
  } open[64];            /* subfiles, each in the place of its number mod 64 */
  unsigned char* filled; /* a bit for each part of the file that memory has */
};

/* The view of a placeholder that was opened as `fd`; null: `fd` is of another file, or errno is set and the
   reason was said. ESTALE: it was joined meanwhile, and its name is of another file. */
struct view* view_of_placeholder(int fd, int* error);
/* Bytes of the file whose placeholder is open as `fd`; -1: of another, or one that is damaged. */
int64_t view_bytes_of(int fd);
/* The view whose file in memory this descriptor is of. */
struct view* view_of(int fd);
/* A new descriptor of it, at the file's begin. -1: errno. */
int view_open(struct view* v, int flags);
/* As pread(2). */
ssize_t view_read(struct view* v, void* to, size_t bytes, int64_t offset);
/* Copies a part of the file into memory, which `fd` is a descriptor of. 0, or errno. */
int view_fill(struct view* v, int fd, int64_t offset, int64_t bytes);
/* Copies all of every file that a program started from here would have open: it may know nothing of this. */
void view_fill_inherited(void);

/* open(2) and others, of files in subfiles too. */
int view_open_any(int folder, const char* path, int flags, mode_t mode);
/* Whether the file is a placeholder; 0 where it cannot be read. */
int view_is_placeholder(int folder, const char* path);
/* As read(2) and lseek(2), of a descriptor of a view. */
ssize_t view_read_on(struct view* v, int fd, void* to, size_t bytes);
off_t view_seek(struct view* v, int fd, off_t offset, int whence);

/* Sizes of a placeholder become those of its file. `path`: relative to `folder`. */
void view_correct(struct stat* about, int folder, const char* path);
void view_correct_of(struct stat* about, const struct view* v);

/* Says why something fails, on stderr. errno stays. */
void view_say(const char* format, ...) __attribute__((format(printf, 1, 2)));
/* A file in subfiles is shown to be read: -1, and errno. */
int view_refuse(const char* path);

#endif
