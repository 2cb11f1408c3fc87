/* Files in subfiles, as programs see them that know nothing of collio (docs/design/subfiles-tools.md,
 * "View").
 *
 * A program that opens a placeholder to read gets a descriptor of an empty file in memory. Position,
 * duplicates and locks are the kernel's. read(2) and pread(2) are served from the subfiles. What hands pages
 * to the kernel (mmap, a descriptor that another program inherits) has its bytes copied into that file
 * first; what cannot be served fails.
 *
 *   view.c  views and their life      used.c  which of them the process still has open or mapped
 *   bytes.c  their bytes              calls.c  open, read, close, map
 *   stat.c  sizes                     streams.c  stdio
 *   start.c  other programs           raw.c  calls by syscall(2)
 *   mappings.c  those that grow, move and end
 *   alone.c, job.c  the two libraries
 *   set.c  placeholders, manifests, subfiles
 */
#ifndef COLLIO_VIEW_VIEW_H
#define COLLIO_VIEW_VIEW_H

#include <stdio.h>

#include "view/set.h"

#define EXPORT __attribute__((visibility("default")))

/* Defines what the C library calls `name`. */
#define CALL(type, name, parameters)                      \
  EXPORT type view_call_##name parameters __asm__(#name); \
  type view_call_##name parameters

#define COLLIO_VIEW_MEMORY "collio view" /* name of the files in memory */

/* `name`: relative to `folder`. */
struct view_path {
  int folder;
  const char* name;
};

enum {
  view_slots = 64,
  view_part_bytes = 1 << 20 /* of the file, copied into memory at once */
};

/* A file in subfiles that the process has open, or mapped. */
struct view {
  struct view* next; /* a view that has ended stays in the list, for the next file */
  int live;          /* guarded by view_lock() */
  int users;         /* threads that use it; guarded by view_lock() */
  unsigned opens;    /* guarded by view_lock() */
  unsigned seen;     /* opens at the last look whether it is still used */
  int mapped;        /* atomic */
  ino_t inode;       /* atomic: of the file in memory; 0: it has ended */
  struct view_set set;
  struct stat about;  /* as programs see it */
  int memory;         /* the file in memory */
  struct stat inside; /* of that */
  int placeholder;    /* open and locked as in use (SetUse, storage/subfiles/look.hpp) */
  struct view_subfile {
    int64_t number;
    int fd, users;       /* guarded by view_lock() */
    struct stat inside;  /* a program may have closed the descriptor, and its number be another file's */
  } open[view_slots];    /* subfiles, each in the place of its number modulo view_slots */
  unsigned char* filled; /* a bit for each part of the file that memory has */
};

/* Guards what says so, for a few instructions: no system call, so that a fork(2) need not wait. */
void view_lock(void);
void view_unlock(void);

/* Whether the library is preloaded into a job (job.c), or into a program without MPI (alone.c). In a job
   calls of the MPI library and of the engine on placeholders pass through, as do calls that write. */
extern const int view_in_job;
/* Whether calls of this thread may be the program's own. */
int view_may_serve(void);
/* Whether code at this address may see a placeholder as the file. */
int view_serves(const void* caller);
/* Who calls what the library exports. */
#define CALLER __builtin_return_address(0)

/* The view of a placeholder that was opened as `fd`, to be put back; null: `fd` is of another file, or as
   `caller` sees it, or errno is set and the reason was said. ESTALE: it was joined meanwhile, and its name is
   of another file. */
struct view* view_of_placeholder(int fd, const void* caller, int* error);
/* Bytes of the file whose placeholder is open as `fd`; -1: of another, or one that is damaged, or as `caller`
   sees it. */
int64_t view_bytes_of(int fd, const void* caller);
/* The view whose file in memory this descriptor is of, to be put back. */
struct view* view_of(int fd);
/* The same of the file in memory with this number. */
struct view* view_of_inode(ino_t inode);
void view_put(struct view* const* v);
/* A view for the rest of the block. */
#define VIEW(v, is) struct view* const v __attribute__((cleanup(view_put))) = (is)
/* A descriptor of this library's own, out of the program's way. */
int view_high(int fd);
int view_is_file(int fd, const struct stat* file);
/* Whether it is of any. */
int view_has(int fd);
/* Whether the process has any. */
int view_any(void);
int view_any_mapped(void);
/* A new descriptor of it, at the file's begin. -1: errno. */
int view_open(struct view* v, int flags);
/* As pread(2). */
ssize_t view_read(struct view* v, void* to, size_t bytes, int64_t offset);
/* Copies a part of the file into memory, which `fd` is a descriptor of. 0, or errno. */
int view_fill(struct view* v, int fd, int64_t offset, int64_t bytes);
/* Copies all of every file that a program started from here would have open: it may know nothing of this. */
void view_fill_inherited(void);
/* Ends the views that the process has neither open nor mapped any more. errno stays. */
void view_sweep(void);
/* Numbers of the files in memory that the process has open, or mapped. */
struct view_used {
  ino_t* inodes;
  size_t count, room;
};
/* 0: it cannot tell. `maps`: whether mappings count. `own_memory`: the descriptor by which this library has a
   file in memory. */
int view_look(struct view_used* used, int maps, int (*own_memory)(ino_t inode));
int view_is_used(const struct view_used* used, ino_t inode);
/* The mapping of a file in memory that `at` is in: the file's number and the offset; 0: it is in none. */
ino_t view_mapping_at(const void* at, int64_t* offset);

struct view_how {
  int flags;
  mode_t mode;
  const void* openat2; /* what openat2(2) gets; null: openat(2) opens */
  size_t openat2_bytes;
};
#define VIEW_HOW(flags, mode) ((struct view_how){flags, mode, NULL, 0})
/* open(2) and others, of files in subfiles too. */
int view_open_any(struct view_path path, struct view_how how, const void* caller);
/* fstatat(2) and statx(2), with the lengths of files in subfiles. */
int view_stat_any(struct view_path path, struct stat* about, int flags, const void* caller);
struct view_statx_call {
  int flags;
  unsigned mask;
  struct statx* about;
};
int view_statx_any(struct view_path path, struct view_statx_call call, const void* caller);
/* As close(2). */
int view_close(int fd);
/* Whether the file is a placeholder; 0 where it cannot be read. */
int view_is_placeholder(struct view_path path);
/* As read(2) and lseek(2), of a descriptor of a view. */
ssize_t view_read_on(struct view* v, int fd, void* to, size_t bytes);
off_t view_seek(struct view* v, int fd, off_t offset, int whence);

/* Says why something fails, on stderr. errno stays. */
void view_say(const char* format, ...) __attribute__((format(printf, 1, 2)));
/* A file in subfiles is shown to be read: -1, and errno. */
int view_refuse(const char* path);

#endif
