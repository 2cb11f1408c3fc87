// Sums, maxima and broadcasts along the tree of the nodes' first ranks, for any number of nodes and any part
// of them. Ranks are fibers of one thread, in random order.
#include "engine/moving/over_leaders.hpp"

#include <gtest/gtest.h>

#include "letters.hpp"
#include "schedule.hpp"

namespace collio::engine {
namespace {

using test::Letters;
using Numbers = std::vector<std::int64_t>;

/// What each node in `range` has after `work`, of `nodes` nodes; and how many messages were sent.
template <class Work>
std::size_t run(int nodes, const NodeRange& range, std::uint32_t seed, Work&& work) {
  Letters::Post post;
  std::size_t letters = 0;
  transport::Schedule schedule(seed, nodes);
  const bool ended = schedule.run(
      {},
      [&](int node) {
        if (node < range.first || node >= range.first + range.count) return;
        const Letters leaders(post, node, nodes);
        work(leaders);
        letters += leaders.letters;
      },
      [] {});
  EXPECT_TRUE(ended) << "ranks hang";
  EXPECT_TRUE(Letters::all_read(post));
  return letters;
}

Numbers of_node(int node) { return {node + 1, 100 - node, std::int64_t{1} << node % 60}; }

/// Numbers combined by hand.
Numbers expected(const NodeRange& range, Combine how) {
  Numbers all = of_node(range.first);
  for (int node = range.first + 1; node < range.first + range.count; ++node)
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::int64_t one = of_node(node)[i];
      all[i] = how == Combine::sums ? all[i] + one : std::max(all[i], one);
    }
  return all;
}

void expect_combined(int nodes, const NodeRange& range, Combine how) {
  SCOPED_TRACE(std::to_string(range.count) + " nodes from " + std::to_string(range.first));
  std::vector<Numbers> known(static_cast<std::size_t>(nodes));
  const std::size_t letters = run(nodes, range, 7, [&](const Letters& leaders) {
    Numbers& mine = known[static_cast<std::size_t>(leaders.node)];
    mine = of_node(leaders.node);
    combine_on_first(leaders, range, mine, how);
    if (leaders.node != range.first) mine.assign(mine.size(), -1);
    numbers_of_first(leaders, range, mine);
  });
  EXPECT_EQ(letters, 2U * static_cast<std::size_t>(range.count - 1)) << "one up and one down a node";
  for (int node = range.first; node < range.first + range.count; ++node)
    EXPECT_EQ(known[static_cast<std::size_t>(node)], expected(range, how)) << "node " << node;
}

TEST(OverLeaders, AllNodesLearnWhatAllHaveTogether) {
  for (int nodes = 1; nodes <= 17; ++nodes)
    for (const Combine how : {Combine::sums, Combine::maxima}) expect_combined(nodes, {0, nodes}, how);
}

TEST(OverLeaders, APartOfTheNodesAgreesWithoutTheOthers) {
  for (int first = 0; first < 9; ++first)
    for (int count = 1; first + count <= 9; ++count) expect_combined(9, {first, count}, Combine::sums);
}

TEST(OverLeaders, NoNodeWaitsLongerThanTheTreeIsDeep) {
  constexpr int nodes = 16;
  std::size_t most = 0;
  run(nodes, {0, nodes}, 3, [&](const Letters& leaders) {
    Numbers numbers = of_node(leaders.node);
    combine_on_first(leaders, all_nodes(leaders), numbers, Combine::sums);
    most = std::max(most, leaders.received);
  });
  EXPECT_EQ(most, 4U);
}

}  // namespace
}  // namespace collio::engine
