/* Open files of a target and their bytes. */
#ifndef COLLIO_LAB_DATA_H
#define COLLIO_LAB_DATA_H

#include "target.h"

/* The thread's buffer of LARGEST_REQUEST_BYTES; NULL: no memory. */
char* read_buffer(void);

/* Flags to open a backing file with, of those a program gave. */
int backing_flags(int flags);

/* Each file is one of the backing folder. */
extern const struct content WHOLE_FILES;

void data_fill(struct fuse_lowlevel_ops* operations);

#endif
