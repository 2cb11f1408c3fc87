/* Which node wrote a stripe last. The next node that writes it waits for the lock to move. */
#ifndef COLLIO_LAB_LOCKS_H
#define COLLIO_LAB_LOCKS_H

#include <pthread.h>

#include "striped.h"

struct locks {
  pthread_mutex_t lock;
  uint32_t* nodes; /* of each stripe; 0: nobody's yet */
  int64_t count;
};

void locks_init(struct locks* locks);
void locks_free(struct locks* locks);

/* The node of the caller; 0: it cannot be told. */
uint32_t node_of(struct striped* striped, fuse_req_t request);

/* Takes these stripes for a node. Waits once for all that have to move from another one. Returns 0 or an
 * errno as admit() does. */
struct stripes {
  int64_t first, count;
};
int take_locks(struct striped* striped, fuse_req_t request, struct locks* locks, struct stripes stripes);

#endif
