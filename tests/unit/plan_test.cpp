// Plans: which path, where the domains lie, and a reason for everything.
#include "policy/plan/plan.hpp"

#include <gtest/gtest.h>

namespace collio::policy {
namespace {

machine::Machine one_node(int ranks, int cores) { return {{{"node", ranks, cores}}, {}}; }

/// `ranks` ranks that together access a span densely, each in `pieces` pieces of `piece_bytes` bytes.
Digest dense(int ranks, std::int64_t pieces, std::int64_t piece_bytes) {
  Digest d;
  d.set_call(1);
  d.low = 0;
  d.pieces = ranks * pieces;
  d.most_pieces = pieces;
  d.bytes = d.high = d.pieces * piece_bytes;
  d.most_bytes = pieces * piece_bytes;
  d.active_ranks = ranks;
  d.offset_bits = piece_bytes;
  return d;
}

Plan plan_of(const Digest& digest, const Hints& hints = {}, Direction direction = Direction::write) {
  return make_plan({direction, digest, 2}, one_node(8, 2), hints);
}

const Digest small_pieces = dense(8, 100000, 32);
const Digest large_blocks = dense(8, 4, 4 << 20);

TEST(Plan, LargeBlocksGoStraightToTheFile) {
  for (const Direction direction : {Direction::write, Direction::read})
    EXPECT_EQ(plan_of(large_blocks, {}, direction).path, Path::independent);
}

TEST(Plan, RanksWithoutTheFileGoThroughThoseThatHaveIt) {
  PlanRequest request{Direction::read, large_blocks, 2};
  request.lacking.handles = true;
  EXPECT_EQ(make_plan(request, one_node(8, 2), {}).path, Path::two_layer);
  Hints hints;
  hints.read_path = Path::independent;
  const Plan asked = make_plan(request, one_node(8, 2), hints);
  EXPECT_EQ(asked.path, Path::two_layer);
  EXPECT_EQ(asked.reason.why, Why::hint);
  EXPECT_EQ(asked.reason.lacking, Lack::handles);
  request.digest.unordered = 1;
  EXPECT_EQ(make_plan(request, one_node(8, 2), {}).path, Path::native);
}

TEST(Plan, SmallPiecesGoThroughTheMemoryOfANode) {
  for (const Direction direction : {Direction::write, Direction::read})
    EXPECT_EQ(plan_of(small_pieces, {}, direction).path, Path::two_layer);
}

TEST(Plan, ReadsOfWhatIsInMemoryGoSideBySide) {
  machine::Machine machine = one_node(8, 2);
  const Digest pages = dense(8, 2000, 4096), cells = dense(8, 8000, 1024);
  const auto path = [&](const Digest& d, Direction direction) {
    return make_plan({direction, d, 2}, machine, {}).path;
  };
  EXPECT_EQ(path(pages, Direction::read), Path::two_layer);
  machine.storage.in_memory = true;
  machine.storage.operation_s = 0.75e-6;
  EXPECT_EQ(path(pages, Direction::read), Path::independent);
  EXPECT_EQ(path(pages, Direction::write), Path::two_layer);
  EXPECT_EQ(path(cells, Direction::read), Path::two_layer);
}

TEST(Plan, NodesOfOneRankGoThroughAggregators) {
  const machine::Machine machine{{{"one", 1, 2}, {"two", 1, 2}}, {}};
  for (const Direction direction : {Direction::write, Direction::read}) {
    const Plan plan = make_plan({direction, small_pieces, 2}, machine, {});
    EXPECT_EQ(plan.path, Path::two_phase);
    EXPECT_EQ(plan.reason.one_layer, OneLayer::all_aggregate);
    EXPECT_EQ(plan.overlap.schedule, Schedule::communication);
    EXPECT_EQ(plan.overlap.buffers, 2);
  }
}

TEST(Plan, HintWins) {
  EXPECT_EQ(plan_of(small_pieces, parse_hints({{"collio_path", "independent"}})).path, Path::independent);
  EXPECT_EQ(plan_of(large_blocks, parse_hints({{"collio_path", "two_phase"}})).path, Path::two_phase);
}

TEST(Plan, HintOfOneDirectionLeavesTheOther) {
  const Hints h = parse_hints({{"romio_cb_write", "disable"}, {"romio_ds_read", "enable"}});
  EXPECT_EQ(plan_of(small_pieces, h, Direction::write).path, Path::independent);
  EXPECT_EQ(plan_of(small_pieces, h, Direction::read).path, Path::two_layer);
  EXPECT_EQ(plan_of(small_pieces, h, Direction::write).holes, Holes::automatic);
  EXPECT_EQ(plan_of(small_pieces, h, Direction::read).holes, Holes::sieve);
}

TEST(Plan, PiecesInNoOrderGoStraightToTheFileWhateverTheHint) {
  Digest d = small_pieces;
  d.unordered = 1;
  for (const char* path : {"auto", "two_layer", "two_phase", "independent"})
    EXPECT_EQ(plan_of(d, parse_hints({{"collio_path", path}})).path, Path::independent) << path;
}

TEST(Plan, WhatCollioCannotDescribeIsLeftToTheMpiLibrary) {
  Digest d = small_pieces;
  d.undescribed = 1;
  d.unordered = 3;
  EXPECT_EQ(plan_of(d).path, Path::native);
  EXPECT_EQ(plan_of(d, parse_hints({{"collio_path", "two_phase"}})).path, Path::native);
  d.bytes = 0;
  EXPECT_EQ(plan_of(d).path, Path::native);
}

TEST(Plan, PiecesAreEqualWhereTheirAlignmentShowsIt) {
  Digest d = small_pieces;
  d.pieces = 1000;
  d.bytes = 8 * d.pieces;
  d.offset_bits = 0xff8;
  EXPECT_TRUE(plan_of(d).reason.equal_pieces);
  d.offset_bits = 0xffc;  // one may have 4 bytes and another 12
  EXPECT_FALSE(plan_of(d).reason.equal_pieces);
  d.offset_bits = 0xff8;
  d.bytes += 8;
  EXPECT_FALSE(plan_of(d).reason.equal_pieces);
}

TEST(Plan, EveryPathHasAReason) {
  Digest unordered = small_pieces, undescribed = small_pieces;
  unordered.unordered = 2;
  undescribed.undescribed = 2;
  const auto expect = [](const Digest& d, Why on_its_own, Why by_hint) {
    EXPECT_EQ(plan_of(d).reason.why, on_its_own);
    for (const char* path : {"two_layer", "two_phase", "independent"})
      EXPECT_EQ(plan_of(d, parse_hints({{"collio_path", path}})).reason.why, by_hint) << path;
  };
  for (const Digest& d : {small_pieces, large_blocks, dense(1, 1, 1)}) expect(d, Why::estimates, Why::hint);
  expect(unordered, Why::unordered, Why::unordered);
  expect(undescribed, Why::undescribed, Why::undescribed);
  expect(Digest{}, Why::no_bytes, Why::no_bytes);
}

TEST(Plan, DomainsCoverTheSpanWithinTheBuffer) {
  Digest d = small_pieces;
  d.low = 12345;
  d.high = d.low + (std::int64_t{3} << 30);
  const Plan plan = plan_of(d, parse_hints({{"cb_buffer_size", "1048576"}}));
  EXPECT_EQ(plan.domains.count, 2);
  EXPECT_LE(plan.domains.low, d.low);
  EXPECT_EQ(plan.domains.high, d.high);
  EXPECT_LE(plan.domains.window_bytes, 1 << 20);
  EXPECT_EQ(plan.domains.domain(1).offset % 4096, 0);
}

TEST(Plan, WindowsFollowTheStorageUnlessAHintSaysOtherwise) {
  const Digest large = dense(8, 1 << 20, 32);
  const std::int64_t usual = machine::StorageModel{}.window_bytes;
  const std::int64_t one_layer =
      plan_of(large, parse_hints({{"collio_path", "two_phase"}})).domains.window_bytes;
  EXPECT_LE(one_layer, usual);
  EXPECT_GT(one_layer, usual / 2);
  EXPECT_LE(plan_of(large).domains.window_bytes, usual);
  EXPECT_LE(plan_of(large, parse_hints({{"collio_window", "65536"}})).domains.window_bytes, 65536);
  EXPECT_LE(plan_of(large, parse_hints({{"collio_window", "8388608"}, {"cb_buffer_size", "262144"}}))
                .domains.window_bytes,
            262144);
}

TEST(Plan, SmallSpansUseOneAggregator) {
  EXPECT_EQ(plan_of(dense(8, 100, 32)).domains.count, 1);
  EXPECT_EQ(plan_of(dense(8, 10000, 32)).domains.count, 2);
}

TEST(Plan, AggregatorsAskedForAreUsedOnSmallSpansToo) {
  EXPECT_EQ(plan_of(dense(8, 1000, 32), parse_hints({{"cb_nodes", "2"}})).domains.count, 2);
}

TEST(Plan, StripingUnitAlignsDomains) {
  const Plan plan = plan_of(small_pieces, parse_hints({{"striping_unit", "1000000"}}));
  for (int a = 0; a < plan.domains.count; ++a) EXPECT_EQ(plan.domains.domain(a).offset % 1000000, 0);
}

TEST(Plan, NothingToMoveHasNoDomains) {
  Digest d;
  d.set_call(1);
  EXPECT_EQ(plan_of(d).domains.count, 0);
}

TEST(Plan, IsTheSameForTheSameInput) {
  const Plan a = plan_of(small_pieces), b = plan_of(small_pieces);
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.domains.domain_bytes, b.domains.domain_bytes);
  EXPECT_EQ(a.domains.window_bytes, b.domains.window_bytes);
}

}  // namespace
}  // namespace collio::policy
