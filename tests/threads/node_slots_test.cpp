// Calls through a node's slots: ranks as threads, windows that pass through few slots again and again.
#include "transport/node_memory/node_slots.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "ranks.hpp"

namespace collio::transport {
namespace {

using Hears = SlotLayout::Hears;

constexpr int batches = 200;
constexpr std::int64_t window_bytes = 512, piece = 32;

SlotLayout layout_for(Hears hears) {
  SlotLayout layout;
  layout.groups = {.home_slots = 2, .home_groups = 2};
  layout.window_bytes = window_bytes;
  layout.masks = true;
  layout.hears = layout.any_hears = hears;
  return layout;
}

int slots_in_batch() { return layout_for(Hears::group).groups.home_slots; }
int windows() { return batches * slots_in_batch(); }

/// Ranks pass through the slots of a batch in different orders.
int slot_in_batch(int i, int rank) { return rank % 2 == 0 ? i : slots_in_batch() - 1 - i; }

char byte_at(int window, std::int64_t offset) { return static_cast<char>(17 * window + offset); }

class ThroughSlots : public testing::TestWithParam<Hears> {
 protected:
  void SetUp() override {
    for (NodeSlots& s : slots) s.lay_out(layout_for(GetParam()));
  }
  /// Waits for a group's turn, and calls help() meanwhile.
  template <class Help>
  static void enter(NodeSlots& s, int group, const Help& help) {
    WordWait wait(MPI_COMM_NULL);
    for (;;) {
      const std::uint32_t seen = s.turns.watch(group);
      if (s.turns.ready(group)) return s.turns.enter(group);
      if (!help()) s.turns.idle(group, seen, wait);
    }
  }
  [[nodiscard]] static NodeSlots::Window window_at(int window) {
    return {window * window_bytes, slots_in_batch(), ranks};
  }

  std::deque<NodeSlots> slots = slots_of(ranks, {1 << 20});
};

/// Each slot has windows with a hole and without.
bool has_hole(int window) { return window / 3 % 2 == 1; }
bool is_hole(int window, std::int64_t offset) { return has_hole(window) && offset / piece == 1; }

/// One rank of a write.
class Writer {
 public:
  /// `written`: how often each window was; not atomic, as one rank writes at a time.
  Writer(NodeSlots& slots, int rank, std::vector<int>& written) : s_(slots), rank_(rank), written_(written) {}

  void fill(int window, int slot) {
    core::MaskWriter mask(s_.memory.mask(slot), 0);
    core::TilingSum sum;
    for (std::int64_t at = piece * rank_; at < window_bytes; at += piece * ranks) {
      if (is_hole(window, at)) continue;
      for (std::int64_t i = at; i < at + piece; ++i)
        s_.memory.data(slot)[i] = static_cast<std::byte>(byte_at(window, i));
      const core::Run run{at, piece, piece, 1};
      mask.add(std::span(&run, 1));
      sum.add(core::Extent{window * window_bytes + at, piece});
    }
    s_.books.contribute(slot, sum, {window * window_bytes, window_bytes});
  }

  bool serve() {
    if (!s_.queue.any_full() || !s_.queue.begin_serving(1)) return false;
    const int slot = s_.queue.pop_full();
    if (slot >= 0) write(slot);
    s_.queue.end_serving();
    return slot >= 0 || s_.queue.any_full();
  }

  /// Checks a full slot and ends its turn.
  void write(int slot) {
    const NodeSlots::Filled f = s_.books.filled(slot);
    EXPECT_EQ(f.hull, (core::Extent{f.window_offset, window_bytes}));
    const int window = static_cast<int>(f.window_offset / window_bytes);
    EXPECT_EQ(f.sum.tiles(f.hull), !has_hole(window));
    EXPECT_EQ(s_.memory.mask(slot).extents(window_bytes), has_hole(window) ? 2 : 1) << "window " << window;
    for (std::int64_t i = 0; i < window_bytes; ++i)
      if (!is_hole(window, i)) {
        ASSERT_EQ(static_cast<char>(s_.memory.data(slot)[i]), byte_at(window, i)) << "window " << window;
      }
    ++written_[static_cast<std::size_t>(window)];
    s_.recycle(slot);
  }

