// The books of a window while all ranks write in them at once.
#include "transport/node_memory/slot_books.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>

#include "ranks.hpp"

namespace collio::transport {
namespace {

TEST(SlotBooks, LastToArriveSeesEveryRanksPiecesAndBytes) {
  constexpr int windows = 400, pieces = 16, piece = 8;
  constexpr std::int64_t begin = 1 << 20, bytes = std::int64_t{piece} * pieces * ranks;
  std::vector<SlotBooks::Shared> shared(windows);
  std::vector<std::array<char, bytes>> data(windows);  // not atomic: arrive() has to order them
  std::atomic<int> lasts{0};
  run_ranks([&](int rank) {
    SlotBooks books(shared.data());
    for (int w = 0; w < windows; ++w) {
      core::TilingSum sum;
      for (int i = 0; i < pieces; ++i) {
        const std::int64_t at = std::int64_t{piece} * (i * ranks + rank);
        sum.add(core::Extent{begin + at, piece});
        for (int k = 0; k < piece; ++k) data[w][at + k] = static_cast<char>(w + at + k);
      }
      const std::int64_t first = begin + std::int64_t{piece} * rank;
      books.contribute(w, sum, {first, bytes - std::int64_t{piece} * (ranks - 1)});
      books.announce(w, rank == w % ranks, rank == 0 ? -1 : 100 + (rank + w) % ranks);
      if (!books.arrive(w, {begin, 3, ranks, true})) continue;
      ++lasts;
      const SlotBooks::Filled f = books.filled(w);
      EXPECT_EQ(f.window_offset, begin);
      EXPECT_EQ(f.hull, (core::Extent{begin, bytes}));
      EXPECT_TRUE(f.sum.tiles(f.hull));
      EXPECT_TRUE(f.due);
      EXPECT_EQ(f.next_round, w % ranks == 0 ? 101 : 100);  // rank 0 announces none
      EXPECT_EQ(books.window(w).batch_size, 3);
      for (std::int64_t at = 0; at < bytes; ++at)
        ASSERT_EQ(data[w][at], static_cast<char>(w + at)) << "window " << w;
    }
  });
  EXPECT_EQ(lasts, windows);
}

/// No rank may undo what the other does at the very same time.
TEST(SlotBooks, TwoRanksAtOnceBothCount) {
  constexpr int windows = 4000;
  std::vector<SlotBooks::Shared> shared(windows);
  std::vector<std::atomic<int>> at_hand(windows);
  run_threads(2, [&](int rank) {
    SlotBooks books(shared.data());
    for (int w = 0; w < windows; ++w) {
      meet_closely(at_hand[w], 2, rank * (w % 30));
      for (int i = 0; i < 4; ++i)
        books.contribute(w, {5, 10}, {500 - 100 * rank - i, 200 + 200 * rank + 2 * i});
      static_cast<void>(books.take_room(w, 3));
      books.announce(w, false, 10 - rank);
    }
  });
  SlotBooks books(shared.data());
  for (int w = 0; w < windows; ++w) {
    const SlotBooks::Filled f = books.filled(w);
    ASSERT_EQ(f.sum.hash, 40u) << "window " << w;
    ASSERT_EQ(f.sum.bytes, 80) << "window " << w;
    ASSERT_EQ(f.hull, (core::Extent{397, 406})) << "window " << w;
    ASSERT_EQ(f.next_round, 9) << "window " << w;
    ASSERT_EQ(books.room_taken(w), 6) << "window " << w;
  }
}

TEST(SlotBooks, AClearedSlotHoldsNothingOfTheWindowBefore) {
  std::array<SlotBooks::Shared, 1> shared{};
  SlotBooks books(shared.data());
  for (int turn = 0; turn < 3; ++turn) {
    const SlotBooks::Filled empty = books.filled(0);
    EXPECT_EQ(empty.sum.bytes, 0);
    EXPECT_EQ(empty.sum.hash, 0u);
    EXPECT_EQ(empty.next_round, -1);
    EXPECT_FALSE(empty.due);
    EXPECT_EQ(books.take_room(0, 10), 0);
    EXPECT_EQ(books.contribute(0, {7, 5}, {40, 5}), 0);
    EXPECT_EQ(books.contribute(0, {7, 6}, {50, 6}), 5);
    books.announce(0, true, 0);
    EXPECT_FALSE(books.arrive(0, {0, 1, 2}));
    EXPECT_TRUE(books.arrive(0, {0, 1, 2}));
    EXPECT_EQ(books.filled(0).next_round, 0);
    EXPECT_EQ(books.filled(0).hull, (core::Extent{40, 16}));
    books.clear(0);
  }
}

TEST(SlotBooks, RoomIsTakenOnce) {
  constexpr int times = 30'000, most = 13;
  std::array<SlotBooks::Shared, 1> shared{};
  std::vector<char> room(std::size_t{ranks} * times * most);  // not atomic: parts must not overlap
  std::atomic<std::int64_t> all{0};
  run_ranks([&](int rank) {
    SlotBooks books(shared.data());
    for (int i = 0; i < times; ++i) {
      const int bytes = 1 + (rank * 5 + i) % most;
      const std::int64_t at = books.take_room(0, bytes);
      for (int k = 0; k < bytes; ++k) ++room[static_cast<std::size_t>(at + k)];
      all += bytes;
    }
  });
  EXPECT_EQ(SlotBooks(shared.data()).room_taken(0), all);
  EXPECT_EQ(std::ranges::count(room, 1), all);
}

TEST(SlotBooks, RanksDepartAfterAllHaveArrived) {
  constexpr int windows = 300;
  std::vector<SlotBooks::Shared> shared(windows);
  std::vector<std::atomic<bool>> there(windows);
  std::vector<int> arrived(windows), departed(windows);  // not atomic: counted by one rank
  run_ranks([&](int) {
    SlotBooks books(shared.data());
    for (int w = 0; w < windows; ++w) {
      if (books.arrive(w, {0, 1, ranks})) {
        ++arrived[w];
        books.await_departures(w);
        there[w] = true;
      }
      while (!there[w]) std::this_thread::yield();
      if (books.arrive(w, {0, 1, ranks})) ++departed[w];
    }
  });
  EXPECT_EQ(std::ranges::count(arrived, 1), windows);
  EXPECT_EQ(std::ranges::count(departed, 1), windows);
}

}  // namespace
}  // namespace collio::transport
