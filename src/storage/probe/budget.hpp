// How much a probe may write: enough to tell a fast target from a slow one, and next to nothing of the time
// that the file will take.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "storage/probe/sample.hpp"

namespace collio::storage::probe {

/// Fewer bytes measure the way to a target rather than its rate.
inline constexpr std::int64_t least_sample_bytes = 1 << 20;
/// a median that one outlier does not decide
inline constexpr int least_samples = 3;
/// of the time that the file takes
inline constexpr double most_part = 0.01;

struct Amount {
  /// the paper: "several tens of MB"
  std::int64_t bytes_per_target = 40 << 20;
  int samples = 5;
  /// targets that are written to at the same time, by all that probe
  int at_once = 4;
  /// of the file to come; 0: unknown, and no limit follows
  std::int64_t expected_bytes = 0;
};

struct Budget {
  int samples = 0;
  SampleSize size;
};

/// Nothing: the file is too small to pay for a probe; `why` says so. The file is written to all targets at
/// the same time, a probe to `at_once` of them. So a hundredth of its time has room for expected_bytes / 100
/// * at_once / targets bytes. First samples get shorter, then fewer. Pure.
[[nodiscard]] std::optional<Budget> budget_of(const Amount& wanted, std::int64_t targets, std::string& why);

}  // namespace collio::storage::probe
