/* See manifest.h. */
#include "storage/subfile_format/manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storage/subfile_format/mark.h"

#define ANY_MANIFEST "collio subfiles "
#define HEX_DIGITS "0123456789abcdef"
enum { most_subfiles = 65535, most_deals = 1000, version_bytes = sizeof ANY_MANIFEST + 1 };

uint64_t collio_checksum(const char* text, size_t bytes) {
  uint64_t sum = 0xcbf29ce484222325u;
  for (size_t i = 0; i < bytes; ++i) sum = (sum ^ (unsigned char)text[i]) * 0x100000001b3u;
  return sum;
}

/* --- values ----------------------------------------------------------------------------------- */

/* Line ends, other control characters and the sign itself are written as %XX. */
static int is_escaped(unsigned char byte) { return byte < 0x20 || byte == 0x7f || byte == '%'; }

static int escape(unsigned char byte, char to[4]) {
  return sprintf(to, is_escaped(byte) ? "%%%02x" : "%c", byte);
}

/* In place. 0: it is not what escape() writes. */
static int unescape(char* text) {
  char* to = text;
  for (const char* from = text; *from; ++from) {
    unsigned byte = (unsigned char)*from;
    if (*from == '%') {
      if (strspn(from + 1, HEX_DIGITS) < 2 || sscanf(from + 1, "%2x", &byte) != 1 || byte == 0) return 0;
      from += 2;
      if (!is_escaped((unsigned char)byte)) return 0;
    } else if (is_escaped((unsigned char)byte)) {
      return 0;
    }
    *to++ = (char)byte;
  }
  *to = '\0';
  return 1;
}

/* Takes a number without a sign or leading zeros off the text. */
static int take_decimal(const char** text, int64_t* number) {
  const char* digits = *text;
  char* end;
  if (*digits < '0' || *digits > '9' || (*digits == '0' && digits[1] >= '0' && digits[1] <= '9')) return 0;
  errno = 0;
  *number = strtoll(digits, &end, 10);
  *text = end;
  return errno == 0;
}

static int read_hex(const char* text, uint64_t* number) {
  if (strspn(text, HEX_DIGITS) != 16 || text[16] != '\0') return 0;
  *number = strtoull(text, NULL, 16);
  return 1;
}

static int is_name(const char* text) {
  return *text != '\0' && strcmp(text, ".") != 0 && strcmp(text, "..") != 0 && !strchr(text, '/');
}

/* --- lines "KEY VALUE" ------------------------------------------------------------------------ */

/* `at`: a copy of the text. Once `good` is 0, all that is taken has no meaning. */
struct lines {
  char* at;
  int good;
};

static int next_is(const struct lines* lines, const char* key) {
  const size_t length = strlen(key);
  return lines->good && strncmp(lines->at, key, length) == 0 && lines->at[length] == ' ';
}

static char* take(struct lines* lines, const char* key) {
  char *value = lines->at, *end = next_is(lines, key) ? strchr(value, '\n') : NULL;
  lines->good = end != NULL;
  if (!end) return value + strlen(value);
  *end = '\0';
  lines->at = end + 1;
  return value + strlen(key) + 1;
}

static char* take_text(struct lines* lines, const char* key) {
  char* value = take(lines, key);
  lines->good = lines->good && unescape(value);
  return value;
}

static int64_t take_number(struct lines* lines, const char* key) {
  int64_t number = 0;
  const char* value = take(lines, key);
  lines->good = lines->good && take_decimal(&value, &number) && *value == '\0';
  return number;
}

static uint64_t take_hex(struct lines* lines, const char* key) {
  uint64_t number = 0;
  const char* value = take(lines, key);
  lines->good = lines->good && read_hex(value, &number);
  return number;
}

