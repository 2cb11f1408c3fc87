// What is known of one target: its samples, or why there are none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "storage/probe/sample.hpp"
#include "storage/probe/target.hpp"

namespace collio::storage::probe {

enum class State {
  measured,
  /// did not answer within the patience, or had not ended its first sample with the probe
  stuck,
  /// no space, or no quota
  full,
  /// cannot be written for another reason
  failed,
  /// the time was over before its first sample, or only the cache was asked
  unknown,
};
[[nodiscard]] std::string_view word_of(State state) noexcept;
[[nodiscard]] std::string_view word_of(Way way) noexcept;

/// What is known of one target.
struct Measurement {
  State state = State::unknown;
  /// bytes per second, as they came
  std::vector<double> samples;
  /// their median
  double bytes_per_s = 0;
  /// half of the range of their middle half
  double spread_bytes_per_s = 0;
  /// standard error of the median, were the samples normal
  double error_bytes_per_s = 0;
  /// written for it
  std::int64_t bytes = 0;
  Way way = Way::direct;
  /// of the samples: the target was slow
  int ended_early = 0;
  /// why O_DIRECT was not used, where it was wanted
  std::string no_direct;
  /// of all states but measured and unknown: what failed, and what to do
  core::Error error;
  /// from the cache: since when
  double age_s = 0;
  bool cached = false;
};
/// Fills in what follows from the samples. Pure. O(samples * log(samples)).
void summarise(Measurement& measurement);

/// The target cannot be written: `error` says why, and which state that is. Pure.
void fail(Measurement& measurement, const Target& target, const core::Error& error);
/// It has not answered for `seconds` while `doing` something. Pure.
struct Silence {
  double seconds = 0;
  std::string doing;
};
void give_up(Measurement& measurement, const Target& target, const Silence& silence);
/// The same where the probe's `seconds` are over before it has ended a sample. Pure.
void give_up_late(Measurement& measurement, const Target& target, const Silence& silence);

}  // namespace collio::storage::probe
