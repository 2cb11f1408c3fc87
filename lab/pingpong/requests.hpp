// What is to be measured: rounds of flows, from the command line or, one after another, from a caller that
// asks while the program runs and decides by each answer what to ask next. Starting all ranks anew for each
// would take longer than measuring.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flow.hpp"
#include "latency.hpp"
#include "places.hpp"

namespace collio::pingpong {

/// Flows that go at the same time, after the latencies of their pairs one by one.
struct Round {
  std::vector<Flow> flows;
  FlowShape shape{};
  PingPong ping{};

  [[nodiscard]] bool pings() const { return ping.times > 0; }
  [[nodiscard]] bool flows_last() const { return shape.seconds > 0; }
};

/// "0-1,2-3": flows between nodes as flows between the ranks that act for them. Throws UsageError.
[[nodiscard]] std::vector<Flow> parse_flows(const std::string& text, const std::vector<Place>& places);

/// The next line of rank 0's standard input, "0-1,2-3 150 65536": flows, milliseconds (0: latencies alone,
/// else flows alone) and bytes of a message. Nothing when the input ends. All else is as in `usual`. Others
/// than rank 0 sleep until it comes. Collective. Throws UsageError, on every rank.
[[nodiscard]] std::optional<Round> next_request(const Round& usual, const std::vector<Place>& places);

}  // namespace collio::pingpong
