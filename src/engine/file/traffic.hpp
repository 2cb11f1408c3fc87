// What an open file's calls send between nodes: counted where messages leave, and foreseen by the plans.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/placement/traffic.hpp"

namespace collio::engine {

/// One rank's part. O(nodes) memory where there are several nodes, else none; O(domains) more on rank 0.
class Traffic {
 public:
  Traffic() = default;
  explicit Traffic(std::size_t nodes) : sent_to_(nodes > 1 ? nodes : 0, 0) {}

  /// Bytes sent to each node, to be counted up; null where there is one node.
  [[nodiscard]] std::vector<std::int64_t>* counters() noexcept {
    return sent_to_.empty() ? nullptr : &sent_to_;
  }
  [[nodiscard]] const std::vector<std::int64_t>& sent_to() const noexcept { return sent_to_; }
  /// A call of `bytes` bytes in all is to be done by this plan.
  void foresee(const policy::Plan& plan, std::int64_t bytes) {
    if (!sent_to_.empty()) served_.add(plan, bytes);
  }
  [[nodiscard]] const policy::ServedBytes& served() const noexcept { return served_; }

 private:
  std::vector<std::int64_t> sent_to_;
  policy::ServedBytes served_;
};

}  // namespace collio::engine
