/* A tree of files in memory. Each inode has its content as it is, and as it was when it was last flushed. */
#ifndef COLLIO_LAB_POWER_LOSS_TREE_H
#define COLLIO_LAB_POWER_LOSS_TREE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { MOST_INODES = 4096, NAME_BYTES = 256, ROOT = 1 };

struct entry {
  char name[NAME_BYTES];
  uint64_t inode;
};

/* Bytes of a file, or of a symbolic link its target; entries of a folder. */
struct content {
  char* bytes;
  size_t size;
  struct entry* entries;
  size_t count;
};

struct inode {
  mode_t mode; /* 0: no such inode */
  uid_t owner;
  gid_t group;
  struct timespec accessed, modified, changed;
  struct content now, flushed;
};

struct tree {
  struct inode inodes[MOST_INODES]; /* by number; never used again */
  uint64_t next;
};

enum survives {
  NAMES_AND_FLUSHED_BYTES,
  FLUSHED_NAMES_AND_BYTES,
  NAMES_IN_ROOT,    /* and flushed names in other folders, which lie on other file systems; flushed bytes */
  NAMES_BELOW_ROOT, /* and flushed names in the root; flushed bytes */
  ALL
};

struct tree* new_tree(void);
void free_tree(struct tree* tree);

/* Inode of a path ("/a/b"), or 0. */
uint64_t find(const struct tree* tree, const char* path);
/* Inode of the folder that a path lies in, or 0; *name: the last part of the path. */
uint64_t folder_of(const struct tree* tree, const char* path, const char** name);
uint64_t find_in(const struct tree* tree, uint64_t folder, const char* name);
/* Names of an inode in all folders. */
unsigned links(const struct tree* tree, uint64_t inode);

uint64_t make(struct tree* tree, uint64_t folder, const char* name, mode_t mode);
void put_name(struct tree* tree, uint64_t folder, const char* name,
              uint64_t inode); /* in place of what has it */
void take_name(struct tree* tree, uint64_t folder, const char* name);
void put_bytes(struct tree* tree, uint64_t inode, const char* bytes, size_t size, off_t at);
void set_size(struct tree* tree, uint64_t inode, off_t size);
void flush(struct tree* tree, uint64_t inode);
void lose_power(struct tree* tree, enum survives survives);

#endif
