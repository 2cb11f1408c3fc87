// The plainest model of an access: the offset of every byte, in order. And random lists of pieces to make one
// from.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "core/extent.hpp"
#include "core/packed_extents.hpp"
#include "core/pattern.hpp"

namespace collio::test {

using Bytes = std::vector<std::int64_t>;

inline void append_bytes(Bytes& out, const core::Run& run) {
  for (std::int64_t i = 0; i < run.count; ++i)
    for (std::int64_t b = 0; b < run.length; ++b) out.push_back(run.offset + i * run.stride + b);
}

inline Bytes bytes_of(const std::vector<core::Run>& runs) {
  Bytes out;
  for (const core::Run& run : runs) append_bytes(out, run);
  return out;
}

inline std::vector<core::Run> runs_of(const core::PackedExtents& list) {
  std::vector<core::Run> runs;
  core::PackedReader reader = list.reader(list.before_stream(0));
  for (std::int64_t i = 0; i < list.items(); ++i) runs.push_back(reader.next());
  return runs;
}

inline core::PackedExtents packed(const std::vector<core::Run>& runs) {
  return core::pack_runs([&](auto&& sink) {
    for (const core::Run& run : runs) sink(run);
  });
}

/// Random numbers with a seed that a failing test can name.
class Dice {
 public:
  explicit Dice(std::uint32_t seed) : rng_(seed) {}
  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(rng_);
  }
  bool chance(int one_in) { return pick(1, one_in) == 1; }
  std::mt19937& rng() { return rng_; }

 private:
  std::mt19937 rng_;
};

/// Up to `most` runs in ascending order, in units of a random power of two; some touch, some repeat.
inline std::vector<core::Run> random_ascending_runs(Dice& dice, std::int64_t most) {
  std::vector<core::Run> runs;
  const std::int64_t unit = std::int64_t{1} << dice.pick(0, 3);
  std::int64_t at = unit * dice.pick(0, 20);
  for (std::int64_t i = 0, n = dice.pick(1, most); i < n; ++i) {
    core::Run run{at, unit * dice.pick(1, 6), 0, dice.chance(4) ? dice.pick(2, 9) : 1};
    run.stride = run.length + unit * dice.pick(0, 4);
    runs.push_back(run);
    at = run.end() + unit * dice.pick(0, dice.chance(10) ? 500 : 3);
  }
  return runs;
}

/// The maximal pieces of the union of `bytes`.
inline std::vector<core::Extent> union_of(Bytes bytes) {
  std::sort(bytes.begin(), bytes.end());
  std::vector<core::Extent> out;
  for (const std::int64_t b : bytes) {
    if (!out.empty() && b < out.back().end()) continue;
    if (!out.empty() && b == out.back().end())
      ++out.back().length;
    else
      out.push_back({b, 1});
  }
  return out;
}

}  // namespace collio::test
