/* Mappings that grow, move and end, in programs without MPI. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>

#include "view/view.h"

/* What a mapping shows more. 0, or errno. */
static int fill_grown(const void* at, size_t bytes) {
  int64_t offset = 0;
  VIEW(v, view_of_inode(view_mapping_at(at, &offset)));
  return v ? view_fill(v, v->memory, offset, (int64_t)bytes) : 0;
}

CALL(void*, mremap, (void* at, size_t before, size_t bytes, int flags, ...)) {
  va_list rest;
  va_start(rest, flags);
  void* to = flags & MREMAP_FIXED ? va_arg(rest, void*) : NULL;
  va_end(rest);
  const int error = view_any_mapped() && bytes > before ? fill_grown(at, bytes) : 0;
  if (error != 0) return errno = error, MAP_FAILED;
  return REAL(mremap)(at, before, bytes, flags, to);
}

CALL(int, munmap, (void* at, size_t bytes)) {
  const int result = REAL(munmap)(at, bytes);
  if (view_any_mapped()) view_sweep();
  return result;
}
