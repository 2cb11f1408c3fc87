/* What was done to the tree, in order, so that it can be as it was after any first part of it. */
#ifndef COLLIO_LAB_POWER_LOSS_JOURNAL_H
#define COLLIO_LAB_POWER_LOSS_JOURNAL_H

#include "tree.h"

enum change { MAKE, LINK, UNLINK, RENAME, WRITE, SIZE, FLUSH, MODE, OWNER, SYMLINK, TIMES };

/* One change. Folders and files are inodes: names may be others by then. */
struct step {
  enum change change;
  uint64_t inode, folder, to_folder;
  char name[NAME_BYTES], to_name[NAME_BYTES];
  off_t at; /* of bytes; the new size; owner */
  mode_t mode;
  uid_t owner;
  gid_t group;
  struct timespec accessed, modified;
  char* bytes; /* the journal's, once recorded */
  size_t size;
};

/* Does a step to the tree; *made of MAKE and SYMLINK is the new inode. Returns 0 or -errno. */
int do_step(struct tree* tree, const struct step* step, uint64_t* made);
/* Remembers a step that was done. */
void record(const struct step* step);
size_t steps_recorded(void);
const struct step* step_at(size_t number);
/* A new tree after the first `count` steps. */
struct tree* replayed(size_t count);

#endif
