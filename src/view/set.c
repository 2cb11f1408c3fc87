/* Placeholders and manifests: the rules of storage/subfiles/manifest.cpp. */
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

#include "storage/subfiles/mark.h"

static const char any_manifest[] = "collio subfiles ";
enum { most_subfiles = 65535 };

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

int view_read_head(int fd, char head[view_head_bytes + 1]) {
  struct stat about;
  if (view_real_fstat(fd, &about) != 0) return -errno;
  if (!S_ISREG(about.st_mode) || about.st_size == 0) return 0;
  ssize_t bytes;
  do {
    bytes = REAL(pread)(fd, head, view_head_bytes, 0);
  } while (bytes < 0 && errno == EINTR);
  if (bytes < 0) return -errno;
  head[bytes] = '\0';
  return collio_is_mark(head, (size_t)bytes) || is_cut_mark(fd, head, (size_t)bytes);
}

int view_lock_in_use(int fd) {
  struct flock use = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = ((off_t)1 << 61) | 17, .l_len = 1};
  return fcntl(fd, F_OFD_SETLKW, &use) == 0 ? 0 : errno;
}

static uint64_t checksum(const char* text, size_t bytes) {
  uint64_t sum = 0xcbf29ce484222325u;
  for (size_t i = 0; i < bytes; ++i) sum = (sum ^ (unsigned char)text[i]) * 0x100000001b3u;
  return sum;
}

/* Takes a line "KEY VALUE" off the text: the value, unescaped, to be freed; null: the next line is another.
 */
static char* take(const char** text, const char* key) {
  const size_t length = strlen(key);
  const char* end = strchr(*text, '\n');
  if (!end || strncmp(*text, key, length) != 0 || (*text)[length] != ' ') return NULL;
  char* value = malloc((size_t)(end - *text));
  char* to = value;
  for (const char* from = *text + length + 1; value && from < end; ++from) {
    unsigned byte = (unsigned char)*from;
    if (*from == '%' && end - from > 2 && sscanf(from + 1, "%2x", &byte) == 1) from += 2;
    *to++ = (char)byte;
  }
  if (value) *to = '\0';
  *text = end + 1;
  return value;
}

