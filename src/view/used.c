/* Which views the process still has open, or mapped: as the kernel tells it, as descriptors come and go by
   many calls. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "view/view.h"

static const char memory_link[] = "/memfd:" COLLIO_VIEW_MEMORY;

static int note(struct view_used* used, ino_t inode) {
  if (view_is_used(used, inode)) return 1;
  if (used->count == used->room) {
    const size_t room = used->room * 2 + 16;
    ino_t* more = realloc(used->inodes, room * sizeof *more);
    if (!more) return 0;
    used->inodes = more;
    used->room = room;
  }
  used->inodes[used->count++] = inode;
  return 1;
}

int view_is_used(const struct view_used* used, ino_t inode) {
  for (size_t i = 0; i < used->count; ++i)
    if (used->inodes[i] == inode) return 1;
  return 0;
}

/* No stat(2) of a program's own files: theirs may be on a server that does not answer. */
static int is_memory(int folder, const char* name) {
  char link[sizeof memory_link];
  return readlinkat(folder, name, link, sizeof memory_link - 1) == sizeof memory_link - 1 &&
         memcmp(link, memory_link, sizeof memory_link - 1) == 0;
}

static int look_at_descriptors(struct view_used* used, int (*own_memory)(ino_t inode)) {
  DIR* names = opendir("/proc/self/fd");
  int good = names != NULL;
  struct stat about;
  for (const struct dirent* one; good && (one = readdir(names)) != NULL;) {
    const int fd = atoi(one->d_name);
    if (!is_memory(dirfd(names), one->d_name) || view_real_fstat(fd, &about) != 0) continue;
    if (own_memory(about.st_ino) != fd) good = note(used, about.st_ino);
  }
  if (names) closedir(names);
  return good;
}

/* Calls `each` for the mappings of files in memory, until it gives 0. 0: there is no memory, or no list. */
static int for_mappings(int (*each)(void* to, const char* line, ino_t inode), void* to) {
  const int fd = REAL(open)("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  size_t room = 1 << 16, bytes = 0;
  char* text = fd < 0 ? NULL : malloc(room);
  for (ssize_t n = 1; text && n != 0; bytes += (size_t)(n > 0 ? n : 0)) {
    if (room - bytes < 1 << 15) {
      char* more = realloc(text, room *= 2);
      if (!more) free(text);
      text = more;
      if (!text) break;
    }
    n = REAL(read)(fd, text + bytes, room - bytes - 1);
    if (n < 0 && errno != EINTR) free(text), text = NULL;
  }
  if (fd >= 0) REAL(close)(fd);
  if (!text) return 0;
  text[bytes] = '\0';
  for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
    unsigned long inode = 0;
    *end = '\0';
    const char* name = strstr(line, memory_link);
    if (name && sscanf(line, "%*s %*s %*s %*s %lu", &inode) == 1 && !each(to, line, inode)) break;
  }
  free(text);
  return 1;
}

static int note_mapping(void* to, const char* line, ino_t inode) {
  (void)line;
  struct view_used* used = to;
  if (note(used, inode)) return 1;
  used->room = 0; /* it cannot tell */
  return 0;
}

/* Twice: a descriptor may move to a number that was looked at already. */
int view_look(struct view_used* used, int maps, int (*own_memory)(ino_t inode)) {
  used->count = 0;
  if (!look_at_descriptors(used, own_memory) || !look_at_descriptors(used, own_memory)) return 0;
  return !maps || (for_mappings(note_mapping, used) && used->room >= used->count);
}

struct place {
  uintptr_t at;
  ino_t inode;
  int64_t offset;
};

static int find_place(void* to, const char* line, ino_t inode) {
  struct place* place = to;
  uintptr_t begin, end;
  unsigned long offset;
  if (sscanf(line, "%lx-%lx %*s %lx", &begin, &end, &offset) != 3 || place->at < begin || place->at >= end)
    return 1;
  place->inode = inode;
  place->offset = (int64_t)(offset + (place->at - begin));
  return 0;
}

ino_t view_mapping_at(const void* at, int64_t* offset) {
  struct place place = {(uintptr_t)at, 0, 0};
  for_mappings(find_place, &place);
  *offset = place.offset;
  return place.inode;
}
