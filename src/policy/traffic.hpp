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
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "machine/machine.hpp"
#include "policy/local_aggregators.hpp"
#include "policy/plan.hpp"

namespace collio::policy {

/// Who serves the domains of a file.
struct Service {
  const machine::Machine& machine;
  const std::vector<int>& homes;  ///< node of each domain's aggregator
  const Layers& layers;           ///< through which nodes messages of two_layer calls pass
};

/// Bytes of one call or many by the aggregator that serves them: all that is needed to foresee where bytes
/// go.
class ServedBytes {
 public:
  /// A call of `bytes` bytes in all. Calls without an exchange count nothing. O(domains).
  void add(const Plan& plan, std::int64_t bytes);
  [[nodiscard]] bool empty() const noexcept;
  /// Visits what leaves nodes; a pair of nodes may come several times. O(nodes * nodes), or, where nodes are
  /// grouped, O(nodes * domains).
  void for_each_flow(const Service& service, const std::function<void(const machine::Flow&)>& visit) const;

 private:
  std::map<std::pair<int, int>, std::int64_t>
      flows_;                            ///< between nodes, of calls whose domains were placed by their bytes
  std::vector<double> by_domain_[2][2];  ///< [reads][in two layers], by aggregator
};

/// The flows that a plan foresees, by pairs of nodes in order, for a call of `bytes` bytes in all. Pure.
[[nodiscard]] std::vector<machine::Flow> expected_traffic(const Plan& plan, std::int64_t bytes,
                                                          const Service& service);

}  // namespace collio::policy
