// A view's bytes, and buffers, against a plain list of bytes.
#include "access/access.hpp"

#include <gtest/gtest.h>

#include "random_access.hpp"

namespace collio::access {
namespace {

using test::Dice;

Layout shared(TypeLayout type) { return std::make_shared<const TypeLayout>(std::move(type)); }

TEST(FileAccess, HasTheBytesOfItsView) {
  for (std::uint32_t seed = 1; seed <= 500; ++seed) {
    Dice dice(seed);
    const test::KnownAccess known = test::random_access(dice, test::random_type(dice));
    const FileAccess& a = known.access;
    ASSERT_EQ(a.bytes, static_cast<std::int64_t>(known.bytes.size())) << "seed " << seed;
    if (a.bytes == 0) continue;
    ASSERT_TRUE(a.ascending());
    ASSERT_EQ(a.span.offset, known.bytes.front()) << "seed " << seed;
    ASSERT_EQ(a.span.end(), known.bytes.back() + 1) << "seed " << seed;
    ASSERT_GE(a.pieces, 1);
    const test::Bytes all = test::bytes_of(a.pattern);
    ASSERT_TRUE(std::equal(known.bytes.begin(), known.bytes.end(), all.begin() + a.begin)) << "seed " << seed;
  }
}

TEST(FileAccess, OfPlainBytesIsOnePiece) {
  const FileAccess a = file_access({100, 8, nullptr}, 16, 1000);
  EXPECT_EQ(a.span, (core::Extent{116, 1000}));
  EXPECT_EQ(a.pieces, 1);
  EXPECT_TRUE(a.ascending());
}

TEST(FileAccess, OfNothingIsEmpty) {
  EXPECT_EQ(file_access({100, 8, nullptr}, 16, 0).bytes, 0);
  EXPECT_EQ(file_access({0, 1, shared({core::Pattern::contiguous(0, 4), 0, 8})}, 3, 0).bytes, 0);
  EXPECT_EQ(file_access({0, 1, shared({core::Pattern(), 0, 8})}, 3, 5).bytes, 0) << "a view without bytes";
}

TEST(FileAccess, ReachesPast2GiB) {
  const std::int64_t tiles = std::int64_t{1} << 32;
  const FileAccess a =
      file_access({7, 1, shared({core::Pattern::contiguous(0, 4), 0, 16})}, 4 * (tiles - 1), 8);
  EXPECT_EQ(a.span, (core::Extent{7 + 16 * (tiles - 1), 20}));
}

TEST(View, IsUsableOnlyWhenEveryByteHasAPlace) {
  const Layout four = shared({core::Pattern::contiguous(0, 4), 0, 8});
  EXPECT_TRUE((View{0, 4, four}.usable()));
  EXPECT_TRUE((View{0, 1, nullptr}.usable()));
  EXPECT_FALSE((View{-1, 4, four}.usable()));
  EXPECT_FALSE((View{0, 0, four}.usable()));
  EXPECT_FALSE((View{0, 3, four}.usable())) << "no whole number of etypes";
  EXPECT_TRUE((View{0, 4, shared({core::Pattern(), 0, 8})}.usable())) << "there is none";
  EXPECT_FALSE((View{2, 4, shared({core::Pattern::contiguous(-4, 4), -4, 8})}.usable())) << "before the file";
  EXPECT_TRUE((View{4, 4, shared({core::Pattern::contiguous(-4, 4), -4, 8})}.usable()));
}

/// A buffer of random runs in any order, below its address too, and the places of its data bytes.
struct KnownBuffer {
  std::vector<std::byte> bytes;
  MemoryAccess memory;
  test::Bytes places;
};

KnownBuffer random_buffer(Dice& dice) {
  auto runs = test::random_ascending_runs(dice, 30);
  for (core::Run& run : runs) run.offset -= 50;
  std::shuffle(runs.begin(), runs.end(), dice.rng());
  const core::Pattern pattern(test::packed(runs));
  const TypeLayout type{pattern, pattern.low(), pattern.high() - pattern.low() + dice.pick(0, 10)};
  KnownBuffer b;
  const std::int64_t count = dice.pick(1, 4), origin = -pattern.low();
  b.bytes.resize(static_cast<std::size_t>(count * type.extent + 64));
  for (std::size_t i = 0; i < b.bytes.size(); ++i) b.bytes[i] = static_cast<std::byte>(dice.pick(0, 255));
  b.memory = MemoryAccess(b.bytes.data() + origin, type, count);
  const test::Bytes one = test::bytes_of(runs);
  for (std::int64_t i = 0; i < count; ++i)
    for (const std::int64_t at : one) b.places.push_back(origin + i * type.extent + at);
  return b;
}

TEST(MemoryAccess, GathersAnyPartInOrder) {
  for (std::uint32_t seed = 1; seed <= 500; ++seed) {
    Dice dice(seed);
    const KnownBuffer b = random_buffer(dice);
    const auto all = static_cast<std::int64_t>(b.places.size());
    ASSERT_EQ(b.memory.bytes(), all);
    const std::int64_t from = dice.pick(0, all), bytes = dice.pick(0, all - from);
    std::vector<std::byte> out(static_cast<std::size_t>(bytes));
    b.memory.gather(from, bytes, out.data());
    for (std::int64_t i = 0; i < bytes; ++i)
      ASSERT_EQ(out[static_cast<std::size_t>(i)],
                b.bytes[static_cast<std::size_t>(b.places[static_cast<std::size_t>(from + i)])])
          << "seed " << seed;
  }
}

TEST(MemoryAccess, ScattersAnyPartAndTouchesNothingElse) {
  for (std::uint32_t seed = 1; seed <= 500; ++seed) {
    Dice dice(seed);
    KnownBuffer b = random_buffer(dice);
    const auto all = static_cast<std::int64_t>(b.places.size());
    const std::int64_t from = dice.pick(0, all), bytes = dice.pick(0, all - from);
    std::vector<std::byte> in(static_cast<std::size_t>(bytes)), expected = b.bytes;
    for (std::int64_t i = 0; i < bytes; ++i) {
      in[static_cast<std::size_t>(i)] = static_cast<std::byte>(dice.pick(0, 255));
      expected[static_cast<std::size_t>(b.places[static_cast<std::size_t>(from + i)])] =
          in[static_cast<std::size_t>(i)];
    }
    b.memory.scatter(from, bytes, in.data());
    ASSERT_EQ(b.bytes, expected) << "seed " << seed;
  }
}

TEST(MemoryAccess, OfNothingIsContiguous) {
  EXPECT_TRUE(MemoryAccess().contiguous());
  EXPECT_TRUE(MemoryAccess(nullptr, {core::Pattern::contiguous(0, 4), 0, 8}, 0).contiguous());
  EXPECT_FALSE(MemoryAccess(nullptr, {core::Pattern::contiguous(0, 4), 0, 8}, 2).contiguous());
}

}  // namespace
}  // namespace collio::access
