/* A folder shown read-only, with files in subfiles as ordinary ones (docs/design/subfiles-tools.md, "Mount").
 *
 *   say.c  messages                   path.c  names below the folder
 *   identity.c  which file a name is of
 *   descriptors.c  those of subfiles  files.c  open files and their bytes
 *   tree.c  names, attributes, folders
 *   main.c  options, the mount's life
 */
#ifndef COLLIO_VIEW_MOUNT_H
#define COLLIO_VIEW_MOUNT_H

struct fuse_operations; /* of libfuse */

void tree_fill(struct fuse_operations* operations);
void files_fill(struct fuse_operations* operations);

#endif
