// See measurement.hpp.
#include "storage/probe/measurement.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace collio::storage::probe {

namespace {

/// The value at a part of sorted numbers, between neighbours by their distance.
double quantile(const std::vector<double>& sorted, double part) {
  const double place = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

std::string advice(core::ErrorClass kind) {
  switch (kind) {
    case core::ErrorClass::no_space:
      return "free some space there, or leave this target out";
    case core::ErrorClass::quota:
      return "free some of your quota there, or leave this target out";
    case core::ErrorClass::no_such_file:
      return "make the folder, or leave this target out";
    case core::ErrorClass::access:
    case core::ErrorClass::read_only:
      return "name a folder that you may write to, or leave this target out";
    case core::ErrorClass::bad_file:
      return "name a folder";
    case core::ErrorClass::no_memory:
      return "give the job more, or leave this target out";
    default:
      return "look at its server, or leave this target out";
  }
}

State state_of(core::ErrorClass kind) {
  const bool full = kind == core::ErrorClass::no_space || kind == core::ErrorClass::quota;
  return full ? State::full : State::failed;
}

std::string seconds_of(const Silence& silence) {
  char text[32];
  std::snprintf(text, sizeof text, "%g s", silence.seconds);
  return text;
}

void set_error(Measurement& measurement, const Target& target, const core::Error& error) {
  measurement.error = {error.kind,
                       "target " + target.name + ": " + error.message + "; " + advice(error.kind)};
}

}  // namespace

std::string_view word_of(State state) noexcept {
  switch (state) {
    case State::measured:
      return "measured";
    case State::stuck:
      return "stuck";
    case State::full:
      return "full";
    case State::failed:
      return "failed";
    case State::unknown:
      return "unknown";
  }
  return "?";
}

std::string_view word_of(Way way) noexcept { return way == Way::direct ? "direct" : "synced"; }

void summarise(Measurement& measurement) {
  if (measurement.samples.empty()) return;
  std::vector<double> sorted = measurement.samples;
  std::ranges::sort(sorted);
  measurement.bytes_per_s = quantile(sorted, 0.5);
  measurement.spread_bytes_per_s = (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 2;
  // Normal samples: sigma is the half range of the middle half / 0.6745, the error of the median
  // sigma * sqrt(pi / 2 / n).
  measurement.error_bytes_per_s =
      measurement.spread_bytes_per_s / 0.6745 * 1.2533 / std::sqrt(static_cast<double>(sorted.size()));
}

void fail(Measurement& measurement, const Target& target, const core::Error& error) {
  measurement.state = state_of(error.kind);
  set_error(measurement, target, error);
}

void give_up(Measurement& measurement, const Target& target, const Silence& silence) {
  measurement.state = State::stuck;
  set_error(measurement, target,
            {core::ErrorClass::io, "no answer within " + seconds_of(silence) + " while " + silence.doing});
}

void give_up_late(Measurement& measurement, const Target& target, const Silence& silence) {
  measurement.state = State::stuck;
  set_error(measurement, target,
            {core::ErrorClass::io, "no sample has ended within the probe's " + seconds_of(silence) +
                                       "; the first was at: " + silence.doing});
}

}  // namespace collio::storage::probe
