#include "tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static void* must(void* memory) {
  if (memory) return memory;
  fputs("collio_lab_power_loss: no memory\n", stderr);
  abort();
}

static void copy_content(struct content* to, const struct content* from) {
  free(to->bytes);
  free(to->entries);
  *to = *from;
  to->bytes = memcpy(must(malloc(from->size + 1)), from->bytes ? from->bytes : "", from->size);
  to->entries = must(calloc(from->count + 1, sizeof *to->entries));
  if (from->count) memcpy(to->entries, from->entries, from->count * sizeof *to->entries);
}

static void touch(struct inode* inode) {
  clock_gettime(CLOCK_REALTIME, &inode->modified);
  inode->changed = inode->modified;
}

struct tree* new_tree(void) {
  struct tree* tree = must(calloc(1, sizeof *tree));
  tree->next = ROOT + 1;
  tree->inodes[ROOT].mode = S_IFDIR | 0755;
  touch(&tree->inodes[ROOT]);
  return tree;
}

void free_tree(struct tree* tree) {
  for (size_t i = 0; i < MOST_INODES; ++i) {
    struct inode* inode = &tree->inodes[i];
    free(inode->now.bytes);
    free(inode->now.entries);
    free(inode->flushed.bytes);
    free(inode->flushed.entries);
  }
  free(tree);
}

uint64_t find_in(const struct tree* tree, uint64_t folder, const char* name) {
  const struct content* now = &tree->inodes[folder].now;
  for (size_t i = 0; i < now->count; ++i)
    if (strcmp(now->entries[i].name, name) == 0) return now->entries[i].inode;
  return 0;
}

uint64_t folder_of(const struct tree* tree, const char* path, const char** name) {
  uint64_t at = ROOT;
  for (;;) {
    while (*path == '/') ++path;
    const char* end = strchrnul(path, '/');
    if (!*end) {
      *name = path;
      return at;
    }
    char part[NAME_BYTES];
    if ((size_t)(end - path) >= sizeof part) return 0;
    memcpy(part, path, (size_t)(end - path));
    part[end - path] = '\0';
    at = find_in(tree, at, part);
    if (!at || !S_ISDIR(tree->inodes[at].mode)) return 0;
    path = end;
  }
}

uint64_t find(const struct tree* tree, const char* path) {
  const char* name = NULL;
  const uint64_t folder = folder_of(tree, path, &name);
  if (!folder || !*name) return folder;
  return find_in(tree, folder, name);
}

unsigned links(const struct tree* tree, uint64_t inode) {
  unsigned found = S_ISDIR(tree->inodes[inode].mode) ? 1 : 0;
  for (uint64_t folder = ROOT; folder < tree->next; ++folder)
    for (size_t i = 0; i < tree->inodes[folder].now.count; ++i)
      found += tree->inodes[folder].now.entries[i].inode == inode;
  return found;
}

uint64_t make(struct tree* tree, uint64_t folder, const char* name, mode_t mode) {
  if (tree->next == MOST_INODES) return 0;
  const uint64_t made = tree->next++;
  tree->inodes[made].mode = mode;
  touch(&tree->inodes[made]);
  tree->inodes[made].accessed = tree->inodes[made].modified;
  put_name(tree, folder, name, made);
  return made;
}

void put_name(struct tree* tree, uint64_t folder, const char* name, uint64_t inode) {
  take_name(tree, folder, name);
  struct content* now = &tree->inodes[folder].now;
  now->entries = must(realloc(now->entries, (now->count + 1) * sizeof *now->entries));
  struct entry* entry = &now->entries[now->count++];
  snprintf(entry->name, sizeof entry->name, "%s", name);
  entry->inode = inode;
  touch(&tree->inodes[folder]);
}

void take_name(struct tree* tree, uint64_t folder, const char* name) {
  struct content* now = &tree->inodes[folder].now;
  for (size_t i = 0; i < now->count; ++i)
    if (strcmp(now->entries[i].name, name) == 0) {
      now->entries[i] = now->entries[--now->count];
      touch(&tree->inodes[folder]);
      return;
    }
}

void set_size(struct tree* tree, uint64_t inode, off_t size) {
  struct content* now = &tree->inodes[inode].now;
  now->bytes = must(realloc(now->bytes, (size_t)size + 1));
  if ((size_t)size > now->size) memset(now->bytes + now->size, 0, (size_t)size - now->size);
  now->size = (size_t)size;
  touch(&tree->inodes[inode]);
}

void put_bytes(struct tree* tree, uint64_t inode, const char* bytes, size_t size, off_t at) {
  if ((size_t)at + size > tree->inodes[inode].now.size) set_size(tree, inode, at + (off_t)size);
  memcpy(tree->inodes[inode].now.bytes + at, bytes, size);
  touch(&tree->inodes[inode]);
}

/* The entry of a folder, as it is now, is flushed, too; an older name that the inode has had there is not
 * kept. */
static void flush_entry(struct inode* folder, const struct entry* entry) {
  struct content* flushed = &folder->flushed;
  size_t kept = 0;
  for (size_t i = 0; i < flushed->count; ++i)
    if (flushed->entries[i].inode != entry->inode && strcmp(flushed->entries[i].name, entry->name) != 0)
      flushed->entries[kept++] = flushed->entries[i];
  flushed->entries = must(realloc(flushed->entries, (kept + 1) * sizeof *flushed->entries));
  flushed->entries[kept] = *entry;
  flushed->count = kept + 1;
}

/* ext4, XFS and Btrfs flush with a new file its name, and those of the folders it is in. */
static void flush_names(struct tree* tree, uint64_t inode) {
  for (uint64_t folder = ROOT; folder < tree->next; ++folder)
    for (size_t i = 0; i < tree->inodes[folder].now.count; ++i)
      if (tree->inodes[folder].now.entries[i].inode == inode) {
        flush_entry(&tree->inodes[folder], &tree->inodes[folder].now.entries[i]);
        flush_names(tree, folder);
      }
}

void flush(struct tree* tree, uint64_t inode) {
  copy_content(&tree->inodes[inode].flushed, &tree->inodes[inode].now);
  flush_names(tree, inode);
}

/* Whether all names in a folder survive. */
static int keeps_names(enum survives survives, uint64_t folder) {
  return survives == NAMES_AND_FLUSHED_BYTES ||
         survives == (folder == ROOT ? NAMES_IN_ROOT : NAMES_BELOW_ROOT);
}

void lose_power(struct tree* tree, enum survives survives) {
  if (survives == ALL) return;
  for (uint64_t i = ROOT; i < tree->next; ++i) {
    struct inode* inode = &tree->inodes[i];
    if (!inode->mode || S_ISLNK(inode->mode) || (S_ISDIR(inode->mode) && keeps_names(survives, i))) continue;
    copy_content(&inode->now, &inode->flushed);
  }
}
