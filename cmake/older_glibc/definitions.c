/* What the newest C libraries alone have, for all that a package links. Hidden, so nobody else gets these. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC visibility push(hidden)

/* glibc 2.36: seeds, for std::random_device. */
uint32_t arc4random(void) {
  uint32_t value = 0;
  while (getrandom(&value, sizeof value, 0) != sizeof value) {}
  return value;
}

/* glibc 2.35: a shortcut of the unwinder's. Without an answer it asks dl_iterate_phdr. */
int _dl_find_object(void* address, void* result) {
  (void)address, (void)result;
  return -1;
}

/* glibc 2.32: std::shared_ptr counts without atomics where this is true. A package's process has threads. */
char __libc_single_threaded = 0;

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
