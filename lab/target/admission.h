/* What a data request goes through before it is served. */
#ifndef COLLIO_LAB_ADMISSION_H
#define COLLIO_LAB_ADMISSION_H

#include "target.h"

/* Waits while the target is stuck, then for the delay, then fails if failures of this kind are asked for.
 * Returns 0 or an errno: the one asked for, EINTR if the caller is being killed, ENOTCONN if the target ends.
 */
int admit(struct target* target, fuse_req_t request, enum request_kind kind);

/* The same with a delay that began earlier: a request that several targets serve waits for them side by side.
 */
int admit_since(struct target* target, fuse_req_t request, enum request_kind kind, int64_t began_ns);

/* Waits until the target's rate allows these bytes. Returns 0 or an errno as admit() does. */
int admit_bytes(struct target* target, fuse_req_t request, int64_t bytes);

/* Its two halves, for requests that several targets serve at the same time. */
double queue_bytes(struct target* target, int64_t bytes);
int await_bytes(struct target* target, fuse_req_t request, double ticket);

/* Waits for so long. Returns 0 or an errno as admit() does. */
int await_delay(struct target* target, fuse_req_t request, int64_t delay_us);

/* Answers a data request with an error, and counts it. */
void fail_request(struct target* target, fuse_req_t request, int error);

#endif