/* A line "deal", behind one that begins with the stripe `before`. */
static void take_deal(struct lines* lines, int64_t before, struct collio_subfile_layout* layout,
                      int64_t* deal) {
  const char* value = take(lines, "deal");
  int64_t members = 0, last = -1;
  lines->good = lines->good && take_decimal(&value, &deal[0]) && deal[0] > before;
  for (; lines->good && *value == ' '; last = deal[2 + members++]) {
    ++value;
    lines->good = take_decimal(&value, &deal[2 + members]) && deal[2 + members] > last &&
                  deal[2 + members] < layout->count;
  }
  deal[1] = members;
  lines->good = lines->good && *value == '\0' && members > 0 && ++layout->deal_count <= most_deals;
}

/* --- placeholders ----------------------------------------------------------------------------- */

enum collio_read collio_read_placeholder(const char* begin, size_t bytes, struct collio_placeholder* found) {
  char text[collio_head_bytes + 1];
  const size_t length = bytes < collio_head_bytes ? bytes : collio_head_bytes;
  memcpy(text, begin, length);
  text[length] = '\0';
  if (strncmp(text, COLLIO_MARK, collio_mark_bytes) != 0) return collio_read_foreign;
  if (strncmp(text + collio_mark_bytes, "1 ", 2) != 0) return collio_read_version;
  struct lines lines = {text, 1};
  found->identity = take_hex(&lines, COLLIO_MARK "1");
  const char* folder = take_text(&lines, "folder");
  if (!lines.good || !is_name(folder) || strlen(folder) > NAME_MAX) return collio_read_damaged;
  strcpy(found->folder, folder);
  return collio_read_good;
}

size_t collio_placeholder_head(const struct collio_placeholder* placeholder, char head[collio_head_bytes]) {
  char* to = head + sprintf(head, COLLIO_MARK "1 %016" PRIx64 "\nfolder ", placeholder->identity);
  for (const char* text = placeholder->folder; *text; ++text) to += escape((unsigned char)*text, to);
  *to++ = '\n';
  return (size_t)(to - head);
}

/* --- manifests -------------------------------------------------------------------------------- */

/* Of `bytes` bytes so far, of which those are written that there is room for. */
struct output {
  char* to;
  size_t room, bytes;
};

static void put(struct output* out, const char* format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct output* out, const char* format, ...) {
  const size_t room = out->bytes < out->room ? out->room - out->bytes : 0;
  va_list rest;
  va_start(rest, format);
  out->bytes += (size_t)vsnprintf(room > 0 ? out->to + out->bytes : NULL, room, format, rest);
  va_end(rest);
}

static void put_escaped(struct output* out, const char* text) {
  char part[4];
  for (; *text && escape((unsigned char)*text, part) > 0; ++text) put(out, "%s", part);
}

static void put_deals(struct output* out, const struct collio_subfile_layout* layout) {
  const int64_t* deal = layout->deals;
  for (int64_t left = layout->deal_count; left > 0; --left, deal += 2 + deal[1]) {
    put(out, "deal %" PRId64, deal[0]);
    for (int64_t i = 0; i < deal[1]; ++i) put(out, " %" PRId64, deal[2 + i]);
    put(out, "\n");
  }
}

static void put_content(struct output* out, const struct collio_manifest* m) {
  put(out, ANY_MANIFEST "%d\nidentity %016" PRIx64 "\nstate %s\nbase ", m->layout.deal_count > 0 ? 2 : 1,
      m->identity, m->complete ? "complete" : "writing");
  put_escaped(out, m->base);
  put(out, "\ninode %016" PRIx64 "\nborn %" PRId64 "\nunit %" PRId64 "\nsubfiles %" PRId64 "\n", m->inode,
      m->born, m->layout.unit, m->layout.count);
  for (int64_t i = 0; i < m->folder_count; ++i) {
    put(out, "folder ");
    put_escaped(out, m->folders[i]);
    put(out, "\n");
  }
  put_deals(out, &m->layout);
  put(out, "bytes %" PRId64 "\nsynced %" PRId64 "\n", m->file_bytes, m->synced_bytes);
}

