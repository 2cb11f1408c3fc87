/* The first bytes of a placeholder, and how to find them without memory and without C++: where there is no
   engine, or no memory, a file in subfiles must not be taken for an ordinary one. */
#ifndef COLLIO_STORAGE_SUBFILE_FORMAT_MARK_H
#define COLLIO_STORAGE_SUBFILE_FORMAT_MARK_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COLLIO_MARK "collio placeholder "

enum {
  collio_mark_bytes = sizeof COLLIO_MARK - 1,
  collio_mark_damage = 3 /* up to this many wrong bytes the file is a damaged placeholder */
};

/* Whether a file that begins so is a placeholder, a damaged one included. */
static inline int collio_is_mark(const char* begin, size_t bytes) {
  int differ = 0;
  if (bytes < collio_mark_bytes) return 0;
  for (int i = 0; i < collio_mark_bytes; ++i) differ += begin[i] != COLLIO_MARK[i];
  return differ <= collio_mark_damage;
}

/* Whether a folder of subfiles lies in the file's folder, as it does beside every placeholder, which may have
   another name by now. 1 also where that cannot be looked up. Not collective. */
static inline int collio_may_have_folder(const char* path) {
  char folder[PATH_MAX] = ".";
  int found = 0;
  const char* slash = strrchr(path, '/');
  const size_t bytes = slash ? (size_t)(slash - path) + 1 : 0;
  if (bytes >= sizeof folder) return 1;
  if (bytes > 0) {
    memcpy(folder, path, bytes);
    folder[bytes] = 0;
  }
  DIR* names = opendir(folder);
  if (!names) return 1;
  for (const struct dirent* one = readdir(names); one && !found; one = readdir(names))
    found = one->d_type != DT_REG && strstr(one->d_name, ".collio") != NULL;
  closedir(names);
  return found;
}

/* Whether a file with bytes may be a placeholder though open() failed so: it may not be there, or be one for
   writing only with no folder of subfiles near. Not collective. */
static inline int collio_may_be_unread_placeholder(const char* path, int error) {
  if (error == ENOENT || error == ENOTDIR) return 0;
  return (error != EACCES && error != EPERM) || collio_may_have_folder(path);
}

/* 1: the file is a placeholder, or nothing tells that it is none: it has bytes that cannot be read. 0: it is
   none, or is not there. Not collective. */
static inline int collio_may_be_placeholder(const char* path) {
  struct stat about;
  char begin[collio_mark_bytes];
  ssize_t bytes = -1;
  if (stat(path, &about) != 0) return errno != ENOENT && errno != ENOTDIR;
  if (!S_ISREG(about.st_mode) || about.st_size == 0) return 0;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return collio_may_be_unread_placeholder(path, errno);
  do {
    bytes = pread(fd, begin, sizeof begin, 0);
  } while (bytes < 0 && errno == EINTR);
  close(fd);
  return bytes < 0 || collio_is_mark(begin, (size_t)bytes);
}

/* The same of a path as the MPI library takes it: it may have a driver before a colon. */
static inline int collio_may_open_placeholder(const char* path) {
  const char* colon = strchr(path, ':');
  return collio_may_be_placeholder(path) || (colon && collio_may_be_placeholder(colon + 1));
}

#endif
