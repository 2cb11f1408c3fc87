// Which schedule a call's rounds follow, and that their buffers stay within the collective buffer.
#include "policy/plan/overlap.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "policy/plan/plan.hpp"

namespace collio::policy {
namespace {

machine::Machine machine_of(int nodes, bool storage_overlaps) {
  machine::Machine m;
  m.nodes.edit().resize(static_cast<std::size_t>(nodes));
  m.storage.overlaps = storage_overlaps;
  return m;
}

TEST(Overlap, AutoOverlapsWhatDoesNotBlock) {
  const Overlap none = choose_overlap(machine_of(1, false), {}),
                between_nodes = choose_overlap(machine_of(2, false), {}),
                dataflow = choose_overlap(machine_of(1, true), {});
  EXPECT_EQ(none.schedule, Schedule::none);
  EXPECT_EQ(none.buffers, 1);
  EXPECT_FALSE(none.storage_goes_on);
  EXPECT_EQ(between_nodes.schedule, Schedule::communication);
  EXPECT_EQ(between_nodes.exchanging, 2);
  EXPECT_FALSE(between_nodes.storage_goes_on);
  EXPECT_EQ(dataflow.schedule, Schedule::dataflow);
  EXPECT_EQ(dataflow.buffers, 2);
  EXPECT_TRUE(dataflow.storage_goes_on);
  EXPECT_EQ(none.why, WhyOverlap::nothing_proceeds);
  EXPECT_EQ(between_nodes.why, WhyOverlap::messages_proceed);
  EXPECT_EQ(dataflow.why, WhyOverlap::asynchronous_storage);
  EXPECT_EQ(overlap_text(none),
            "; rounds: none, storage calls block and all ranks share a node: nothing to overlap");
  EXPECT_EQ(overlap_text(between_nodes),
            "; rounds: communication over 2 buffers, storage calls block, messages between nodes do not");
  EXPECT_EQ(overlap_text(dataflow), "; rounds: dataflow over 2 buffers, storage calls are asynchronous");
}

TEST(Overlap, HintsDecide) {
  for (const char* name :
       {"none", "communication", "write", "write_communication", "write_communication_2", "dataflow"}) {
    const Overlap o = choose_overlap(machine_of(1, false),
                                     parse_hints({{"collio_schedule", name}, {"collio_buffers", "5"}}));
    EXPECT_EQ(name_of(o.schedule), name);
    EXPECT_EQ(o.buffers, o.schedule == Schedule::none ? 1 : 5);
    EXPECT_GE(o.buffers, o.exchanging);
    EXPECT_EQ(o.why, WhyOverlap::hint);
    EXPECT_NE(overlap_text(o).find(name), std::string::npos);
  }
}

TEST(Overlap, AllBuffersTogetherAreNoLongerThanTheCollectiveBuffer) {
  Digest d;
  d.set_call(1);
  d.low = 0;
  d.high = d.bytes = 1 << 28;
  d.pieces = 1000;
  d.active_ranks = 4;
  const machine::Machine machine{{{"here", 4, 2}}, {}};
  for (const char* buffer_bytes : {"1", "3", "65536", "1000000", "16777216"}) {
    for (const char* buffers : {"2", "3", "64"}) {
      const Hints hints = parse_hints({{"cb_buffer_size", buffer_bytes},
                                       {"collio_buffers", buffers},
                                       {"collio_schedule", "dataflow"},
                                       {"collio_window", "1073741824"},
                                       {"collio_path", "two_phase"}});
      const Plan plan = make_plan({Direction::write, d, 2}, machine, hints);
      EXPECT_GE(plan.domains.window_bytes, 1);
      EXPECT_LE(plan.domains.window_bytes * plan.overlap.buffers, hints.buffer_bytes)
          << buffer_bytes << " in " << buffers;
    }
  }
}

TEST(Overlap, ShortCallsHaveSeveralRoundsOfLongStorageCalls) {
  constexpr std::int64_t mebibyte = 1 << 20;
  machine::Machine machine{{{"a", 1, 1}, {"b", 1, 1}}, {}};
  machine.storage.overlaps = true;
  machine.storage.window_bytes = 16 * mebibyte;
  const auto window_of = [&](std::int64_t bytes, std::map<std::string, std::string> list) {
    Digest d;
    d.set_call(1);
    d.low = 0;
    d.high = d.bytes = bytes;
    d.pieces = 1000;
    d.active_ranks = 2;
    list["collio_path"] = "two_phase";
    return make_plan({Direction::write, d, 2}, machine, parse_hints(list)).domains.window_bytes;
  };
  EXPECT_EQ(window_of(1024 * mebibyte, {}), 8 * mebibyte);
  EXPECT_EQ(window_of(32 * mebibyte, {}), 2 * mebibyte);
  EXPECT_EQ(window_of(4 * mebibyte, {}), mebibyte);
  EXPECT_EQ(window_of(32 * mebibyte, {{"collio_window", "4194304"}}), 4 * mebibyte);
  EXPECT_EQ(window_of(32 * mebibyte, {{"collio_schedule", "none"}}), 16 * mebibyte);
}

}  // namespace
}  // namespace collio::policy
