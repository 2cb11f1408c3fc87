// Full slots between ranks that fill and ranks that serve.
#include "transport/node_memory/slot_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "ranks.hpp"

namespace collio::transport {
namespace {

/// What ranks share.
struct Queue {
  SlotTurns::Shared turns{};
  SlotQueue::Shared queue{};
};

/// A rank's own view of it.
struct Rank {
  explicit Rank(Queue& q, int window_slots) : turns(q.turns), queue(q.queue, turns) {
    SlotLayout layout;
    layout.window_slots = window_slots;
    turns.lay_out(layout);
    queue.lay_out(layout);
  }
  SlotTurns turns;
  SlotQueue queue;
};

TEST(SlotQueue, GivesTheLowestFullSlotFirst) {
  for (const int window_slots : {1, 4}) {
    Queue shared;
    Rank rank(shared, window_slots);
    for (const int window : {63, 5, 0, 40}) rank.queue.push_full(window * window_slots);
    for (const int window : {0, 5, 40, 63}) {
      EXPECT_TRUE(rank.queue.any_full());
      EXPECT_EQ(rank.queue.pop_full(), window * window_slots);
    }
    EXPECT_FALSE(rank.queue.any_full());
    EXPECT_EQ(rank.queue.pop_full(), -1);
  }
}

TEST(SlotQueue, LetsSoManyServeAndNoMore) {
  Queue alone;
  Rank one(alone, 1), other(alone, 1);
  EXPECT_TRUE(one.queue.begin_serving(1));
  EXPECT_FALSE(other.queue.begin_serving(1));
  EXPECT_TRUE(other.queue.begin_serving(2));
  one.queue.end_serving();
  EXPECT_FALSE(one.queue.begin_serving(1));
  other.queue.end_serving();
  EXPECT_TRUE(one.queue.begin_serving(1));
  for (const int most : {1, 2}) {
    Queue shared;
    std::atomic<int> now{0}, ever{0};
    run_ranks([&](int) {
      Rank rank(shared, 1);
      for (int i = 0; i < 500; ++i) {
        if (!rank.queue.begin_serving(most)) continue;
        EXPECT_LE(++now, most);
        ++ever;
        std::this_thread::yield();
        --now;
        rank.queue.end_serving();
      }
    });
    EXPECT_GT(ever, 0);
    EXPECT_EQ(shared.queue.serving, 0);
  }
}

/// As a two-layer write does it: who finds another rank serving leaves its slot to that one.
TEST(SlotQueue, EveryFullSlotIsServedOnceAndNoneIsForgotten) {
  constexpr int rounds = 150, of_rank = 16;
  for (int round = 0; round < rounds; ++round) {
    Queue shared;
    int left[ranks * of_rank]{};  // not atomic: the queue has to hand over what was left in a slot
    int served[ranks * of_rank]{}, in_all = 0;  // nor: one rank serves at a time
    run_ranks([&](int mine) {
      Rank rank(shared, 1);
      const auto serve = [&] {
        if (!rank.queue.any_full() || !rank.queue.begin_serving(1)) return false;
        const int slot = rank.queue.pop_full();
        if (slot >= 0) {
          EXPECT_EQ(left[slot], slot + round);
          ++served[slot], ++in_all;
        }
        rank.queue.end_serving();
        return slot >= 0 || rank.queue.any_full();
      };
      for (int i = 0; i < of_rank; ++i) {
        const int slot = (round % 2 == 0 ? i : of_rank - 1 - i) * ranks + mine;
        left[slot] = slot + round;
        rank.queue.push_full(slot);
        serve();
      }
      while (serve()) {}
    });
    EXPECT_EQ(std::ranges::count(served, 1), ranks * of_rank) << "round " << round;
    EXPECT_EQ(in_all, ranks * of_rank);
  }
}

}  // namespace
}  // namespace collio::transport
