// What an open file's calls send between nodes: counted where messages leave, and foreseen by the plans.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/placement/traffic.hpp"
#include "transport/messages/link.hpp"

namespace collio::engine {

/// One rank's part. O(nodes it sends to) memory; O(nodes), or O(domains) where nodes are
/// grouped, more on rank 0.
class Traffic {
 public:
  Traffic() = default;
  explicit Traffic(std::size_t nodes) : several_nodes_(nodes > 1) {}

  /// To be counted up; null where there is one node.
  [[nodiscard]] transport::SentBytes* sent() noexcept { return several_nodes_ ? &sent_ : nullptr; }
  [[nodiscard]] const transport::SentBytes& sent() const noexcept { return sent_; }
  /// A call of `bytes` bytes in all is to be done by this plan. `homes`: node that serves each domain.
  void foresee(const policy::Plan& plan, std::int64_t bytes, const std::vector<int>& homes,
               const policy::Layers& layers) {
    if (several_nodes_) served_.add(plan, bytes, homes, layers);
  }
  [[nodiscard]] const policy::ServedBytes& served() const noexcept { return served_; }

 private:
  bool several_nodes_ = false;
  transport::SentBytes sent_;
  policy::ServedBytes served_;
};

}  // namespace collio::engine
