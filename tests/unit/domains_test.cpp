// Cuts of a span into domains and windows: every byte has one owner and one round, and boundaries are
// aligned.
#include "policy/domains/domains.hpp"

#include <gtest/gtest.h>

#include <set>

#include "byte_list.hpp"

namespace collio::policy {
namespace {

using core::Extent;
using test::Dice;

CutRequest random_request(Dice& dice) {
  CutRequest r;
  const std::int64_t far = dice.chance(4) ? std::int64_t{1} << dice.pick(31, 50) : 0;
  r.span = {far + dice.pick(0, 100000), dice.pick(1, dice.chance(3) ? 100 : 300000)};
  r.aggregators = static_cast<int>(dice.pick(1, 40));
  const std::int64_t alignments[] = {1, 3, 100, 512, 4096, 1 << 20};
  r.alignment_bytes = alignments[dice.pick(0, 5)];
  const std::int64_t windows[] = {1000, 4096, 10000, 65536, 1 << 20, 16 << 20};
  r.window_bytes = windows[dice.pick(0, 5)];
  return r;
}

template <class Each>
void for_many_cuts(Each&& each) {
  for (std::uint32_t seed = 1; seed <= 3000; ++seed) {
    Dice dice(seed);
    const CutRequest r = random_request(dice);
    SCOPED_TRACE("seed " + std::to_string(seed));
    each(dice, r, cut_evenly(r));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Domains, CoverTheSpanWithoutGapOrOverlap) {
  for_many_cuts([](Dice&, const CutRequest& r, const Domains& d) {
    ASSERT_GE(d.count, 1);
    ASSERT_LE(d.count, r.aggregators);
    ASSERT_LE(d.domain(0).offset, r.span.offset);
    ASSERT_EQ(d.domain(d.count - 1).end(), r.span.end());
    for (int a = 0; a < d.count; ++a) {
      ASSERT_GT(d.domain(a).length, 0);
      if (a > 0) {
        ASSERT_EQ(d.domain(a - 1).end(), d.domain(a).offset);
      }
    }
  });
}

TEST(Domains, WindowsCoverTheirDomainWithoutGapOrOverlap) {
  for_many_cuts([](Dice&, const CutRequest& r, const Domains& d) {
    for (int a = 0; a < d.count; ++a) {
      std::int64_t at = d.domain(a).offset;
      for (std::int64_t round = 0; round < d.rounds(a); ++round) {
        const Extent w = d.window(a, round);
        ASSERT_EQ(w.offset, at);
        ASSERT_GT(w.length, 0);
        ASSERT_LE(w.length, r.window_bytes);
        ASSERT_LE(w.length, d.window_bytes);
        at = w.end();
      }
      ASSERT_EQ(at, d.domain(a).end());
    }
  });
}

TEST(Domains, OwnerAndRoundOfAByteAreWhereItsWindowLies) {
  for_many_cuts([](Dice& dice, const CutRequest& r, const Domains& d) {
    for (int i = 0; i < 50; ++i) {
      const std::int64_t offset = dice.pick(r.span.offset, r.span.end() - 1);
      const int a = d.owner(offset);
      ASSERT_GE(a, 0);
      ASSERT_LT(a, d.count);
      const Extent w = d.window(a, d.round_of(a, offset));
      ASSERT_LE(w.offset, offset);
      ASSERT_LT(offset, w.end());
    }
    for (int a = 0; a < d.count; ++a) {
      const Extent last = d.window(a, d.rounds(a) - 1);
      ASSERT_EQ(d.owner(last.offset), a);
      ASSERT_EQ(d.owner(last.end() - 1), a);
      ASSERT_EQ(d.round_of(a, last.end() - 1), d.rounds(a) - 1);
    }
  });
}

TEST(Domains, BoundariesAreAligned) {
  for_many_cuts([](Dice&, const CutRequest& r, const Domains& d) {
    for (int a = 0; a < d.count; ++a) ASSERT_EQ(d.domain(a).offset % r.alignment_bytes, 0);
    if (r.window_bytes < r.alignment_bytes) return;
    for (int a = 0; a < d.count; ++a)
      for (std::int64_t round = 0; round < d.rounds(a); ++round)
        ASSERT_EQ(d.window(a, round).offset % r.alignment_bytes, 0);
  });
}

TEST(Domains, AreOfEqualSizeButTheLast) {
  const Domains d = cut_evenly({{0, 1 << 20}, 4, 4096, 1 << 20});
  EXPECT_EQ(d.count, 4);
  for (int a = 0; a < 4; ++a) EXPECT_EQ(d.domain(a).length, 1 << 18);
}

TEST(Domains, SmallSpanUsesFewerAggregatorsThanThereAre) {
  const Domains d = cut_evenly({{8192, 3 * 4096}, 100, 4096, 1 << 20});
  EXPECT_EQ(d.count, 3);
}

TEST(Domains, BeginOnAllTargetsOfLongFiles) {
  constexpr std::int64_t stripe = 1 << 20;
  const auto begins = [](std::int64_t stripes_each, int targets) {
    const CutRequest request{{0, 64 * stripes_each * stripe}, 64, stripe, 4 * stripe, targets};
    const Domains d = cut_evenly(request);
    EXPECT_LE(d.domain_bytes, (stripes_each + stripes_each / 4) * stripe);
    EXPECT_EQ(d.domain_bytes, (stripes_each + added_stripes(request)) * stripe);
    std::set<std::int64_t> found;
    for (int a = 0; a < d.count; ++a) found.insert(d.domain(a).offset / stripe % targets);
    return found.size();
  };
  EXPECT_EQ(begins(16, 16), 16U);
  EXPECT_EQ(begins(8, 56), 56U);
  EXPECT_EQ(begins(15, 16), 16U);
  EXPECT_EQ(begins(2, 16), 8U);  // a third stripe would be half as many again
}

TEST(Domains, OneDomainIsAsLongAsTheSpan) {
  const CutRequest request{{0, 16 << 20}, 1, 1 << 20, 16 << 20, 4};
  EXPECT_EQ(added_stripes(request), 0);
  EXPECT_EQ(cut_evenly(request).window_bytes, 16 << 20);
}

TEST(Domains, WindowsAreWholeUnitsOrEvenPartsOfOne) {
  constexpr std::int64_t mebibyte = 1 << 20;
  EXPECT_EQ(fitting_window(mebibyte, 5 * mebibyte / 2), 2 * mebibyte);
  EXPECT_EQ(fitting_window(4 * mebibyte, 5 * mebibyte / 2), 2 * mebibyte);
  EXPECT_EQ(fitting_window(mebibyte, 932067), mebibyte / 2);
  EXPECT_EQ(fitting_window(1000000, 400000), 335872);  // a third, up to a page
  EXPECT_EQ(fitting_window(1000000, 4097), 4096);
  EXPECT_EQ(fitting_window(4096, 1000), 1000);
}

TEST(Domains, OfAnEmptySpanAreNone) { EXPECT_EQ(cut_evenly({{4096, 0}, 8, 4096, 1 << 20}).count, 0); }

}  // namespace
}  // namespace collio::policy
