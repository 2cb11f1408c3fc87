// Each strategy gives all ranks the same extent X and disjoint bytes within [0, X), so that tiles stay
// disjoint however far a stream goes; `regions` and `windows` separate the ranks by where their streams lie
// instead.
#include "layout.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "random_types.hpp"

namespace collio::differential {
namespace {

std::int64_t round_up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

std::vector<int> permutation(Random& random, int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  if (random.chance(60)) random.shuffle(order);
  return order;
}

/// A file type with data; falls back to the etype when the draw came out empty.
Type nonempty_file_type(Random& random, const Type& etype, const TypeLimits& limits) {
  Type type = random_file_type(random, etype, limits);
  return type->shape.size > 0 ? type : etype;
}

/// Greatest stream length (bytes, whole etypes) that keeps within both limits.
std::int64_t stream_end(const Type& filetype, const Type& etype, const LayoutLimits& limits) {
  const std::int64_t tiles =
      std::max<std::int64_t>(1, limits.file_bytes / std::max<std::int64_t>(1, filetype->shape.extent()));
  const std::int64_t bytes = std::min(limits.stream_bytes, tiles * filetype->shape.size);
  return std::max(etype->shape.size, bytes / etype->shape.size * etype->shape.size);
}

RankView view_of(std::int64_t displacement, Type filetype, const Type& etype, const LayoutLimits& limits) {
  RankView view{displacement, std::move(filetype), 0, 0};
  if (view.filetype->shape.size == 0)
    view.filetype = etype;  // this rank owns nothing
  else
    view.end = stream_end(view.filetype, etype, limits);
  return view;
}

using Strategy = void (*)(Random&, Layout&, const LayoutLimits&);

/// Rank r takes copies r, r+p, r+2p, … of one type.
void interleave(Random& random, Layout& layout, const LayoutLimits& limits) {
  const auto p = static_cast<std::int64_t>(layout.views.size());
  const Type tile = nonempty_file_type(random, layout.etype, {400, random.small(0, 3), false, limits.plain});
  const std::int64_t unit = layout.etype->shape.extent();
  const std::int64_t span =
      round_up(std::max(tile->shape.extent(), tile->shape.true_ub() - tile->shape.true_lb()), unit);
  const std::int64_t step = span + (random.chance(60) ? 0 : unit * random.between(1, 5));
  const std::int64_t lb = !limits.plain && random.chance(70) ? tile->shape.lb : 0;
  const auto order = permutation(random, static_cast<int>(p));
  const std::int64_t base = random.chance(50) ? 0 : random.between(0, 300);
  for (std::size_t r = 0; r < layout.views.size(); ++r)
    layout.views[r] = view_of(base + order[r] * step, resized(lb, step * p, tile), layout.etype, limits);
}

/// The same with an inner vector: rank r takes blocks of several copies.
void vectors(Random& random, Layout& layout, const LayoutLimits& limits) {
  const int p = static_cast<int>(layout.views.size());
  const Type tile = nonempty_file_type(random, layout.etype, {100, random.small(0, 2), false, limits.plain});
  const int block = random.small(1, 4);
  const int count = random.small(1, 6);
  const std::int64_t extent = tile->shape.extent();
  const auto order = permutation(random, p);
  const std::int64_t base = random.between(0, 64);
  for (std::size_t r = 0; r < layout.views.size(); ++r) {
    const Type type = resized(0, extent * block * count * p, vector(count, block, block * p, tile));
    layout.views[r] = view_of(base + order[r] * block * extent, type, layout.etype, limits);
  }
}

struct Deal {
  std::vector<Blocks> per_rank;
  std::int64_t total = 0;  // leaf extents
};

/// Cuts [0, total) leaves at random and gives each piece to a rank or to nobody.
Deal deal_pieces(Random& random, int ranks, std::int64_t most_leaves) {
  Deal deal;
  deal.per_rank.resize(static_cast<std::size_t>(ranks));
  const int pieces = random.small(1, std::max(2, ranks * 8));
  const int holes_percent = random.chance(50) ? 0 : random.small(5, 70);
  const bool merge = random.chance(70);
  for (int i = 0; i < pieces && deal.total < most_leaves; ++i) {
    const int length = random.small(1, 6);
    if (!random.chance(holes_percent)) {
      Blocks& mine = deal.per_rank[static_cast<std::size_t>(random.small(0, ranks - 1))];
      const bool touches =
          !mine.lengths.empty() && mine.displacements.back() + mine.lengths.back() == deal.total;
      if (touches && merge) {
        mine.lengths.back() += length;
      } else {
        mine.lengths.push_back(length);
        mine.displacements.push_back(deal.total);
      }
    }
    deal.total += length;
  }
  return deal;
}

/// The same blocks through one of the constructors that can say them. `leaf` displacements count its extents.
Type blocks_type(Random& random, Blocks blocks, const Type& leaf) {
  Blocks bytes = blocks;
  for (std::int64_t& displacement : bytes.displacements) displacement *= leaf->shape.extent();
  switch (random.small(0, 3)) {
    case 0:
      return indexed(std::move(blocks), leaf);
    case 1:
      return structure(std::move(bytes), std::vector<Type>(blocks.lengths.size(), leaf));
    case 2: {
      std::vector<std::int64_t> singles;
      for (std::size_t i = 0; i < blocks.lengths.size(); ++i)
        for (int j = 0; j < blocks.lengths[i]; ++j) singles.push_back(blocks.displacements[i] + j);
      return indexed_block(1, std::move(singles), leaf);
    }
    default:
      return hindexed(std::move(bytes), leaf);
  }
}

void dealt(Random& random, Layout& layout, const LayoutLimits& limits) {
  const Type leaf = random.chance(65) ? layout.etype
                                      : nonempty_file_type(random, layout.etype,
                                                           {64, random.small(1, 2), false, limits.plain});
  const std::int64_t extent = std::max<std::int64_t>(1, leaf->shape.extent());
  const Deal deal = deal_pieces(random, static_cast<int>(layout.views.size()),
                                std::max<std::int64_t>(4, limits.file_bytes / extent));
  const std::int64_t base = random.chance(50) ? 0 : random.between(0, 1000);
  for (std::size_t r = 0; r < layout.views.size(); ++r) {
    const Blocks& mine = deal.per_rank[r];
    const Type type = mine.lengths.empty() ? layout.etype
                                           : resized(0, deal.total * extent, blocks_type(random, mine, leaf));
    layout.views[r] = view_of(base, type, layout.etype, limits);
    if (mine.lengths.empty()) layout.views[r].end = 0;
  }
}

/// Random distinct cuts of [0, size) into `parts` nonempty ranges; returns parts + 1 borders.
std::vector<int> cuts(Random& random, int size, int parts) {
  std::vector<int> inner(static_cast<std::size_t>(size - 1));
  std::iota(inner.begin(), inner.end(), 1);
  random.shuffle(inner);
  inner.resize(static_cast<std::size_t>(parts - 1));
  inner.push_back(0);
  inner.push_back(size);
  std::sort(inner.begin(), inner.end());
  return inner;
}

void subarrays(Random& random, Layout& layout, const LayoutLimits& limits) {
  Grid grid;
  std::vector<std::vector<int>> borders;
  int cells = 1;
  const int n = random.small(1, 4);
  const int most = n == 1 ? 40 : n == 2 ? 12 : 6;
  for (int i = 0; i < n; ++i) {
    Dimension d;
    d.size = random.small(1, most);
    borders.push_back(cuts(random, d.size, random.small(1, std::min(d.size, 4))));
    cells *= static_cast<int>(borders.back().size()) - 1;
    grid.dimensions.push_back(d);
  }
  grid.fortran_order = random.chance(50);
  auto order = permutation(random, std::max(cells, static_cast<int>(layout.views.size())));
  const std::int64_t base = random.chance(60) ? 0 : random.between(0, 100);
  for (std::size_t r = 0; r < layout.views.size(); ++r) {
    int cell = order[r];
    if (cell >= cells) {
      layout.views[r] = {base, layout.etype, 0, 0};
      continue;
    }
    for (std::size_t i = 0; i < borders.size(); ++i) {
      const auto parts = static_cast<int>(borders[i].size()) - 1;
      const auto part = static_cast<std::size_t>(cell % parts);
      cell /= parts;
      grid.dimensions[i].start = borders[i][part];
      grid.dimensions[i].subsize = borders[i][part + 1] - borders[i][part];
    }
    layout.views[r] = view_of(base, subarray(grid, layout.etype), layout.etype, limits);
  }
}

void darrays(Random& random, Layout& layout, const LayoutLimits& limits) {
  Grid grid;
  int rest = static_cast<int>(layout.views.size());
  const int n = random.small(1, 3);
  for (int i = 0; i < n; ++i) {
    Dimension d;
    std::vector<int> divisors;
    for (int k = 1; k <= rest; ++k)
      if (rest % k == 0) divisors.push_back(k);
    d.processes = i + 1 == n ? rest : random.pick(divisors);
    rest /= d.processes;
    d.size = random.small(1, n == 1 ? 60 : 10);
    const bool single = d.processes == 1 && random.chance(50);
    d.distribution = single              ? Distribution::none
                     : random.chance(50) ? Distribution::block
                                         : Distribution::cyclic;
    if (d.distribution == Distribution::cyclic && random.chance(60)) d.argument = random.small(1, 5);
    if (d.distribution == Distribution::block && random.chance(30))
      d.argument = (d.size + d.processes - 1) / d.processes + random.small(0, 3);
    grid.dimensions.push_back(d);
  }
  grid.fortran_order = random.chance(50);
  const auto order = permutation(random, static_cast<int>(layout.views.size()));
  const std::int64_t base = random.chance(60) ? 0 : random.between(0, 100);
  for (std::size_t r = 0; r < layout.views.size(); ++r) {
    grid.darray_rank = order[r];
    layout.views[r] = view_of(base, darray(grid, layout.etype), layout.etype, limits);
  }
}

/// Every rank has a type and a part of the file of its own.
void regions(Random& random, Layout& layout, const LayoutLimits& limits) {
  const auto order = permutation(random, static_cast<int>(layout.views.size()));
  std::int64_t at = random.chance(50) ? 0 : random.between(0, 500);
  for (int r : order) {
    const Type type =
        nonempty_file_type(random, layout.etype, {600, random.small(0, 3), false, limits.plain});
    RankView view = view_of(at, type, layout.etype, limits);
    const std::int64_t tiles = (view.end + type->shape.size - 1) / type->shape.size;
    at += tiles * std::max(type->shape.extent(), std::int64_t{0}) + type->shape.true_ub() +
          (random.chance(50) ? 0 : random.between(0, 200));
    layout.views[static_cast<std::size_t>(r)] = std::move(view);
  }
}

/// One view for all; each rank keeps to its own window of the stream.
void windows(Random& random, Layout& layout, const LayoutLimits& limits) {
  const Type type = random.chance(50) ? layout.etype
                                      : nonempty_file_type(random, layout.etype,
                                                           {300, random.small(1, 3), false, limits.plain});
  const std::int64_t base = random.chance(50) ? 0 : random.between(0, 200);
  const auto order = permutation(random, static_cast<int>(layout.views.size()));
  for (std::size_t r = 0; r < layout.views.size(); ++r) {
    RankView view = view_of(base, type, layout.etype, limits);
    view.begin = order[r] * view.end;
    view.end += view.begin;
    layout.views[r] = std::move(view);
  }
}

struct NamedStrategy {
  const char* name;
  Strategy strategy;
};

constexpr NamedStrategy strategies[] = {
    {"interleave", interleave}, {"vectors", vectors}, {"dealt", dealt},    {"subarrays", subarrays},
    {"darrays", darrays},       {"regions", regions}, {"windows", windows}};

Layout empty_layout(Random& random, int ranks, bool plain) {
  Layout layout;
  layout.etype = random_etype(random, plain);
  layout.views.resize(static_cast<std::size_t>(ranks));
  return layout;
}

}  // namespace

Layout random_disjoint_layout(Random& random, int ranks, const LayoutLimits& limits) {
  Layout layout = empty_layout(random, ranks, limits.plain);
  const NamedStrategy& chosen =
      strategies[static_cast<std::size_t>(random.small(0, static_cast<int>(std::size(strategies)) - 1))];
  layout.name = chosen.name;
  chosen.strategy(random, layout, limits);
  return layout;
}

Layout random_reading_layout(Random& random, int ranks, const LayoutLimits& limits) {
  if (random.chance(50)) return random_disjoint_layout(random, ranks, limits);
  Layout layout = empty_layout(random, ranks, limits.plain);
  layout.name = "overlapping";
  const bool same = random.chance(20);
  for (std::size_t r = 0; r < layout.views.size(); ++r) {
    const Type type = same && r > 0 ? layout.views[0].filetype
                                    : nonempty_file_type(random, layout.etype,
                                                         {800, random.small(0, 3),
                                                          limits.overlap && random.chance(50), limits.plain});
    layout.views[r] = view_of(random.chance(40) ? 0 : random.between(0, 400), type, layout.etype, limits);
  }
  return layout;
}

}  // namespace collio::differential
