/* stat(2) and what else tells the size of a file. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "view/view.h"

enum {
  most_placeholder_bytes = 4096
}; /* longer files are none, or are being joined and have the right size */

/* Its blocks too: a file without them would pass for one of holes. */
static void give_size(struct stat* about, int64_t bytes) {
  about->st_size = bytes;
  about->st_blocks = (bytes + 511) / 512;
}

/* Bytes of the file in subfiles whose placeholder has these attributes; -1: it is none. */
static int64_t bytes_of(const struct stat* about, struct view_path path, const void* caller) {
  if (!S_ISREG(about->st_mode) || about->st_size > most_placeholder_bytes || about->st_size == 0 ||
      !view_may_serve())
    return -1;
  const int before = errno;
  const int fd = REAL(openat)(path.folder, path.name, O_RDONLY | O_CLOEXEC);
  const int64_t bytes = fd >= 0 ? view_bytes_of(fd, caller) : -1;
  if (fd >= 0) REAL(close)(fd);
  errno = before;
  return bytes;
}

static void give_size_of(struct stat* about, const struct view* v) {
  *about = v->about;
  give_size(about, v->set.bytes);
}

/* The view that a call looks at by its descriptor. */
static struct view* view_at(struct view_path path, int flags) {
  return (flags & AT_EMPTY_PATH) && (!path.name || path.name[0] == '\0') ? view_of(path.folder) : NULL;
}

int view_stat_any(struct view_path path, struct stat* about, int flags, const void* caller) {
  VIEW(v, view_at(path, flags));
  const int result = view_real_stat(path.folder, path.name, about, flags);
  if (result != 0) return result;
  const int64_t bytes = v ? -1 : bytes_of(about, path, caller);
  if (v) give_size_of(about, v);
  if (bytes >= 0) give_size(about, bytes);
  return 0;
}

static int fstat_any(int fd, struct stat* about) {
  const int result = view_real_fstat(fd, about);
  VIEW(v, result == 0 ? view_of(fd) : NULL);
  if (v) give_size_of(about, v);
  return result;
}

/* The names that the C library has for them, of files of any length and of older programs. */
#define STAT_ANY(folder, path, about, flags) \
  view_stat_any((struct view_path){folder, path}, about, flags, CALLER)
#define STAT(name, parameters, arguments)                \
  EXPORT int view_stat_##name parameters __asm__(#name); \
  int view_stat_##name parameters { return STAT_ANY arguments; }
STAT(stat, (const char* path, struct stat* about), (AT_FDCWD, path, about, 0))
STAT(stat64, (const char* path, struct stat* about), (AT_FDCWD, path, about, 0))
STAT(lstat, (const char* path, struct stat* about), (AT_FDCWD, path, about, AT_SYMLINK_NOFOLLOW))
STAT(lstat64, (const char* path, struct stat* about), (AT_FDCWD, path, about, AT_SYMLINK_NOFOLLOW))
STAT(fstatat, (int folder, const char* path, struct stat* about, int flags), (folder, path, about, flags))
STAT(fstatat64, (int folder, const char* path, struct stat* about, int flags), (folder, path, about, flags))
STAT(__xstat, (int form, const char* path, struct stat* about), (AT_FDCWD, path, about, 0 * form))
STAT(__xstat64, (int form, const char* path, struct stat* about), (AT_FDCWD, path, about, 0 * form))
STAT(__lxstat, (int form, const char* path, struct stat* about),
     (AT_FDCWD, path, about, AT_SYMLINK_NOFOLLOW + 0 * form))
STAT(__lxstat64, (int form, const char* path, struct stat* about),
     (AT_FDCWD, path, about, AT_SYMLINK_NOFOLLOW + 0 * form))
STAT(__fxstatat, (int form, int folder, const char* path, struct stat* about, int flags),
     (folder, path, about, flags + 0 * form))
STAT(__fxstatat64, (int form, int folder, const char* path, struct stat* about, int flags),
     (folder, path, about, flags + 0 * form))

#define FSTAT(name, parameters, arguments)               \
  EXPORT int view_stat_##name parameters __asm__(#name); \
  int view_stat_##name parameters { return fstat_any arguments; }
FSTAT(fstat, (int fd, struct stat* about), (fd, about))
FSTAT(fstat64, (int fd, struct stat* about), (fd, about))
FSTAT(__fxstat, (int form, int fd, struct stat* about), (fd + 0 * form, about))
FSTAT(__fxstat64, (int form, int fd, struct stat* about), (fd + 0 * form, about))

int view_statx_any(struct view_path path, struct view_statx_call call, const void* caller) {
  struct statx* const about = call.about;
  VIEW(v, view_at(path, call.flags));
  /* By the placeholder, which has the dates. */
  const int result = (int)(v ? REAL(syscall)(SYS_statx, v->placeholder, "", AT_EMPTY_PATH, call.mask, about)
                             : REAL(syscall)(SYS_statx, path.folder, path.name, call.flags,
                                             call.mask | STATX_SIZE | STATX_TYPE, about));
  if (result != 0) return result;
  const struct stat kind = {.st_mode = about->stx_mode, .st_size = (off_t)about->stx_size};
  const int64_t bytes = v ? v->set.bytes : bytes_of(&kind, path, caller);
  if (bytes < 0) return 0;
  about->stx_size = (uint64_t)bytes;
  about->stx_blocks = ((uint64_t)bytes + 511) / 512;
  return 0;
}

EXPORT int view_statx(int folder, const char* path, int flags, unsigned mask,
                      struct statx* about) __asm__("statx");
int view_statx(int folder, const char* path, int flags, unsigned mask, struct statx* about) {
  return view_statx_any((struct view_path){folder, path}, (struct view_statx_call){flags, mask, about},
                        CALLER);
}
