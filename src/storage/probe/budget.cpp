// See budget.hpp.
#include "storage/probe/budget.hpp"

#include <algorithm>
#include <cstdio>

namespace collio::storage::probe {

std::optional<Budget> budget_of(const Amount& wanted, std::int64_t targets, std::string& why) {
  double per_target = static_cast<double>(wanted.bytes_per_target);
  int samples = std::max(wanted.samples, 1);
  if (wanted.expected_bytes > 0) {
    const auto count = static_cast<double>(std::max<std::int64_t>(targets, 1));
    const double at_once = std::min<double>(std::max(wanted.at_once, 1), count);
    const double allowed = most_part * static_cast<double>(wanted.expected_bytes) * (at_once / count) / count;
    per_target = std::min(per_target, allowed);
    const int affordable = static_cast<int>(
        std::clamp<double>(per_target / static_cast<double>(least_sample_bytes), 0, samples));
    if (affordable < std::min(samples, least_samples)) {
      char text[200];
      std::snprintf(
          text, sizeof text,
          "not probed: %g %% of the time for %.4g MiB leaves %.3g MiB a target, and a probe needs %d",
          100 * most_part, static_cast<double>(wanted.expected_bytes) / (1 << 20), allowed / (1 << 20),
          std::min(samples, least_samples));
      why = text;
      return std::nullopt;
    }
    samples = std::min(samples, affordable);
  }
  return Budget{samples, sample_of(static_cast<std::int64_t>(per_target / samples))};
}

}  // namespace collio::storage::probe
