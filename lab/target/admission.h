/* What a data request goes through before it is served. */
#ifndef COLLIO_LAB_ADMISSION_H
#define COLLIO_LAB_ADMISSION_H

#include "target.h"

/* Waits while the target is stuck, then for the delay, then fails if failures of this kind are asked for.
 * Returns 0 or an errno: the one asked for, EINTR if the caller is being killed, ENOTCONN if the target ends.
 */
int admit(fuse_req_t request, enum request_kind kind);

/* Waits until the target's rate allows these bytes. Returns 0 or an errno as admit() does. */
int admit_bytes(fuse_req_t request, int64_t bytes);

/* Answers a data request with an error, and counts it. */
void fail_request(fuse_req_t request, int error);

#endif
