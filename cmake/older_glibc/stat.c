/* stat(2) and its kin, as in definitions.c, but for all save the library that has functions of these names
 * (src/view/). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC visibility push(hidden)

/* glibc 2.33: older ones have them inline. The kernel's struct stat is the C library's on 64-bit machines. */
int fstat(int file, struct stat* out) { return (int)syscall(SYS_newfstatat, file, "", out, AT_EMPTY_PATH); }
int stat(const char* path, struct stat* out) { return (int)syscall(SYS_newfstatat, AT_FDCWD, path, out, 0); }
int lstat(const char* path, struct stat* out) {
  return (int)syscall(SYS_newfstatat, AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}
int fstat64(int file, struct stat64* out) { return fstat(file, (struct stat*)out); }
int stat64(const char* path, struct stat64* out) { return stat(path, (struct stat*)out); }
int lstat64(const char* path, struct stat64* out) { return lstat(path, (struct stat*)out); }

#pragma GCC visibility pop
