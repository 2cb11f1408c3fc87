/* See layout.h. */
#include "view/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { most_deals = 1000 };

/* Of the first `stripes` of a deal, how many go to the member at `index`. */
static int64_t rows_in(const struct view_deal* deal, int64_t index, int64_t stripes) {
  return stripes / deal->count + (index < stripes % deal->count);
}

/* Of a whole deal, which is not the last one. */
static int64_t rows_of(const struct view_deal* deal, int64_t index) {
  return rows_in(deal, index, deal[1].first - deal->first);
}

/* Which member of a deal a subfile is; -1: none. */
static int64_t index_of(const struct view_deal* deal, int64_t subfile) {
  int64_t low = 0, high = deal->count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (deal->members[middle].subfile < subfile)
      low = middle + 1;
    else
      high = middle;
  }
  return low < deal->count && deal->members[low].subfile == subfile ? low : -1;
}

/* Number of the deal that a stripe is of. */
static int deal_of(const struct view_layout* layout, int64_t stripe) {
  int low = 0, high = layout->deal_count;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (layout->deals[middle].first <= stripe)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Rows that a subfile has of the deals before this one. */
static int64_t rows_before(const struct view_layout* layout, int number, int64_t subfile) {
  while (number-- > 0) {
    const struct view_deal* deal = &layout->deals[number];
    const int64_t index = index_of(deal, subfile);
    if (index >= 0) return deal->members[index].row + rows_of(deal, index);
  }
  return 0;
}

/* A deal of `count` members behind the others, to be filled; null: no memory. */
static struct view_deal* add_deal(struct view_layout* layout, int64_t first, int64_t count) {
  struct view_deal* more =
      realloc(layout->deals, (size_t)(layout->deal_count + 1) * sizeof(struct view_deal));
  if (!more) return NULL;
  layout->deals = more;
  struct view_deal* deal = &more[layout->deal_count];
  *deal = (struct view_deal){first, count, calloc((size_t)count, sizeof(struct view_member))};
  if (!deal->members) return NULL;
  ++layout->deal_count;
  return deal;
}

int view_begin_layout(struct view_layout* layout, int64_t unit, int64_t count) {
  *layout = (struct view_layout){unit, count, NULL, 0};
  struct view_deal* deal = add_deal(layout, 0, count);
  for (int64_t i = 0; deal && i < count; ++i) deal->members[i].subfile = i;
  return deal != NULL;
}

/* Takes a space and a number without leading zeros off the text. 0: there is something else. */
static int take_decimal(const char** text, int64_t* number) {
  const char* digits = *text + 1;
  if (**text != ' ' || *digits < '0' || *digits > '9' ||
      (*digits == '0' && digits[1] >= '0' && digits[1] <= '9'))
    return 0;
  char* end;
  errno = 0;
  *number = strtoll(digits, &end, 10);
  *text = end;
  return errno == 0;
}

/* What stands behind "deal" in a line, and its end. */
static int take_deal(struct view_layout* layout, const char** text) {
  int64_t first, members = 0, last = -1;
  if (!take_decimal(text, &first) || first <= layout->deals[layout->deal_count - 1].first) return 0;
  for (const char* c = *text; *c != '\0' && *c != '\n'; ++c) members += *c == ' ';
  const int number = layout->deal_count;
  struct view_deal* deal = members > 0 && members <= layout->count ? add_deal(layout, first, members) : NULL;
  for (int64_t i = 0; deal && i < members; ++i) {
    struct view_member* member = &deal->members[i];
    if (!take_decimal(text, &member->subfile) || member->subfile <= last || member->subfile >= layout->count)
      return 0;
    last = member->subfile;
    member->row = rows_before(layout, number, last);
  }
  return deal && *(*text)++ == '\n';
}

int view_take_deals(struct view_layout* layout, const char** text) {
  while (strncmp(*text, "deal", 4) == 0) {
    *text += 4;
    if (layout->deal_count > most_deals || !take_deal(layout, text)) return 0;
  }
  return 1;
}

void view_free_layout(struct view_layout* layout) {
  for (int i = 0; i < layout->deal_count; ++i) free(layout->deals[i].members);
  free(layout->deals);
}

struct view_place view_place_of(const struct view_layout* layout, int64_t offset, int64_t bytes) {
  const int64_t stripe = offset / layout->unit, inside = offset % layout->unit, left = layout->unit - inside;
  const struct view_deal* deal = &layout->deals[deal_of(layout, stripe)];
  const int64_t turn = (stripe - deal->first) / deal->count;
  const struct view_member* member = &deal->members[(stripe - deal->first) % deal->count];
  return (struct view_place){member->subfile, (member->row + turn) * layout->unit + inside,
                             (size_t)(left < bytes ? left : bytes)};
}

int64_t view_share(const struct view_layout* layout, int64_t subfile, int64_t file_bytes) {
  const int64_t whole = file_bytes / layout->unit, rest = file_bytes % layout->unit;
  const int number = deal_of(layout, whole);
  const struct view_deal* deal = &layout->deals[number];
  const int64_t index = index_of(deal, subfile), stripes = whole - deal->first;
  if (index < 0) return rows_before(layout, number, subfile) * layout->unit;
  return (deal->members[index].row + rows_in(deal, index, stripes)) * layout->unit +
         (index == stripes % deal->count ? rest : 0);
}

int64_t view_length_by(const struct view_layout* layout, int64_t subfile, int64_t subfile_bytes) {
  if (subfile_bytes == 0) return 0;
  const int64_t row = (subfile_bytes - 1) / layout->unit, inside = (subfile_bytes - 1) % layout->unit;
  for (int number = layout->deal_count; number-- > 0;) {
    const struct view_deal* deal = &layout->deals[number];
    const int64_t index = index_of(deal, subfile);
    if (index < 0 || deal->members[index].row > row) continue;
    const int64_t turn = row - deal->members[index].row;
    const int64_t turns = number + 1 < layout->deal_count ? rows_of(deal, index) : turn + 1;
    if (turns == 0) continue;
    const int is_behind = turn >= turns;
    const int64_t stripe = deal->first + (is_behind ? turns - 1 : turn) * deal->count + index;
    return stripe * layout->unit + (is_behind ? layout->unit : inside + 1);
  }
  return 0;
}
