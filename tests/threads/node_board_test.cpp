// Reductions on a node's board: several channels at once, long records, a first rank that asks other nodes.
#include "transport/node_memory/node_board.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "ranks.hpp"

namespace collio::transport {
namespace {

using Channel = NodeBoard::Channel;

constexpr std::size_t words = 20;

void add_words(const std::byte* in, std::byte* inout, std::size_t bytes) {
  const auto* a = reinterpret_cast<const std::int64_t*>(in);
  auto* b = reinterpret_cast<std::int64_t*>(inout);
  for (std::size_t i = 0; i < bytes / sizeof *a; ++i) b[i] += a[i];
}

/// A reduction of `turn` and the ranks' numbers. The length differs from turn to turn.
void reduce_once(NodeBoard& board, Channel channel, int turn, const NodeBoard::Across& across = {}) {
  std::vector<std::int64_t> record(1 + static_cast<std::size_t>(turn) % words);
  for (std::size_t i = 0; i < record.size(); ++i)
    record[i] = turn * 1000 + static_cast<std::int64_t>(i) + board.rank();
  board.reduce(channel, std::as_writable_bytes(std::span(record)), add_words, across);
  const auto count = static_cast<std::int64_t>(board.notes().size());
  for (std::size_t i = 0; i < record.size(); ++i)
    ASSERT_EQ(record[i], count * (turn * 1000 + static_cast<std::int64_t>(i)) + count * (count - 1) / 2 +
                             (across ? 7 : 0))
        << "turn " << turn << ", rank " << board.rank();
}

TEST(NodeBoard, EveryRankGetsTheSumOfEachTurn) {
  for (const int count : {2, ranks}) {
    auto boards = boards_of(count, words * sizeof(std::int64_t));
    run_threads(count, [&](int rank) {
      for (int turn = 0; turn < 5000 / count; ++turn)
        reduce_once(boards[static_cast<std::size_t>(rank)], Channel::calls, turn);
    });
  }
}

TEST(NodeBoard, TheFirstRankAsksOtherNodesBeforeAnyRankGetsTheResult) {
  auto boards = boards_of(ranks, words * sizeof(std::int64_t));
  run_ranks([&](int rank) {
    for (int turn = 0; turn < 300; ++turn)
      reduce_once(boards[static_cast<std::size_t>(rank)], Channel::calls, turn, [&](std::byte* result) {
        EXPECT_EQ(rank, 0);
        for (std::size_t i = 0; i < 1 + static_cast<std::size_t>(turn) % words; ++i)
          reinterpret_cast<std::int64_t*>(result)[i] += 7;
      });
  });
}

/// Two threads of each rank, as with calls in the background.
TEST(NodeBoard, ChannelsNeverMeet) {
  auto boards = boards_of(ranks, words * sizeof(std::int64_t));
  run_threads(2 * ranks, [&](int thread) {
    NodeBoard& board = boards[static_cast<std::size_t>(thread / 2)];
    for (int turn = 0; turn < 300; ++turn)
      reduce_once(board, thread % 2 == 0 ? Channel::calls : Channel::numbers, turn + thread % 2);
  });
}

}  // namespace
}  // namespace collio::transport
