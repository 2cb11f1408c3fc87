// How data goes in two phases: what the hint asks for, unless the call cannot have it; and the report says
// so.
#include "policy/transfer.hpp"

#include <gtest/gtest.h>

#include "policy/plan.hpp"

namespace collio::policy {
namespace {

const machine::Machine machine_of_four{{{"here", 4, 2}}, {}};

PlanRequest request_of(std::int64_t on_fibers = 0) {
  PlanRequest r;
  r.digest.set_call(1);
  r.digest.low = 0;
  r.digest.high = r.digest.bytes = 1 << 20;
  r.digest.pieces = 1000;
  r.digest.active_ranks = 4;
  r.digest.on_fibers = on_fibers;
  r.aggregators = 2;
  return r;
}

TEST(Transfers, MessagesAreTheDefault) {
  const Plan plan = make_plan(request_of(), machine_of_four, parse_hints({{"collio_path", "two_phase"}}));
  EXPECT_EQ(plan.transfers.by, Transfer::two_sided);
  EXPECT_TRUE(reason_text(plan).ends_with("; transfers: two_sided")) << reason_text(plan);
}

TEST(Transfers, HintsDecide) {
  for (const char* name : {"fence", "lock"}) {
    const Hints hints = parse_hints(
        {{"collio_path", "two_phase"}, {"collio_transfer", name}, {"collio_transfer_piece", "77"}});
    const Plan plan = make_plan(request_of(), machine_of_four, hints);
    EXPECT_EQ(name_of(plan.transfers.by), name);
    EXPECT_EQ(plan.transfers.shortest_piece_bytes, 77);
    EXPECT_TRUE(reason_text(plan).ends_with(std::string("; transfers: ") + name + ", asked for by hint"))
        << reason_text(plan);
  }
}

TEST(Transfers, WhatCannotBeHadIsTold) {
  const Hints hints = parse_hints({{"collio_path", "two_phase"}, {"collio_transfer", "lock"}});
  PlanRequest no_windows = request_of();
  no_windows.lacking.windows = "no windows here";
  const machine::Machine alone{{{"here", 1, 1}}, {}};
  for (const auto& [plan, why] :
       {std::pair{make_plan(request_of(1), machine_of_four, hints), "shares the thread"},
        std::pair{make_plan(no_windows, machine_of_four, hints), "no windows here"},
        std::pair{make_plan(request_of(), alone, hints), "there is one rank"}}) {
    EXPECT_EQ(plan.transfers.by, Transfer::two_sided);
    EXPECT_NE(reason_text(plan).find("; transfers: two_sided, not lock: "), std::string::npos)
        << reason_text(plan);
    EXPECT_NE(reason_text(plan).find(why), std::string::npos) << reason_text(plan);
  }
}

}  // namespace
}  // namespace collio::policy
