// Cuts of a file into domains: where boundaries lie, who owns a byte, and sums over extents against a count
// byte by byte.
#include "policy/domains/file_cuts.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "policy/domains/domains.hpp"

namespace collio::policy {
namespace {

using Bounds = std::vector<std::int64_t>;

/// Bytes of an extent by domain, one byte after the other.
template <class Cut>
Bounds counted(const Cut& cut, const core::Extent& extent) {
  Bounds sums(static_cast<std::size_t>(cut.count()), 0);
  for (std::int64_t byte = extent.offset; byte < extent.end(); ++byte)
    ++sums.at(static_cast<std::size_t>(cut.owner(byte)));
  return sums;
}

template <class Cut>
Bounds summed(const Cut& cut, const core::Extent& extent) {
  Bounds sums(static_cast<std::size_t>(cut.count()), 0);
  add_bytes(cut, extent, sums);
  return sums;
}

TEST(FileCuts, NamesComeBack) {
  for (const Cut cut : {Cut::even, Cut::aligned, Cut::static_cyclic, Cut::group_cyclic, Cut::balanced})
    EXPECT_EQ(core::value_named(words::cut, name_of(cut)), cut);
  EXPECT_EQ(core::value_named(words::cut, "odd"), std::nullopt);
}

TEST(FileCuts, AlignedBoundariesAreTheNearestMultiples) {
  EXPECT_EQ(cut_aligned({{0, 1000}, 3, 100}).bounds, (Bounds{0, 300, 700, 1000}));  // 333 and 666
  EXPECT_EQ(cut_aligned({{50, 1000}, 4, 100}).bounds,
            (Bounds{50, 300, 600, 800, 1050}));  // 300, 550 goes up, 800
  EXPECT_EQ(cut_aligned({{10, 80}, 4, 100}).bounds,
            (Bounds{10, 10, 90, 90, 90}));  // less than a block: one domain has all
  EXPECT_EQ(cut_aligned({{0, 10}, 2, 1}).bounds, (Bounds{0, 5, 10}));
  EXPECT_EQ(cut_aligned({{0, 0}, 2, 64}).bounds, (Bounds{0, 0, 0}));
}

TEST(FileCuts, AnAlignedCutIsMoreEvenThanOneThatRoundsUp) {
  // 10 blocks for 4: rounding up gives 3, 3, 3, 1; nearest multiples 3, 2, 3, 2.
  const Domains even = cut_evenly({{0, 10 * 4096}, 4, 4096, 1 << 20});
  EXPECT_EQ(even.domain(3).length, 4096);
  EXPECT_EQ(cut_aligned({{0, 10 * 4096}, 4, 4096}).bounds,
            (Bounds{0, 3 * 4096, 5 * 4096, 8 * 4096, 10 * 4096}));
}

TEST(FileCuts, StaticCyclicDealsStripesFromTheFilesBeginning) {
  const CyclicDomains cut = cut_static_cyclic({{250, 1000}, 3, 100});
  EXPECT_EQ(cut.count(), 3);
  EXPECT_EQ(cut.owner(250), 2);
  EXPECT_EQ(cut.owner(300), 0);
  EXPECT_EQ(cut.owner(1249), 12 % 3);
}

TEST(FileCuts, GroupCyclicMembersMeetTheSameServersEverywhere) {
  // 4 stripe servers, 8 aggregators: two groups; the span has 2.5 cycles of 400.
  const CyclicDomains cut = cut_group_cyclic({{100, 1000}, 8, 100}, 4);
  EXPECT_EQ(cut.count(), 8);
  EXPECT_EQ(cut.group_bytes, 800);
  std::vector<int> server_of(8, -1);
  for (std::int64_t byte = 100; byte < 1100; ++byte) {
    const int owner = cut.owner(byte), server = static_cast<int>(byte / 100 % 4);
    EXPECT_EQ(owner / 4, byte < 800 ? 0 : 1);
    int& known = server_of[static_cast<std::size_t>(owner)];
    EXPECT_TRUE(known == -1 || known == server) << byte;
    known = server;
  }
}

TEST(FileCuts, GroupCyclicTakesAsManyAggregatorsAsItCanUse) {
  EXPECT_EQ(cut_group_cyclic({{0, 10000}, 3, 100}, 4).count(), 3) << "fewer than servers: one group";
  EXPECT_EQ(cut_group_cyclic({{0, 10000}, 7, 100}, 4).count(), 4) << "no second group of 4";
  EXPECT_EQ(cut_group_cyclic({{0, 10000}, 13, 100}, 4).count(), 12);
  EXPECT_EQ(cut_group_cyclic({{0, 500}, 100, 100}, 4).count(), 8) << "two cycles: no more than two groups";
  EXPECT_EQ(cut_group_cyclic({{0, 10000}, 5, 100}, 0).count(), 5) << "servers not known";
}

TEST(FileCuts, BalancedDomainsHaveAsMuchDataEach) {
  // Nothing in the middle of the file, and more at its end.
  const Histogram data{0, 1000, {100, 0, 0, 100, 200}};
  EXPECT_EQ(cut_balanced({{0, 5000}, 4, 1}, data).bounds, (Bounds{0, 1000, 4000, 4500, 5000}));
  EXPECT_EQ(cut_balanced({{0, 5000}, 4, 300}, data).bounds, (Bounds{0, 900, 3900, 4500, 5000}));
  EXPECT_EQ(cut_balanced({{0, 5000}, 2, 1}, {0, 1000, {0, 0, 0, 0, 0}}).bounds, (Bounds{0, 2500, 5000}))
      << "no data: even";
  EXPECT_EQ(cut_balanced({{700, 3000}, 2, 1}, {700, 1500, {10, 30}}).bounds, (Bounds{700, 2700, 3700}));
}

TEST(FileCuts, BalancedBeatsEvenOnSkewedData) {
  std::mt19937 dice(5);
  Histogram data{0, 1 << 20, std::vector<std::int64_t>(512)};
  for (std::size_t i = 0; i < data.bytes.size(); ++i)
    data.bytes[i] =
        dice() % 4 ? 0 : static_cast<std::int64_t>(dice() % (1 << 20)) * static_cast<int>(i) / 512;
  const FileCutRequest request{{0, 512 << 20}, 16, 1 << 20};
  const auto most = [&](const ContiguousDomains& cut) {
    std::vector<std::int64_t> sums(16, 0);
    for (std::size_t i = 0; i < data.bytes.size(); ++i)
      sums[static_cast<std::size_t>(cut.owner(static_cast<std::int64_t>(i) << 20))] += data.bytes[i];
    return *std::max_element(sums.begin(), sums.end());
  };
  const std::int64_t all = std::accumulate(data.bytes.begin(), data.bytes.end(), std::int64_t{0});
  EXPECT_LT(most(cut_balanced(request, data)), all / 16 + (2 << 20));
  EXPECT_GT(most(cut_aligned(request)), all / 8);
}

TEST(FileCuts, SumsOverExtentsAreThoseOfTheirBytes) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 dice(seed);
  const auto below = [&](int end) { return static_cast<int>(dice() % static_cast<unsigned>(end)); };
  for (int trial = 0; trial < 400; ++trial) {
    const FileCutRequest request{{below(500), 1 + below(2000)}, 1 + below(12), 1 + below(90)};
    const std::int64_t begin = request.span.offset + below(static_cast<int>(request.span.length));
    const core::Extent extent{begin, below(static_cast<int>(request.span.end() - begin) + 1)};
    const Histogram data{request.span.offset,
                         request.span.length / 7 + 1,
                         {below(9), below(9), 0, below(9), below(9), below(2), below(9)}};
    for (const ContiguousDomains& cut : {cut_aligned(request), cut_balanced(request, data)}) {
      ASSERT_EQ(cut.count(), request.aggregators);
      ASSERT_EQ(cut.bounds.front(), request.span.offset);
      ASSERT_EQ(cut.bounds.back(), request.span.end());
      ASSERT_TRUE(std::is_sorted(cut.bounds.begin(), cut.bounds.end()));
      ASSERT_EQ(summed(cut, extent), counted(cut, extent));
    }
    for (const CyclicDomains& cut : {cut_static_cyclic(request), cut_group_cyclic(request, 1 + below(6))}) {
      ASSERT_LE(cut.count(), request.aggregators);
      ASSERT_EQ(summed(cut, extent), counted(cut, extent))
          << cut.members << " members, " << cut.groups << " groups";
    }
  }
}

}  // namespace
}  // namespace collio::policy
