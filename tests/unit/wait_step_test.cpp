// What waits do, step by step, as time goes on.
#include "flow/wait_step.hpp"

#include <gtest/gtest.h>

namespace collio::flow {
namespace {

constexpr double yield_s = 1e-6;

/// A wait from its begin on.
struct Wait {
  WaitSoFar so_far;
  double now_s = 0;
  int yields = 0;
  double longest_nap_s = 0;

  /// Until `end_s` or, with `until`, the first such step.
  void go_on(double end_s, WaitStep::What until = WaitStep::poll) {
    while (now_s < end_s) {
      ++so_far.polls;
      so_far.waited_s = now_s;
      const WaitStep step = next_step(so_far);
      if (step.what == WaitStep::yield) ++yields;
      longest_nap_s = std::max(longest_nap_s, step.nap_s);
      now_s += step.what == WaitStep::nap ? step.nap_s : yield_s;
      if (until != WaitStep::poll && step.what == until) return;
    }
  }
  static Wait of(const WaitSoFar& begin) {
    Wait wait{begin};
    wait.so_far.polls = 0;
    return wait;
  }
};

TEST(WaitStep, APartOfAReductionIsPolledForWhereCoresAreFree) {
  Wait wait = Wait::of({.ranks_per_core = 1, .reduces = true});
  wait.go_on(0.0999);
  EXPECT_EQ(wait.longest_nap_s, 0);
  wait.go_on(1);
  EXPECT_GT(wait.longest_nap_s, 0) << "a core that is polled on for long may be of use to others";
  EXPECT_LE(wait.longest_nap_s, 0.0005) << "a two-thousandth of the wait";
  wait.go_on(60);
  EXPECT_NEAR(wait.longest_nap_s, 640e-6, 1e-9) << "as any long wait: it costs a core little";
}

TEST(WaitStep, WhereRanksOutnumberCoresAReductionNapsAsAnyWait) {
  for (const double ranks : {1.01, 2.0, 8.0, 16.0, 32.0}) {
    WaitSoFar one{.ranks_per_core = ranks}, other = one;
    other.reduces = true;
    for (int poll = 1; poll < 100; ++poll) {
      one.polls = other.polls = poll;
      one.waited_s = other.waited_s = 1e-3 * poll;
      EXPECT_EQ(next_step(one).what, next_step(other).what);
      EXPECT_EQ(next_step(one).nap_s, next_step(other).nap_s);
    }
    Wait wait = Wait::of(other);
    wait.go_on(1, WaitStep::nap);
    EXPECT_LE(wait.yields, 8);
    EXPECT_LT(wait.now_s, 1e-3);
  }
}

TEST(WaitStep, OtherWaitsYieldBrieflyAndNapForASixteenth) {
  Wait wait = Wait::of({.ranks_per_core = 1});
  wait.go_on(199e-6);
  EXPECT_EQ(wait.longest_nap_s, 0);
  wait.go_on(1, WaitStep::nap);
  EXPECT_NEAR(wait.longest_nap_s, 200e-6 / 16, 1e-6);
  wait.go_on(1);
  EXPECT_DOUBLE_EQ(wait.longest_nap_s, 640e-6);
}

TEST(WaitStep, AThreadBesideTheProgramsNapsAtOnce) {
  for (const bool reduces : {false, true}) {
    Wait wait = Wait::of({.ranks_per_core = 0.5, .beside_program = true, .reduces = reduces});
    wait.go_on(1, WaitStep::nap);
    EXPECT_EQ(wait.yields, 0);
    EXPECT_DOUBLE_EQ(wait.longest_nap_s, 10e-6);
  }
}

TEST(WaitStep, ManyRanksOfACoreNapForLonger) {
  Wait few = Wait::of({.ranks_per_core = 2}), many = Wait::of({.ranks_per_core = 32});
  few.go_on(10), many.go_on(10);
  EXPECT_DOUBLE_EQ(few.longest_nap_s, 640e-6);
  EXPECT_DOUBLE_EQ(many.longest_nap_s, 8 * 640e-6);
  EXPECT_EQ(many.yields, 1);
}

TEST(WaitStep, ANapIsAsLongAsItsCallerAllows) {
  Wait wait = Wait::of({.ranks_per_core = 32, .longest_nap_s = 80e-6});
  wait.go_on(10);
  EXPECT_DOUBLE_EQ(wait.longest_nap_s, 80e-6);
}

}  // namespace
}  // namespace collio::flow
