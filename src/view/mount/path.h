/* The folder that is shown, and names below it. */
#ifndef COLLIO_VIEW_MOUNT_PATH_H
#define COLLIO_VIEW_MOUNT_PATH_H

#include <sys/types.h>

struct shown {
  int root; /* O_PATH: the folder */
  dev_t device;
  int others; /* users other than the one who mounts are let in */
};
extern struct shown shown;

/* Opens what `path` names below the folder; follows no link, so that nothing outside is reached. Negative:
 * -errno. */
int shown_open(const char* path, int flags);

#endif
