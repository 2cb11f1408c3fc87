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
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "machine/machine.hpp"
#include "machine/node_traffic.hpp"
#include "policy/aggregators/local_aggregators.hpp"
#include "policy/plan/plan.hpp"

namespace collio::policy {

/// Between which nodes messages of two_layer calls pass.
struct MessageNodes {
  const machine::Machine& machine;
  const Layers& layers;
};

/// Bytes of one call or many by the node that serves them, or by the traffic of placed domains: all that is
/// needed to foresee where bytes go.
class ServedBytes {
 public:
  /// A call of `bytes` bytes in all. `homes`: node that serves each domain. Calls without an exchange count
  /// nothing. O(domains); where a call's domains were placed O(1) for the plan of the last such call, else as
  /// the length of its traffic.
  void add(const Plan& plan, std::int64_t bytes, const std::vector<int>& homes, const Layers& layers);
  [[nodiscard]] bool empty() const noexcept;
  /// Adds what leaves nodes. O(nodes * nodes), or, where nodes are grouped, O(nodes * domains).
  void add_to(machine::NodeTraffic& traffic, const MessageNodes& passed) const;

 private:
  /// The traffic of the last calls whose domains were placed.
  void add_last(std::vector<std::int64_t>& numbers) const;
  /// of the last calls whose domains were placed
  std::shared_ptr<const PlacedDomains> last_;
  std::int64_t last_calls_ = 0;
  /// traffic of such calls before these; empty: none
  std::vector<std::int64_t> placed_;
  /// [reads], by node
  std::vector<double> by_node_[2];
  /// [reads], by domain and node, where nodes are grouped: the domain decides on which nodes pieces of groups
  /// meet. As many as placements have pairs of them
  std::map<std::pair<int, int>, double> by_domain_[2];
};

}  // namespace collio::policy
