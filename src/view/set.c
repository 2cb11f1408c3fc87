/* See set.h. */
#define _GNU_SOURCE
#include "view/set.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "storage/subfile_format/mark.h"

int view_real_stat(int folder, const char* path, struct stat* about, int flags) {
  return (int)REAL(syscall)(SYS_newfstatat, folder, path, about, flags);
}

int view_real_fstat(int fd, struct stat* about) { return (int)REAL(syscall)(SYS_fstat, fd, about); }

int view_path_of(int fd, char path[4096]) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, path, 4095);
  if (length <= 0) return errno;
  path[length] = '\0';
  return 0;
}

int view_is_elsewhere(int fd, const char* path) {
  struct stat here, there;
  return view_real_fstat(fd, &here) != 0 || view_real_stat(AT_FDCWD, path, &there, 0) != 0 ||
         here.st_ino != there.st_ino || here.st_dev != there.st_dev;
}

/* A few bytes of a mark may be the rest of a placeholder, if subfiles lie beside them. */
static int is_cut_mark(int fd, const char* begin, size_t bytes) {
  char path[4096];
  return bytes > 0 && bytes < collio_mark_bytes && memcmp(begin, COLLIO_MARK, bytes) == 0 &&
         view_path_of(fd, path) == 0 && collio_may_have_folder(path);
}

int view_read_head(int fd, char head[collio_head_bytes + 1]) {
  struct stat about;
  if (view_real_fstat(fd, &about) != 0) return -errno;
  if (!S_ISREG(about.st_mode) || about.st_size == 0) return 0;
  ssize_t bytes;
  do {
    bytes = REAL(pread)(fd, head, collio_head_bytes, 0);
  } while (bytes < 0 && errno == EINTR);
  if (bytes < 0) return -errno;
  head[bytes] = '\0';
  return collio_is_mark(head, (size_t)bytes) || is_cut_mark(fd, head, (size_t)bytes);
}

int view_lock_in_use(int fd) {
  struct flock use = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = ((off_t)1 << 61) | 17, .l_len = 1};
  return fcntl(fd, F_OFD_SETLKW, &use) == 0 ? 0 : errno;
}

enum { most_manifest_bytes = 1 << 24 }; /* 250 bytes for each of 65535 folders */

int view_is_part(const struct stat* subfile, const struct stat* file) {
  const mode_t all = subfile->st_mode & S_IROTH, group = subfile->st_mode & S_IRGRP;
  return S_ISREG(subfile->st_mode) && subfile->st_uid == file->st_uid &&
         (all || !(file->st_mode & S_IROTH)) &&
         (all || !(file->st_mode & S_IRGRP) || (group && subfile->st_gid == file->st_gid));
}

/* Whether the file open as `fd` belongs to the owner of `file`; null: no matter whose it is. */
static int is_owners(int fd, const struct stat* file) {
  struct stat about;
  return !file || (view_real_fstat(fd, &about) == 0 && about.st_uid == file->st_uid);
}

/* -1: errno. */
static int open_manifest(const struct view_set* set, const struct stat* file) {
  const int flags = O_CLOEXEC | (file ? O_NOFOLLOW : 0);
  const int folder = REAL(open)(set->folder, O_PATH | O_DIRECTORY | flags);
  if (folder < 0) return -1;
  int fd = REAL(openat)(folder, "manifest", O_RDONLY | O_NONBLOCK | flags);
  if (fd >= 0 && !(is_owners(folder, file) && is_owners(fd, file))) {
    REAL(close)(fd);
    fd = -1;
    errno = EPERM;
  }
  const int error = errno;
  REAL(close)(folder);
  return errno = error, fd;
}

/* A whole file as text, to be freed; null: errno. Closes it. */
static char* read_text(int fd) {
  struct stat about;
  if (fd < 0) return NULL;
  if (view_real_fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size > most_manifest_bytes)
    return REAL(close)(fd), errno = about.st_size > most_manifest_bytes ? EFBIG : EINVAL, NULL;
  size_t room = 1 << 16, bytes = 0;
  char* text = malloc(room);
  for (ssize_t n = 1; text && n != 0;) {
    if (bytes + 1 >= room) {
      char* more = realloc(text, room *= 2);
      if (!more) free(text);
      text = more;
      if (!text) break;
    }
    n = REAL(pread)(fd, text + bytes, room - bytes - 1, (off_t)bytes);
    if (n < 0 && errno == EINTR)
      n = 1;
    else if (n < 0)
      free(text), text = NULL;
    else
      bytes += (size_t)n;
  }
  REAL(close)(fd);
  if (text) text[bytes] = '\0';
  return text;
}

char* view_subfile_path(const struct view_set* set, int64_t subfile) {
  const struct collio_manifest* m = &set->manifest;
  const char* folder = m->folders[subfile % m->folder_count];
  const int relative = folder[0] != '/';
  char *path, ending[collio_ending_bytes];
  collio_subfile_ending(m->identity, subfile, ending);
  const int bytes = asprintf(&path, "%s%s%s/%s%s", relative ? set->folder : "", relative ? "/" : "", folder,
                             m->base, ending);
  return bytes < 0 ? NULL : path;
}

