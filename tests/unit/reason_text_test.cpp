// The report's reasons: one text for every way a plan can come about.
#include <gtest/gtest.h>

#include "policy/plan/plan.hpp"

namespace collio::policy {
namespace {

Plan plan_because(Why why, Path path = Path::independent) {
  Plan plan;
  plan.path = path;
  plan.reason.why = why;
  plan.reason.ranks = 3;
  plan.reason.pieces = 1000;
  plan.reason.piece_bytes = 8;
  plan.estimate_independent_s = 1.62;
  plan.estimate_two_layer_s = 0.25;
  plan.estimate_two_phase_s = 0.5;
  return plan;
}

TEST(ReasonText, CallsThatLeaveNoChoice) {
  EXPECT_EQ(reason_text(plan_because(Why::no_bytes)), "no bytes to move");
  EXPECT_EQ(reason_text(plan_because(Why::undescribed, Path::native)),
            "collio cannot describe a datatype or view on 3 ranks");
  Plan unordered = plan_because(Why::unordered);
  EXPECT_EQ(reason_text(unordered), "file pieces of 3 ranks are not in ascending order");
  unordered.reason.lacking = Lack::handles;
  EXPECT_EQ(reason_text(unordered),
            "file pieces of 3 ranks are not in ascending order, and ranks that do not aggregate cannot open "
            "the file");
  Plan asked = plan_because(Why::hint, Path::two_layer);
  asked.reason.lacking = Lack::handles;
  EXPECT_EQ(reason_text(asked),
            "independent is asked for by hint, but ranks that do not aggregate cannot open the file");
}

TEST(ReasonText, EstimatesNameBothSides) {
  const std::string pieces =
      "1000 pieces of 8 B on average; estimates: 1.6 s if every rank accesses the file itself, ";
  EXPECT_EQ(reason_text(plan_because(Why::estimates)), pieces + "0.25 s through aggregators");
  Plan two_layer = plan_because(Why::estimates, Path::two_layer);
  two_layer.reason.local_aggregators = 2;
  EXPECT_EQ(reason_text(two_layer), pieces + "0.25 s through aggregators; local aggregators: 2");
  two_layer.reason.fewest_messages = true;
  EXPECT_EQ(
      reason_text(two_layer),
      pieces + "0.25 s through aggregators; local aggregators: 2, one a node sends the fewest messages");
}

TEST(ReasonText, PiecesOfOneSizeAreNoAverage) {
  Plan plan = plan_because(Why::estimates);
  plan.reason.equal_pieces = true;
  EXPECT_EQ(reason_text(plan).rfind("1000 pieces of 8 B; estimates: ", 0), 0U) << reason_text(plan);
}

TEST(ReasonText, WhyThereIsOneLayer) {
  const std::pair<OneLayer, std::string> texts[] = {
      {OneLayer::no_node_memory, "no shared memory between the ranks of a node"},
      {OneLayer::one_rank, "there is one rank"},
      {OneLayer::all_aggregate, "every rank is a local aggregator"},
      {OneLayer::sparse, "less than 1/64 of the bytes in the span are accessed"},
      {OneLayer::holes_not_read, "the pieces leave holes, which may not be read"},
      {OneLayer::many_teams, "a node has more than 32 local aggregators"},
      {OneLayer::slower, "two layers would take 0.25 s"},
  };
  for (const auto& [one_layer, text] : texts) {
    Plan plan = plan_because(Why::hint, Path::two_phase);
    plan.reason.one_layer = one_layer;
    plan.reason.sparsest = 64;
    if (one_layer == OneLayer::no_node_memory) plan.reason.lacking = Lack::node_memory;
    EXPECT_TRUE(reason_text(plan).starts_with("asked for by hint; one layer: " + text + "; rounds: "))
        << reason_text(plan);
    plan.reason.why = Why::trials;
    EXPECT_TRUE(reason_text(plan).starts_with("by trials; one layer: " + text + "; rounds: "))
        << reason_text(plan);
  }
}

TEST(ReasonText, LimitsAndSecondAttemptsStandLast) {
  Plan plan = plan_because(Why::hint, Path::two_layer);
  plan.reason.memory_limit_bytes = 1 << 20;
  plan.reason.window_bytes = 4096;
  plan.reason.masks = true;
  EXPECT_EQ(reason_text(plan),
            "asked for by hint; within 1048576 bytes a rank: windows of 4096 at most; with masks, as pieces "
            "overlap and leave holes");
}

TEST(ReasonText, KeysDifferWhereReasonsDo) {
  const Plan plan = plan_because(Why::hint, Path::two_layer);
  EXPECT_EQ(reason_key(plan), reason_key(Plan(plan)));
  for (const auto& change :
       {+[](Plan& p) { p.reason.why = Why::trials; }, +[](Plan& p) { p.reason.masks = true; },
        +[](Plan& p) { p.path = Path::two_phase; }, +[](Plan& p) { p.reason.lacking = Lack::handles; },
        +[](Plan& p) { ++p.reason.pieces; }, +[](Plan& p) { ++p.overlap.buffers; },
        +[](Plan& p) { p.transfers.why = WhyTransfer::trials; }}) {
    Plan other = plan;
    change(other);
    EXPECT_NE(reason_key(plan), reason_key(other)) << reason_text(other);
  }
}

}  // namespace
}  // namespace collio::policy
