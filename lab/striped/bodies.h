/* The body of a file: its layout, its objects, and which node has which stripe. */
#ifndef COLLIO_LAB_BODIES_H
#define COLLIO_LAB_BODIES_H

#include "locks.h"
#include "striped.h"

struct body {
  pthread_rwlock_t lock; /* shared: requests; exclusive: a new layout */
  struct layout layout;
  struct inode objects[MOST_TARGETS]; /* of the layout: their descriptors, and what they store */
  struct locks locks;
};

/* The body of a regular file, with its objects open, for requests: locked to be shared; body_leave() ends
 * that. NULL, and an errno. */
struct body* body_enter(struct striped* striped, struct inode* inode, int* error);
void body_leave(struct body* body);

/* The target of an object. */
struct target* target_of_object(struct striped* striped, const struct body* body, int object);

/* Waits until each of a body's targets has let a request of this kind in; all count from the same moment.
 * Returns 0 or an errno, which a target counts as its failure. */
int admit_to_objects(fuse_req_t request, const struct body* body, enum request_kind kind);

/* What a folder says of the layout of its new files; zeros: nothing. */
struct layout_wish folder_wish(struct striped* striped, const struct inode* folder);
/* Returns 0 or an errno. */
int set_folder_wish(struct striped* striped, const struct inode* folder, const struct layout_wish* wish);

/* Gives a new file a layout: its folder's, or the file system's. Returns 0 or an errno. */
int body_make(struct striped* striped, const struct inode* folder, const struct inode* inode);

/* Another layout for a file without bytes. Returns 0 or an errno: ENOTEMPTY. */
int body_lay_out(struct striped* striped, struct inode* inode, const struct layout_wish* wish);

/* No folder of this number has a layout any more. */
void forget_folder(struct striped* striped, ino_t number);

/* Bodies that end with their files, lengths, and the room on the targets together. */
extern const struct content STRIPED_FILES;

/* Frees the body of an inode that the kernel forgets. */
void body_drop(void* body);

#endif
