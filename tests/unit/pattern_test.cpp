// Patterns and cursors against a plain list of bytes.
#include "core/pattern.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "core/cursor.hpp"

namespace collio::core {
namespace {

constexpr auto everything = std::numeric_limits<std::int64_t>::max();

using Bytes = std::vector<std::int64_t>;  // offset of every data byte, in access order

Bytes expand(const std::vector<Run>& runs) {
  Bytes out;
  for (const Run& r : runs)
    for (std::int64_t i = 0; i < r.count; ++i)
      for (std::int64_t b = 0; b < r.length; ++b) out.push_back(r.offset + i * r.stride + b);
  return out;
}

Bytes bytes_of(const Pattern& p) {
  std::vector<Run> runs;
  Cursor c(p);
  for (core::Run r; c.next_bytes(everything, r);) runs.push_back(r);
  return expand(runs);
}

struct Model {
  Pattern pattern;
  Bytes bytes;
};

Model random_model(std::mt19937& rng, bool ascending) {
  auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(rng); };
  std::vector<Run> runs;
  const int unit = 1 << pick(0, 3);
  std::int64_t at = unit * pick(0, 5);
  for (int i = 0, n = pick(1, 200); i < n; ++i) {
    Run r{at, unit * pick(1, 5), 0, pick(0, 3) ? 1 : pick(1, 9)};
    r.stride = r.length + unit * pick(0, 4);
    runs.push_back(r);
    at = r.end() + unit * pick(0, pick(0, 9) ? 3 : 1000);
  }
  if (!ascending) std::shuffle(runs.begin(), runs.end(), rng);
  if (pick(0, 2) == 0) runs.resize(1);
  Model m{Pattern(pack_runs([&](auto&& sink) {
            for (auto& r : runs) sink(r);
          })),
          expand(runs)};
  for (int level = pick(0, 4); level > 0 && m.bytes.size() < 20000; --level) {
    const Loop loop{pick(1, 4), ascending ? m.pattern.high() - m.pattern.low() + pick(0, 3) * unit
                                          : std::int64_t{pick(-500, 500)}};
    m.pattern = m.pattern.repeated(loop);
    Bytes all;
    for (std::int64_t i = 0; i < loop.count; ++i)
      for (auto b : m.bytes) all.push_back(b + i * loop.stride);
    m.bytes = all;
  }
  const std::int64_t shift = pick(-100, 100);
  m.pattern = m.pattern.shifted(shift);
  for (auto& b : m.bytes) b += shift;
  return m;
}

TEST(Pattern, EqualsItsByteListInAnyOrder) {
  std::mt19937 rng(1);
  for (int i = 0; i < 2000; ++i) {
    const Model m = random_model(rng, i % 2 == 0);
    ASSERT_EQ(bytes_of(m.pattern), m.bytes) << i;
    ASSERT_EQ(bytes_of(m.pattern.unrolled()), m.bytes) << i;
    ASSERT_EQ(m.pattern.bytes(), static_cast<std::int64_t>(m.bytes.size()));
    ASSERT_EQ(m.pattern.low(), *std::min_element(m.bytes.begin(), m.bytes.end()));
    ASSERT_EQ(m.pattern.high(), *std::max_element(m.bytes.begin(), m.bytes.end()) + 1);
    if (i % 2 == 0) {
      ASSERT_TRUE(m.pattern.ascending());
    }
  }
}

TEST(Cursor, ResumesAtAnyStreamPosition) {
  std::mt19937 rng(2);
  for (int i = 0; i < 1000; ++i) {
    const Model m = random_model(rng, i % 2 == 0);
    const auto n = static_cast<std::int64_t>(m.bytes.size());
    Cursor c(m.pattern);
    for (int k = 0; k < 10; ++k) {
      const std::int64_t from = std::uniform_int_distribution<std::int64_t>(0, n)(rng);
      c.seek_stream(from);
      ASSERT_EQ(c.at_end(), from == n);
      std::int64_t at = from;
      for (core::Run r; at < n;) {
        const std::int64_t limit = std::uniform_int_distribution<std::int64_t>(1, 40)(rng);
        ASSERT_TRUE(c.next_bytes(limit, r));
        ASSERT_LE(r.bytes(), limit);
        for (auto b : expand({r})) ASSERT_EQ(b, m.bytes[static_cast<std::size_t>(at++)]);
        ASSERT_EQ(c.stream(), at);
        if (at > from + 400) break;
      }
    }
  }
}

TEST(Cursor, SeeksForwardFromWhereverItIs) {
  std::mt19937 rng(4);
  for (int i = 0; i < 3000; ++i) {
    const Model m = random_model(rng, true);
    Cursor c(m.pattern);
    for (std::int64_t to = m.pattern.low() - 5; to < m.pattern.high() + 5;) {
      c.seek_offset(to);
      auto at = std::lower_bound(m.bytes.begin(), m.bytes.end(), to);
      ASSERT_EQ(c.stream(), at - m.bytes.begin());
      ASSERT_EQ(c.at_end(), at == m.bytes.end());
      core::Run r;
      for (int k = std::uniform_int_distribution<int>(0, 2)(rng); k > 0 && c.next_bytes(3, r); --k)
        for (auto b : expand({r})) ASSERT_EQ(b, *at++);
      to = std::uniform_int_distribution<std::int64_t>(0, 4)(rng) == 0 && at != m.bytes.end() ? *at : to;
      to += std::uniform_int_distribution<std::int64_t>(0, 20)(rng);
    }
  }
}

TEST(Cursor, WalksWindowsByOffset) {
  std::mt19937 rng(3);
  for (int i = 0; i < 1000; ++i) {
    const Model m = random_model(rng, true);
    Cursor c(m.pattern);
    for (int k = 0; k < 10; ++k) {
      std::int64_t from =
          std::uniform_int_distribution<std::int64_t>(m.pattern.low() - 5, m.pattern.high() + 5)(rng);
      c.seek_offset(from);
      auto at = std::lower_bound(m.bytes.begin(), m.bytes.end(), from);
      ASSERT_EQ(c.stream(), at - m.bytes.begin());
      for (int w = 0; w < 5; ++w) {
        from += std::uniform_int_distribution<std::int64_t>(1, 50)(rng);
        for (core::Run r; c.next_below(from, r);)
          for (auto b : expand({r})) ASSERT_EQ(b, *at++);
        ASSERT_TRUE(at == m.bytes.end() || *at >= from);
        ASSERT_EQ(c.stream(), at - m.bytes.begin());
      }
    }
  }
}

TEST(Pattern, KnowsHowManyPiecesAPartHasAtMost) {
  std::mt19937 rng(5);
  for (int i = 0; i < 3000; ++i) {
    const Pattern p = random_model(rng, i % 2 == 0).pattern;
    auto pick = [&](std::int64_t lo, std::int64_t hi) {
      return std::uniform_int_distribution<std::int64_t>(lo, hi)(rng);
    };
    const std::int64_t begin = pick(0, p.bytes()), end = pick(begin, p.bytes());
    std::int64_t pieces = 0;
    Cursor c(p);
    c.seek_stream(begin);
    for (core::Run r; c.stream() < end && c.next_bytes(end - c.stream(), r);)
      pieces += std::min<std::int64_t>(r.count, 2);
    ASSERT_GE(p.most_pieces(begin, end), pieces) << i;
    ASSERT_LE(p.most_pieces(begin, end), p.pieces()) << i;
  }
}

TEST(Pattern, StaysAnalytic) {
  // 4-D subarray: 3 loops at most, whatever the number of blocks.
  Pattern p = Pattern::contiguous(0, 8)
                  .repeated({10, 8})
                  .repeated({20, 800})
                  .repeated({30, 80000})
                  .repeated({40, 8000000});
  EXPECT_LE(p.loops().size(), 2u);
  EXPECT_EQ(p.body().items(), 1);
  EXPECT_EQ(p.pieces(), 20 * 30 * 40);
  EXPECT_TRUE(Pattern::contiguous(0, 8).repeated({1 << 20, 8}).contiguous());
}

TEST(PackedExtents, TakesAboutTwoBytesAPiece) {
  std::mt19937 rng(4);
  const auto packed = pack_runs([&](auto&& sink) {
    std::mt19937 again(5);
    std::int64_t at = 0;
    for (int i = 0; i < 10000; ++i) {
      const std::int64_t length = 4 * std::uniform_int_distribution<int>(1, 20)(again);
      sink(core::Run{at, length, length, 1});
      at += length + 4 * std::uniform_int_distribution<int>(1, 100)(again);
    }
  });
  EXPECT_EQ(packed.pieces(), 10000);
  EXPECT_LT(packed.encoded_bytes(), 2.05 * 10000);
}

TEST(Varint, RoundTrips) {
  std::uint8_t buffer[32] = {};
  std::mt19937_64 rng(6);
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t value = rng() >> (rng() % 64);
    for (const auto put : {put_varint, put_any_varint}) {
      const std::uint8_t* end = put(buffer, value);
      const std::uint8_t* in = buffer;
      ASSERT_EQ(get_varint(in), value);
      ASSERT_EQ(in, end);
    }
    const auto s = static_cast<std::int64_t>(value);
    ASSERT_EQ(unzigzag(zigzag(s)), s);
  }
}

}  // namespace
}  // namespace collio::core