int view_read_place(const struct view_set* set, const struct collio_place* place, int fd, char* to) {
  size_t done = 0;
  const size_t bytes = (size_t)place->bytes;
  while (done < bytes) {
    const int64_t at = place->offset + (int64_t)done;
    const ssize_t n = REAL(pread)(fd, to + done, bytes - done, at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0 && at < collio_share(&set->manifest.layout, place->subfile, set->manifest.file_bytes))
      return EIO;
    if (n == 0) return memset(to + done, 0, bytes - done), 0;
    done += (size_t)n;
  }
  return 0;
}

static void explain(struct view_set* set, const char* format, ...) __attribute__((format(printf, 2, 3)));
static void explain(struct view_set* set, const char* format, ...) {
  va_list rest;
  va_start(rest, format);
  if (vasprintf(&set->why, format, rest) < 0) set->why = NULL;
  va_end(rest);
}

int view_is_newer(struct timespec a, struct timespec b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

/* Attributes of a subfile. errno or 0. */
static int look_at(struct view_set* set, int64_t subfile, const struct stat* file, struct stat* about) {
  char* path = view_subfile_path(set, subfile);
  const int flags = file ? AT_SYMLINK_NOFOLLOW : 0;
  int error = !path ? ENOMEM : view_real_stat(AT_FDCWD, path, about, flags) != 0 ? errno : 0;
  if (error == 0 && file && !view_is_part(about, file)) {
    error = EPERM;
    explain(set, "%s is kept in subfiles, of which %s " VIEW_NO_PART, set->path, path);
  } else {
    if (error == 0 && about->st_size < collio_share(&set->manifest.layout, subfile, set->manifest.file_bytes))
      error = EIO;
    if (error != 0)
      explain(set, "%s is kept in subfiles, of which %s is missing or too short: %s; see collio fsck",
              set->path, path ? path : "one", strerror(error));
  }
  free(path);
  return error != 0 ? EIO : 0;
}

/* The file's length, by those of the subfiles: errno or 0. */
static int measure(struct view_set* set, const struct stat* file) {
  for (int64_t i = 0; i < set->manifest.layout.count; ++i) {
    struct stat about;
    const int error = look_at(set, i, file, &about);
    if (error != 0) return error;
    const int64_t end = collio_length_by(&set->manifest.layout, i, about.st_size);
    if (end > set->bytes) set->bytes = end;
    if (view_is_newer(about.st_mtim, set->modified)) set->modified = about.st_mtim;
    set->stamp =
        set->stamp * 31 + (uint64_t)about.st_mtim.tv_sec * 1000000000u + (uint64_t)about.st_mtim.tv_nsec;
  }
  return 0;
}

/* The folder that the placeholder at `path` names. 0, or errno. */
static int find_folder(struct view_set* set, const char* path, const char* head) {
  struct collio_placeholder found;
  const char* slash = strrchr(path, '/');
  if (!slash || collio_read_placeholder(head, strlen(head), &found) != collio_read_good) {
    explain(set, "%s is a placeholder of collio's subfiles whose first bytes are damaged", path);
    return EIO;
  }
  set->manifest.identity = found.identity;
  if (asprintf(&set->folder, "%.*s/%s", (int)(slash - path), path, found.folder) >= 0) return 0;
  return set->folder = NULL, EIO;
}

/* Of the set's identity. 0, or errno. */
static int parse_manifest(struct view_set* set, const char* text, const char* name) {
  const uint64_t identity = set->manifest.identity;
  const enum collio_read how = collio_read_manifest(text, strlen(text), malloc, &set->manifest);
  if (how == collio_read_good && set->manifest.identity == identity) return 0;
  if (how == collio_read_version)
    explain(set, "%s is a manifest of another version; this collio reads versions 1 and 2", name);
  else if (how != collio_read_no_memory)
    explain(set, "the manifest %s is damaged, or of another file than %s", name, set->path);
  return EIO;
}

/* All but the lengths. errno or 0. */
static int read_manifest(struct view_set* set, const char* path, const char* head, const struct stat* file) {
  memset(set, 0, sizeof *set);
  set->path = strdup(path);
  if (!set->path || find_folder(set, path, head) != 0) return EIO;
  char *name = NULL, *text = NULL;
  int error = EIO;
  if (asprintf(&name, "%s/manifest", set->folder) < 0) return EIO;
  if ((text = read_text(open_manifest(set, file))) != NULL)
    error = parse_manifest(set, text, name);
  else
    explain(set, "%s is kept in subfiles, and their manifest %s cannot be read: %s", path, name,
            errno == EPERM ? "it or its folder belongs to another user than the file" : strerror(errno));
  free(text);
  free(name);
  return error;
}

int view_read_set(struct view_set* set, const char* path, const char* head, const struct stat* file) {
  int error = read_manifest(set, path, head, file);
  int64_t deals = -1;
  /* A program that writes the file may re-deal it meanwhile: then the lengths mean other bytes. */
  while (error == 0 && deals != set->manifest.layout.deal_count) {
    deals = set->manifest.layout.deal_count;
    error = measure(set, file);
    if (error != 0 || set->manifest.complete) break;
    struct view_set now;
    error = read_manifest(&now, path, head, file);
    if (error == 0 && now.manifest.layout.deal_count == deals) {
      view_free_set(&now);
    } else {
      view_free_set(set);
      *set = now;
    }
  }
  return error;
}

void view_free_set(struct view_set* set) {
  free(set->manifest.memory);
  free(set->folder);
  free(set->path);
  free(set->why);
}
