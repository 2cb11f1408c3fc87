#include "inodes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROOT_NUMBER = 1 };

int inodes_init(struct inodes* inodes, int root_fd) {
  struct stat attributes;
  if (fstat(root_fd, &attributes) != 0) return errno;
  *inodes =
      (struct inodes){.root = {.device = attributes.st_dev, .number = attributes.st_ino, .fd = root_fd}};
  pthread_mutex_init(&inodes->lock, NULL);
  pthread_mutex_init(&inodes->root.lock, NULL);
  return 0;
}

struct inode* inode_of(struct inodes* inodes, uint64_t kernel_number) {
  /* What the kernel has got as a number is the address. */
  return kernel_number == ROOT_NUMBER ? &inodes->root : (struct inode*)(uintptr_t)kernel_number;
}

uint64_t inode_number(const struct inodes* inodes, const struct inode* inode) {
  return inode == &inodes->root ? ROOT_NUMBER : (uintptr_t)inode;
}

static struct inode** bucket_of(struct inodes* inodes, dev_t device, ino_t number) {
  return &inodes->buckets[(number ^ (number >> 12) ^ device) % INODE_BUCKETS];
}

/* The place that points to the inode of a file, or the end of its chain. The table is locked. */
static struct inode** place_of(struct inodes* inodes, dev_t device, ino_t number) {
  struct inode** place = bucket_of(inodes, device, number);
  while (*place != NULL && ((*place)->number != number || (*place)->device != device))
    place = &(*place)->next;
  return place;
}

static struct inode* make(int fd, const struct stat* attributes) {
  struct inode* inode = calloc(1, sizeof *inode);
  if (inode == NULL) return NULL;
  inode->device = attributes->st_dev;
  inode->number = attributes->st_ino;
  inode->fd = fd;
  inode->stored_bytes = S_ISREG(attributes->st_mode) ? (int64_t)attributes->st_blocks * 512 : 0;
  pthread_mutex_init(&inode->lock, NULL);
  return inode;
}

struct inode* inodes_enter(struct inodes* inodes, int fd, const struct stat* attributes) {
  pthread_mutex_lock(&inodes->lock);
  struct inode** place = place_of(inodes, attributes->st_dev, attributes->st_ino);
  const int known = *place != NULL;
  if (!known) *place = make(fd, attributes);
  struct inode* inode = *place;
  if (inode != NULL) ++inode->lookups;
  pthread_mutex_unlock(&inodes->lock);
  if (known || inode == NULL) close(fd);
  return inode;
}

struct inode* inodes_find(struct inodes* inodes, const struct stat* attributes) {
  pthread_mutex_lock(&inodes->lock);
  struct inode* inode = *place_of(inodes, attributes->st_dev, attributes->st_ino);
  if (inode != NULL) ++inode->lookups;
  pthread_mutex_unlock(&inodes->lock);
  return inode;
}

void inodes_forget(struct inodes* inodes, struct inode* inode, uint64_t lookups) {
  if (inode == &inodes->root) return;
  pthread_mutex_lock(&inodes->lock);
  inode->lookups -= lookups < inode->lookups ? lookups : inode->lookups;
  const int unused = inode->lookups == 0;
  if (unused) *place_of(inodes, inode->device, inode->number) = inode->next;
  pthread_mutex_unlock(&inodes->lock);
  if (!unused) return;
  if (inode->body != NULL) inodes->drop(inode->body);
  close(inode->fd);
  pthread_mutex_destroy(&inode->lock);
  free(inode);
}

void proc_path(char* path, int fd) { snprintf(path, PROC_PATH_BYTES, "/proc/self/fd/%d", fd); }

void count_open(struct inode* inode, int64_t change) {
  pthread_mutex_lock(&inode->lock);
  inode->opens += change;
  pthread_mutex_unlock(&inode->lock);
}
