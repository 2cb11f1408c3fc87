// Messages among the first ranks of nodes that are fibers of one thread.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "engine/moving/over_leaders.hpp"
#include "transport/waiting/fiber.hpp"

namespace collio::test {

/// By letters of one post for all, which it counts.
class Letters final : public engine::LeaderMessages {
 public:
  using Post = std::map<std::pair<int, int>, std::deque<std::vector<std::int64_t>>>;
  Letters(Post& post, int node, int nodes) : LeaderMessages(node, nodes), post_(post) {}

  void send(std::span<const std::int64_t> numbers, int to_node) const override {
    post_[{node, to_node}].emplace_back(numbers.begin(), numbers.end());
    ++letters;
    sent += numbers.size();
    transport::Fiber::give_way();
  }
  void receive(std::span<std::int64_t> numbers, int from_node) const override {
    auto& waiting = post_[{from_node, node}];
    while (waiting.empty()) transport::Fiber::give_way();
    ++received;
    ASSERT_LE(waiting.front().size(), numbers.size());
    std::ranges::copy(waiting.front(), numbers.begin());
    waiting.pop_front();
  }
  /// No letter is left.
  [[nodiscard]] static bool all_read(const Post& post) {
    return std::ranges::all_of(post, [](const auto& way) { return way.second.empty(); });
  }

  /// numbers that this node sent
  mutable std::size_t sent = 0;
  mutable std::size_t letters = 0, received = 0;

 private:
  Post& post_;
};

}  // namespace collio::test