size_t collio_manifest_text(const struct collio_manifest* manifest, char* to, size_t room) {
  struct output out = {to, room, 0};
  put_content(&out, manifest);
  const uint64_t sum = out.bytes < room ? collio_checksum(to, out.bytes) : 0;
  put(&out, "checksum %016" PRIx64 "\n", sum);
  return out.bytes;
}

void collio_subfile_ending(uint64_t identity, int64_t subfile, char ending[collio_ending_bytes]) {
  snprintf(ending, collio_ending_bytes, ".%016" PRIx64 ".%04" PRId64, identity, subfile);
}

static size_t count_of(const char* text, size_t bytes, char wanted) {
  size_t count = 0;
  for (size_t i = 0; i < bytes; ++i) count += text[i] == wanted;
  return count;
}

static int is_allowed(const struct collio_manifest* m) {
  return is_name(m->base) && m->layout.unit > 0 && m->layout.unit <= INT64_C(1) << 40 &&
         m->layout.count > 0 && m->layout.count <= most_subfiles && m->folder_count > 0 &&
         m->synced_bytes <= m->file_bytes;
}

/* The lines behind the first one, up to the checksum. `numbers` and `folders` have room for all. */
static int take_content(struct lines* lines, struct collio_manifest* m, int64_t* numbers,
                        const char** folders) {
  m->identity = take_hex(lines, "identity");
  const char* state = take(lines, "state");
  m->complete = strcmp(state, "complete") == 0;
  lines->good = lines->good && (m->complete || strcmp(state, "writing") == 0);
  m->base = take_text(lines, "base");
  m->inode = take_hex(lines, "inode");
  m->born = take_number(lines, "born");
  m->layout.unit = take_number(lines, "unit");
  m->layout.count = take_number(lines, "subfiles");
  m->folders = folders;
  while (next_is(lines, "folder")) folders[m->folder_count++] = take_text(lines, "folder");
  m->layout.deals = numbers;
  for (int64_t before = 0; next_is(lines, "deal"); before = *numbers, numbers += 2 + numbers[1])
    take_deal(lines, before, &m->layout, numbers);
  m->file_bytes = take_number(lines, "bytes");
  m->synced_bytes = take_number(lines, "synced");
  return lines->good && is_allowed(m);
}

enum collio_read collio_read_manifest(const char* text, size_t bytes, void* (*allocate)(size_t),
                                      struct collio_manifest* found) {
  *found = (struct collio_manifest){0};
  if (bytes < version_bytes || strncmp(text, ANY_MANIFEST, sizeof ANY_MANIFEST - 1) != 0)
    return collio_read_foreign;
  const char version = text[version_bytes - 2];
  if ((version != '1' && version != '2') || text[version_bytes - 1] != '\n') return collio_read_version;
  /* One block: numbers of the deals, the folders, and a copy of the text, which becomes its values. */
  const size_t lines = count_of(text, bytes, '\n'), numbers = lines + count_of(text, bytes, ' ');
  found->memory = allocate(numbers * sizeof(int64_t) + lines * sizeof(char*) + bytes + 1);
  if (!found->memory) return collio_read_no_memory;
  int64_t* deals = found->memory;
  const char** folders = (const char**)(deals + numbers);
  char* copy = memcpy(folders + lines, text, bytes);
  copy[bytes] = '\0';
  struct lines rest = {copy + version_bytes, 1};
  const int allowed = take_content(&rest, found, deals, folders);
  const uint64_t sum = take_hex(&rest, "checksum");
  const int good = allowed && rest.good && rest.at == copy + bytes &&
                   (found->layout.deal_count > 0) == (version == '2') &&
                   sum == collio_checksum(text, bytes - strlen("checksum 0123456789abcdef\n"));
  return good ? collio_read_good : collio_read_damaged;
}
