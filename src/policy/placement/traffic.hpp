// Which bytes will go from node to node, as plans alone foresee it: before anything moves, or without moving
// anything.
//
// What placing a call's domains found out is foreseen. Of other calls what is foreseen is simple. The bytes
// of a call spread over the file domains by the domains' shares of its span, and over the nodes by their
// shares of the ranks; what a node has for a domain that is served elsewhere leaves it, or comes to it when
// the call reads. Descriptions of pieces are not foreseen, and patterns that put a node's bytes near to each
// other in the file move less: the difference to what was counted is what a better assignment could gain.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "machine/machine.hpp"
#include "machine/node_traffic.hpp"
#include "policy/aggregators/local_aggregators.hpp"
#include "policy/plan/plan.hpp"

namespace collio::policy {

/// Who serves the domains of a file.
struct Service {
  const machine::Machine& machine;
  /// node of each domain's aggregator
  const std::vector<int>& homes;
  /// through which nodes messages of two_layer calls pass
  const Layers& layers;
};

/// Bytes of one call or many by the aggregator that serves them, or by the traffic of placed domains: all
/// that is needed to foresee where bytes go.
class ServedBytes {
 public:
  /// A call of `bytes` bytes in all. Calls without an exchange count nothing. O(domains); where a call's
  /// domains were placed O(1) for the plan of the last such call, else as the length of its traffic.
  void add(const Plan& plan, std::int64_t bytes);
  [[nodiscard]] bool empty() const noexcept;
  /// Adds what leaves nodes. O(nodes * nodes), or, where nodes are grouped, O(nodes * domains).
  void add_to(machine::NodeTraffic& traffic, const Service& service) const;

 private:
  /// The traffic of the last calls whose domains were placed.
  void add_last(std::vector<std::int64_t>& numbers) const;
  /// of the last calls whose domains were placed
  std::shared_ptr<const PlacedDomains> last_;
  std::int64_t last_calls_ = 0;
  /// traffic of such calls before these; empty: none
  std::vector<std::int64_t> placed_;
  /// [reads][in two layers], by aggregator
  std::vector<double> by_domain_[2][2];
};

}  // namespace collio::policy
