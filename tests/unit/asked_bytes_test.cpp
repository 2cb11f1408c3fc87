// Parts of a file that an access has bytes in, against a plain list of bytes.
#include "access/asked_bytes.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "random_access.hpp"

namespace collio::access {
namespace {

observe::Buckets byte_by_byte(const test::Bytes& bytes, std::int64_t width) {
  observe::Buckets buckets(width);
  for (const std::int64_t offset : bytes) buckets.add(offset, offset + 1);
  return buckets;
}

TEST(AskedBytes, LieInTheirPartsOfTheFile) {
  for (std::uint32_t seed = 1; seed <= 500; ++seed) {
    test::Dice dice(seed);
    const test::KnownAccess known = test::random_access(dice, test::random_type(dice));
    const std::int64_t width = std::int64_t{1} << dice.pick(0, 9);
    observe::Buckets buckets(width);
    put_bytes(known.access, buckets);
    const observe::Buckets expected = byte_by_byte(known.bytes, width);
    ASSERT_EQ(buckets.width(), expected.width()) << "seed " << seed;
    ASSERT_EQ(buckets.values(), expected.values()) << "seed " << seed;
  }
}

TEST(AskedBytes, LieAtTheLastByteOfAll) {
  constexpr std::int64_t end = std::numeric_limits<std::int64_t>::max();
  const core::Pattern pattern(test::packed({{end - 50, 10, 20, 3}}));
  observe::Buckets buckets(64);
  put_bytes(whole_access(pattern), buckets);
  EXPECT_EQ(buckets.values()[observe::Buckets::count - 1], 30);
}

TEST(AskedBytes, OfPiecesInAnyOrder) {
  const core::Pattern pattern(test::packed({{300, 10, 20, 3}, {0, 5, 0, 1}, {64, 64, 0, 1}}));
  const FileAccess access = whole_access(pattern);
  ASSERT_FALSE(access.ascending());
  observe::Buckets buckets(64);
  put_bytes(access, buckets);
  EXPECT_EQ(buckets.values(), byte_by_byte(test::bytes_of(pattern), 64).values());
}

}  // namespace
}  // namespace collio::access
