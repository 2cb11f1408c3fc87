/* What the newest C libraries alone have, for all that a package links. Hidden, so nobody else gets these. */
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/random.h>

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

#pragma GCC visibility pop
