#include "layout.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"

static bool read_targets(struct layout_wish* wish, char* text, int targets) {
  uint64_t seen = 0;
  char* rest = NULL;
  wish->count = 0;
  for (char* word = strtok_r(text, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
    const int64_t target = read_number(word, 0);
    if (target < 0 || target >= targets || (seen >> target & 1) != 0) return false;
    seen |= UINT64_C(1) << target;
    wish->targets[wish->count++] = (int)target;
  }
  wish->targets_given = wish->count > 0;
  return wish->count > 0;
}

static bool read_part(struct layout_wish* wish, char* word, int targets) {
  char* value = strchr(word, '=');
  if (value == NULL) return false;
  *value++ = '\0';
  if (strcmp(word, "targets") == 0) return wish->count == 0 && read_targets(wish, value, targets);
  const int64_t number = read_number(value, 1);
  if (strcmp(word, "unit") == 0) {
    wish->unit_bytes = number;
    return number > 0 && number % LEAST_UNIT_BYTES == 0 && number <= MOST_UNIT_BYTES;
  }
  if (strcmp(word, "count") != 0 || wish->count != 0 || number < 1) return false;
  wish->count = number < targets ? (int)number : targets;
  return true;
}

int layout_read(struct layout_wish* wish, const char* text, int targets) {
  char copy[LAYOUT_TEXT_BYTES];
  *wish = (struct layout_wish){0};
  if (strlen(text) >= sizeof copy) return EINVAL;
  strcpy(copy, text);
  char* rest = NULL;
  for (char* word = strtok_r(copy, " \n", &rest); word != NULL; word = strtok_r(NULL, " \n", &rest)) {
    if (!read_part(wish, word, targets)) return EINVAL;
  }
  return wish->unit_bytes > 0 || wish->count > 0 ? 0 : EINVAL;
}

static int print_targets(const int* targets, int count, char* text) {
  int length = 0;
  for (int i = 0; i < count; ++i)
    length += sprintf(text + length, "%s%d", i > 0 ? "," : " targets=", targets[i]);
  return length;
}

int layout_print(const struct layout* layout, char* text) {
  const int length = sprintf(text, "unit=%" PRId64, layout->unit_bytes);
  return length + print_targets(layout->targets, layout->count, text + length);
}

int layout_print_wish(const struct layout_wish* wish, char* text) {
  int length = 0;
  if (wish->unit_bytes > 0) length = sprintf(text, "unit=%" PRId64, wish->unit_bytes);
  if (wish->targets_given != 0) return length + print_targets(wish->targets, wish->count, text + length);
  if (wish->count > 0) length += sprintf(text + length, "%scount=%d", length > 0 ? " " : "", wish->count);
  return length;
}

struct layout layout_make(const struct layout_wish* wish, const struct layout_wish* otherwise, int targets,
                          unsigned first) {
  const struct layout_wish* which = wish->count > 0 ? wish : otherwise;
  struct layout layout = {.unit_bytes = wish->unit_bytes > 0 ? wish->unit_bytes : otherwise->unit_bytes,
                          .count = which->count};
  for (int i = 0; i < layout.count; ++i)
    layout.targets[i] =
        which->targets_given != 0 ? which->targets[i] : (int)((first + (unsigned)i) % (unsigned)targets);
  return layout;
}

struct stripe_part layout_part(const struct layout* layout, struct range file) {
  const int64_t stripe = file.offset / layout->unit_bytes, inside = file.offset % layout->unit_bytes;
  const int64_t left = layout->unit_bytes - inside;
  return (struct stripe_part){
      (int)(stripe % layout->count),
      stripe,
      {stripe / layout->count * layout->unit_bytes + inside, file.count < left ? file.count : left}};
}

int64_t layout_object_bytes(const struct layout* layout, int object, int64_t file_bytes) {
  const int64_t cycle = layout->unit_bytes * layout->count;
  int64_t rest = file_bytes % cycle - layout->unit_bytes * object;
  if (rest < 0) rest = 0;
  if (rest > layout->unit_bytes) rest = layout->unit_bytes;
  return file_bytes / cycle * layout->unit_bytes + rest;
}
