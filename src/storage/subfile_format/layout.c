/* See layout.h. */
#include "storage/subfile_format/layout.h"

#include <stddef.h>

/* Stripes that go in turn to the same subfiles. */
struct round {
  int64_t first, end; /* stripes */
  int64_t players;
  const int64_t* members; /* null: all subfiles, before the first deal */
  int64_t left;           /* deals behind it */
};

static struct round first_round(const struct collio_subfile_layout* layout) {
  return (struct round){0, layout->deal_count > 0 ? layout->deals[0] : INT64_MAX, layout->count, NULL,
                        layout->deal_count};
}

/* 0: there are no more. */
static int next_round(const struct collio_subfile_layout* layout, struct round* round) {
  if (round->left == 0) return 0;
  const int64_t* deal = round->members ? round->members + round->players : layout->deals;
  const int64_t *members = deal + 2, *later = members + deal[1];
  *round = (struct round){deal[0], round->left > 1 ? *later : INT64_MAX, deal[1], members, round->left - 1};
  return 1;
}

static struct round round_of(const struct collio_subfile_layout* layout, int64_t stripe) {
  struct round round = first_round(layout);
  while (stripe >= round.end && next_round(layout, &round)) continue;
  return round;
}

/* A subfile's place among the players; -1: it is none of them. */
static int64_t turn_of(const struct round* round, int64_t subfile) {
  if (!round->members) return subfile;
  int64_t low = 0, high = round->players;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (round->members[middle] < subfile)
      low = middle + 1;
    else
      high = middle;
  }
  return low < round->players && round->members[low] == subfile ? low : -1;
}

/* Rows that a subfile has of the round's stripes below `end`. */
static int64_t rows_in(const struct round* round, int64_t end, int64_t subfile) {
  const int64_t turn = turn_of(round, subfile);
  if (turn < 0 || end <= round->first) return 0;
  const int64_t stripes = (end < round->end ? end : round->end) - round->first;
  return stripes / round->players + (turn < stripes % round->players);
}

static int64_t subfile_of(const struct round* round, int64_t stripe) {
  const int64_t turn = (stripe - round->first) % round->players;
  return round->members ? round->members[turn] : turn;
}

int64_t collio_rows_below(const struct collio_subfile_layout* layout, int64_t end, int64_t subfile) {
  struct round round = first_round(layout);
  int64_t rows = rows_in(&round, end, subfile);
  while (round.end < end && next_round(layout, &round)) rows += rows_in(&round, end, subfile);
  return rows;
}

int64_t collio_stripe_at(const struct collio_subfile_layout* layout, int64_t subfile, int64_t row) {
  struct round round = first_round(layout);
  do {
    const int64_t here = rows_in(&round, INT64_MAX, subfile);
    if (row < here) return round.first + row * round.players + turn_of(&round, subfile);
    row -= here;
  } while (next_round(layout, &round));
  return -1;
}

struct collio_place collio_place_of(const struct collio_subfile_layout* layout, int64_t offset,
                                    int64_t bytes) {
  if (layout->count == 1) return (struct collio_place){0, offset, bytes};
  const int64_t stripe = offset / layout->unit, inside = offset % layout->unit, left = layout->unit - inside;
  const struct round round = round_of(layout, stripe);
  const int64_t subfile = subfile_of(&round, stripe);
  return (struct collio_place){subfile, collio_rows_below(layout, stripe, subfile) * layout->unit + inside,
                               left < bytes ? left : bytes};
}

int64_t collio_share(const struct collio_subfile_layout* layout, int64_t subfile, int64_t file_bytes) {
  const int64_t whole = file_bytes / layout->unit, rest = file_bytes % layout->unit;
  const struct round round = round_of(layout, whole);
  return collio_rows_below(layout, whole, subfile) * layout->unit +
         (subfile_of(&round, whole) == subfile ? rest : 0);
}

int64_t collio_length_by(const struct collio_subfile_layout* layout, int64_t subfile, int64_t subfile_bytes) {
  const int64_t most = collio_rows_below(layout, INT64_MAX, subfile);
  if (subfile_bytes == 0 || most == 0) return 0;
  const int64_t row = (subfile_bytes - 1) / layout->unit, inside = (subfile_bytes - 1) % layout->unit;
  if (row >= most) return (collio_stripe_at(layout, subfile, most - 1) + 1) * layout->unit;
  return collio_stripe_at(layout, subfile, row) * layout->unit + inside + 1;
}

int64_t collio_members_at_end(const struct collio_subfile_layout* layout) {
  return round_of(layout, INT64_MAX).players;
}
