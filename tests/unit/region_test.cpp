// Parts of variables as pieces of a file, against a list of single elements.
#include "netcdf/region.hpp"

#include <gtest/gtest.h>

#include "random_access.hpp"

namespace collio::netcdf {
namespace {

using test::Dice;

Variable random_variable(Dice& dice) {
  Variable v;
  v.format = 5;
  v.type = 5;
  v.element_bytes = 4;
  v.records = dice.pick(0, 1) == 0;
  v.begin = 100;
  const auto dims = static_cast<std::size_t>((v.records ? 1 : 0) + dice.pick(0, 2));
  for (std::size_t d = 0; d < dims; ++d) v.shape.push_back(d == 0 && v.records ? 0 : 1 + dice.pick(0, 4));
  v.step.resize(dims);
  v.record_bytes = v.element_bytes;
  for (std::size_t d = dims; d-- > (v.records ? 1 : 0);) {
    v.step[d] = v.record_bytes;
    v.record_bytes *= v.shape[d];
  }
  if (v.records) v.step[0] = v.record_bytes + 4 * dice.pick(0, 2);
  return v;
}

struct Part {
  std::vector<std::int64_t> start, count, stride;
};

Part random_part(Dice& dice, const Variable& v) {
  Part part;
  for (const std::int64_t length : v.shape) {
    const std::int64_t most = length == 0 ? 6 : length;
    part.start.push_back(dice.pick(0, most - 1));
    part.stride.push_back(1 + dice.pick(0, 1));
    const auto left =
        static_cast<std::uint32_t>((most - part.start.back() + part.stride.back() - 1) / part.stride.back());
    part.count.push_back(dice.pick(0, left + 1 - 1));
  }
  return part;
}

/// Byte offsets of the elements, in order.
std::vector<std::int64_t> elements_of(const Variable& v, const Part& part) {
  std::vector<std::int64_t> offsets{v.begin};
  for (std::size_t d = 0; d < v.shape.size(); ++d) {
    std::vector<std::int64_t> next;
    for (const std::int64_t offset : offsets)
      for (std::int64_t i = 0; i < part.count[d]; ++i)
        next.push_back(offset + (part.start[d] + i * part.stride[d]) * v.step[d]);
    offsets = std::move(next);
  }
  return offsets;
}

std::vector<std::int64_t> elements_of(const Pieces& pieces, int element_bytes) {
  std::vector<std::int64_t> offsets;
  for (std::size_t i = 0; i < pieces.offsets.size(); ++i)
    for (std::int64_t k = 0; k < pieces.lengths[i]; k += element_bytes)
      offsets.push_back(pieces.offsets[i] + k);
  return offsets;
}

TEST(Region, HasTheElementsOfItsPart) {
  for (std::uint32_t seed = 1; seed <= 2000; ++seed) {
    Dice dice(seed);
    const Variable v = random_variable(dice);
    const Part part = random_part(dice, v);
    const Named call{Named::Form::block, {part.start.data(), part.count.data(), part.stride.data()}};
    Region region;
    ASSERT_TRUE(region_of(call, v, 0, region)) << "seed " << seed;
    const auto wanted = elements_of(v, part);
    ASSERT_EQ(elements_of(region.pieces(), v.element_bytes), wanted) << "seed " << seed;
    ASSERT_EQ(region.elements, static_cast<std::int64_t>(wanted.size()));
    if (v.records && !wanted.empty()) {
      ASSERT_EQ(region.records, part.start[0] + (part.count[0] - 1) * part.stride[0] + 1);
    }
  }
}

/// One block, and as a list of blocks of one element in its first dimension.
TEST(Region, OfAListIsThatOfItsBlocks) {
  int shares = 0;
  for (std::uint32_t seed = 1; seed <= 2000; ++seed) {
    Dice dice(seed);
    const Variable v = random_variable(dice);
    Part part = random_part(dice, v);
    if (v.shape.empty()) continue;
    std::ranges::fill(part.stride, 1);
    const Named call{Named::Form::block, {part.start.data(), part.count.data(), nullptr}};
    std::vector<std::vector<std::int64_t>> starts, counts;
    std::vector<const std::int64_t*> at, lengths;
    for (std::int64_t i = 0; i < part.count[0]; ++i) {
      starts.push_back(part.start);
      starts.back()[0] += i;
      counts.push_back(part.count);
      counts.back()[0] = 1;
    }
    for (std::size_t i = 0; i < starts.size(); ++i) {
      at.push_back(starts[i].data());
      lengths.push_back(counts[i].data());
    }
    Region block, list;
    ASSERT_TRUE(region_of(call, v, 0, block)) << "seed " << seed;
    Named named{.form = Named::Form::list, .block = {}, .parts = static_cast<int>(at.size())};
    named.starts = reinterpret_cast<const Offsets*>(at.data());
    named.counts = reinterpret_cast<const Offsets*>(lengths.data());
    ASSERT_TRUE(region_of(named, v, 0, list)) << "seed " << seed;
    ASSERT_EQ(elements_of(list.pieces(), v.element_bytes), elements_of(v, part)) << "seed " << seed;
    ASSERT_EQ(list.elements, block.elements);
    ASSERT_EQ(list.records, block.records);
    Variable other = v;
    other.begin = v.begin + 4 * dice.pick(0, 9);
    if (dice.pick(0, 2) == 0 && !counts.empty()) counts.back().back() = 0;
    Region again, alone;
    ASSERT_TRUE(region_of(named, other, 0, again, list.shared)) << "seed " << seed;
    ASSERT_TRUE(region_of(named, other, 0, alone)) << "seed " << seed;
    const std::int64_t shift = again.shift;
    EXPECT_EQ(again.records, alone.records) << "seed " << seed;
    EXPECT_EQ(again.elements, alone.elements) << "seed " << seed;
    auto moved = elements_of(again.pieces(), v.element_bytes);
    for (std::int64_t& offset : moved) offset += shift;
    EXPECT_EQ(moved, elements_of(alone.pieces(), v.element_bytes)) << "seed " << seed;
    shares += again.shared == list.shared;
    if (at.empty()) continue;
    counts.back() = part.count;
    counts.back()[0] = 1;
    const auto d = static_cast<std::size_t>(dice.pick(0, static_cast<std::int64_t>(v.shape.size()) - 1));
    starts.back()[d] = v.records && d == 0 ? -1 : v.shape[d];
    Region none;
    EXPECT_FALSE(region_of(named, v, 0, none)) << "seed " << seed;
  }
  EXPECT_GT(shares, 300);
}

TEST(Region, FollowsItsVariableToAnotherPlace) {
  for (std::uint32_t seed = 1; seed <= 500; ++seed) {
    Dice dice(seed);
    Variable v = random_variable(dice);
    const Part part = random_part(dice, v);
    const Named call{Named::Form::block, {part.start.data(), part.count.data(), part.stride.data()}};
    Region before, after;
    ASSERT_TRUE(region_of(call, v, 0, before));
    const Place from = Place::of(v);
    v.begin = 1000;
    if (v.records) v.step[0] += 8;
    ASSERT_TRUE(region_of(call, v, 0, after));
    const Pieces now = moved(before.pieces(), from, Place::of(v), v.record_bytes);
    ASSERT_EQ(elements_of(now, 4), elements_of(after.pieces(), 4)) << "seed " << seed;
  }
}

TEST(Region, LeavesWhatIsOutsideToPnetcdf) {
  Variable v;
  v.element_bytes = 4;
  v.shape = {4, 5};
  v.step = {20, 4};
  v.record_bytes = 80;
  std::int64_t start[] = {0, 0}, count[] = {4, 5};
  Named call{Named::Form::block, {start, count, nullptr}};
  Region region;
  EXPECT_TRUE(region_of(call, v, 0, region));
  EXPECT_EQ(region.pieces().offsets.size(), 1U) << "a whole variable is one piece";
  start[1] = 1;
  EXPECT_FALSE(region_of(call, v, 0, region));
  start[1] = -1;
  EXPECT_FALSE(region_of(call, v, 0, region));
  start[1] = 0;
  count[0] = -1;
  EXPECT_FALSE(region_of(call, v, 0, region));
  call.block.start = nullptr;
  EXPECT_FALSE(region_of(call, v, 0, region));
}

}  // namespace
}  // namespace collio::netcdf
