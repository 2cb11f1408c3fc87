/* Descriptors of subfiles. */
#ifndef COLLIO_VIEW_MOUNT_DESCRIPTORS_H
#define COLLIO_VIEW_MOUNT_DESCRIPTORS_H

#include "view/mount/identity.h"

/* A descriptor of a subfile, to be given back. 0, or errno: the reason was said. */
struct taken {
  int fd, slot;
};
int descriptor_take(const struct handle* h, int64_t subfile, struct taken* taken);
void descriptor_put(const struct taken* taken);
/* Closes all that the handle has. */
void descriptors_drop(const struct handle* h);

#endif
