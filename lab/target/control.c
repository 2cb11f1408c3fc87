/* The settings of a target while it runs: extended attributes of the mount's root, text all of them. */
#include "control.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct setting {
  const char* name;
  int (*print)(struct target* target, char* text);     /* into MOST_TEXT_BYTES; returns the length */
  int (*set)(struct target* target, const char* text); /* 0, or EINVAL; NULL: read only */
};

int64_t read_number(const char* text, int64_t least) {
  if (*text == '\0' || strspn(text, "0123456789") != strlen(text)) return -1;
  errno = 0;
  const long long value = strtoll(text, NULL, 10);
  return errno == 0 && value >= least ? value : -1;
}

static int print_number(char* text, int64_t number) {
  return snprintf(text, MOST_TEXT_BYTES, "%" PRId64, number);
}

static int print_rate(struct target* target, char* text) {
  const int64_t rate = pace_rate(&target->pace);
  return rate == 0 ? snprintf(text, MOST_TEXT_BYTES, "none") : print_number(text, rate);
}

static int set_rate(struct target* target, const char* text) {
  const int64_t rate = strcmp(text, "none") == 0 ? 0 : read_number(text, 1);
  if (rate < 0) return EINVAL;
  pace_set_rate(&target->pace, rate);
  return 0;
}

static int print_capacity(struct target* target, char* text) {
  const int64_t capacity = target->space.capacity_bytes;
  return capacity == NO_CAPACITY ? snprintf(text, MOST_TEXT_BYTES, "none") : print_number(text, capacity);
}

static int set_capacity(struct target* target, const char* text) {
  const int none = strcmp(text, "none") == 0;
  const int64_t capacity = none ? NO_CAPACITY : read_number(text, 0);
  if (!none && capacity < 0) return EINVAL;
  target->space.capacity_bytes = capacity;
  return 0;
}

static int print_delay(struct target* target, char* text) {
  return print_number(text, target->faults.delay_us);
}

static int set_delay(struct target* target, const char* text) {
  const int64_t delay = read_number(text, 0);
  if (delay < 0 || delay > INT64_C(3600000000)) return EINVAL;
  target->faults.delay_us = delay;
  return 0;
}

static int print_fail(struct target* target, char* text) {
  return faults_print_failures(&target->faults, text, MOST_TEXT_BYTES);
}

static int set_fail(struct target* target, const char* text) {
  return faults_set_failures(&target->faults, text);
}

/* "0" or "1". */
static int set_switch(atomic_bool* which, const char* text) {
  if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0) return EINVAL;
  *which = text[0] == '1';
  return 0;
}

static int print_stuck(struct target* target, char* text) { return print_number(text, target->faults.stuck); }
static int print_short(struct target* target, char* text) {
  return print_number(text, target->faults.short_writes);
}
static int print_fill(struct target* target, char* text) { return print_number(text, target->space.full); }

static int set_stuck(struct target* target, const char* text) {
  return set_switch(&target->faults.stuck, text);
}
static int set_short(struct target* target, const char* text) {
  return set_switch(&target->faults.short_writes, text);
}
static int set_fill(struct target* target, const char* text) { return set_switch(&target->space.full, text); }

static int print_counters(struct target* target, char* text) {
  const struct counters* counters = &target->counters;
  return snprintf(
      text, MOST_TEXT_BYTES,
      "reads=%" PRId64 "\nwrites=%" PRId64 "\nbytes_read=%" PRId64 "\nbytes_written=%" PRId64
      "\nfailures=%" PRId64 "\nseconds_waited=%.6f\nwaiting=%" PRId64 "\nbytes_stored=%" PRId64 "\n",
      counters->reads, counters->writes, counters->bytes_read, counters->bytes_written, counters->failures,
      (double)counters->waited_ns * 1e-9, counters->waiting, target->space.stored_bytes);
}

static const struct setting SETTINGS[] = {
    {"user.collio.rate", print_rate, set_rate},
    {"user.collio.delay_us", print_delay, set_delay},
    {"user.collio.fail", print_fail, set_fail},
    {"user.collio.stuck", print_stuck, set_stuck},
    {"user.collio.short", print_short, set_short},
    {"user.collio.fill", print_fill, set_fill},
    {"user.collio.capacity", print_capacity, set_capacity},
    {"user.collio.counters", print_counters, NULL},
};
enum { SETTING_COUNT = sizeof SETTINGS / sizeof *SETTINGS };

static const struct setting* setting_of(const char* name) {
  for (int i = 0; i < SETTING_COUNT; ++i) {
    if (strcmp(SETTINGS[i].name, name) == 0) return &SETTINGS[i];
  }
  return NULL;
}

int control_get(struct target* target, const char* name, char* text) {
  const struct setting* setting = setting_of(name);
  return setting == NULL ? -1 : setting->print(target, text);
}

int control_set(struct target* target, const char* name, const char* text) {
  const struct setting* setting = setting_of(name);
  if (setting == NULL) return ENOTSUP;
  return setting->set == NULL ? EPERM : setting->set(target, text);
}

size_t control_names(char* names) {
  size_t length = 0;
  for (int i = 0; i < SETTING_COUNT; ++i) {
    const size_t bytes = strlen(SETTINGS[i].name) + 1;
    memcpy(names + length, SETTINGS[i].name, bytes);
    length += bytes;
  }
  return length;
}

bool copy_text(char* text, const char* value, size_t size) {
  if (size > LONGEST_VALUE_BYTES) return false;
  memcpy(text, value, size);
  text[size] = '\0';
  return strlen(text) == size;
}

void reply_value(fuse_req_t request, const char* value, size_t length, size_t room) {
  if (room == 0) {
    fuse_reply_xattr(request, length);
  } else if (room < length) {
    fuse_reply_err(request, ERANGE);
  } else {
    fuse_reply_buf(request, value, length);
  }
}

static void on_getxattr(fuse_req_t request, fuse_ino_t number, const char* name, size_t room) {
  char text[MOST_TEXT_BYTES];
  const int length = number == FUSE_ROOT_ID ? control_get(target_of(request), name, text) : -1;
  if (length < 0) {
    fuse_reply_err(request, ENODATA);
    return;
  }
  reply_value(request, text, (size_t)length, room);
}

static void on_setxattr(fuse_req_t request, fuse_ino_t number, const char* name, const char* value,
                        size_t size, int flags) {
  (void)flags;
  char text[LONGEST_VALUE_BYTES + 1];
  int error = ENOTSUP;
  if (number == FUSE_ROOT_ID)
    error = copy_text(text, value, size) ? control_set(target_of(request), name, text) : EINVAL;
  fuse_reply_err(request, error);
}

static void on_listxattr(fuse_req_t request, fuse_ino_t number, size_t room) {
  char names[MOST_TEXT_BYTES];
  reply_value(request, names, number == FUSE_ROOT_ID ? control_names(names) : 0, room);
}

void control_fill(struct fuse_lowlevel_ops* operations) {
  operations->getxattr = on_getxattr;
  operations->setxattr = on_setxattr;
  operations->listxattr = on_listxattr;
}
