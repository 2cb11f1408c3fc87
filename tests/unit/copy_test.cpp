// Copies of runs: every piece arrives, and no byte outside the pieces is touched.
#include "core/copy.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace collio::core {
namespace {

constexpr std::byte guard{0xA5};
constexpr std::int64_t margin = 80;
using Memory = std::vector<std::byte>;

Memory numbered(std::size_t bytes, unsigned start) {
  Memory m(bytes);
  for (std::size_t i = 0; i < bytes; ++i) m[i] = static_cast<std::byte>((start + 7 * i) & 0x7f);
  return m;
}

/// A run whose pieces lie within `room` bytes after the margin.
struct Case {
  core::Run run;
  std::size_t room = 0;
};

/// Calls each(case) for every length to 130, several strides (descending ones too) and counts.
template <class Each>
void for_every_case(Each&& each) {
  for (std::int64_t length = 1; length <= 130; ++length) {
    for (const std::int64_t gap : {0, 1, 3, 8, 61}) {
      for (const std::int64_t count : {1, 2, 3, 7}) {
        for (const int sign : {1, -1}) {
          const std::int64_t stride = sign * (length + gap);
          const std::int64_t reach = (count - 1) * (length + gap);
          each(Case{{margin + (sign < 0 ? reach : 0), length, stride, count},
                    static_cast<std::size_t>(reach + length + 2 * margin)});
        }
      }
    }
  }
}

TEST(Copy, ScatterWritesThePiecesAndNothingElse) {
  for_every_case([](const Case& c) {
    const Memory in = numbered(static_cast<std::size_t>(c.run.bytes()), 3);
    Memory out(c.room, guard), expected(c.room, guard);
    for (std::int64_t i = 0; i < c.run.count; ++i)
      std::copy_n(in.begin() + i * c.run.length, c.run.length,
                  expected.begin() + c.run.offset + i * c.run.stride);
    ASSERT_EQ(scatter_run(out.data(), c.run, in.data()), in.data() + in.size());
    ASSERT_EQ(out, expected) << c.run.length << " bytes, stride " << c.run.stride << ", " << c.run.count
                             << " pieces";
  });
}

TEST(Copy, GatherReadsThePiecesAndWritesNoByteMore) {
  for_every_case([](const Case& c) {
    const Memory from = numbered(c.room, 11);
    const auto bytes = static_cast<std::size_t>(c.run.bytes());
    Memory out(bytes + 2 * margin, guard), expected(out);
    for (std::int64_t i = 0; i < c.run.count; ++i)
      std::copy_n(from.begin() + c.run.offset + i * c.run.stride, c.run.length,
                  expected.begin() + margin + i * c.run.length);
    ASSERT_EQ(gather_run(out.data() + margin, from.data(), c.run), out.data() + margin + bytes);
    ASSERT_EQ(out, expected) << c.run.length << " bytes, stride " << c.run.stride << ", " << c.run.count
                             << " pieces";
  });
}

TEST(Copy, GatherMayReadTheSameBytesTwice) {
  const Memory from = numbered(64, 0);
  for (const std::int64_t stride : {0, 1, 3}) {
    const core::Run run{4, 8, stride, 5};
    Memory out(static_cast<std::size_t>(run.bytes()));
    gather_run(out.data(), from.data(), run);
    for (std::int64_t i = 0; i < run.bytes(); ++i)
      ASSERT_EQ(out[static_cast<std::size_t>(i)], from[static_cast<std::size_t>(4 + i / 8 * stride + i % 8)]);
  }
}

}  // namespace
}  // namespace collio::core
