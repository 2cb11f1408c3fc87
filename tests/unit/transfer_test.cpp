// How data goes in two phases: what the hint asks for, unless the call cannot have it; and the report says
// so.
#include "policy/plan/transfer.hpp"

#include <gtest/gtest.h>

#include "policy/plan/plan.hpp"

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
  EXPECT_EQ(plan.transfers.why, WhyTransfer::two_sided);
}

TEST(Transfers, HintsDecide) {
  for (const char* name : {"fence", "lock"}) {
    const Hints hints = parse_hints(
        {{"collio_path", "two_phase"}, {"collio_transfer", name}, {"collio_transfer_piece", "77"}});
    const Plan plan = make_plan(request_of(), machine_of_four, hints);
    EXPECT_EQ(name_of(plan.transfers.by), name);
    EXPECT_EQ(plan.transfers.shortest_piece_bytes, 77);
    EXPECT_EQ(plan.transfers.why, WhyTransfer::hint);
  }
}

TEST(Transfers, MessagesReplaceOneSidedTransfersThatACallCannotUse) {
  const Hints hints = parse_hints({{"collio_path", "two_phase"}, {"collio_transfer", "lock"}});
  PlanRequest no_window = request_of();
  no_window.lacking.windows = NoWindow::refused;
  const machine::Machine alone{{{"here", 1, 1}}, {}};
  for (const auto& [plan, why] :
       {std::pair{make_plan(request_of(1), machine_of_four, hints), WhyTransfer::on_fibers},
        std::pair{make_plan(no_window, machine_of_four, hints), WhyTransfer::no_window},
        std::pair{make_plan(request_of(), alone, hints), WhyTransfer::one_rank}}) {
    EXPECT_EQ(plan.transfers.by, Transfer::two_sided);
    EXPECT_EQ(plan.transfers.wanted, Transfer::lock);
    EXPECT_EQ(plan.transfers.why, why) << reason_text(plan);
  }
}

TEST(Transfers, TheTextGivesTheReason) {
  EXPECT_EQ(transfers_text({}), "; transfers: two_sided");
  EXPECT_EQ(transfers_text({.why = WhyTransfer::before_trials}), "; transfers: two_sided, before trials");
  EXPECT_EQ(transfers_text({.by = Transfer::lock, .why = WhyTransfer::hint}),
            "; transfers: lock, asked for by hint");
  EXPECT_EQ(transfers_text({.by = Transfer::fence, .why = WhyTransfer::trials}),
            "; transfers: fence, by trials");
  Transfers instead{.why = WhyTransfer::one_rank, .wanted = Transfer::lock};
  EXPECT_EQ(transfers_text(instead), "; transfers: two_sided, not lock: there is one rank");
  instead.why = WhyTransfer::on_fibers;
  EXPECT_EQ(transfers_text(instead),
            "; transfers: two_sided, not lock: a fence or flush would block the program, as the call runs on "
            "its thread");
  instead.why = WhyTransfer::no_window;
  instead.no_window = NoWindow::for_borrowed_line;
  EXPECT_EQ(transfers_text(instead),
            "; transfers: two_sided, not lock: many files are open, and this one borrows communicators");
  instead.no_window = NoWindow::refused;
  instead.refusal = "no windows here";
  EXPECT_EQ(transfers_text(instead), "; transfers: two_sided, not lock: no windows here");
}

}  // namespace
}  // namespace collio::policy
