#include "journal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct step* journal;
static size_t recorded, room;

int do_step(struct tree* tree, const struct step* step, uint64_t* made) {
  struct inode* inode = &tree->inodes[step->inode];
  switch (step->change) {
    case MAKE:
    case SYMLINK:
      *made = make(tree, step->folder, step->name, step->mode);
      if (!*made) return -ENOSPC;
      tree->inodes[*made].owner = step->owner;
      tree->inodes[*made].group = step->group;
      if (step->change == SYMLINK) put_bytes(tree, *made, step->bytes, step->size, 0);
      return 0;
    case LINK:
      put_name(tree, step->folder, step->name, step->inode);
      return 0;
    case UNLINK:
      take_name(tree, step->folder, step->name);
      return 0;
    case RENAME:
      take_name(tree, step->folder, step->name);
      put_name(tree, step->to_folder, step->to_name, step->inode);
      return 0;
    case WRITE:
      put_bytes(tree, step->inode, step->bytes, step->size, step->at);
      return 0;
    case SIZE:
      set_size(tree, step->inode, step->at);
      return 0;
    case FLUSH:
      flush(tree, step->inode);
      return 0;
    case MODE:
      inode->mode = (inode->mode & (mode_t)S_IFMT) | (step->mode & 07777);
      return 0;
    case OWNER:
      if (step->owner != (uid_t)-1) inode->owner = step->owner;
      if (step->group != (gid_t)-1) inode->group = step->group;
      return 0;
    case TIMES:
      inode->accessed = step->accessed;
      inode->modified = step->modified;
      return 0;
  }
  return -EINVAL;
}

void record(const struct step* step) {
  if (recorded == room) {
    room = room ? 2 * room : 1024;
    journal = realloc(journal, room * sizeof *journal);
    if (!journal) abort();
  }
  struct step* kept = &journal[recorded++];
  *kept = *step;
  if (!step->size) return;
  kept->bytes = malloc(step->size);
  if (!kept->bytes) abort();
  memcpy(kept->bytes, step->bytes, step->size);
}

size_t steps_recorded(void) { return recorded; }
const struct step* step_at(size_t number) { return &journal[number]; }

struct tree* replayed(size_t count) {
  struct tree* tree = new_tree();
  uint64_t made = 0;
  for (size_t i = 0; i < count && i < recorded; ++i) do_step(tree, &journal[i], &made);
  return tree;
}
