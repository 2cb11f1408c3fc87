// Which of several targets a file should be spread over: from the cache, or by a probe.
//
// For one rank of a job, which tells the others. A job with many targets may deal them to one rank on each
// node, which measure() them, and put the rates together: policy::choose_targets() needs only those.
#pragma once

#include <string>
#include <vector>

#include "policy/targets/choose_targets.hpp"
#include "storage/probe/measure.hpp"

namespace collio::storage::probe {

struct Options {
  Amount amount;
  MeasureLimits limits;
  double most_loss = policy::most_loss_default;
  /// false: the cache alone is asked
  bool measures = true;
  /// false: the cache is neither read nor written
  bool caches = true;
  /// of what the cache has
  double most_age_s = 600;
  /// for another job's probe, whose findings may serve
  double wait_s = 10;
  /// of the cache; empty: cache_folder()
  std::string folder;
};

/// What was chosen, and from what.
struct Choice {
  /// ascending indices of targets; empty: see error
  std::vector<int> chosen;
  /// no target can be used: the first reasons
  core::Error error;
  std::vector<Measurement> measurements;
  /// by the targets whose rates are known; others are chosen if they may work
  policy::TargetChoice decision;
  /// one line
  std::string why;
  /// on the cache
  std::vector<std::string> remarks;
  /// that it took
  double seconds = 0;
  /// written for it
  std::int64_t bytes = 0;
  /// 0: nothing was written
  std::int64_t sample_bytes = 0;
};

/// Not collective. A target that is not known (too little to come for a probe, time over) is chosen: nothing
/// speaks against it. Rates in the cache count if they were measured the same way, with samples of the same
/// length, and at least as many. Cost: budget_of(), and at most wait_s and twice limits.most_s.
[[nodiscard]] Choice choose(const std::vector<Target>& targets, const Options& options);

/// Targets that were not chosen: "NAME: slow, 10 MB/s", or why they cannot be used. Pure.
[[nodiscard]] std::vector<std::string> left_out(const std::vector<Target>& targets, const Choice& choice);

}  // namespace collio::storage::probe
