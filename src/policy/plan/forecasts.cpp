// See forecasts.hpp.
#include "policy/plan/forecasts.hpp"

#include <algorithm>
#include <bit>

#include "core/index.hpp"

namespace collio::policy {

namespace {

constexpr int magnitude_bits = 3;        // calls of up to eight times the bytes are of one kind
constexpr std::int64_t least_timed = 3;  // one slow call among them is not the median
constexpr double most_ratio = 1000;      // taken to estimated, and the other way round

}  // namespace

Forecasts::Kind Forecasts::kind_of(const TimedCall& call) {
  const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(call.bytes, 0));
  return {call.direction, call.path, static_cast<int>(std::bit_width(bytes)) / magnitude_bits};
}

double Forecasts::seconds(const TimedCall& call) const {
  const auto found = ratios_.find(kind_of(call));
  if (found == ratios_.end()) return call.estimate_s;
  const std::int64_t timed = found->second.calls - 1;
  if (timed < least_timed) return call.estimate_s;
  std::array<double, 5> recent = found->second.recent;
  const auto end = recent.begin() + std::min<std::int64_t>(timed, static_cast<std::int64_t>(recent.size()));
  std::sort(recent.begin(), end);
  return call.estimate_s * recent[core::at(end - recent.begin()) / 2];
}

void Forecasts::took(const TimedCall& call, double seconds) {
  if (!(call.estimate_s > 0) || !(seconds > 0)) return;
  Ratios& ratios = ratios_[kind_of(call)];
  if (ratios.calls++ == 0) return;
  const auto place = static_cast<std::size_t>(ratios.calls - 2) % ratios.recent.size();
  ratios.recent[place] = std::clamp(seconds / call.estimate_s, 1 / most_ratio, most_ratio);
}

}  // namespace collio::policy
