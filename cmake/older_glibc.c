/* For a package: what the C++ runtime that is linked in would want of the newest C library alone. Hidden, so nobody else gets these. */
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/random.h>

/* glibc 2.36. A source of seeds. */
__attribute__((visibility("hidden"))) uint32_t arc4random(void) {
  uint32_t value = 0;
  while (getrandom(&value, sizeof value, 0) != sizeof value) {
  }
  return value;
}

/* glibc 2.35, a shortcut of the unwinder's: without an answer it asks dl_iterate_phdr. */
__attribute__((visibility("hidden"))) int _dl_find_object(void* address, void* result) {
  (void)address, (void)result;
  return -1;
}
