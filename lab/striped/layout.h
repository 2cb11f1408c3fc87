/* How a file of the striped file system lies on its targets: arithmetic, and the text of it.
 *
 * Stripe s of `unit_bytes` bytes is part s / count of the object on targets[s % count]. */
#ifndef COLLIO_LAB_LAYOUT_H
#define COLLIO_LAB_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "space.h"

enum { MOST_TARGETS = 64, LAYOUT_TEXT_BYTES = 320, LEAST_UNIT_BYTES = 4096 };
#define MOST_UNIT_BYTES (INT64_C(1) << 30)

struct layout {
  int64_t unit_bytes;
  int count;
  int targets[MOST_TARGETS];
};

/* What is set for a folder's new files, or wished for a file. 0: not said. Targets: as many as the count, or
 * none. */
struct layout_wish {
  int64_t unit_bytes;
  int count;
  int targets_given;
  int targets[MOST_TARGETS];
};

/* Reads "unit=65536 count=4" or "unit=65536 targets=2,3,0,1", each part of it or none. Returns 0 or EINVAL:
 * no such text, a unit that is no multiple of 4096 up to 1 GiB, a target that is not there, or is there
 * twice. */
int layout_read(struct layout_wish* wish, const char* text, int targets);

/* Into LAYOUT_TEXT_BYTES; the length. */
int layout_print(const struct layout* layout, char* text);
int layout_print_wish(const struct layout_wish* wish, char* text);

/* A layout as wished, with what is not said from `otherwise`; of `targets` targets, from `first` on where
 * none are named. */
struct layout layout_make(const struct layout_wish* wish, const struct layout_wish* otherwise, int targets,
                          unsigned first);

/* The part of a file's bytes from `offset` on that lies in one stripe. */
struct stripe_part {
  int object;
  int64_t stripe;
  struct range range; /* of the object */
};
struct stripe_part layout_part(const struct layout* layout, struct range file);

/* Bytes of an object of a file of this length. */
int64_t layout_object_bytes(const struct layout* layout, int object, int64_t file_bytes);

#endif
