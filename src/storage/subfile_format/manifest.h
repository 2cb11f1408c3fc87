/* What is written down of a file that is kept in subfiles, as text: a placeholder under the file's own name,
   and a manifest in a folder beside it.

   A manifest has a checksum over all of it, and is refused unless it is exactly the text that its values
   give: a changed byte makes it unreadable, and never another manifest. */
#ifndef COLLIO_STORAGE_SUBFILE_FORMAT_MANIFEST_H
#define COLLIO_STORAGE_SUBFILE_FORMAT_MANIFEST_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "storage/subfile_format/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

enum collio_read {
  collio_read_good,
  collio_read_foreign, /* something else */
  collio_read_version, /* of another version */
  collio_read_damaged,
  collio_read_no_memory
};

/* Bytes of a file that hold a placeholder's head, if it has one. */
enum { collio_head_bytes = 1024 };

struct collio_placeholder {
  uint64_t identity;
  char folder[NAME_MAX + 1]; /* a name beside the placeholder */
};
/* Of the first `bytes` bytes of a file. */
enum collio_read collio_read_placeholder(const char* begin, size_t bytes, struct collio_placeholder* found);
/* The lines that make a file a placeholder: those that a join replaces last. Their length. */
size_t collio_placeholder_head(const struct collio_placeholder* placeholder, char head[collio_head_bytes]);
/* What follows them, for people. */
#define COLLIO_PLACEHOLDER_WORDS                                                                            \
  "collio keeps the bytes of this file in several subfiles; the manifest in the folder above says where.\n" \
  "Programs under `collio run` read and write them as this file. `collio join FILE` makes it one file "     \
  "again.\n"

struct collio_manifest {
  uint64_t identity; /* the same as the placeholder's */
  int complete;      /* closed by all its writers; else being written, or its writer ended early */
  const char* base;  /* of the names of the subfiles */
  uint64_t inode;    /* of the placeholder when it was made */
  int64_t born;      /* when that inode was made, in ns; 0: unknown */
  struct collio_subfile_layout layout;
  const char* const* folders; /* dealt to the subfiles in turn; relative ones begin at the manifest's */
  int64_t folder_count;
  int64_t file_bytes;   /* when it was last closed or flushed; each subfile has its share of them at least */
  int64_t synced_bytes; /* of these when MPI_File_sync last flushed it */
  void* memory;         /* of one that was read */
};
/* Memory comes from `allocate`, which may return null. Whatever this returns: found->memory is to be freed.
 */
enum collio_read collio_read_manifest(const char* text, size_t bytes, void* (*allocate)(size_t),
                                      struct collio_manifest* found);
/* As snprintf(): writes what `room` has room for, with a 0 behind it. Length of the whole text. */
size_t collio_manifest_text(const struct collio_manifest* manifest, char* to, size_t room);
/* Name of a subfile in its folder: the base, then this. */
enum { collio_ending_bytes = 40 };
void collio_subfile_ending(uint64_t identity, int64_t subfile, char ending[collio_ending_bytes]);

/* FNV-1a, 64 bits (draft-eastlake-fnv): each step is one to one, so one changed byte always changes the sum.
 */
uint64_t collio_checksum(const char* text, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