 private:
  NodeSlots& s_;
  int rank_;
  std::vector<int>& written_;
};

TEST_P(ThroughSlots, AWriteWritesEachWindowOnceAndWhole) {
  std::vector<int> written(static_cast<std::size_t>(windows()));
  run_ranks([&](int rank) {
    NodeSlots& s = slots[static_cast<std::size_t>(rank)];
    Writer writer(s, rank, written);
    for (int batch = 0; batch < batches; ++batch) {
      const int group = batch % 2;
      enter(s, group, [&] { return writer.serve(); });
      for (int i = 0; i < slots_in_batch(); ++i) {
        const int at = slot_in_batch(i, rank);
        const int window = batch * slots_in_batch() + at, slot = group * slots_in_batch() + at;
        writer.fill(window, slot);
        if (s.books.arrive(slot, window_at(window))) s.queue.push_full(slot);
        writer.serve();
      }
    }
    while (writer.serve()) {}
  });
  EXPECT_EQ(std::ranges::count(written, 1), windows());
}

/// As windows on their way to another node: whoever completes one sends it on at once.
TEST_P(ThroughSlots, WindowsSentOnByWhoeverCompletesThemAreWhole) {
  std::vector<int> sent(static_cast<std::size_t>(windows()));  // not atomic: one rank sends a window
  run_ranks([&](int rank) {
    NodeSlots& s = slots[static_cast<std::size_t>(rank)];
    Writer writer(s, rank, sent);
    for (int batch = 0; batch < batches; ++batch) {
      const int group = batch % 2;
      enter(s, group, [] { return false; });
      for (int i = 0; i < slots_in_batch(); ++i) {
        const int at = slot_in_batch(i, rank);
        const int window = batch * slots_in_batch() + at, slot = group * slots_in_batch() + at;
        writer.fill(window, slot);
        if (s.books.arrive(slot, window_at(window))) writer.write(slot);
      }
    }
  });
  EXPECT_EQ(std::ranges::count(sent, 1), windows());
}

/// Loads a window if no other rank does; waits; checks; departs.
void read_window(NodeSlots& s, int slot, const NodeSlots::Window& entry, std::vector<int>& loaded) {
  const int window = static_cast<int>(entry.offset / window_bytes);
  if (s.loads.claim(slot)) {
    for (std::int64_t i = 0; i < window_bytes; ++i)
      s.memory.data(slot)[i] = static_cast<std::byte>(byte_at(window, i));
    ++loaded[static_cast<std::size_t>(window)];
    s.loads.finish_loading(slot, 1000 + window);
  }
  for (WordWait wait(MPI_COMM_NULL); !s.loads.loaded(slot);) s.loads.idle(slot, wait);
  EXPECT_EQ(s.loads.end_of_file(slot), 1000 + window);
  for (std::int64_t i = 0; i < window_bytes; ++i)
    ASSERT_EQ(static_cast<char>(s.memory.data(slot)[i]), byte_at(window, i)) << "window " << window;
  s.depart(slot, entry);
}

TEST_P(ThroughSlots, AReadLoadsEachWindowOnceForAllRanks) {
  std::vector<int> loaded(static_cast<std::size_t>(windows()));  // not atomic: one rank loads a window
  run_ranks([&](int rank) {
    NodeSlots& s = slots[static_cast<std::size_t>(rank)];
    for (int batch = 0; batch < batches; ++batch) {
      const int group = batch % 2;
      enter(s, group, [] { return false; });
      for (int i = 0; i < slots_in_batch(); ++i) {
        const int at = slot_in_batch(i, rank);
        read_window(s, group * slots_in_batch() + at, window_at(batch * slots_in_batch() + at), loaded);
      }
    }
  });
  EXPECT_EQ(std::ranges::count(loaded, 1), windows());
}

INSTANTIATE_TEST_SUITE_P(Waking, ThroughSlots, testing::Values(Hears::group, Hears::turns, Hears::slots),
                         [](const auto& one) {
                           return std::string(one.param == Hears::group   ? "ByGroup"
                                              : one.param == Hears::turns ? "ByTurns"
                                                                          : "BySlots");
                         });

TEST(SlotLoads, OneRankLoadsAWindowThatTwoComeToAtOnce) {
  constexpr int windows = 8000;
  SlotTurns::Shared turns_shared{};
  std::vector<SlotLoads::Shared> shared(windows);
  std::vector<std::atomic<int>> at_hand(windows), claims(windows);
  run_threads(2, [&](int rank) {
    const SlotTurns turns(turns_shared);
    SlotLoads loads(shared.data(), turns);
    for (int w = 0; w < windows; ++w) {
      meet_closely(at_hand[w], 2, w % 2 == rank ? w / 2 % 40 : 0);
      if (loads.claim(w)) ++claims[w];
    }
  });
  for (int w = 0; w < windows; ++w) ASSERT_EQ(claims[w], 1) << "window " << w;
}

TEST(NodeCounts, AreZeroForEachCallAndWholeAfterTheMeeting) {
  constexpr int calls = 12;
  auto slots = slots_of(ranks, {1 << 20, true});
  std::barrier end(ranks);  // a call ends with an agreement
  int said[ranks]{};        // not atomic: meet() has to order what ranks did before
  run_ranks([&](int rank) {
    NodeCounts& counts = slots[static_cast<std::size_t>(rank)].counts;
    for (int call = 0; call < calls; ++call) {
      const auto of = counts.next();
      ASSERT_EQ(of.size(), static_cast<std::size_t>(NodeCounts::most_counters));
      for (std::size_t i = 0; i < of.size(); i += 1 + static_cast<std::size_t>(call)) ++of[i];
      said[rank] = call;
      counts.meet(MPI_COMM_NULL);
      for (const int one : said) ASSERT_EQ(one, call);
      for (std::size_t i = 0; i < of.size(); ++i)
        ASSERT_EQ(of[i], i % (1 + static_cast<std::size_t>(call)) == 0 ? ranks : 0) << "call " << call;
      counts.clear_old(rank);
      end.arrive_and_wait();
    }
  });
}

}  // namespace
}  // namespace collio::transport
