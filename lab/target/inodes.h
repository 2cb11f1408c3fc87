/* The files and folders the kernel holds on to. Each has a descriptor (O_PATH), so that it stays what it is
 * when it is renamed or unlinked while open. An inode lives while the kernel has lookups of it or a request
 * uses it. */
#ifndef COLLIO_LAB_INODES_H
#define COLLIO_LAB_INODES_H

#include <pthread.h>
#include <stdint.h>
#include <sys/stat.h>

enum { INODE_BUCKETS = 4096 };

struct inode {
  dev_t device; /* with number: which file of the backing folder */
  ino_t number;
  int fd;           /* O_PATH */
  uint64_t lookups; /* under the table's lock */
  struct inode* next;
  pthread_mutex_t lock; /* of the two below: see space.h */
  int64_t stored_bytes; /* on the backing file system, as it is counted */
  int64_t opens;        /* open files */
  void* body;           /* what a file system keeps with it; NULL: nothing */
};

struct inodes {
  pthread_mutex_t lock;
  struct inode root;        /* the kernel's number 1 */
  void (*drop)(void* body); /* called for the body of an inode that the kernel forgets */
  struct inode* buckets[INODE_BUCKETS];
};

/* `root_fd` (O_PATH) is kept. Returns 0 or an errno. */
int inodes_init(struct inodes* inodes, int root_fd);

/* The inode of the kernel's number. */
struct inode* inode_of(struct inodes* inodes, uint64_t kernel_number);

/* The kernel's number of an inode. */
uint64_t inode_number(const struct inodes* inodes, const struct inode* inode);

/* The inode of the file behind `fd` (O_PATH; taken over: kept or closed), with one lookup more. NULL: no
 * memory. */
struct inode* inodes_enter(struct inodes* inodes, int fd, const struct stat* attributes);

/* The inode of a file, with one lookup more; NULL if the kernel has none. */
struct inode* inodes_find(struct inodes* inodes, const struct stat* attributes);

/* More or fewer open files. */
void count_open(struct inode* inode, int64_t change);

/* Takes lookups back. */
void inodes_forget(struct inodes* inodes, struct inode* inode, uint64_t lookups);

enum { PROC_PATH_BYTES = 32 };

/* Path of a descriptor in /proc: a way to open or change what an O_PATH descriptor stands for. */
void proc_path(char* path, int fd);

#endif
