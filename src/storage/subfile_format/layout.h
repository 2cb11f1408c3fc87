/* Which subfile has which stripe. Stripes go to all subfiles in turn; from the first stripe of a deal on, in
   turn to the members of that deal. A subfile has its stripes one behind the other, in the order of the file:
   the number of a stripe in its subfile is its row. No table of stripes, whatever their number. */
#ifndef COLLIO_STORAGE_SUBFILE_FORMAT_LAYOUT_H
#define COLLIO_STORAGE_SUBFILE_FORMAT_LAYOUT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Offsets and lengths are in bytes, and not negative. Every function costs O(deals * log(count)). */
struct collio_subfile_layout {
  int64_t unit;  /* bytes of a stripe, at least 1 */
  int64_t count; /* of subfiles, at least 1 */
  const int64_t*
      deals; /* of each: first stripe, number of members, members; first stripes and members ascend */
  int64_t deal_count;
};

/* Where a byte lies, and how many lie there in a row. */
struct collio_place {
  int64_t subfile, offset, bytes;
};
struct collio_place collio_place_of(const struct collio_subfile_layout* layout, int64_t offset,
                                    int64_t bytes);

/* How many of the stripes below `end` a subfile has. */
int64_t collio_rows_below(const struct collio_subfile_layout* layout, int64_t end, int64_t subfile);
/* The stripe that is this row of a subfile; -1: the subfile gets fewer. */
int64_t collio_stripe_at(const struct collio_subfile_layout* layout, int64_t subfile, int64_t row);
/* Bytes of a subfile when the file has `file_bytes`. */
int64_t collio_share(const struct collio_subfile_layout* layout, int64_t subfile, int64_t file_bytes);
/* Bytes of a file that ends with the last byte of this subfile. What the subfile has behind its last stripe
   does not count. */
int64_t collio_length_by(const struct collio_subfile_layout* layout, int64_t subfile, int64_t subfile_bytes);
/* The subfiles that the last stripes go to. */
int64_t collio_members_at_end(const struct collio_subfile_layout* layout);

#ifdef __cplusplus
}
#endif
#endif
