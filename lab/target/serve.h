/* A mount from its options to its end: what the file systems of the lab share around their operations. */
#ifndef COLLIO_LAB_SERVE_H
#define COLLIO_LAB_SERVE_H

#include <stdint.h>

#include "target.h"

struct serving {
  const char* program; /* also the name of the file system in the mount table */
  const char* subtype; /* of the mount: "fuse.SUBTYPE"; NULL: none */
  const char* mount;
  int foreground;
  int until_eof; /* ends at the end of standard input */
};

/* Says on stderr what failed; returns 1. */
int complain(const char* program, const char* what, int error);

/* A whole number from 1 on, or exit(2) with a message that names the option and its unit. */
int64_t positive_number(const char* program, const char* option, const char* text);

/* Descriptors as many as allowed: one for each file the kernel knows. Modes as the kernel has made them. */
void prepare_process(void);

/* Mounts, serves until the end, unmounts. `target` becomes the session's. Returns the exit code. */
int serve_mount(const struct serving* serving, const struct fuse_lowlevel_ops* operations,
                struct target* target);

#endif
