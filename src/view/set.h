/* The subfiles of a file: where they lie and how long they are. For the preload (view.h) and the mount
   (mount/). */
#ifndef COLLIO_VIEW_SET_H
#define COLLIO_VIEW_SET_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "storage/subfile_format/manifest.h"

/* The function of the C library's, or of another preload's behind this one. */
#ifdef COLLIO_VIEW_MOUNT
#define REAL(name) name
#else
#define REAL(name)                                                 \
  ({                                                               \
    static __typeof__(&name) real_call;                            \
    if (!real_call) *(void**)&real_call = dlsym(RTLD_NEXT, #name); \
    real_call;                                                     \
  })
#endif

struct view_set {
  char* path;   /* of the placeholder, absolute */
  char* folder; /* of the manifest */
  struct collio_manifest manifest;
  int64_t bytes;            /* of the file, by the subfiles' lengths */
  uint64_t stamp;           /* changes when a subfile is written to */
  struct timespec modified; /* the newest subfile's */
  char* why;                /* it could not be read; null: no memory */
};

/* The first bytes of the file that is open as `fd`, and a zero, into `head`. 1: it is a placeholder, maybe a
   damaged one. 0: it is none. Else -errno. */
int view_read_head(int fd, char head[collio_head_bytes + 1]);
/* Path of the file that is open as `fd`. 0, or errno. */
int view_path_of(int fd, char path[4096]);
/* Whether this path leads to another file than `fd` by now. */
int view_is_elsewhere(int fd, const char* path);

/* Reads the manifest of the placeholder at `path`, an absolute one, that begins with `head`, and the lengths
   of its subfiles. `file`, where users are served who may not read all that this process may: the
   placeholder's attributes, as of view_is_part(). 0, or errno: set->why says the reason. Either way the set
   is to be freed. */
int view_read_set(struct view_set* set, const char* path, const char* head, const struct stat* file);
/* Whether a subfile belongs to the owner of the placeholder, and whoever may read that may read it: who can
   write to the folder can put another one there. */
#define VIEW_NO_PART "belongs to another user than the file, or fewer users may read it"
int view_is_part(const struct stat* subfile, const struct stat* file);
void view_free_set(struct view_set* set);
/* Path of a subfile; to be freed. */
char* view_subfile_path(const struct view_set* set, int64_t subfile);

/* The bytes of a place, from its subfile's descriptor. Behind the end of a subfile nobody wrote: zeros. 0, or
   errno: EIO where it has not even the bytes that the manifest says. */
int view_read_place(const struct view_set* set, const struct collio_place* place, int fd, char* to);

int view_is_newer(struct timespec a, struct timespec b);

/* Shares the lock of all who have the file open (SetUse, storage/subfiles/look.hpp); waits while one joins
   it. 0, or errno; EINTR: a signal came. A file system may have no locks. */
int view_lock_in_use(int fd);

/* The kernel's own answers. `folder`, `flags`: as of fstatat(2). */
int view_real_stat(int folder, const char* path, struct stat* about, int flags);
int view_real_fstat(int fd, struct stat* about);

#endif
