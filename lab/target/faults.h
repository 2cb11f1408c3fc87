/* What goes wrong at a target, as somebody has asked: failures, short writes, requests that stay stuck, a
 * delay. */
#ifndef COLLIO_LAB_FAULTS_H
#define COLLIO_LAB_FAULTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of data requests; bits, so that several can fail. */
enum request_kind {
  REQUEST_READ = 1,
  REQUEST_WRITE = 2, /* writes, truncations to a length, allocations */
  REQUEST_OPEN = 4,  /* opening a regular file, creating it included */
  REQUEST_SYNC = 8,
};

struct faults {
  pthread_mutex_t lock; /* of the three about failures */
  unsigned failing;     /* kinds; 0: none */
  int error;
  int64_t spared; /* requests of these kinds that still succeed */
  atomic_bool stuck;
  atomic_bool short_writes;
  _Atomic int64_t delay_us;
};

void faults_init(struct faults* faults);

/* Takes "none" or KIND[,KIND...] ERRNO [after N], e.g. "read,write EIO after 10". Returns 0, or EINVAL:
 * nothing changes. */
int faults_set_failures(struct faults* faults, const char* text);

/* The same as text; N is what is left of it. Returns its length. */
int faults_print_failures(struct faults* faults, char* text, size_t room);

/* Whether this request fails: the errno, or 0. Counts it. */
int faults_strike(struct faults* faults, enum request_kind kind);

#endif
