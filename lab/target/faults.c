#include "faults.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct named {
  const char* name;
  int value;
};

static const struct named KINDS[] = {
    {"read", REQUEST_READ}, {"write", REQUEST_WRITE}, {"open", REQUEST_OPEN}, {"sync", REQUEST_SYNC}};
static const struct named ERRORS[] = {{"EIO", EIO},
                                      {"ENOSPC", ENOSPC},
                                      {"EDQUOT", EDQUOT},
                                      {"EROFS", EROFS},
                                      {"EACCES", EACCES},
                                      {"EPERM", EPERM},
                                      {"EFBIG", EFBIG},
                                      {"ENXIO", ENXIO},
                                      {"ENODEV", ENODEV},
                                      {"ENOMEM", ENOMEM},
                                      {"EAGAIN", EAGAIN},
                                      {"EINTR", EINTR},
                                      {"ETIMEDOUT", ETIMEDOUT},
                                      {"ESTALE", ESTALE},
                                      {"EBADF", EBADF},
                                      {"EINVAL", EINVAL},
                                      {"ENOLCK", ENOLCK},
                                      {"ENOTCONN", ENOTCONN},
                                      {"EREMOTEIO", EREMOTEIO},
                                      {"ESHUTDOWN", ESHUTDOWN}};
enum {
  KIND_COUNT = sizeof KINDS / sizeof *KINDS,
  ERROR_COUNT = sizeof ERRORS / sizeof *ERRORS,
  MOST_TEXT_BYTES = 128
};

static int value_of(const struct named* table, int count, const char* name) {
  for (int i = 0; i < count; ++i) {
    if (strcmp(table[i].name, name) == 0) return table[i].value;
  }
  return 0;
}

void faults_init(struct faults* faults) {
  *faults = (struct faults){0};
  pthread_mutex_init(&faults->lock, NULL);
}

/* The kinds in "read,write", or 0. Changes the text. */
static unsigned read_kinds(char* text) {
  unsigned kinds = 0;
  char* rest = NULL;
  for (char* word = strtok_r(text, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
    const int kind = value_of(KINDS, KIND_COUNT, word);
    if (kind == 0) return 0;
    kinds |= (unsigned)kind;
  }
  return kinds;
}

/* The N of "after N" (both words, or neither). Returns -1 if it is not one. */
static int64_t read_spared(const char* after, const char* count) {
  if (after == NULL) return 0;
  if (strcmp(after, "after") != 0 || count == NULL || strspn(count, "0123456789") != strlen(count)) return -1;
  errno = 0;
  const long long value = strtoll(count, NULL, 10);
  return errno == 0 ? value : -1;
}

static int change(struct faults* faults, unsigned kinds, int error, int64_t spared) {
  pthread_mutex_lock(&faults->lock);
  faults->failing = kinds;
  faults->error = error;
  faults->spared = spared;
  pthread_mutex_unlock(&faults->lock);
  return 0;
}

int faults_set_failures(struct faults* faults, const char* text) {
  char copy[MOST_TEXT_BYTES];
  if (strlen(text) >= sizeof copy) return EINVAL;
  strcpy(copy, text);
  char* rest = NULL;
  char* words[5] = {strtok_r(copy, " ", &rest)};
  for (int i = 1; i < 5 && words[i - 1] != NULL; ++i) words[i] = strtok_r(NULL, " ", &rest);
  if (words[0] == NULL || words[4] != NULL) return EINVAL;
  if (words[1] == NULL) return strcmp(words[0], "none") == 0 ? change(faults, 0, 0, 0) : EINVAL;
  const unsigned kinds = read_kinds(words[0]);
  const int error = value_of(ERRORS, ERROR_COUNT, words[1]);
  const int64_t spared = read_spared(words[2], words[3]);
  if (kinds == 0 || error == 0 || spared < 0) return EINVAL;
  return change(faults, kinds, error, spared);
}

int faults_print_failures(struct faults* faults, char* text, size_t room) {
  pthread_mutex_lock(&faults->lock);
  const unsigned failing = faults->failing;
  const int error = faults->error;
  const int64_t spared = faults->spared;
  pthread_mutex_unlock(&faults->lock);
  if (failing == 0) return snprintf(text, room, "none");
  int length = 0;
  for (int i = 0; i < KIND_COUNT; ++i) {
    if ((failing & (unsigned)KINDS[i].value) == 0) continue;
    length += snprintf(text + length, room - (size_t)length, "%s%s", length > 0 ? "," : "", KINDS[i].name);
  }
  for (int i = 0; i < ERROR_COUNT; ++i) {
    if (ERRORS[i].value == error)
      length += snprintf(text + length, room - (size_t)length, " %s", ERRORS[i].name);
  }
  if (spared > 0) length += snprintf(text + length, room - (size_t)length, " after %" PRId64, spared);
  return length;
}

int faults_strike(struct faults* faults, enum request_kind kind) {
  int error = 0;
  pthread_mutex_lock(&faults->lock);
  if ((faults->failing & kind) != 0) {
    if (faults->spared > 0) {
      --faults->spared;
    } else {
      error = faults->error;
    }
  }
  pthread_mutex_unlock(&faults->lock);
  return error;
}
