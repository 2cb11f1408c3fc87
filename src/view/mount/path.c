/* The folder that is shown, and names below it. */
#define _GNU_SOURCE
#include "view/mount/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct shown shown;

int shown_open(const char* path, int flags) {
  int folder = shown.root;
  for (;;) {
    char name[NAME_MAX + 1] = ".";
    path += strspn(path, "/");
    const size_t length = strcspn(path, "/");
    const int last = path[length] == '\0';
    if (length > NAME_MAX) {
      if (folder != shown.root) close(folder);
      return -ENAMETOOLONG;
    }
    if (length > 0) snprintf(name, sizeof name, "%.*s", (int)length, path);
    const int fd = openat(folder, name, (last ? flags : O_PATH | O_DIRECTORY) | O_NOFOLLOW | O_CLOEXEC);
    const int error = errno;
    if (folder != shown.root) close(folder);
    if (fd < 0) return -error;
    if (last) return fd;
    folder = fd;
    path += length;
  }
}