static int take_number(const char** text, const char* key, int base, uint64_t* number) {
  char *value = take(text, key), *end = NULL;
  if (!value) return 0;
  *number = strtoull(value, &end, base);
  const int good = end != value && *end == '\0';
  free(value);
  return good;
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

static int take_folders(struct view_set* set, const char** text) {
  for (char* folder; (folder = take(text, "folder")) != NULL;) {
    char** more = realloc(set->folders, (size_t)(set->folder_count + 1) * sizeof(char*));
    if (!more) return free(folder), 0;
    set->folders = more;
    set->folders[set->folder_count++] = folder;
  }
  return set->folder_count > 0;
}

/* Of a manifest; 0: none that this collio reads. */
static int version_of(const char* text) {
  const size_t length = strlen(any_manifest);
  if (strncmp(text, any_manifest, length) != 0 || text[length] == '\0' || text[length + 1] != '\n') return 0;
  return text[length] == '1' ? 1 : text[length] == '2' ? 2 : 0;
}

static int take_layout(struct view_set* set, const char** text) {
  uint64_t unit = 0, count = 0;
  return take_number(text, "unit", 10, &unit) && take_number(text, "subfiles", 10, &count) && unit > 0 &&
         unit <= INT64_MAX && count > 0 && count <= most_subfiles &&
         view_begin_layout(&set->layout, (int64_t)unit, (int64_t)count) && take_folders(set, text) &&
         view_take_deals(&set->layout, text);
}

static int parse_manifest(struct view_set* set, const char* text) {
  const char *last = strstr(text, "\nchecksum "), *rest = strchr(text, '\n');
  uint64_t sum = 0, identity = 0, bytes = 0, unused = 0;
  const int version = version_of(text);
  if (version == 0 || !last || !rest++) return 0;
  const size_t summed = (size_t)(last + 1 - text);
  int good = take_number(&rest, "identity", 16, &identity);
  char* state = take(&rest, "state");
  set->complete = state && strcmp(state, "complete") == 0;
  free(state);
  set->base = take(&rest, "base");
  good = good && set->base && take_number(&rest, "inode", 16, &unused) &&
         take_number(&rest, "born", 10, &unused) && take_layout(set, &rest) &&
         take_number(&rest, "bytes", 10, &bytes) && take_number(&rest, "synced", 10, &unused) &&
         take_number(&rest, "checksum", 16, &sum) && *rest == '\0';
  set->noted_bytes = (int64_t)bytes;
  return good && bytes <= INT64_MAX && sum == checksum(text, summed) && identity == set->identity &&
         (set->layout.deal_count > 1) == (version == 2);
}

/* The placeholder's two lines; 0: they are damaged. */
static int parse_head(struct view_set* set, const char* path, const char* head) {
  const char* rest = strchr(head, '\n');
  if (!rest || sscanf(head, COLLIO_MARK "1 %16" SCNx64 "\n", &set->identity) != 1) return 0;
  ++rest;
  char* name = take(&rest, "folder");
  const char* slash = strrchr(path, '/');
  if (!name || strchr(name, '/') || !slash) return free(name), 0;
  if (asprintf(&set->folder, "%.*s/%s", (int)(slash - path), path, name) < 0) set->folder = NULL;
  free(name);
  return set->folder != NULL;
}

char* view_subfile_path(const struct view_set* set, int64_t subfile) {
  const char* folder = set->folders[subfile % set->folder_count];
  char* path = NULL;
  const int relative = folder[0] != '/';
  if (asprintf(&path, "%s%s%s/%s.%016" PRIx64 ".%04" PRId64, relative ? set->folder : "", relative ? "/" : "",
               folder, set->base, set->identity, subfile) < 0)
    return NULL;
  return path;
}

int view_read_place(const struct view_set* set, const struct view_place* place, int fd, char* to) {
  size_t done = 0;
  while (done < place->bytes) {
    const int64_t at = place->offset + (int64_t)done;
    const ssize_t n = REAL(pread)(fd, to + done, place->bytes - done, at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0 && at < view_share(&set->layout, place->subfile, set->noted_bytes)) return EIO;
    if (n == 0) return memset(to + done, 0, place->bytes - done), 0;
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
    if (error == 0 && about->st_size < view_share(&set->layout, subfile, set->noted_bytes)) error = EIO;
    if (error != 0)
      explain(set, "%s is kept in subfiles, of which %s is missing or too short: %s; see collio fsck",
              set->path, path ? path : "one", strerror(error));
  }
  free(path);
  return error != 0 ? EIO : 0;
}

/* The file's length, by those of the subfiles: errno or 0. */
static int measure(struct view_set* set, const struct stat* file) {
  for (int64_t i = 0; i < set->layout.count; ++i) {
    struct stat about;
    const int error = look_at(set, i, file, &about);
    if (error != 0) return error;
    const int64_t end = view_length_by(&set->layout, i, about.st_size);
    if (end > set->bytes) set->bytes = end;
    if (view_is_newer(about.st_mtim, set->modified)) set->modified = about.st_mtim;
    set->stamp =
        set->stamp * 31 + (uint64_t)about.st_mtim.tv_sec * 1000000000u + (uint64_t)about.st_mtim.tv_nsec;
  }
  return 0;
}

/* All but the lengths. errno or 0. */
static int read_manifest(struct view_set* set, const char* path, const char* head, const struct stat* file) {
  memset(set, 0, sizeof *set);
  set->path = strdup(path);
  char *manifest = NULL, *text = NULL;
  int error = EIO;
  if (!set->path || !parse_head(set, path, head)) {
    explain(set, "%s is a placeholder of collio's subfiles whose first bytes are damaged", path);
  } else if (asprintf(&manifest, "%s/manifest", set->folder) < 0 ||
             !(text = read_text(open_manifest(set, file)))) {
    const int why = errno;
    explain(set, "%s is kept in subfiles, and their manifest %s cannot be read: %s", path,
            manifest ? manifest : "",
            why == EPERM ? "it or its folder belongs to another user than the file" : strerror(why));
  } else if (strncmp(text, any_manifest, strlen(any_manifest)) == 0 && version_of(text) == 0) {
    explain(set, "%s is a manifest of another version; this collio reads versions 1 and 2", manifest);
  } else if (!parse_manifest(set, text)) {
    explain(set, "the manifest %s is damaged, or of another file than %s", manifest, path);
  } else {
    error = 0;
  }
  free(text);
  free(manifest);
  return error;
}

int view_read_set(struct view_set* set, const char* path, const char* head, const struct stat* file) {
  int error = read_manifest(set, path, head, file), deals = -1;
  /* A program that writes the file may re-deal it meanwhile: then the lengths mean other bytes. */
  while (error == 0 && deals != set->layout.deal_count) {
    deals = set->layout.deal_count;
    error = measure(set, file);
    if (error != 0 || set->complete) break;
    struct view_set now;
    error = read_manifest(&now, path, head, file);
    if (error == 0 && now.layout.deal_count == deals) {
      view_free_set(&now);
    } else {
      view_free_set(set);
      *set = now;
    }
  }
  return error;
}

void view_free_set(struct view_set* set) {
  for (int i = 0; i < set->folder_count; ++i) free(set->folders[i]);
  free(set->folders);
  view_free_layout(&set->layout);
  free(set->base);
  free(set->folder);
  free(set->path);
  free(set->why);
}
