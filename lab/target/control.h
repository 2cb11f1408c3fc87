/* The settings of a target while it runs, as texts. */
#ifndef COLLIO_LAB_CONTROL_H
#define COLLIO_LAB_CONTROL_H

#include <stdbool.h>

#include "target.h"

enum { MOST_TEXT_BYTES = 512, LONGEST_VALUE_BYTES = 320 };

/* The value of a setting ("user.collio.rate"), into MOST_TEXT_BYTES; its length. -1: there is no such
 * setting. */
int control_get(struct target* target, const char* name, char* text);

/* Returns 0; ENOTSUP: no such setting, EPERM: read only, EINVAL: not allowed, and nothing has changed. */
int control_set(struct target* target, const char* name, const char* text);

/* The settings' names, each with its zero, into MOST_TEXT_BYTES. Returns their length. */
size_t control_names(char* names);

/* Copies an attribute's value as text, with a zero, into LONGEST_VALUE_BYTES + 1. False: it is none. */
bool copy_text(char* text, const char* value, size_t size);

/* A number from `least` on, digits only. Returns -1 if it is not one. */
int64_t read_number(const char* text, int64_t least);

/* Answers with a value, or, where room is 0, with its size. */
void reply_value(fuse_req_t request, const char* value, size_t length, size_t room);

/* Attributes of the mount's root. */
void control_fill(struct fuse_lowlevel_ops* operations);

#endif
