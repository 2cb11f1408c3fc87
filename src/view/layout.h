/* Which subfile has which stripe: the arithmetic of storage/subfiles/layout.hpp. Stripes go to all subfiles
   in turn; from the first stripe of a deal on, in turn to the members of that deal. A subfile has its stripes
   one behind the other, in the order of the file: the number of a stripe in its subfile is its row. */
#ifndef COLLIO_VIEW_LAYOUT_H
#define COLLIO_VIEW_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

struct view_member {
  int64_t subfile, row; /* row: those that it has of the deals before */
};

struct view_deal {
  int64_t first; /* stripe */
  int64_t count;
  struct view_member* members; /* ascending */
};

struct view_layout {
  int64_t unit, count;
  struct view_deal* deals; /* the first one begins at stripe 0 and has all subfiles */
  int deal_count;
};

/* A layout without re-deals, to be freed. 0: no memory. */
int view_begin_layout(struct view_layout* layout, int64_t unit, int64_t count);
/* Takes the lines "deal FIRST M M M ..." off a manifest's text. 0: one breaks a rule of theirs, or no memory.
 */
int view_take_deals(struct view_layout* layout, const char** text);
void view_free_layout(struct view_layout* layout);

/* Where the byte at `offset` lies, and how many of `bytes` lie there in a row. */
struct view_place {
  int64_t subfile, offset;
  size_t bytes;
};
struct view_place view_place_of(const struct view_layout* layout, int64_t offset, int64_t bytes);

/* Bytes of a subfile when the file has `file_bytes`. */
int64_t view_share(const struct view_layout* layout, int64_t subfile, int64_t file_bytes);
/* Bytes of a file that ends with the last byte of this subfile. What the subfile has behind its last stripe
   does not count. */
int64_t view_length_by(const struct view_layout* layout, int64_t subfile, int64_t subfile_bytes);

#endif
