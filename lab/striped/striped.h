/* A striped file system of the lab: the state that all requests of one mount share.
 *
 * Names, attributes and lengths are those of files in the backing's folder `names`, whose bytes are all
 * holes. The bytes of a file are in objects, one in the folder of each of its targets (target0, target1,
 * ...), named by the file's inode number; its layout is a text of that name in the folder `layouts`. Each
 * target has the rate, delays, failures and capacity of any target of the lab: bodies.c  a file's layout and
 * objects     data.c  open files, bytes     locks.c  which node has a stripe attributes.c  layouts and
 * settings        layout.c  arithmetic */
#ifndef COLLIO_LAB_STRIPED_H
#define COLLIO_LAB_STRIPED_H

#include "layout.h"
#include "target.h"

enum node_by {
  NODE_BY_NETWORK, /* processes in one network namespace are one node */
  NODE_BY_PROCESS, /* each process is one */
};

struct striped {
  struct target names; /* the session's; first, so that the shared operations find it */
  int target_count;
  struct target targets[MOST_TARGETS];
  int folders[MOST_TARGETS];         /* of objects */
  struct inode* doors[MOST_TARGETS]; /* .targets/K: the settings of a target */
  int layouts;                       /* folder */
  struct layout_wish by_default;     /* unit and count: where no folder says otherwise */
  _Atomic unsigned next_first;       /* target of the next file's first stripe, dealt in turn */
  enum node_by node_by;
  _Atomic int64_t lock_delay_us;
  _Atomic int64_t lock_transfers; /* writes to a stripe that another node wrote last */
  _Atomic int64_t lock_waits_ns;
};

static inline struct striped* striped_of(fuse_req_t request) { return (struct striped*)target_of(request); }

void data_fill_striped(struct fuse_lowlevel_ops* operations);       /* data.c */
void attributes_fill_striped(struct fuse_lowlevel_ops* operations); /* attributes.c */

#endif
