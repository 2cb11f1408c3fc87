// Digests combine in any order to the same whole.
#include "policy/plan/digest.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "byte_list.hpp"

namespace collio::policy {
namespace {

using test::Dice;

Digest random_digest(Dice& dice) {
  Digest d;
  d.set_call(dice.pick(1, 2));
  d.error = dice.chance(3) ? dice.pick(1, 12) : 0;
  d.undescribed = dice.pick(0, 1);
  d.on_fibers = dice.pick(0, 1);
  if (dice.chance(2)) d.through_slots = dice.pick(0, 1000);
  if (dice.chance(3)) return d;
  d.low = dice.pick(0, 1000000);
  d.high = d.low + dice.pick(1, 1000000);
  d.bytes = d.most_bytes = dice.pick(1, 1000000);
  d.pieces = d.most_pieces = dice.pick(1, 1000);
  d.spans = dice.chance(9) ? Digest::nothing - 1 : d.high - d.low;
  d.active_ranks = 1;
  d.unordered = dice.pick(0, 1);
  return d;
}

Digest both(Digest a, const Digest& b) {
  a.combine(b);
  return a;
}

bool same(const Digest& a, const Digest& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

TEST(Digest, CombinesInAnyOrder) {
  for (std::uint32_t seed = 1; seed <= 1000; ++seed) {
    Dice dice(seed);
    const Digest a = random_digest(dice), b = random_digest(dice), c = random_digest(dice);
    ASSERT_TRUE(same(both(a, b), both(b, a))) << "seed " << seed;
    ASSERT_TRUE(same(both(both(a, b), c), both(a, both(b, c)))) << "seed " << seed;
  }
}

TEST(Digest, EmptyOneChangesNothing) {
  Dice dice(1);
  for (int i = 0; i < 100; ++i) {
    const Digest a = random_digest(dice);
    ASSERT_TRUE(same(both(a, Digest{}), a));
    ASSERT_TRUE(same(both(Digest{}, a), a));
  }
}

TEST(Digest, SaysWhatAllRanksDo) {
  Digest a, b;
  a.low = 100, a.high = 200, a.bytes = a.most_bytes = 50, a.pieces = a.most_pieces = 5, a.active_ranks = 1;
  b.low = 150, b.high = 400, b.bytes = b.most_bytes = 70, b.pieces = b.most_pieces = 2, b.active_ranks = 1;
  b.error = 3, b.unordered = 1;
  const Digest d = both(a, b);
  EXPECT_EQ(d.low, 100);
  EXPECT_EQ(d.span(), 300);
  EXPECT_EQ(d.bytes, 120);
  EXPECT_EQ(d.pieces, 7);
  EXPECT_EQ(d.most_pieces, 5);
  EXPECT_EQ(d.most_bytes, 70);
  EXPECT_EQ(d.active_ranks, 2);
  EXPECT_EQ(d.unordered, 1);
  EXPECT_EQ(d.error, 3);
}

/// Of one rank that accesses [low, high).
Digest of_range(std::int64_t low, std::int64_t high) {
  Digest d;
  d.low = low, d.high = high, d.spans = high - low, d.active_ranks = 1;
  return d;
}

TEST(Digest, TellsBlocksOfRanksFromInterleavedPieces) {
  EXPECT_FALSE(Digest{}.interleaved());
  EXPECT_FALSE(both(of_range(100, 200), of_range(200, 300)).interleaved()) << "neighbours";
  EXPECT_FALSE(both(of_range(100, 200), of_range(250, 300)).interleaved()) << "with a gap";
  EXPECT_FALSE(both(of_range(0, 200), Digest{}).interleaved()) << "a rank without bytes";
  EXPECT_TRUE(both(of_range(0, 296), of_range(4, 300)).interleaved());
  const std::int64_t far = std::int64_t{1} << 62;
  EXPECT_TRUE(both(both(of_range(0, far), of_range(1, far)), of_range(2, far)).interleaved())
      << "spans beyond 64 bits together";
}

TEST(Digest, OfNothingHasNoSpan) { EXPECT_EQ(Digest{}.span(), 0); }

TEST(Digest, NoticesRanksThatMakeDifferentCalls) {
  Digest write, read;
  write.set_call(1);
  read.set_call(2);
  EXPECT_TRUE(both(write, write).same_call());
  EXPECT_TRUE(both(read, read).same_call());
  EXPECT_FALSE(both(write, read).same_call());
  EXPECT_FALSE(both(both(read, read), write).same_call());
}

TEST(Digest, FormsOfOneCallAreToldApart) {
  Digest one, other;
  one.set_call(1, 10);
  other.set_call(1, 20);
  EXPECT_TRUE(both(one, other).same_call());
  EXPECT_FALSE(both(one, other).same_form());
  EXPECT_TRUE(both(other, other).same_form());
}

}  // namespace
}  // namespace collio::policy
