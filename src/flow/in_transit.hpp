// How far a sender may run ahead: messages that are on their way between nodes.
//
// A message leaves its slot when it is packed. It is on its way until its receiver takes it, which a receiver
// inside a storage call does late. Two bounds hold what waits then: the bytes of all messages, and two
// messages for a domain, so that no receiver has much to keep. A rank waits only for messages of windows it
// has passed, which are earlier ones: that cannot go round in a circle (flow/window_order.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace collio::flow {

class InTransit {
 public:
  static constexpr int most_of_a_domain = 2;

  /// `room_bytes`: of messages on their way. One message goes out in any case.
  explicit InTransit(std::int64_t room_bytes) noexcept : room_bytes_(room_bytes) {}

  /// Whether a message for the domain may follow those on their way. O(domains on their way).
  [[nodiscard]] bool may_send(int domain) const noexcept {
    return bytes_ < room_bytes_ && std::ranges::count(domains_, domain) < most_of_a_domain;
  }
  void add(int domain, std::int64_t bytes) {
    domains_.push_back(domain);
    bytes_ += bytes;
  }
  /// It has arrived.
  void remove(int domain, std::int64_t bytes) noexcept {
    const auto one = std::ranges::find(domains_, domain);
    if (one == domains_.end()) return;
    *one = domains_.back();
    domains_.pop_back();
    bytes_ -= bytes;
  }
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

 private:
  std::int64_t room_bytes_, bytes_ = 0;
  std::vector<int> domains_;
};

}  // namespace collio::flow
