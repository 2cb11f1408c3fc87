/* Placeholders and manifests: the rules of storage/subfiles/manifest.cpp. */
#define _GNU_SOURCE
#include "view/view.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "storage/subfiles/mark.h"

static const char manifest_line[] = "collio subfiles 1\n";

void view_say(const char* format, ...) {
  char text[2048];
  va_list rest;
  va_start(rest, format);
  int length = vsnprintf(text, sizeof text - 1, format, rest);
  va_end(rest);
  if (length < 0) return;
  if ((size_t)length > sizeof text - 2) length = sizeof text - 2;
  text[length++] = '\n';
  const int before = errno;
  if (write(STDERR_FILENO, text, (size_t)length) < 0) { /* nobody hears it */
  }
  errno = before;
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

/* A whole file as text, to be freed; null: errno. */
static char* read_text(const char* path) {
  const int fd = REAL(open)(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return NULL;
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
  close(fd);
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

static int parse_manifest(struct view_set* set, const char* text) {
  const char* last = strstr(text, "\nchecksum ");
  uint64_t sum = 0, identity = 0, unit = 0, count = 0, bytes = 0, unused = 0;
  if (!last || strncmp(text, manifest_line, strlen(manifest_line)) != 0) return 0;
  const size_t summed = (size_t)(last + 1 - text);
  const char* rest = text + strlen(manifest_line);
  int good = take_number(&rest, "identity", 16, &identity);
  char* state = take(&rest, "state");
  set->complete = state && strcmp(state, "complete") == 0;
  free(state);
  set->base = take(&rest, "base");
  good = good && set->base && take_number(&rest, "inode", 16, &unused) &&
         take_number(&rest, "born", 10, &unused) && take_number(&rest, "unit", 10, &unit) &&
         take_number(&rest, "subfiles", 10, &count) && take_folders(set, &rest) &&
         take_number(&rest, "bytes", 10, &bytes) && take_number(&rest, "synced", 10, &unused) &&
         take_number(&rest, "checksum", 16, &sum) && *rest == '\0';
  set->unit = (int64_t)unit;
  set->count = (int64_t)count;
  set->noted_bytes = (int64_t)bytes;
  return good && sum == checksum(text, summed) && identity == set->identity && set->unit > 0 &&
         set->count > 0 && set->count <= 65535;
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

static int64_t share(const struct view_set* set, int64_t subfile) {
  const int64_t whole = set->noted_bytes / set->unit, rest = set->noted_bytes % set->unit;
  return (whole / set->count + (subfile < whole % set->count)) * set->unit +
         (subfile == whole % set->count ? rest : 0);
}

/* The file's length, by those of the subfiles: errno or 0. */
static int measure(struct view_set* set) {
  for (int64_t i = 0; i < set->count; ++i) {
    struct stat about;
    char* path = view_subfile_path(set, i);
    int error = !path ? ENOMEM : view_real_stat(AT_FDCWD, path, &about, 0) != 0 ? errno : 0;
    if (error == 0 && about.st_size < share(set, i)) error = EIO;
    if (error != 0)
      view_say(
          "collio view: %s is kept in subfiles, of which %s is missing or too short: %s; see collio fsck",
          set->path, path ? path : "one", strerror(error));
    free(path);
    if (error != 0) return EIO;
    const int64_t last = about.st_size - 1;
    const int64_t end = last < 0 ? 0 : (last / set->unit * set->count + i) * set->unit + last % set->unit + 1;
    if (end > set->bytes) set->bytes = end;
    set->stamp =
        set->stamp * 31 + (uint64_t)about.st_mtim.tv_sec * 1000000000u + (uint64_t)about.st_mtim.tv_nsec;
  }
  return 0;
}

int view_read_set(struct view_set* set, const char* path, const char* head) {
  memset(set, 0, sizeof *set);
  set->path = strdup(path);
  char *manifest = NULL, *text = NULL;
  int error = EIO;
  if (!set->path || !parse_head(set, path, head)) {
    view_say("collio view: %s is a placeholder of collio's subfiles whose first bytes are damaged", path);
  } else if (asprintf(&manifest, "%s/manifest", set->folder) < 0 || !(text = read_text(manifest))) {
    view_say("collio view: %s is kept in subfiles, and their manifest %s cannot be read: %s", path,
             manifest ? manifest : "", strerror(errno));
  } else if (!parse_manifest(set, text)) {
    view_say("collio view: the manifest %s is damaged, of another version, or of another file than %s",
             manifest, path);
  } else {
    error = measure(set);
  }
  free(text);
  free(manifest);
  if (error == 0 && !set->complete)
    view_say("collio view: %s: a program is writing this file, or ended before it closed it", path);
  return error;
}

void view_free_set(struct view_set* set) {
  for (int i = 0; i < set->folder_count; ++i) free(set->folders[i]);
  free(set->folders);
  free(set->base);
  free(set->folder);
  free(set->path);
}
